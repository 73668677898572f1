// Damaged models for fuzz tests.
#pragma once

#include <algorithm>
#include <random>

#include "tests/onnx/make_model.h"

namespace frit::onnx {

using Bytes = std::vector<std::byte>;
using Random = std::mt19937;

// A little of everything: a branch, tensors in both forms, attributes of most kinds.
inline ModelMaker make_seed() {
  ModelMaker m;
  GraphMaker branch;
  branch.node("Add", {"h", "b"}, {"inner"});
  branch.output("inner");
  m.input("x", TensorProto::FLOAT, {-1, 2});
  m.input("c", TensorProto::BOOL, {});
  m.initializer(float_tensor("w", {2, 2}, {1, 2, 3, 4}));
  TensorProto bias = float_tensor("b", {2}, {});
  bias.set_raw_data("12345678");
  m.initializer(bias);
  set(set(m.node("Gemm", {"x", "w", "b"}, {"h"}), "alpha", 1.0f), "transB", 1);
  set(m.node("Constant", {}, {"shape"}), "value", int64_tensor("", {2}, {1, -1}));
  set(set(m.node("If", {"c"}, {"i"}), "then_branch", branch.graph), "else_branch", branch.graph);
  set(m.node("Reshape", {"i", "shape"}, {"r"}), "allowzero", 0);
  set(m.node("Transpose", {"r"}, {"y"}), "perm", Ints{1, 0});
  m.output("y");
  return m;
}

// One to four bytes changed, removed, doubled or cut off.
inline Bytes damage(Bytes bytes, Random& random) {
  for (int n = 1 + random() % 4; n > 0 && !bytes.empty(); --n) {
    const auto at = bytes.begin() + random() % bytes.size();
    switch (random() % 6) {
      case 0:
        *at = std::byte(random());
        break;
      case 1:
        *at ^= std::byte(1 << random() % 8);
        break;
      case 2:
        *at = std::byte(random() % 2 ? 0xFF : 0);
        break;
      case 3:
        bytes.erase(at, at + std::min<ptrdiff_t>(1 + random() % 4, bytes.end() - at));
        break;
      case 4:
        bytes.insert(at, *at);
        break;
      case 5:
        bytes.erase(at, random() % 8 ? at + 1 : bytes.end());
        break;
    }
  }
  return bytes;
}

}  // namespace frit::onnx
