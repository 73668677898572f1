// The reference loops and composites against PyTorch's values, from the file that
// generate_values.py writes, within each row's tolerance.
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "src/base/lexer.h"
#include "src/ops/reference/reference.h"
#include "src/tensor/convert.h"

namespace frit {
namespace {

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  size_t from = 0;
  for (size_t at; (at = text.find(separator, from)) != text.npos; from = at + separator.size())
    parts.push_back(text.substr(from, at - from));
  parts.push_back(text.substr(from));
  return parts;
}

Scalar parse_number(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  int64_t integer;
  if (base::parse_int(text, &integer)) return integer;
  return std::strtod(text.c_str(), nullptr);
}

// "f32[2,2]:1 2 3 4"
Tensor parse_tensor(const std::string& text) {
  const size_t open = text.find('['), close = text.find(']');
  Dims sizes;
  std::istringstream list(text.substr(open + 1, close - open - 1));
  for (std::string size; std::getline(list, size, ',');) sizes.push_back(std::stoll(size));
  Dtype dtype = kFloat32;
  for (int d = 0; d < kNumDtypes; ++d)
    if (name(static_cast<Dtype>(d)) == text.substr(0, open)) dtype = static_cast<Dtype>(d);
  Tensor t = empty(sizes, dtype);
  std::istringstream values(text.substr(close + 2));
  std::string value;
  for (int64_t i = 0; values >> value; ++i)
    store_element(dtype, t.impl()->data + i * byte_size(dtype),
                  is_floating_point(dtype) ? Scalar(std::strtod(value.c_str(), nullptr))  // -0 too
                                           : parse_number(value));
  return t;
}

double at(const Tensor& t, int64_t i) {
  return load_element(t.dtype(), t.impl()->data + i * t.element_size()).to_double();
}

double epsilon(Dtype dtype) {
  return dtype == kFloat64 ? std::numeric_limits<double>::epsilon()
                           : std::numeric_limits<float>::epsilon();
}

// What an element may differ by. The terms of a sum are not known here: at most 64 of them, of
// about the size of the largest result.
double allowed(const Tolerance& tolerance, Dtype dtype, double expected, double largest) {
  if (!is_floating_point(dtype)) return 0;
  const double eps = epsilon(dtype);
  switch (tolerance.kind) {
    case Tolerance::Kind::kExact:
      return 0;
    case Tolerance::Kind::kUlp:
      return tolerance.factor * eps * std::fabs(expected) + 1e-45;
    case Tolerance::Kind::kSum:
      return tolerance.factor * eps * 8 * std::max(largest, 1.0);
    case Tolerance::Kind::kAbsEps:
      return tolerance.factor * eps * std::max(1.0, std::fabs(expected));
  }
  return 0;
}

double largest_of(const Tensor& t) {
  double largest = 0;
  for (int64_t i = 0; i < t.numel(); ++i)
    if (std::isfinite(at(t, i))) largest = std::max(largest, std::fabs(at(t, i)));
  return largest;
}

bool is_close(double got, double expected, double tolerance) {
  if (std::isnan(expected)) return std::isnan(got);
  // Zeros of either sign are told apart where nothing was rounded.
  if (tolerance == 0) return got == expected && std::signbit(got) == std::signbit(expected);
  return got == expected || std::fabs(got - expected) <= tolerance;
}

void expect_close(Op op, const Tensor& result, const Tensor& expected, const std::string& line) {
  ASSERT_EQ(result.dtype(), expected.dtype()) << line;
  ASSERT_EQ(result.sizes(), expected.sizes()) << line;
  const Layout* layout = intern_contiguous(result.dtype(), kCPU, result.sizes());
  const Tensor got = new_tensor(layout);
  const Operand operands[] = {got, result};
  reference::run({Op::store, operands, Attrs()}, nullptr);
  for (int64_t i = 0; i < got.numel(); ++i) {
    const double tolerance =
        allowed(info(op).tolerance, got.dtype(), at(expected, i), largest_of(expected));
    EXPECT_TRUE(is_close(at(got, i), at(expected, i), tolerance))
        << name(op) << ": element " << i << " is " << at(got, i) << ", PyTorch's is "
        << at(expected, i) << "\n"
        << line.substr(0, 400);
  }
}

TEST(Values, AreThoseOfPyTorchWithinTheRowsTolerance) {
  std::ifstream file("tests/ops/values.txt");
  std::vector<bool> seen(kNumOps, false);
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> parts = split(line, "; ");
    ASSERT_EQ(parts.size(), 4u) << line;
    const Op op = *op_named(parts[0]);
    std::vector<Tensor> tensors;
    std::vector<Operand> operands;
    for (const std::string& text : split(parts[1], " | ")) {
      const bool is_tensor = text.find('[') != text.npos;
      tensors.push_back(is_tensor ? parse_tensor(text) : Tensor());
      operands.push_back(is_tensor ? Operand(tensors.back()) : Operand(parse_number(text)));
    }
    Attrs attrs;
    std::istringstream values(parts[2]);
    for (int64_t value; values >> value;) attrs.add(value);
    Tensor results[kMaxResults];
    reference::run({op, operands, attrs}, results);
    const std::vector<std::string> expected = split(parts[3], " | ");
    for (size_t i = 0; i < expected.size(); ++i)
      expect_close(op, results[i], parse_tensor(expected[i]), line);
    seen[static_cast<size_t>(op)] = true;
  }
  for (int i = 0; i < kNumOps; ++i) {
    const Op op = static_cast<Op>(i);
    const bool checked_elsewhere =
        info(op).family == Family::kMove || op == Op::contiguous || op == Op::store;
    EXPECT_TRUE(seen[static_cast<size_t>(i)] || checked_elsewhere) << name(op);
  }
}

}  // namespace
}  // namespace frit
