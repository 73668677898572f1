// Lays out what a measurement gave.
#include "src/tools/bench_report.h"

#include <cstdio>
#include <cstdlib>

#include "frit/kernel.h"
#include "src/base/cpu.h"
#include "src/base/json.h"
#include "src/tensor/layout.h"

namespace frit::tools {
namespace {

using base::JsonWriter;

template <class... A>
std::string format(const char* form, A... values) {
  char text[256];
  std::snprintf(text, sizeof text, form, values...);
  return text;
}

std::string with_unit(double value, const char* unit) {
  const char* prefix = "";
  const auto scale = [&](double limit, double factor, const char* name) {
    if (value < limit) return;
    value /= factor;
    prefix = name;
  };
  const char* prefixes[] = {"k", "M", "G", "T"};
  for (const char* next : prefixes) scale(1000, 1000, next);
  return format("%.3g %s%s", value, prefix, unit);
}

std::string time_text(double ns) {
  if (ns < 1e3) return format("%.1f ns", ns);
  if (ns < 1e6) return format("%.2f us", ns / 1e3);
  if (ns < 1e9) return format("%.2f ms", ns / 1e6);
  return format("%.2f s", ns / 1e9);
}

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string inputs_text(const BenchResult& r) {
  std::string text;
  for (int v = 0; v < r.graph.num_inputs(); ++v)
    text += (v == 0 ? "" : ", ") + r.graph.input_name(v) + ": " + to_string(*r.graph.layout(v));
  return text;
}

// What the rows of the table have in common: a time, and what is done in it.
std::string row(const std::string& name, const Spread& time) {
  return format("%-26s %12s %8.1f %%", name.c_str(), time_text(time.median).c_str(),
                100 * time.relative());
}

std::string expression_row(const BenchResult& r, const std::string& name, const Spread& time) {
  const double moved = static_cast<double>(r.bytes) / time.median, done = r.flops / time.median;
  return row(name, time) + format(" %9.2f %8.1f %% %9.2f %8.1f %% %10.3f\n", moved,
                                  percent(moved, r.copy_rate()), done, percent(done, r.fma_rate()),
                                  r.cycles_per_element(time));
}

std::string copy_row(const BenchResult& r, int threads, const Spread& time) {
  return row("copy, threads: " + std::to_string(threads), time) +
         format(" %9.2f\n", static_cast<double>(r.copy_bytes) / time.median);
}

std::string fma_row(const BenchResult& r, int threads, const Spread& time) {
  return row("multiply-adds, threads: " + std::to_string(threads), time) +
         format(" %9s %10s %9.2f\n", "", "", threads * r.fma_flops_alone / time.median);
}

std::string table(const BenchResult& r) {
  std::string text = format("%-26s %12s %10s %9s %10s %9s %10s %10s\n", "", "median", "spread",
                            "GB/s", "of copy", "GFLOP/s", "of peak", "cycles/el");
  text += expression_row(r, "eager", r.eager) + expression_row(r, "hot", r.hot);
  if (r.compile) text += row("compiling", *r.compile) + "\n";
  text += copy_row(r, 1, r.copy_alone);
  if (r.threads > 1) text += copy_row(r, r.threads, r.copy_all);
  text += fma_row(r, 1, r.fma_alone);
  if (r.threads > 1) text += fma_row(r, r.threads, r.fma_all);
  return text;
}

std::string verdict(const BenchResult& r) {
  std::string text;
  if (!r.compile) {
    text += "not compiled: the hot calls ran eagerly\n";
    for (const auto& [reason, count] : r.refusals) text += "  " + reason + "\n";
  } else {
    text += format("hot is %.2f times as fast as eager; plans served %.1f %% of the hot calls\n",
                   r.eager.median / r.hot.median, 100 * r.plan_share);
  }
  if (r.noise.empty()) return text;
  double load = 0;
  getloadavg(&load, 1);
  text += format("too noisy to tell (load %.1f, quartiles may be %.0f %% apart):\n", load,
                 100 * kNoisy);
  for (const std::string& noise : r.noise) text += "  " + noise + "\n";
  return text;
}

std::string kernels_text(const PlanForm& form, Listings listings) {
  std::string text;
  for (size_t i = 0; i < form.kernels.size(); ++i) {
    text += "\nkernel " + std::to_string(i + 1) + " of " + std::to_string(form.kernels.size()) +
            ", by " + form.writers[i] + ":\n";
    const std::string line = Kernel::parse(form.kernels[i]).one_line();
    if (!line.empty()) text += line + "\n";
    text += form.kernels[i];
    if (listings == Listings::kNo) continue;
    text += form.listings[i].empty() ? "no listing\n" : form.listings[i];
  }
  for (const std::string& fallback : form.fallbacks)
    text += "\nby eager's kernel: " + fallback + "\n";
  return text;
}

void write_spread(const char* name, const Spread& spread, JsonWriter* json) {
  json->key(name).begin_object();
  json->key("median_ns").value(spread.median);
  json->key("low_ns").value(spread.low).key("high_ns").value(spread.high);
  json->key("spread").value(spread.relative()).end_object();
}

void write_times(const BenchResult& r, JsonWriter* json) {
  for (const auto& [name, time] : {std::pair{"eager", &r.eager}, std::pair{"hot", &r.hot}}) {
    const double moved = static_cast<double>(r.bytes) / time->median;
    const double done = r.flops / time->median;
    json->key(name).begin_object();
    write_spread("time", *time, json);
    json->key("gb_per_s").value(moved).key("percent_of_copy").value(percent(moved, r.copy_rate()));
    json->key("gflop_per_s").value(done);
    json->key("percent_of_peak").value(percent(done, r.fma_rate()));
    json->key("cycles_per_element").value(r.cycles_per_element(*time)).end_object();
  }
  if (r.compile) write_spread("compile", *r.compile, json);
}

void write_machine(const BenchResult& r, JsonWriter* json) {
  json->key("machine").begin_object();
  json->key("isa").value(name(base::isa())).key("threads").value(r.threads);
  json->key("core_ghz").value(r.core_ghz);
  json->key("copy_gb_per_s").value(r.copy_rate());
  json->key("peak_gflop_per_s").value(r.fma_rate());
  json->key("peak_dtype").value(name(r.peak_dtype));
  write_spread("copy_alone", r.copy_alone, json);
  write_spread("copy_all_threads", r.copy_all, json);
  write_spread("multiply_adds_alone", r.fma_alone, json);
  write_spread("multiply_adds_all_threads", r.fma_all, json);
  json->end_object();
}

void write_texts(const char* name, const std::vector<std::string>& texts, JsonWriter* json) {
  json->key(name).begin_array();
  for (const std::string& text : texts) json->value(text);
  json->end_array();
}

void write_plans(const BenchResult& r, Listings listings, JsonWriter* json) {
  json->key("plans").begin_array();
  for (const PlanReport& plan : r.explanation.plans) {
    for (const PlanForm& form : plan.forms) {
      json->begin_object();
      write_texts("kernels", form.kernels, json);
      write_texts("writers", form.writers, json);
      write_texts("fallbacks", form.fallbacks, json);
      if (listings == Listings::kYes) write_texts("listings", form.listings, json);
      json->end_object();
    }
  }
  json->end_array();
}

}  // namespace

std::string bench_text(const BenchResult& r, Listings listings) {
  std::string text = "expression  " + r.request.expression + "\n";
  text += "inputs      " + inputs_text(r) + " (seed " + std::to_string(r.request.seed) + ")\n";
  text += "result      " + to_string(*r.graph.layout(r.graph.outputs()[0])) +
          ", the same bits eager and hot\n";
  text += "machine     " + std::string(name(base::isa())) +
          ", threads: " + std::to_string(r.threads) + format(", core clock %.2f GHz\n", r.core_ghz);
  text += "work        " + with_unit(static_cast<double>(r.bytes), "B") + " at the least, " +
          with_unit(r.flops, "flop") + ", " + std::to_string(r.elements) + " elements\n\n";
  text += table(r) + "\n" + verdict(r);
  for (const PlanReport& plan : r.explanation.plans)
    for (const PlanForm& form : plan.forms) text += kernels_text(form, listings);
  return text;
}

std::string bench_json(const BenchResult& r, Listings listings) {
  JsonWriter json;
  json.begin_object().key("expression").value(r.request.expression);
  json.key("seed").value(static_cast<int64_t>(r.request.seed));
  json.key("inputs").begin_object();
  for (int v = 0; v < r.graph.num_inputs(); ++v)
    json.key(r.graph.input_name(v)).value(to_string(*r.graph.layout(v)));
  json.end_object().key("result").value(to_string(*r.graph.layout(r.graph.outputs()[0])));
  json.key("graph").value(r.graph.print());
  json.key("normalized").value(r.core ? r.core->print() : "");
  json.key("bytes").value(r.bytes).key("flops").value(r.flops);
  json.key("elements").value(r.elements);
  write_machine(r, &json);
  write_times(r, &json);
  json.key("plan_share").value(r.plan_share);
  json.key("refusals").begin_object();
  for (const auto& [reason, count] : r.refusals) json.key(reason).value(count);
  json.end_object();
  json.key("noisy").value(!r.noise.empty());
  write_texts("noise", r.noise, &json);
  write_plans(r, listings, &json);
  return json.end_object().str() + "\n";
}

}  // namespace frit::tools
