// Printed tensors against PyTorch's, from the file that generate_print.py writes.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "src/base/lexer.h"
#include "src/tensor/convert.h"
#include "src/tensor/tensor_impl.h"

namespace frit {
namespace {

Dtype dtype_named(const std::string& text) {
  for (int d = 0; d < kNumDtypes; ++d)
    if (name(static_cast<Dtype>(d)) == text) return static_cast<Dtype>(d);
  ADD_FAILURE() << text;
  return kFloat32;
}

// "f32 [2,2] 1.0 nan 2.5 0.0"; without values 0, 1, 2, ...
Tensor parse_tensor(const std::string& line) {
  std::istringstream in(line);
  std::string dtype, sizes, value;
  in >> dtype >> sizes;
  Dims dims;
  std::istringstream list(sizes.substr(1, sizes.size() - 2));
  for (std::string size; std::getline(list, size, ',');) dims.push_back(std::stoll(size));
  Tensor t = empty(dims, dtype_named(dtype));
  for (int64_t i = 0; i < t.numel(); ++i) {
    Scalar element = i;
    if (in >> value) {
      int64_t integer;
      element = base::parse_int(value, &integer) ? Scalar(integer) : Scalar(std::stod(value));
    }
    store_element(t.dtype(), t.impl()->data + i * t.element_size(), element);
  }
  return t;
}

TEST(Print, LooksLikePyTorch) {
  std::ifstream file("tests/tensor/print.txt");
  int checked = 0;
  for (std::string line; std::getline(file, line);) {
    std::string expected;
    for (std::string printed; std::getline(file, printed) && printed != "---";)
      expected += (expected.empty() ? "" : "\n") + printed;
    if (expected.ends_with('\n')) expected.pop_back();
    EXPECT_EQ(parse_tensor(line).str(), expected) << line;
    ++checked;
  }
  EXPECT_GT(checked, 40);
}

TEST(Print, ShowsAViewByItsOwnStrides) {
  const float data[] = {1, 2, 3, 4};
  const Tensor t = from_host(data, {2, 2});
  const Layout* transposed = intern_layout(kFloat32, kCPU, {2, 2}, {1, 2});
  const Tensor view = new_view(transposed, t.impl()->storage, 0);
  EXPECT_EQ(view.str(), "tensor([[1., 3.],\n        [2., 4.]])");
}

TEST(Print, SaysThatAHandleIsUndefined) { EXPECT_EQ(Tensor().str(), "tensor(undefined)"); }

}  // namespace
}  // namespace frit
