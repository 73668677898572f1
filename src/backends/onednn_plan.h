// What the onednn backend makes of a graph: primitives in order, and the memory that they use.
//
// A Slot is a value's memory as a primitive sees it: a buffer, a place in it, and a layout. Several
// slots may lie in one buffer, since a view of a value is another slot. Buffers are arguments,
// outputs, numbers, or scratch memory, which those share that are not needed at the same time.
#pragma once

#include <dnnl.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "frit/backend.h"

namespace frit::onednn {

using Desc = dnnl::memory::desc;
using SlotId = int;

struct Buffer {
  enum class Place : uint8_t { kArgument, kOutput, kNumber, kScratch };
  Place place;
  int index = 0;  // of the argument, output or number
  // Of scratch memory:
  size_t bytes = 0, offset = 0;
  int first_step = -1, last_step = -1;
};

struct Slot {
  int buffer;
  int64_t offset;  // in bytes
  Desc desc;
};

struct Step {
  dnnl::primitive primitive;
  std::vector<std::pair<int, SlotId>> args;  // DNNL_ARG_..., and what it is
};

// A number of the graph: a literal, or an argument.
struct Number {
  float literal = 0;
  int argument = -1;
};

// An output as the graph states it.
struct Output {
  Dtype dtype;
  std::vector<int64_t> sizes, strides;
};

// Immutable once it is made.
struct Plan {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  int threads = 1;
  std::vector<Buffer> buffers;
  std::vector<Slot> slots;
  std::vector<Step> steps;
  std::vector<Number> numbers;
  std::vector<Output> outputs;
  size_t scratch_bytes = 0;
};

// Gives scratch buffers their places: those of one step never overlap.
void place_scratch(Plan* plan);

// Runs a plan. Any number of threads may at once: each run has a workspace of its own.
class Runner {
 public:
  explicit Runner(Plan plan);
  ~Runner();
  std::vector<Tensor> run(std::span<const GraphArg> args);

 private:
  struct Workspace;
  std::unique_ptr<Workspace> take();
  void give_back(std::unique_ptr<Workspace> workspace);

  const Plan plan_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Workspace>> idle_;
};

// Lets oneDNN use so many threads in calls of this thread.
class ThreadScope {
 public:
  explicit ThreadScope(int threads);
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int outer_;
};

}  // namespace frit::onednn
