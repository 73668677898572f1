// Tensors as text, as PyTorch prints them. Tensor::str() has PyTorch's default options.
//
//   print(ones({2}), {.precision = 2, .prefix = "Mask("});   // Mask([1., 1.])
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frit/tensor.h"

namespace frit {

struct PrintOptions {
  int precision = 4;        // digits after the point
  double threshold = 1000;  // elements of a tensor that is shown whole
  int64_t edge_items = 3;   // shown at either end of a dimension that is cut
  int64_t line_width = 80;
  std::optional<bool> scientific = {};  // none: where numbers differ much, or are large or small
  std::string prefix = "tensor(";
  std::string_view dtype_prefix = "";      // before the names of dtypes
  std::vector<std::string> suffixes = {};  // more facts, after the dtype
};

std::string print(const Tensor& tensor, const PrintOptions& options);

}  // namespace frit
