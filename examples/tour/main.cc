// A tour of Frit: what each of the three stages hands on, then the same function cold, hot, and
// after a failed guard. The README shows this program's output; a test holds the two together.
#include <cstdio>
#include <iostream>

#include "frit/frit.h"

namespace {

using frit::BackendInput;
using frit::CompiledGraph;
using frit::GraphArg;
using frit::Tensor;

// A backend that prints the graph it receives and runs it op by op.
CompiledGraph print_and_interpret(const BackendInput& input) {
  std::cout << input.graph.print();
  return [graph = input.graph](std::span<const GraphArg> args) {
    return frit::interpret(graph, args);
  };
}

// A writer that prints the kernels it is asked for and leaves them to the next writer.
class PrintingWriter : public frit::Writer {
 public:
  std::string_view name() const override { return "printing"; }
  std::unique_ptr<frit::CompiledKernel> compile(const frit::Kernel& kernel,
                                                std::string* reason) override {
    std::cout << kernel.one_line() << "\n" << kernel.print();
    *reason = "only prints";
    return nullptr;
  }
};

template <class F, class... A>
void run_with_backend(const char* backend, F fn, const A&... args) {
  auto compiled = frit::compile(fn, {.backend = backend});
  compiled(args...);  // recorded
  compiled(args...);  // compiled
}

void show_counts(const char* when, const frit::Stats& before) {
  const frit::Stats now = frit::stats();
  std::printf("%s: eager ops %lld, ops in plans %lld, side exits %lld\n", when,
              static_cast<long long>(now.eager_ops - before.eager_ops),
              static_cast<long long>(now.plan_ops - before.plan_ops),
              static_cast<long long>(now.exits - before.exits));
}

}  // namespace

int main() {
  const auto mlp = [](const Tensor& x, const Tensor& w, const Tensor& b) {
    return relu(linear(x, w, b));
  };
  const auto affine = [](const Tensor& x) { return x * 2 + 1; };
  const Tensor x = frit::tensor({1.0f, 2.0f, 3.0f, -4.0f, 5.0f, -6.0f}).reshape({2, 3});
  const Tensor w = frit::tensor({0.5f, -1.0f, 2.0f, 1.0f, 0.0f, -0.5f}).reshape({2, 3});
  const Tensor b = frit::tensor({0.25f, -0.25f});

  frit::register_backend("capture", print_and_interpret);
  frit::register_backend("normalize", frit::normalized(print_and_interpret));

  std::puts("1. Capture hands on the program's own ops:");
  run_with_backend("capture", mlp, x, w, b);
  std::puts("\n2. Normalize hands on core ops:");
  run_with_backend("normalize", mlp, x, w, b);
  std::puts("\n3. Codegen receives kernels:");
  frit::register_writer("cpu", [] { return std::make_unique<PrintingWriter>(); });
  run_with_backend("native", affine, x);

  std::puts("\nThe same function cold, hot, and after a failed guard:");
  const auto fast = frit::compile(mlp);
  frit::Stats before = frit::stats();
  const Tensor cold = fast(x, w, b);
  show_counts("cold", before);
  before = frit::stats();
  const Tensor hot = fast(x, w, b);
  show_counts("hot", before);
  const Tensor three_rows = frit::cat({x, x.narrow(0, 0, 1)}, 0);
  before = frit::stats();
  fast(three_rows, w, b);  // a plan for it is built from the one that served before
  show_counts("other shape", before);
  const Tensor x64 = x.to(frit::kFloat64), w64 = w.to(frit::kFloat64), b64 = b.to(frit::kFloat64);
  before = frit::stats();
  fast(x64, w64, b64);  // is recorded, and compiled for the next time
  show_counts("other dtype", before);
  std::cout << hot << "\n";
  return cold.const_data_ptr<float>()[0] == hot.const_data_ptr<float>()[0] ? 0 : 1;
}
