// An ONNX file as plain structs, checked so that what follows need not doubt it.
//
//   ModelDef model = read_model("mlp.onnx");
//   for (const NodeDef& node : model.graph.nodes) ...
//
// Reading guarantees: each name is defined once, and before its use, in the graph or one around it;
// a tensor has exactly the bytes of its shape; attributes have values; graphs nest at most
// kMaxGraphDepth deep. Whether Frit knows the ops and their attributes is the importer's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "frit/dtype.h"
#include "frit/onnx.h"

namespace frit::onnx {

inline constexpr int kMaxGraphDepth = 16;

struct TensorDef {
  std::string name;  // empty in attributes
  Dtype dtype = kFloat32;
  std::vector<int64_t> dims;
  std::vector<std::byte> data;  // row-major, little-endian; bool is 0 or 1

  int64_t num_elements() const { return static_cast<int64_t>(data.size()) / byte_size(dtype); }
};

struct GraphDef;

using Attribute =
    std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>,
                 std::vector<std::string>, TensorDef, std::shared_ptr<const GraphDef>>;

struct NodeDef {
  std::string op_type;
  std::string domain;                // empty for ONNX's own ops
  std::string name;                  // "#3" for the fourth node of a graph where the file has none
  std::vector<std::string> inputs;   // empty: left out
  std::vector<std::string> outputs;  // empty: not wanted
  std::map<std::string, Attribute> attributes;
};

struct GraphDef {
  std::vector<ValueInfo> inputs;  // without those that an initializer gives a value
  std::vector<ValueInfo> outputs;
  std::vector<TensorDef> initializers;
  std::vector<NodeDef> nodes;  // each after those it uses
};

struct ModelDef {
  std::string path;  // names the model in errors
  int64_t ir_version = 0;
  int64_t opset = 0;  // of ONNX's own ops
  GraphDef graph;
};

// Throws Error(kRuntime) when the file cannot be read, Error(kValue) when it breaks ONNX's rules,
// Error(kNotImplemented) for what Frit does not read: external data, sparse tensors, local
// functions, element types that Frit does not have.
ModelDef read_model(const std::string& path);

// The same for bytes in memory; `path` names them in errors.
ModelDef parse_model(std::span<const std::byte> bytes, const std::string& path);

// For error texts: node "conv_1", Conv.
std::string describe(const NodeDef& node);

// Checks the names of a graph and its subgraphs; parse_model calls it.
void check_names(const GraphDef& graph, const std::string& path);

}  // namespace frit::onnx
