// The rules against PyTorch: dtypes, sizes, strides, view offsets and classes of errors, from the
// files that generate_rules.py writes.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "src/base/lexer.h"
#include "src/ops/infer.h"

namespace frit {
namespace {

// "f32[2,3]{3,1}", or null for a number.
const Layout* parse_layout(const std::string& text) {
  base::Lexer lexer(text, "layout");
  const std::string dtype(lexer.next().text);
  Dims sizes, strides;
  const auto read = [&](const char* open, const char* close, Dims* dims) {
    if (!lexer.accept(open)) return false;
    while (!lexer.accept(close)) {
      dims->push_back(lexer.expect_int());
      lexer.accept(",");
    }
    return true;
  };
  if (!read("[", "]", &sizes)) return nullptr;
  if (!read("{", "}", &strides)) strides = contiguous_strides(sizes);
  for (int d = 0; d < kNumDtypes; ++d)
    if (name(static_cast<Dtype>(d)) == dtype)
      return intern_layout(static_cast<Dtype>(d), kCPU, sizes, strides);
  return nullptr;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);)
    if (part.find_first_not_of(' ') != part.npos || separator == ';') parts.push_back(part);
  return parts;
}

OperandType parse_operand(const std::string& text) {
  OperandType operand;
  if (text == "float")
    operand.scalar = 1.5;
  else if (text == "int")
    operand.scalar = 1;
  else if (text == "true")
    operand.scalar = true;
  else if (text == "0")
    operand.scalar = 0;
  else
    operand.layout = parse_layout(text);
  return operand;
}

std::string class_of(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::kValue:
      return "ValueError";
    case ErrorKind::kIndex:
      return "IndexError";
    case ErrorKind::kType:
      return "TypeError";
    // Python's NotImplementedError is a RuntimeError.
    case ErrorKind::kRuntime:
    case ErrorKind::kNotImplemented:
    case ErrorKind::kOutOfMemory:
      return "RuntimeError";
  }
  return {};
}

// With all strides, as the file has them.
std::string full_text(const Layout& layout) {
  std::ostringstream out;
  out << name(layout.dtype) << '[';
  for (int d = 0; d < layout.rank; ++d) out << (d ? "," : "") << layout.size(d);
  out << "]{";
  for (int d = 0; d < layout.rank; ++d) out << (d ? "," : "") << layout.stride(d);
  out << '}';
  return out.str();
}

std::string result_text(const ResultTypes& types) {
  std::string text;
  for (int i = 0; i < types.count; ++i) {
    const ResultType& result = types.results[i];
    text += (i ? " " : "") + full_text(*result.layout);
    if (result.view_of >= 0 && result.layout->numel > 0)
      text += "@" + std::to_string(result.offset);
  }
  return text;
}

std::string infer_text(Op op, const std::vector<OperandType>& operands, const Attrs& attrs) {
  try {
    return result_text(infer(op, operands, attrs));
  } catch (const Error& error) {
    return class_of(error);
  }
}

std::string dtype_text(Op op, const std::vector<OperandType>& operands) {
  try {
    return std::string(name(promote(op, operands).result));
  } catch (const Error& error) {
    return class_of(error);
  }
}

// Where Frit's strides are its own: composites keep the memory format of their operand, a product
// is row-major, a 2-D convolution gives channels_last.
std::string without_strides(std::string text) {
  const size_t at = text.find('{');
  return at == text.npos ? text : text.substr(0, at);
}
bool strides_are_ours(Op op) { return is_composite(op) || info(op).family == Family::kContract; }

TEST(Promotion, GivesPyTorchsDtypes) {
  std::ifstream file("tests/ops/promotion.txt");
  std::string word;
  std::vector<std::string> columns;
  int checked = 0;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words = split(line, ' ');
    if (words[0] == "columns") columns.assign(words.begin() + 1, words.end());
    const bool unary = words[0] == "unary";
    if (words[0] == "columns") continue;
    const Op op = *op_named(unary ? words[1] : words[0]);
    for (size_t i = 2; i < words.size(); ++i) {
      if (words[i] == "-") continue;
      std::vector<OperandType> operands;
      if (op == Op::where) operands.push_back(parse_operand("bool[2]"));
      if (!unary) operands.push_back(parse_operand(words[1]));
      operands.push_back(parse_operand(columns[i - 2]));
      // PyTorch's TypeError for ~float is Python's; its C++ says RuntimeError.
      const std::string expected = words[i] == "TypeError" ? "RuntimeError" : words[i];
      EXPECT_EQ(dtype_text(op, operands), expected)
          << name(op) << ' ' << words[1] << ' ' << columns[i - 2];
      ++checked;
    }
  }
  EXPECT_GT(checked, 6000);
}

TEST(Rules, GivePyTorchsSizesStridesAndErrors) {
  std::ifstream file("tests/ops/rules.txt");
  int checked = 0;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> parts = split(line, ';');
    ASSERT_EQ(parts.size(), 4u) << line;
    const Op op = *op_named(parts[0]);
    std::vector<OperandType> operands;
    for (const std::string& operand : split(parts[1], ' '))
      operands.push_back(parse_operand(operand));
    Attrs attrs;
    for (const std::string& value : split(parts[2], ' ')) attrs.add(int64_t{std::stoll(value)});
    std::string expected = parts[3].substr(1), got = infer_text(op, operands, attrs);
    if (strides_are_ours(op)) expected = without_strides(expected), got = without_strides(got);
    EXPECT_EQ(got, expected) << line;
    ++checked;
  }
  EXPECT_GT(checked, 2000);
}

}  // namespace
}  // namespace frit
