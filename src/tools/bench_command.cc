// frit bench.
#include <cctype>
#include <climits>
#include <iostream>

#include "src/base/lexer.h"
#include "src/tools/bench_report.h"
#include "src/tools/commands.h"

namespace frit::tools {
namespace {

constexpr int kMostThreads = 1024;
constexpr double kMostSeconds = 3600;

struct BenchArguments {
  BenchRequest request;
  Listings listings = Listings::kNo;
  bool json = false;
};

bool is_name(const std::string& text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0]))) return false;
  for (char c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  return true;
}

double take_seconds(const std::string& text) {
  double seconds;
  if (!base::parse_double(text, &seconds) || !(seconds > 0 && seconds <= kMostSeconds))
    throw Usage{"--time " + text + ": expected seconds, above 0 and at most 3600"};
  return seconds;
}

// An option that no other is: --NAME dtype[sizes].
void take_input(const std::vector<std::string>& arguments, size_t* i, BenchRequest* request) {
  const std::string& argument = arguments[*i];
  const std::string name = argument.substr(2, argument.find('=') - 2);
  if (!is_name(name)) throw Usage{"unknown option " + argument};
  std::string type;
  take_option(arguments, i, "--" + name, &type);
  if (!request->inputs.emplace(name, type).second) throw Usage{"--" + name + " is given twice"};
}

BenchArguments parse(const std::vector<std::string>& arguments) {
  BenchArguments parsed;
  BenchRequest& request = parsed.request;
  std::string value;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--json") {
      parsed.json = true;
    } else if (arguments[i] == "--asm") {
      parsed.listings = Listings::kYes;
    } else if (take_option(arguments, &i, "--seed", &value)) {
      request.seed = static_cast<uint32_t>(take_number("--seed", value, 0, INT_MAX));
    } else if (take_option(arguments, &i, "--threads", &value)) {
      request.threads = take_number("--threads", value, 1, kMostThreads);
    } else if (take_option(arguments, &i, "--time", &value)) {
      request.seconds = take_seconds(value);
    } else if (arguments[i].compare(0, 2, "--") == 0) {
      take_input(arguments, &i, &request);
    } else if (!request.expression.empty()) {
      throw Usage{"more than one expression: " + request.expression + " and " + arguments[i]};
    } else {
      request.expression = arguments[i];
    }
  }
  if (request.expression.empty()) throw Usage{"no expression"};
  return parsed;
}

}  // namespace

void bench_expression(const std::vector<std::string>& raw) {
  const BenchArguments arguments = parse(raw);
  const BenchResult result = run_bench(arguments.request);
  std::cout << (arguments.json ? bench_json(result, arguments.listings)
                               : bench_text(result, arguments.listings));
}

}  // namespace frit::tools
