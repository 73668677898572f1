// The frit command: runs and explains models, measures expressions, lists what is supported.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/tools/commands.h"

namespace {

// `bazel run` starts programs elsewhere than where it was called.
void enter_callers_directory() {
  const char* directory = std::getenv("BUILD_WORKING_DIRECTORY");
  if (directory != nullptr && chdir(directory) != 0) std::perror(directory);
}

constexpr char kUsage[] =
    "usage: frit run MODEL.onnx [--input name=file.npy ...] [--output-dir DIR]\n"
    "       frit explain MODEL.onnx [--input name=file.npy ...] [--json]\n"
    "       frit bench EXPRESSION [--NAME dtype[sizes] ...] [--seed N] [--threads N] [--time "
    "SECONDS]\n"
    "                  [--asm] [--json]\n"
    "       frit ops [--core]\n"
    "       frit flags\n";

// Runs the command. False when there is none of that name.
bool run_command(const std::string& command, const std::vector<std::string>& arguments) {
  if (command == "run") {
    frit::tools::run_model(arguments);
  } else if (command == "explain") {
    frit::tools::explain_model(arguments);
  } else if (command == "bench") {
    frit::tools::bench_expression(arguments);
  } else if (command == "ops") {
    frit::tools::list_ops(arguments);
  } else if (command == "flags") {
    frit::tools::list_flags(arguments);
  } else if (command == "help" || command == "--help") {
    std::cout << kUsage;
  } else {
    return false;
  }
  // A full disk or a closed pipe must not look like success.
  if (!std::cout.flush() || std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw std::runtime_error("cannot write to the standard output");
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  enter_callers_directory();
  const std::string command = argc > 1 ? argv[1] : "";
  const std::vector<std::string> arguments(argv + std::min(argc, 2), argv + argc);
  try {
    if (run_command(command, arguments)) return 0;
    std::fputs(kUsage, stderr);
    return 2;
  } catch (const frit::tools::Usage& usage) {
    std::fprintf(stderr, "frit %s: %s\n%s", command.c_str(), usage.problem.c_str(), kUsage);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "frit %s: %s\n", command.c_str(), error.what());
    return 1;
  }
}
