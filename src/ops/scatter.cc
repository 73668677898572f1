#include "src/ops/scatter.h"

#include <string>

namespace frit {

Write write_named(std::string_view op, std::string_view reduce) {
  constexpr std::string_view kNames[] = {"", "sum", "prod", "amax", "amin", "mean"};
  for (int i = 1; i <= static_cast<int>(Write::kMean); ++i)
    if (reduce == kNames[i]) return static_cast<Write>(i);
  throw Error(ErrorKind::kRuntime, std::string(op) + "(reduce=" + std::string(reduce) +
                                       "): expected sum, prod, mean, amax or amin");
}

Write write_of(Op op, const Attrs& attrs) {
  switch (op) {
    case Op::scatter_reduce:
      return static_cast<Write>(int_attr(op, attrs, "reduce"));
    case Op::scatter_add:
    case Op::index_add:
      return Write::kAdd;
    case Op::index_put:
      return int_attr(op, attrs, "accumulate") != 0 ? Write::kAdd : Write::kSet;
    default:
      return Write::kSet;
  }
}

bool includes_self(Op op, const Attrs& attrs) {
  return op != Op::scatter_reduce || int_attr(op, attrs, "include_self") != 0;
}

Dtype write_dtype(Write write, Dtype dtype) {
  if (write == Write::kSet) return dtype;
  if (dtype == kBool) return kUInt8;
  return is_half(dtype) ? kFloat32 : dtype;
}

Write write_in_dtype(Write write, Dtype dtype) {
  if (dtype != kBool) return write;
  if (write == Write::kAdd) return Write::kAmax;
  return write == Write::kProd ? Write::kAmin : write;
}

}  // namespace frit
