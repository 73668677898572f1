// Calls a foreign backend and checks what it returns.
#include "src/engine/foreign.h"

#include "src/eager/dispatch.h"
#include "src/tensor/tensor_impl.h"

namespace frit::engine {
namespace {

class ForeignExecutable : public Executable {
 public:
  ForeignExecutable(std::string backend, Graph graph, CompiledGraph compiled, bool exact)
      : backend_(std::move(backend)),
        graph_(std::move(graph)),
        compiled_(std::move(compiled)),
        exact_(exact) {}

  void run(std::span<TensorImpl* const> externals, std::span<const Scalar> scalars,
           std::span<StorageRef> outputs) const override {
    std::vector<GraphArg> args;
    for (TensorImpl* external : externals) args.emplace_back(Tensor::share(external));
    for (const Scalar& scalar : scalars) args.emplace_back(scalar);
    std::vector<Tensor> results = compiled_(args);
    if (results.size() != outputs.size())
      fail(std::to_string(results.size()) + " outputs, the graph has " +
           std::to_string(outputs.size()));
    for (size_t i = 0; i < outputs.size(); ++i)
      outputs[i] = StorageRef::share(own(std::move(results[i]), i).impl()->storage);
  }
  bool exact() const override { return exact_; }

 private:
  // The output in memory of its own, at offset 0 and in the layout that the graph states.
  Tensor own(Tensor result, size_t i) const {
    const Layout* stated = graph_.layout(graph_.outputs()[i]);
    if (!result.defined() || result.sizes() != stated->sizes() || result.dtype() != stated->dtype)
      fail("output " + std::to_string(i) + " is " + frit::describe(result) + ", the graph says " +
           to_string(*stated));
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

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(ErrorKind::kRuntime, "backend(" + backend_ + "): wrong result: " + problem);
  }

  std::string backend_;
  Graph graph_;
  CompiledGraph compiled_;
  bool exact_;
};

}  // namespace

std::unique_ptr<Executable> foreign_executable(std::string backend, Graph graph,
                                               CompiledGraph compiled, bool exact) {
  return std::make_unique<ForeignExecutable>(std::move(backend), std::move(graph),
                                             std::move(compiled), exact);
}

}  // namespace frit::engine
