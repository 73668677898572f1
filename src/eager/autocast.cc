// Casts operands of registered ops before their functions get them, and rounds what comes of them.
//
// All of it happens inside of the op's one call: in graphs it stays one node, whose types are those
// of its operands. Decompositions do the same in custom::expand().
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include "src/eager/autocast.h"

#include <memory>
#include <utility>
#include <vector>

#include "frit/ops.h"
#include "src/ops/custom.h"

namespace frit {
namespace {

using custom::needs_autocast;
using custom::Values;

// The arguments of a call, with copies of floating operands of fewer bits.
class Widened {
 public:
  Widened(const OpArgs& args, Dtype dtype)
      : original_(custom::values_of(args)),
        operands_(original_.operands.begin(), original_.operands.end()),
        lent_(operands_.size()),
        values_(original_) {
    const custom::Schema& schema = original_.definition->schema;
    for (size_t i = 0; i < schema.args.size(); ++i) {
      if (!custom::is_operand(schema.args[i].kind)) continue;
      const auto [first, size] = schema.operands_of(schema.args[i], operands_.size());
      for (size_t k = 0; k < size; ++k) {
        if (!operands_[first + k].is_tensor()) continue;
        const Tensor& t = args.tensor(static_cast<int>(i), static_cast<int>(k));
        lent_[first + k] = needs_autocast(t.dtype(), dtype) ? t.to(dtype) : t;
        operands_[first + k] = lent_[first + k];
      }
    }
    values_.operands = operands_;
    values_.lent = lent_.data();
  }
  Widened(const Widened&) = delete;

  OpArgs args() const { return OpArgs(&values_); }

  // Rounds what the function wrote to copies into the operands themselves.
  void store_written() const {
    const custom::Schema& schema = original_.definition->schema;
    for (int i : schema.mutated) {
      const auto& spec = schema.args[static_cast<size_t>(i)];
      const size_t place = schema.operands_of(spec, operands_.size()).first;
      const Tensor& target = OpArgs(&original_).tensor(i);
      if (!target.is_same(lent_[place])) target.copy_(lent_[place]);
    }
  }

 private:
  const Values& original_;
  std::vector<Operand> operands_;
  std::vector<Tensor> lent_;
  Values values_;
};

void run_out(const CustomFunctions& functions, const OpArgs& args,
             std::span<const Tensor> results) {
  const Widened wide(args, *functions.autocast);
  std::vector<Tensor> made;
  for (const Tensor& result : results)
    made.push_back(needs_autocast(result.dtype(), *functions.autocast)
                       ? empty_strided(result.sizes(), result.strides(),
                                       TensorOptions(*functions.autocast).device(result.device()))
                       : result);
  functions.eager_out(wide.args(), made);
  for (size_t i = 0; i < made.size(); ++i)
    if (!made[i].is_same(results[i])) results[i].copy_(made[i]);
  wide.store_written();
}

// The types that the new tensors are rounded to.
std::vector<Dtype> rounded_dtypes(const CustomFunctions& functions, const OpArgs& args,
                                  size_t count) {
  Values values = custom::values_of(args);
  if (!functions.fake)
    return std::vector<Dtype>(count, custom::dtype_of_operands(values).value_or(kFloat64));
  values.lent = nullptr;
  ResultTypes types;
  const int first = types.count = static_cast<int>(values.definition->schema.mutated.size());
  custom::add_results(values, functions, &types);
  std::vector<Dtype> dtypes;
  for (int i = first; i < types.count; ++i) {
    dtypes.push_back(types.results[i].layout->dtype);
    release_layout(types.results[i].layout);
  }
  return dtypes;
}

std::vector<Tensor> run_new(const CustomFunctions& functions, const OpArgs& args) {
  const Widened wide(args, *functions.autocast);
  std::vector<Tensor> made = functions.eager(wide.args());
  const std::vector<Dtype> dtypes = rounded_dtypes(functions, args, made.size());
  for (size_t i = 0; i < std::min(made.size(), dtypes.size()); ++i)
    if (made[i].defined() && made[i].dtype() == *functions.autocast &&
        needs_autocast(dtypes[i], *functions.autocast))
      made[i] = made[i].to(dtypes[i]);
  wide.store_written();
  return made;
}

}  // namespace

CustomFunctions with_autocast(CustomFunctions functions) {
  if (!functions.autocast) return functions;
  const auto inner = std::make_shared<const CustomFunctions>(functions);
  if (functions.eager_out)
    functions.eager_out = [inner](const OpArgs& args, std::span<const Tensor> results) {
      run_out(*inner, args, results);
    };
  if (functions.eager)
    functions.eager = [inner](const OpArgs& args) { return run_new(*inner, args); };
  return functions;
}

}  // namespace frit
