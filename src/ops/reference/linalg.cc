// Linear algebra: the elements of one matrix after the other, gathered by index.
#include <vector>

#include "src/ops/matrix.h"
#include "src/ops/reference/elements.h"

namespace frit::reference {
namespace {

// All elements, row-major.
std::vector<std::byte> gathered(const Elements& x) {
  const size_t size = static_cast<size_t>(byte_size(x.dtype()));
  std::vector<std::byte> bytes;
  for (Index i(x.layout->sizes()); i.valid(); i.next()) {
    const std::byte* element = x.data + i.offset(x.layout->strides()) * static_cast<int64_t>(size);
    bytes.insert(bytes.end(), element, element + size);
  }
  return bytes;
}

}  // namespace

void run_linalg(const OpCall& call, Tensor* results) {
  const ResultTypes types = infer(call);
  for (int i = 0; i < types.count; ++i) results[i] = new_result(types, i);
  const int64_t count = matrix_count(*call.operands[0].layout());
  std::vector<std::byte> operands[2];
  for (size_t k = 0; k < call.operands.size(); ++k)
    operands[k] = gathered(Elements(call.operands[k].tensor));
  for (int64_t number = 0; number < count; ++number) {
    MatrixMemory memory;
    for (size_t k = 0; k < call.operands.size(); ++k)
      memory.operands[k] =
          operands[k].data() + static_cast<int64_t>(operands[k].size()) / count * number;
    for (int k = 0; k < types.count; ++k)
      if (results[k].numel() > 0)
        memory.results[k] = results[k].impl()->data +
                            results[k].numel() / count * number * byte_size(results[k].dtype());
    if (const int64_t status = run_matrix(call, memory)) fail_matrix(call, number, status);
  }
}

}  // namespace frit::reference
