// Kernels as text.
#include "tests/codegen/kernel_texts.h"

#include "src/ops/reference/apply_scalar.h"

namespace frit::codegen {

std::string pointwise(Op op, Dtype dtype, const std::string& classes) {
  const int count = info(op).operands;
  const Dtype result = reference::scalar_result(op, dtype);
  const auto access = [](char c) { return c == 'u' ? "1" : c == 'b' ? "0" : "*"; };
  std::string params, loads, operands;
  for (int i = 0; i < count; ++i) {
    const std::string id = std::to_string(i);
    const std::string type(name(op == Op::where && i == 0 ? Dtype::kBool : dtype));
    params += "%x" + id + ": *" + type + "[" + access(classes[i]) + "], ";
    loads += "    %" + id + ": " + type + " = load %x" + id + "[" +
             (classes[i] == 'b' ? "" : "%i0") + "]\n";
    operands += (i > 0 ? ", %" : "%") + id;
  }
  return "kernel %k(" + params + "%y: *" + std::string(name(result)) + "[" +
         access(classes[count]) + "], %n: i64) {\n" + "  loop %i0 = 0 to %n {\n" + loads + "    %" +
         std::to_string(count) + ": " + std::string(name(result)) + " = " + std::string(name(op)) +
         " " + operands + "\n    store %y[%i0], %" + std::to_string(count) + "\n  }\n}\n";
}

std::string many_live_values(int count, const std::string& type) {
  std::string params, body;
  int id = 0;
  for (int i = 0; i < count; ++i) {
    params += "%x" + std::to_string(i) + ": *" + type + "[1], ";
    body +=
        "    %" + std::to_string(id++) + ": " + type + " = load %x" + std::to_string(i) + "[%i0]\n";
  }
  for (int i = 0; i < count; ++i) {
    body += "    %" + std::to_string(id++) + ": " + type + " = exp %" + std::to_string(i) + "\n";
  }
  for (int i = 0; i < count; ++i) {
    const int sum = i == 0 ? count : id - 1;
    body += "    %" + std::to_string(id) + ": " + type + " = sub %" + std::to_string(sum) + ", %" +
            std::to_string(2 * count - 1 - i) + "\n";
    ++id;
  }
  for (int i = 0; i < count; ++i) {
    body += "    %" + std::to_string(id) + ": " + type + " = mul %" + std::to_string(id - 1) +
            ", %" + std::to_string(i) + "\n";
    ++id;
  }
  return "kernel %k(" + params + "%y: *" + type + "[1], %n: i64) {\n  loop %i0 = 0 to %n {\n" +
         body + "    store %y[%i0], %" + std::to_string(id - 1) + "\n  }\n}\n";
}

}  // namespace frit::codegen
