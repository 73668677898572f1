// Makes inputs, checks bits, compiles, and times.
#include "src/tools/bench_run.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "frit/ops.h"
#include "src/base/check.h"
#include "src/base/flags.h"
#include "src/base/lexer.h"
#include "src/base/thread_pool.h"
#include "src/eager/dispatch.h"
#include "src/graph/types.h"
#include "src/normalize/normalize.h"
#include "src/tensor/convert.h"
#include "src/tools/expression.h"
#include "src/tools/peak.h"
#include "src/tools/random_input.h"
#include "src/tools/work.h"

namespace frit::tools {
namespace {

constexpr int kCompileSamples = 7;
constexpr int64_t kFmaCalls = 32;  // of the loop by each thread: waking one takes microseconds

NamedInput parse_input(const std::string& name, const std::string& text) {
  const std::string what = "--" + name;
  base::Lexer lexer(text, what);
  const graph::Type type = graph::parse_type(lexer);
  if (!lexer.at_end()) lexer.fail("expected the end");
  if (type.layout == nullptr)
    throw Error(ErrorKind::kValue, what + ": expected a tensor, such as f32[16], got " + text);
  return {name, type.layout};
}

Tensor make_input(const Layout& layout, uint32_t seed) {
  if (layout.contiguous) return random_tensor(layout.sizes(), layout.dtype, seed);
  const Tensor memory = random_tensor({layout.span()}, layout.dtype, seed);
  return as_strided(memory, layout.sizes(), layout.strides());
}

// Runs a graph's ops one after the other as a program would, dropping each value after its last
// use. Keeps its lists between calls, so that a call costs little over its ops.
class Evaluator {
 public:
  explicit Evaluator(const Graph& graph) : graph_(graph), values_(graph.num_values()) {
    std::vector<int> last_use(values_.size(), -1);
    for (size_t i = 0; i < graph.nodes().size(); ++i) {
      const Graph::Node& node = graph.nodes()[i];
      attrs_.emplace_back(node.attrs);
      for (Graph::ValueId v : node.results) last_use[v] = static_cast<int>(i);
      for (const Graph::Operand& operand : node.operands)
        if (operand.is_value()) last_use[operand.value] = static_cast<int>(i);
    }
    for (Graph::ValueId v : graph.outputs()) last_use[v] = -1;
    dead_after_.resize(graph.nodes().size());
    for (size_t v = 0; v < last_use.size(); ++v)
      if (last_use[v] >= 0 && !graph.is_input(static_cast<int>(v)))
        dead_after_[last_use[v]].push_back(static_cast<int>(v));
  }

  Tensor run(const std::vector<Tensor>& inputs) {
    for (size_t i = 0; i < graph_.nodes().size(); ++i) {
      const Graph::Node& node = graph_.nodes()[i];
      operands_.clear();
      for (const Graph::Operand& operand : node.operands) {
        if (!operand.is_value()) {
          operands_.emplace_back(operand.literal);
        } else {
          const bool is_input = graph_.is_input(operand.value);
          operands_.emplace_back(is_input ? inputs[operand.value] : values_[operand.value]);
        }
      }
      Tensor results[kMaxResults];
      dispatch({node.op, operands_, attrs_[i]}, results);
      for (size_t r = 0; r < node.results.size(); ++r)
        values_[node.results[r]] = std::move(results[r]);
      for (int v : dead_after_[i]) values_[v] = Tensor();
    }
    return std::move(values_[graph_.outputs()[0]]);
  }

 private:
  const Graph& graph_;
  std::vector<Attrs> attrs_;                  // of each node
  std::vector<std::vector<int>> dead_after_;  // values, by node
  std::vector<Tensor> values_;
  std::vector<Operand> operands_;
};

// Throws at the first element that differs. NaN equals NaN, whatever its bits.
void check_same_bits(const Tensor& eager, const Tensor& hot) {
  const Tensor a = eager.contiguous(), b = hot.contiguous();
  FRIT_CHECK(a.dtype() == b.dtype() && a.sizes() == b.sizes());
  const auto* x = static_cast<const std::byte*>(a.const_data_ptr());
  const auto* y = static_cast<const std::byte*>(b.const_data_ptr());
  const int size = byte_size(a.dtype());
  for (int64_t i = 0; i < a.numel(); ++i) {
    if (std::memcmp(x + i * size, y + i * size, static_cast<size_t>(size)) == 0) continue;
    const Scalar p = load_element(a.dtype(), x + i * size),
                 q = load_element(b.dtype(), y + i * size);
    if (std::isnan(p.to_double()) && std::isnan(q.to_double())) continue;
    throw Error(ErrorKind::kRuntime, "bench: eager and compiled differ: element " +
                                         std::to_string(i) + " is " + graph::print_scalar(p) +
                                         " and " + graph::print_scalar(q) +
                                         "; please report it with the expression");
  }
}

std::optional<Graph> normalized(const Graph& graph) {
  NormalizeContext context;
  context.scalar_values.resize(graph.num_inputs());
  try {
    return normalize(graph, &context);
  } catch (const Error&) {
    return std::nullopt;  // such a graph runs eagerly
  }
}

std::map<std::string, int64_t> since(const std::map<std::string, int64_t>& before,
                                     std::map<std::string, int64_t> now) {
  for (const auto& [name, count] : before) now[name] -= count;
  std::erase_if(now, [](const auto& entry) { return entry.second == 0; });
  return now;
}

class Bench {
 public:
  explicit Bench(const BenchRequest& request) {
    result_.request = request;
    std::vector<NamedInput> inputs;
    for (const auto& [name, type] : request.inputs) inputs.push_back(parse_input(name, type));
    result_.graph = parse_expression(request.expression, inputs);
    result_.core = normalized(result_.graph);
    uint32_t seed = request.seed;
    for (const NamedInput& input : inputs) inputs_.push_back(make_input(*input.layout, seed++));
    evaluator_.emplace(result_.graph);
  }

  BenchResult run() {
    if (result_.request.threads > 0) set_num_threads(result_.request.threads);
    result_.threads = get_num_threads();
    count_work();
    set_jit_mode("off");
    const Tensor eager = evaluator_->run(inputs_);
    set_jit_mode("on");
    measure_compiling();
    // Once more before it counts: the second call of a region runs its plan.
    for (int i = 0; i < 2; ++i) check_same_bits(eager, (*hot_)(inputs_));
    measure();
    result_.explanation = explain_region(*hot_->region());
    return std::move(result_);
  }

 private:
  struct Call {
    Evaluator* evaluator;
    Tensor operator()(const std::vector<Tensor>& inputs) const { return evaluator->run(inputs); }
  };

  void count_work() {
    result_.bytes = bytes_moved(result_.graph);
    result_.elements = num_elements(result_.graph);
    if (result_.core) result_.flops = num_flops(*result_.core);
    for (int v = 0; v < result_.graph.num_inputs(); ++v)
      if (result_.graph.dtype(v) == kFloat64) result_.peak_dtype = kFloat64;
  }

  // Builds the plan several times from nothing; the last one stays.
  void measure_compiling() {
    base::mutable_flags().hot = 1;  // plans are what is asked for, also where eager is faster
    const std::map<std::string, int64_t> before = stats().fallbacks;
    std::vector<double> samples;
    for (int i = 0; i < kCompileSamples; ++i) {
      trim();
      hot_.emplace(Call{&*evaluator_}, CompileOptions{});
      (*hot_)(inputs_);
      int64_t us = 0;
      for (const PlanReport& plan : explain_region(*hot_->region()).plans)
        for (const PlanForm& form : plan.forms) us += form.build_us;
      if (us > 0) samples.push_back(1e3 * static_cast<double>(us));
    }
    if (!samples.empty()) result_.compile = spread_of(samples);
    if (samples.empty()) result_.refusals = since(before, stats().fallbacks);
  }

  std::vector<Series> make_series() {
    const int threads = result_.threads;
    copy_alone_.emplace(result_.bytes, 1);
    copy_all_.emplace(result_.bytes, threads);
    const Dtype dtype = result_.peak_dtype;
    const auto fma = [dtype](int on) {
      base::parallel_for(on * kFmaCalls, kFmaCalls, [&](int64_t begin, int64_t end) {
        for (; begin < end; ++begin) FRIT_CHECK(run_multiply_adds(dtype) > 0);
      });
    };
    std::vector<Series> series;
    series.emplace_back(
        "eager", [this] { evaluator_->run(inputs_); }, [] { set_jit_mode("off"); });
    series.emplace_back(
        "hot", [this] { (*hot_)(inputs_); }, [] { set_jit_mode("on"); });
    series.emplace_back("core clock", run_dependent_additions);
    series.emplace_back("copy", [this] { copy_alone_->run(); });
    series.emplace_back("multiply-adds", [fma] { fma(1); });
    if (threads == 1) return series;
    series.emplace_back("copy on all threads", [this] { copy_all_->run(); });
    series.emplace_back("multiply-adds on all threads", [fma, threads] { fma(threads); });
    return series;
  }

  void measure() {
    std::vector<Series> series = make_series();
    const int64_t entries = stats().plan_entries;
    sample(&series, result_.request.seconds);
    set_jit_mode("on");
    const auto served = static_cast<double>(stats().plan_entries - entries);
    result_.plan_share = std::min(1.0, served / static_cast<double>(series[1].calls_made()));
    result_.eager = series[0].spread();
    result_.hot = series[1].spread();
    result_.core_ghz = static_cast<double>(kDependentAdditions) / series[2].spread().median;
    result_.copy_alone = result_.copy_all = series[3].spread();
    result_.fma_alone = result_.fma_all = series[4].spread();
    if (series.size() > 5) result_.copy_all = series[5].spread();
    if (series.size() > 6) result_.fma_all = series[6].spread();
    result_.copy_bytes = copy_alone_->bytes();
    result_.fma_flops_alone = kFmaCalls * flops_of_multiply_adds(result_.peak_dtype);
    for (const Series& s : series)
      if (std::string noise = s.noise(); !noise.empty()) result_.noise.push_back(std::move(noise));
  }

  BenchResult result_;
  std::vector<Tensor> inputs_;
  std::optional<Evaluator> evaluator_;
  std::optional<Compiled<Call>> hot_;
  std::optional<CopyProbe> copy_alone_, copy_all_;
};

}  // namespace

double BenchResult::copy_rate() const {
  const double ns = std::min(copy_alone.median, copy_all.median);
  return static_cast<double>(copy_bytes) / ns;
}

double BenchResult::fma_rate() const {
  return fma_flops_alone * std::max(1 / fma_alone.median, threads / fma_all.median);
}

double BenchResult::cycles_per_element(const Spread& time) const {
  return time.median * core_ghz / static_cast<double>(std::max<int64_t>(elements, 1));
}

BenchResult run_bench(const BenchRequest& request) { return Bench(request).run(); }

}  // namespace frit::tools
