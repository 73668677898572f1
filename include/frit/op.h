// The kinds of operation, by name. `frit ops` lists them.
//
//   if (node.op == frit::op_named("relu")) ...
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace frit {

enum class Op : uint16_t;

// PyTorch's name: "relu".
std::string_view name(Op op);
// The op of that name, or nothing.
std::optional<Op> op_named(std::string_view name);

}  // namespace frit
