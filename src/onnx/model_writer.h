// An ONNX model while it is written: nodes in the order in which they run, and the constants that
// they read, each once.
//
//   ModelWriter model;
//   model.input("x", {kFloat32, {2, 3}});
//   const std::string y = model.node("Relu", {"x"}, {})[0];
//   model.output(y, {kFloat32, {2, 3}});
//   std::string bytes = model.bytes("graph");
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "frit/dtype.h"

namespace frit::onnx {

// What is exported: the newest opset that onnx 1.12 and its checker know, and its file version.
inline constexpr int64_t kExportOpset = 17, kExportIrVersion = 8;

using Names = std::vector<std::string>;
using AttributeValue =
    std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<std::string>>;
// Written by name, in this order.
using Attributes = std::vector<std::pair<std::string_view, AttributeValue>>;

struct TensorType {
  Dtype dtype;
  std::vector<int64_t> sizes;
};

class ModelWriter {
 public:
  // Before all else. Gives the name back.
  std::string input(const std::string& name, TensorType type);
  // The value comes out as out0, out1, ... in the order of calls.
  void output(const std::string& value, TensorType type);

  // Appends a node; gives the names of its outputs. An empty input is left out.
  Names node(std::string_view op_type, Names inputs, Attributes attributes, int num_outputs = 1);
  // A tensor with these bytes, row-major.
  std::string constant(const TensorType& type, std::string bytes);

  std::string bytes(const std::string& graph_name) const;

 private:
  struct Node {
    std::string_view op_type;
    Names inputs, outputs;
    Attributes attributes;
  };
  struct Value {
    std::string name;
    TensorType type;
  };

  std::string new_name(const char* prefix, int* count);
  std::string final_name(const std::string& value) const;

  std::vector<Node> nodes_;
  std::vector<Value> inputs_, outputs_;
  std::vector<std::pair<Value, std::string>> constants_;
  std::map<std::string, std::string> constant_names_;  // by type and bytes
  std::map<std::string, std::string> renamed_;         // values that are outputs, to their names
  std::set<std::string> names_;
  int num_values_ = 0, num_constants_ = 0, num_outputs_ = 0;
};

}  // namespace frit::onnx
