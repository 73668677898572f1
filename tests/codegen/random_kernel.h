// Kernels for tests of writers, by a seed.
//
//   Kernel kernel = Kernel::parse(RandomKernel(seed).text(20));
#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "frit/dtype.h"
#include "src/ops/op.h"
#include "src/ops/reference/apply_scalar.h"

namespace frit::codegen {

// Random ops over values of several dtypes, as one loop of straight-line code or as rows.
class RandomKernel {
 public:
  explicit RandomKernel(uint32_t seed) : engine_(seed), narrow_(engine_() % 2) {}

  // One loop.
  std::string text(int ops) {
    indent_ = "    ";
    for (int i = 0; i < 4; ++i) add_load({one_of({"1", "1", "0", "*", "-1"})}, {"%i0"});
    if (engine_() % 3 == 0) add_index({"%i0"});
    for (int i = 0; i < ops; ++i) {
      add_op();
      if (engine_() % 8 == 0) add_take({one_of({"1", "0", "0", "*"})}, {"%i0"});
      if (engine_() % 16 == 0) add_put({one_of({"1", "0", "0", "*"})}, {"%i0"});
    }
    for (int i = 0; i < 2; ++i)
      add_store(visible_[visible_.size() - 1 - static_cast<size_t>(i)], {one_of({"1", "*"})},
                {"%i0"});
    return "kernel %k(" + params_ + "%n: i64) {\n  loop %i0 = 0 to %n {\n" + body_ + "  }\n}\n";
  }

  // Values of a row; reductions, each of which may keep what it computes; a loop that stores.
  std::string rows(int ops) {
    indent_ = "    ";
    add_load({one_of({"1", "0", "*"}), "0"}, {"%i0", ""});
    if (engine_() % 4 == 0) add_index({"%i0"});
    if (engine_() % 4 == 0) add_take({one_of({"1", "0", "*"}), "0"}, {"%i0", ""});
    for (int reductions = static_cast<int>(engine_() % 3); reductions > 0; --reductions) {
      add_reduction(ops);
      add_op();
    }
    const size_t outside = visible_.size();
    body_ += "    loop %i1 = 0 to %n1 {\n";
    indent_ = "      ";
    add_elements(ops);
    if (engine_() % 4 == 0) {
      add_scan(false);
      add_op();
    } else if (engine_() % 4 == 0) {
      add_put(engine_() % 2 == 0 ? matrix() : Words{"0", one_of({"0", "1", "*"})}, kBoth);
    }
    for (size_t i = 0; i < 2; ++i) add_store(visible_[visible_.size() - 1 - i], matrix(), kBoth);
    visible_.resize(outside);
    body_ += "    }\n";
    indent_ = "    ";
    add_store(visible_.back(), {one_of({"1", "*"}), "0"}, {"%i0", ""});
    return "kernel %k(" + params_ + "%n0: i64, %n1: i64) {\n  loop %i0 = 0 to %n0 {\n" + body_ +
           "  }\n}\n";
  }

  // Rows of which each element is scanned, once or twice, and nothing else.
  std::string scans(int ops) {
    indent_ = "      ";
    add_elements(ops);
    add_scan(true);
    if (engine_() % 2 == 0) add_op();
    if (engine_() % 3 == 0) add_scan(true);
    const bool columns = engine_() % 2 == 0;
    for (size_t i = 0; i < 2; ++i)
      add_store(visible_[visible_.size() - 1 - i], columns ? Words{"1", "*"} : matrix(), kBoth);
    return "kernel %k(" + params_ + "%n0: i64, %n1: i64) {\n  loop %i0 = 0 to %n0 {\n" +
           "    loop %i1 = 0 to %n1 {\n" + body_ + "    }\n  }\n}\n";
  }

 private:
  using Words = std::vector<std::string>;
  struct Value {
    int id;
    std::string type;
    std::string text() const { return "%" + std::to_string(id); }
  };
  inline static const Words kBoth = {"%i0", "%i1"};

  std::string one_of(const Words& words) { return words[engine_() % words.size()]; }
  std::string any_type() {
    if (narrow_) return one_of({"f32", "i32", "bool", "i16", "i8", "u8"});
    return one_of({"f32", "f64", "i32", "i64", "bool", "i16", "i8", "u8"});
  }
  // The access classes of an operand that moves along both dimensions.
  Words matrix() {
    const std::string last = one_of({"1", "1", "1", "*", "col"});
    return last == "col" ? Words{"1", "*"} : Words{"*", last};
  }

  // "%3: f32 = ", for a new value.
  std::string define(const std::string& type) {
    visible_.push_back({next_id_++, type});
    return indent_ + visible_.back().text() + ": " + type + " = ";
  }
  // "%x2[%i0]", of a new parameter.
  std::string element(const std::string& stem, const std::string& type, const Words& access,
                      const Words& indices) {
    const std::string name = "%" + stem + std::to_string(num_params_++);
    std::string classes, listed;
    for (size_t d = 0; d < access.size(); ++d) {
      classes += (d > 0 ? "," : "") + access[d];
      if (access[d] != "0") listed += (listed.empty() ? "" : ", ") + indices[d];
    }
    params_ += name + ": *" + type + "[" + classes + "], ";
    return name + "[" + listed + "]";
  }
  void add_load(const Words& access, const Words& indices) {
    const std::string type = any_type();
    const std::string from = element("x", type, access, indices);
    body_ += define(type) + "load " + from + "\n";
  }
  void add_index(const Words& indices) {
    const std::string type = narrow_ ? "i32" : one_of({"i32", "i64"});
    body_ += define(type) + "index " + one_of(indices) + "\n";
  }
  // By some value, cut down to what lies around every operand of a case.
  void add_take(const Words& access, const Words& indices) {
    const std::string type = any_type();
    const std::string place = some_place();
    const std::string from = element("w", type, access, indices);
    body_ += define(type) + "take " + from + " at " + place + "\n";
  }
  // Some value, where a take might read.
  void add_put(const Words& access, const Words& indices) {
    const Value value = visible_[engine_() % visible_.size()];
    const std::string op = value.type == "bool"
                               ? one_of({"", "maximum ", "minimum "})
                               : one_of({"", "add ", "mul ", "maximum ", "minimum "});
    const std::string place = some_place();
    body_ += indent_ + "put " + op + element("z", value.type, access, indices) + " at " + place +
             ", " + value.text() + "\n";
  }
  std::string some_place() {
    const Value value = visible_[engine_() % visible_.size()];
    const std::string integer = value.type == "i64" ? value.text() : convert(value, "i64");
    body_ += define("i64") + "constant 63\n";
    const std::string mask = visible_.back().text();
    body_ += define("i64") + "bitwise_and " + integer + ", " + mask + "\n";
    return visible_.back().text();
  }
  std::string convert(const Value& value, const std::string& type) {
    body_ += define(type) + "cast " + value.text() + "\n";
    return visible_.back().text();
  }
  void add_store(const Value& value, const Words& access, const Words& indices) {
    body_ +=
        indent_ + "store " + element("y", value.type, access, indices) + ", " + value.text() + "\n";
  }

  // Loads of every kind, and ops on them and on what is outside.
  void add_elements(int ops) {
    add_load(matrix(), kBoth);
    add_load(engine_() % 4 == 0 ? Words{"*", "-1"} : matrix(), kBoth);
    add_load({"0", one_of({"1", "*"})}, kBoth);
    add_load({one_of({"1", "*"}), "0"}, kBoth);
    if (engine_() % 4 == 0) add_index(kBoth);
    if (engine_() % 4 == 0) add_take({"0", "0"}, kBoth);
    if (engine_() % 4 == 0) add_take({one_of({"1", "*"}), "0"}, kBoth);
    for (int i = 0; i < ops; ++i) add_op();
    if (engine_() % 4 == 0) add_take(matrix(), kBoth);
  }
  // In a loop over a row; alone: there is no other.
  void add_scan(bool alone) {
    const std::string type =
        narrow_ ? one_of({"f32", "i32"}) : one_of({"f32", "f64", "i32", "i64"});
    std::string of = pick(type);
    if (of.empty()) of = convert(visible_.back(), type);
    const bool real = type == "f32" || type == "f64";
    const std::string op = one_of({"cumsum", "cumprod", "cummax", "cummin"});
    const bool log = alone && real && engine_() % 4 == 0;
    body_ += define(type) + "scan " + (log ? "logcumsumexp" : op) + " " + of + "\n";
  }

  void add_reduction(int ops) {
    const int id = next_id_++;
    const std::string before = std::exchange(body_, {});
    const size_t outside = visible_.size();
    indent_ = "      ";
    add_elements(ops);
    Value yielded = visible_[visible_.size() - 1 - engine_() % 4];
    if (yielded.type == "i16" || yielded.type == "i8" || yielded.type == "u8") {
      body_ += define("i32") + "cast " + yielded.text() + "\n";  // what small ints are folded as
      yielded = visible_.back();
    }
    if (engine_() % 2 == 0) add_store(yielded, matrix(), kBoth);
    visible_.resize(outside);
    const std::string op =
        yielded.type == "bool" ? one_of({"amax", "amin"}) : one_of({"sum", "prod", "amax", "amin"});
    visible_.push_back({id, yielded.type});
    indent_ = "    ";
    body_ = before + indent_ + visible_.back().text() + ": " + yielded.type + " = reduce " + op +
            " %i1 = 0 to %n1 {\n" + body_ + "      yield " + yielded.text() + "\n    }\n";
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
    for (size_t i = 0; i < visible_.size(); ++i) {
      const Value& value = visible_[(start + i) % visible_.size()];
      if (value.type == type) return value.text();
    }
    return {};
  }
  void add_op() {
    for (;;) {
      const std::string type = visible_[engine_() % visible_.size()].type;
      if (engine_() % 5 == 0) {
        const std::string to = any_type();
        if (to == type) continue;
        const std::string from = pick(type);
        body_ += define(to) + "cast " + from + "\n";
        return;
      }
      const Op op = static_cast<Op>(engine_() % kNumOps);
      // The sign of a NaN is unspecified.
      if (op == Op::copysign || op == Op::signbit) continue;
      if (!is_elementwise(op) || reference::scalar_fn(op, dtype(type)) == nullptr) continue;
      std::string operands = op == Op::where ? pick("bool") + ", " : "";
      if (operands == ", ") continue;
      for (int i = op == Op::where ? 1 : 0; i < info(op).operands; ++i)
        operands += pick(type) + ", ";
      operands.resize(operands.size() - 2);
      const std::string result(name(reference::scalar_result(op, dtype(type))));
      body_ += define(result) + std::string(name(op)) + " " + operands + "\n";
      return;
    }
  }

  std::mt19937 engine_;
  const bool narrow_;  // without 64-bit types, half of the time
  std::vector<Value> visible_;
  int next_id_ = 0, num_params_ = 0;
  std::string params_, body_, indent_;
};

}  // namespace frit::codegen
