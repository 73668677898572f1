// Backends: third parties that take graphs, at capture or after normalization.
//
//   frit::register_backend("mine", [](const frit::BackendInput& input) -> frit::CompiledGraph {
//     std::cout << input.graph.print();          // linear, relu: the user's ops
//     return [graph = input.graph](auto args) { return frit::interpret(graph, args); };
//   });
//   auto fast = frit::compile(fn, {.backend = "mine"});
//
// A null CompiledGraph refuses, and so does an Error of the kind kNotImplemented, whose text is the
// reason: what is next in line gets the graph, or the trace runs eagerly, and it is counted.
//
// With Frit come "native" (machine code), "eager" (op by op by eager's kernels), "interpret" (op by
// op by the reference loops) and "dump", which prints the graph and its guards to stderr and
// refuses. Where a backend is named, a list may stand, first who is asked first: "dump, native".
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frit/custom_op.h"
#include "frit/graph.h"
#include "frit/guard.h"
#include "frit/kernel.h"

namespace frit {

struct BackendInput {
  const Graph& graph;
  const GuardSet& guards;
  // Per graph input, in order, the argument that it had in the call for which the graph is
  // compiled; empty where no call is known. Of tensors that no longer exist, of views that lie
  // elsewhere in each call, and of what parts of a graph (see partitioned()) hand on to each other,
  // the tensor is undefined; a number may be that of an earlier call. Elements are as they are now:
  // the call may have run, and written to its operands. They are for looking at while the graph is
  // compiled, to choose by: they must not be written to, nor be held afterwards, and other calls
  // have other ones.
  std::span<const GraphArg> examples = {};
};

// Called with one argument per graph input; returns one tensor per output, each with the dtype,
// sizes and strides that the graph states. May be called by several threads at once.
// It must not wait for a thread that writes in place to what this trace reads, or calls
// set_jit_mode() or set_num_threads(): such a thread waits until this call is done.
using CompiledGraph = std::function<std::vector<Tensor>(std::span<const GraphArg> args)>;
using Backend = std::function<CompiledGraph(const BackendInput& input)>;

// Replaces a backend of the same name, in which is no comma. Thread-safe.
void register_backend(const std::string& name, Backend backend);
std::vector<std::string> list_backends();
// Used by compile() without a backend, and in automatic mode. "native" at start. Throws on an
// unknown name.
void set_default_backend(const std::string& name);

// Which ops normalized() decomposes, and into what. By default these are all composites, into what
// Frit makes of them (see default_decompositions()).
//
//   frit::Decompositions({"softmax", "gelu"})                  // but these, which stay whole
//   frit::Decompositions().add("silu", [](frit::OpExpansion& b) {
//     return b.op("mul", {b.arg(0), b.op("sigmoid", {b.arg(0)})});
//   })
class Decompositions {
 public:
  using Decomposition = std::function<OpExpansion::Value(OpExpansion& b)>;

  Decompositions() = default;
  Decompositions(std::initializer_list<std::string> keep) : keep_(keep) {}   // NOLINT
  Decompositions(std::vector<std::string> keep) : keep_(std::move(keep)) {}  // NOLINT

  // Ops that stay whole.
  Decompositions& keep(const std::vector<std::string>& ops) {
    keep_.insert(keep_.end(), ops.begin(), ops.end());
    return *this;
  }
  // An op of one result, composite, core or registered, that `fn` decomposes in Frit's stead: into
  // any ops but itself, which are decomposed in turn. b.arg(i) is operand i of the node, and
  // b.ints("dims") an attribute. It gets operands as the program wrote them: of any dtype, to be
  // broadcast. The dtype and sizes must be those of the op.
  Decompositions& add(std::string op, Decomposition fn) {
    own_[std::move(op)] = std::move(fn);
    return *this;
  }

  const std::vector<std::string>& kept() const { return keep_; }
  const std::map<std::string, Decomposition>& own() const { return own_; }

 private:
  std::vector<std::string> keep_;
  std::map<std::string, Decomposition> own_;
};

// Frit's ops that are decomposed unless they are kept, sorted. So are registered ops that have a
// decomposition.
std::vector<std::string> default_decompositions();

// A backend that receives graphs of core ops: `fn` behind Frit's normalize passes. Throws
// Error(kValue) where an op that is named does not exist, is kept and decomposed, or has no result
// or several.
Backend normalized(Backend fn, Decompositions decompositions = {});

// The machine-code backend, for others to leave graphs to. The bits are eager's.
Backend native_backend();

// Whether a backend takes a node of a graph.
using Takes = std::function<bool(const Graph& graph, const Graph::Node& node)>;
// A backend that hands on a graph in parts, each a graph of its own: to `fn` those of nodes that it
// takes, as large as can be, and to `rest` the others and those that fn refuses. Refuses where
// `rest` does, and where fn has none.
Backend partitioned(Backend fn, Takes takes, Backend rest = native_backend());

// Makes `factory`'s writer the code generator for kernels on a device, "cpu" or one that was
// registered. What it refuses goes to the machine-code writer, whose kernels run on copies where
// the device is not the CPU. Kernels compiled before stay.
void register_writer(const std::string& device, std::function<std::unique_ptr<Writer>()> factory);

}  // namespace frit
