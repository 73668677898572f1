// Calls a foreign backend and checks what it returns.
#include "src/engine/foreign.h"

#include <absl/container/inlined_vector.h>

#include "src/eager/dispatch.h"
#include "src/tensor/tensor_impl.h"

namespace frit::engine {
namespace {

[[noreturn]] void fail(const std::string& backend, const std::string& problem) {
  throw Error(ErrorKind::kRuntime, "backend(" + backend + "): wrong result: " + problem);
}

class ForeignExecutable : public Executable {
 public:
  ForeignExecutable(std::string backend, Graph graph, CompiledGraph compiled, bool exact)
      : backend_(std::move(backend)),
        graph_(std::move(graph)),
        compiled_(std::move(compiled)),
        exact_(exact) {}

  void run(std::span<TensorImpl* const> externals, std::span<const Scalar> scalars,
           std::span<StorageRef> outputs) const override {
    absl::InlinedVector<GraphArg, 8> args;  // no allocation for most
    for (TensorImpl* external : externals) args.emplace_back(Tensor::share(external));
    for (const Scalar& scalar : scalars) args.emplace_back(scalar);
    std::vector<Tensor> results = compiled_(std::span<const GraphArg>(args.data(), args.size()));
    if (results.size() != outputs.size())
      fail(backend_, std::to_string(results.size()) + " outputs, the graph has " +
                         std::to_string(outputs.size()));
    for (size_t i = 0; i < outputs.size(); ++i)
      outputs[i] = StorageRef::share(
          own_output(backend_, graph_.layout(graph_.outputs()[i]), std::move(results[i]), i)
              .impl()
              ->storage);
  }
  bool exact() const override { return exact_; }

 private:
  std::string backend_;
  Graph graph_;
  CompiledGraph compiled_;
  bool exact_;
};

}  // namespace

Tensor own_output(const std::string& backend, const Layout* stated, Tensor result, size_t i) {
  const bool same = result.defined() && result.impl()->layout == stated;
  if (!same &&
      (!result.defined() || result.sizes() != stated->sizes() || result.dtype() != stated->dtype))
    fail(backend, "output " + std::to_string(i) + " is " + frit::describe(result) +
                      ", the graph says " + to_string(*stated));
  materialize(result.impl());
  const TensorImpl* impl = result.impl();
  // Memory that the backend may write to again is no output of ours.
  const bool shared = impl->storage->refs.count() > 1 || result.use_count() > 1 ||
                      impl->storage->write_exposed.load() != 0 || impl->storage->deleter;
  if (impl->layout == stated && impl->offset == 0 && !shared) return result;
  Tensor copy = new_tensor(stated);
  const Attrs none;
  const Operand operands[] = {copy, result};
  run_eager({Op::store, operands, none}, nullptr);
  return copy;
}

std::unique_ptr<Executable> foreign_executable(std::string backend, Graph graph,
                                               CompiledGraph compiled, bool exact) {
  return std::make_unique<ForeignExecutable>(std::move(backend), std::move(graph),
                                             std::move(compiled), exact);
}

}  // namespace frit::engine
