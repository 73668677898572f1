// Constants as text.
#include "src/schedule/kernel_text.h"

#include <bit>
#include <charconv>
#include <cmath>

#include "src/base/check.h"

namespace frit {
namespace {

float as_f32(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
double as_f64(uint64_t bits) { return std::bit_cast<double>(bits); }

// Reads the text in the precision it was printed in, so that it gives the same bits.
template <class T>
bool parse_float(std::string_view text, T* value) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), *value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

}  // namespace

std::string print_constant(Dtype dtype, uint64_t bits) {
  if (dtype == kFloat32) return base::print_float(as_f32(bits));
  if (dtype == kFloat64) return base::print_double(as_f64(bits));
  if (dtype == kBool) return bits != 0 ? "true" : "false";
  if (dtype == kInt32) return std::to_string(static_cast<int32_t>(bits));
  if (dtype == kInt16) return std::to_string(static_cast<int16_t>(bits));
  if (dtype == kInt8) return std::to_string(static_cast<int8_t>(bits));
  return std::to_string(static_cast<int64_t>(bits));
}

uint64_t parse_constant(base::Lexer& lexer, Dtype dtype) {
  if (dtype == kBool) {
    if (lexer.accept("true")) return 1;
    lexer.expect("false");
    return 0;
  }
  if (!is_floating_point(dtype)) {
    const uint64_t bits = static_cast<uint64_t>(lexer.expect_int());
    const int unused = 64 - 8 * byte_size(dtype);
    return bits << unused >> unused;
  }
  const std::string_view text = lexer.peek().text;
  float single = 0;
  double real = 0;
  const bool is_number = lexer.peek().kind == base::TokenKind::kNumber;
  if (!is_number || !(dtype == kFloat32 ? parse_float(text, &single) : parse_float(text, &real)))
    lexer.fail("expected a number");
  lexer.next();
  const uint64_t bits =
      dtype == kFloat32 ? std::bit_cast<uint32_t>(single) : std::bit_cast<uint64_t>(real);
  return is_nan(dtype, bits) ? canonical_nan(dtype) : bits;
}

bool is_kernel_dtype(Dtype dtype) { return !is_half(dtype); }

uint64_t canonical_nan(Dtype dtype) {
  FRIT_CHECK(dtype == kFloat32 || dtype == kFloat64);
  return dtype == kFloat32 ? 0x7fc00000 : 0x7ff8000000000000;
}

bool is_nan(Dtype dtype, uint64_t bits) {
  if (dtype == kFloat32) return std::isnan(as_f32(bits));
  return dtype == kFloat64 && std::isnan(as_f64(bits));
}

}  // namespace frit
