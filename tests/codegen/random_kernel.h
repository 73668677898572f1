// Kernels for tests of writers, by a seed.
//
//   Kernel kernel = Kernel::parse(RandomKernel(seed).text(20));
#pragma once

#include <random>
#include <string>
#include <vector>

#include "frit/dtype.h"
#include "src/ops/op.h"
#include "src/ops/reference/apply_scalar.h"

namespace frit::codegen {

// Straight-line kernels of random ops over values of several dtypes.
class RandomKernel {
 public:
  explicit RandomKernel(uint32_t seed) : engine_(seed) {}

  std::string text(int ops) {
    const char* types[] = {"f32", "f64", "i32", "i64", "bool"};
    const char* accesses[] = {"1", "1", "0", "*"};
    std::string params, body;
    const int narrow = engine_() % 2;  // without 64-bit types, half of the time
    for (int i = 0; i < 4; ++i) {
      const std::string type =
          types[narrow ? (const int[]){0, 2, 4}[engine_() % 3] : engine_() % 5];
      const std::string access = accesses[engine_() % 4], id = std::to_string(i);
      params += "%x" + id + ": *" + type + "[" + access + "], ";
      body += "    " + define(type) + "load %x" + id + "[" + (access == "0" ? "" : "%i0") + "]\n";
    }
    for (int i = 0; i < ops; ++i) body += "    " + random_op(types, narrow) + "\n";
    for (int i = 0; i < 2; ++i) {
      const size_t value = values_.size() - 1 - i;
      params += "%y" + std::to_string(i) + ": *" + values_[value] + "[" +
                accesses[engine_() % 2 * 3] + "], ";
      body += "    store %y" + std::to_string(i) + "[%i0], %" + std::to_string(value) + "\n";
    }
    return "kernel %k(" + params + "%n: i64) {\n  loop %i0 = 0 to %n {\n" + body + "  }\n}\n";
  }

 private:
  std::string define(const std::string& type) {
    values_.push_back(type);
    return "%" + std::to_string(values_.size() - 1) + ": " + type + " = ";
  }
  static Dtype dtype(const std::string& type) {
    for (int d = 0; d < kNumDtypes; ++d) {
      if (name(static_cast<Dtype>(d)) == type) return static_cast<Dtype>(d);
    }
    return Dtype::kF32;
  }
  // Some value of the type, or nothing.
  std::string pick(const std::string& type) {
    const size_t start = engine_();
    for (size_t i = 0; i < values_.size(); ++i) {
      const size_t value = (start + i) % values_.size();
      if (values_[value] == type) return "%" + std::to_string(value);
    }
    return {};
  }
  std::string random_op(const char* const* types, int narrow) {
    for (;;) {
      const std::string type = values_[engine_() % values_.size()];
      if (engine_() % 5 == 0) {
        const std::string to =
            types[narrow ? (const int[]){0, 2, 4}[engine_() % 3] : engine_() % 5];
        const std::string from = pick(type);
        if (to == type) continue;
        return define(to) + "cast " + from;
      }
      const Op op = static_cast<Op>(engine_() % kNumOps);
      if (!is_elementwise(op) || reference::scalar_fn(op, dtype(type)) == nullptr) continue;
      std::string operands = op == Op::where ? pick("bool") + ", " : "";
      if (operands == ", ") continue;
      for (int i = op == Op::where ? 1 : 0; i < info(op).operands; ++i)
        operands += pick(type) + ", ";
      operands.resize(operands.size() - 2);
      const std::string result(name(reference::scalar_result(op, dtype(type))));
      return define(result) + std::string(name(op)) + " " + operands;
    }
  }

  std::mt19937 engine_;
  std::vector<std::string> values_;
};

}  // namespace frit::codegen
