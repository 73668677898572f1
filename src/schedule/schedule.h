// Schedule: what runs for a graph, in order, and where its values lie.
//
//   Schedule s = schedule(core_graph);
//   if (!s.refusal.empty()) ...          // the graph cannot be run as a plan
//
// A step is a fused kernel or one op that runs by its eager kernel. Values lie in buffers: inputs,
// outputs, or temporaries placed in one arena. A view is a layout on a buffer; views of inputs and
// of other values cost nothing.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "frit/graph.h"
#include "frit/kernel.h"
#include "src/tensor/layout.h"

namespace frit {

struct ScheduleBuffer {
  enum class Kind : uint8_t { kInput, kOutput, kTemporary };
  Kind kind;
  int index = -1;  // kInput: graph input; kOutput: position among the outputs
  const Layout* layout = nullptr;
  int64_t arena_offset = 0;  // kTemporary, in bytes, 64-byte aligned
};

// A value in memory: `layout` at `offset` elements from the buffer's first element.
struct ScheduleView {
  int buffer = -1;
  const Layout* layout = nullptr;
  int64_t offset = 0;
};

// One argument word of a kernel call.
struct KernelWord {
  enum class Kind : uint8_t { kAddress, kImmediate, kScalar };
  Kind kind;
  int index = -1;         // kAddress: view; kScalar: graph input, converted to `dtype`
  int64_t immediate = 0;  // kImmediate: a size or a stride
  Dtype dtype = Dtype::kF32;
};

// An op without a kernel: run by its eager kernel on views.
struct OpStep {
  struct Arg {
    int view = -1;                   // or
    Graph::ValueId scalar = -1;      // a scalar input, or
    const Layout* layout = nullptr;  // in an IndexCheck: a tensor with any elements, or
    Scalar literal;
  };
  Op op;
  std::vector<Arg> args;
  std::vector<int64_t> attrs;
  std::vector<int> results;  // views; what the op returns is placed there
};

// What is tested before a kernel takes or puts by indices: each of `view` is at least `lowest` and
// below `size`. Where one is not, the op itself is run, whose error that is.
struct IndexCheck {
  struct Range {
    int view = -1;
    int64_t lowest = 0, size = 0;
  };
  OpStep op;  // without results
  std::vector<Range> ranges;
  bool is_calls = false;  // of indices that a call named, not of those that a composite makes
};

struct KernelStep {
  std::shared_ptr<const Kernel> kernel;  // has no sizes, so schedules share it
  std::vector<KernelWord> words;         // as kernel->num_words()
  int64_t outer_size = 0;                // iterations of the outermost loop
  int64_t work = 0;                      // elements, for splitting over threads
  bool in_order = false;                 // iterations must follow each other: no splitting
  std::vector<IndexCheck> checks;
};

using ScheduleStep = std::variant<KernelStep, OpStep>;

struct Schedule {
  std::vector<ScheduleBuffer> buffers;
  std::vector<ScheduleView> views;
  std::vector<int> output_views;  // per graph output; each is the whole of an output buffer
  std::vector<ScheduleStep> steps;
  int64_t arena_bytes = 0;
  std::vector<std::string> fallbacks;  // "sort: orders elements", one per OpStep that has none
  std::string refusal;                 // not empty: why the graph cannot be scheduled
};

// `graph` is a verified core graph.
Schedule schedule(const Graph& graph);

}  // namespace frit
