// Compares tensors element by element.
#include "tests/sweep/compare.h"

#include <cmath>
#include <cstring>
#include <sstream>

#include "src/tensor/convert.h"

namespace frit::sweep {
namespace {

bool same_bits(Dtype dtype, const std::byte* a, const std::byte* b) {
  if (std::memcmp(a, b, static_cast<size_t>(byte_size(dtype))) == 0) return true;
  if (!is_floating_point(dtype)) return false;
  return std::isnan(load_element(dtype, a).to_double()) &&
         std::isnan(load_element(dtype, b).to_double());
}

// The element of row-major index i.
int64_t offset_of(const Layout& layout, int64_t i) {
  int64_t offset = 0;
  for (int d = layout.rank; d-- > 0;) {
    offset += i % layout.size(d) * layout.stride(d);
    i /= layout.size(d);
  }
  return offset;
}

std::string print(Dtype dtype, const std::byte* element) {
  std::ostringstream out;
  out.precision(17);
  const Scalar value = load_element(dtype, element);
  value.is_float() ? out << value.to_double() : out << value.to_int();
  return out.str();
}

}  // namespace

Outcome run_case(const SweepCase& c, void (*run)(const OpCall& call, Tensor* results)) {
  Outcome outcome;
  const std::vector<Operand> operands = c.operands();
  Tensor results[kMaxResults];
  try {
    run({c.op, operands, c.attrs}, results);
  } catch (const Error& error) {
    outcome.error = error.kind();
    outcome.error_text = error.what();
    return outcome;
  }
  const int count = info(c.op).results;
  for (int i = 0; i < count; ++i) outcome.results.push_back(results[i]);
  if (count == 0) outcome.results.push_back(c.tensors[0]);
  return outcome;
}

std::string compare(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return "undefined result";
  const Layout &la = *a.impl()->layout, &lb = *b.impl()->layout;
  if (&la != &lb) return "layouts differ: " + to_string(la) + " and " + to_string(lb);
  const int size = byte_size(la.dtype);
  for (int64_t i = 0; i < la.numel; ++i) {
    const std::byte* x = a.impl()->data + offset_of(la, i) * size;
    const std::byte* y = b.impl()->data + offset_of(lb, i) * size;
    if (!same_bits(la.dtype, x, y))
      return "element " + std::to_string(i) + " differs: " + print(la.dtype, x) + " and " +
             print(la.dtype, y);
  }
  return "";
}

std::string compare(const Outcome& a, const Outcome& b) {
  if (a.error || b.error) {
    if (a.error == b.error) return "";
    return "errors differ: '" + a.error_text + "' and '" + b.error_text + "'";
  }
  if (a.results.size() != b.results.size())
    return "results differ in number: " + std::to_string(a.results.size()) + " and " +
           std::to_string(b.results.size());
  for (size_t i = 0; i < a.results.size(); ++i) {
    const std::string difference = compare(a.results[i], b.results[i]);
    if (!difference.empty()) return "result " + std::to_string(i) + ": " + difference;
  }
  return "";
}

}  // namespace frit::sweep
