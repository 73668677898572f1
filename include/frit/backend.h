// Backends: third parties that take graphs, at capture or after normalization.
//
//   frit::register_backend("mine", [](const frit::BackendInput& input) -> frit::CompiledGraph {
//     std::cout << input.graph.print();          // linear, relu: the user's ops
//     return [graph = input.graph](auto args) { return frit::interpret(graph, args); };
//   });
//   auto fast = frit::compile(fn, {.backend = "mine"});
//
// A null CompiledGraph refuses: the trace runs eagerly and the refusal is counted.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "frit/graph.h"
#include "frit/guard.h"
#include "frit/kernel.h"

namespace frit {

struct BackendInput {
  const Graph& graph;
  const GuardSet& guards;
};

// Called with one argument per graph input; returns one tensor per output, each with the dtype,
// sizes and strides that the graph states. May be called by several threads at once.
// It must not wait for a thread that writes in place to what this trace reads, or calls
// set_jit_mode() or set_num_threads(): such a thread waits until this call is done.
using CompiledGraph = std::function<std::vector<Tensor>(std::span<const GraphArg> args)>;
using Backend = std::function<CompiledGraph(const BackendInput& input)>;

// Replaces a backend of the same name. Thread-safe.
void register_backend(const std::string& name, Backend backend);
std::vector<std::string> list_backends();
// Used by compile() without a backend, and in automatic mode. "native" at start. Throws on an
// unknown name.
void set_default_backend(const std::string& name);

// A backend that receives graphs of core ops: `fn` behind Frit's normalize passes. Composites named
// in `keep` stay whole.
Backend normalized(Backend fn, std::vector<std::string> keep = {});

// Makes `factory`'s writer the code generator for kernels; what it refuses goes to the machine-code
// writer. Kernels compiled before stay. `device` is "cpu".
void register_writer(const std::string& device, std::function<std::unique_ptr<Writer>()> factory);

}  // namespace frit
