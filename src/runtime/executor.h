// Executor: a schedule with its kernels compiled, ready to run.
//
//   std::unique_ptr<Executor> e = Executor::make(schedule(core), writers, &reason);
//   e->run(externals, scalars, outputs);
//
// Outputs are new memory from the pool. Temporaries lie in an arena of the calling thread that is
// kept between runs. Any number of threads may run one executor at once.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "frit/kernel.h"
#include "src/runtime/kernel_cache.h"
#include "src/schedule/schedule.h"
#include "src/tensor/tensor_impl.h"

namespace frit::runtime {

// Gives back the memory for temporaries of the calling thread. Not done at the thread's end by
// itself, since what is pending then still needs it.
void release_arena();

class Executor {
 public:
  // Each kernel is compiled by the first of the writers that supports it; nulls are passed over.
  // Null, with the reason, when none does.
  static std::unique_ptr<Executor> make(Schedule schedule, std::span<Writer* const> writers,
                                        std::string* reason);

  // `tensors` are the graph's tensor inputs in order, materialised; `scalars` its scalar inputs in
  // order. The graph's tensor inputs stand before its scalar inputs.
  void run(std::span<TensorImpl* const> tensors, std::span<const Scalar> scalars,
           std::span<StorageRef> outputs) const;

  const Schedule& schedule() const { return schedule_; }
  // One per KernelStep, in order.
  const std::vector<KernelCode>& kernels() const { return kernels_; }

 private:
  struct Frame;  // one run

  explicit Executor(Schedule schedule) : schedule_(std::move(schedule)) {}
  // A kernel's argument word: an address in a buffer, a number, or a scalar input.
  struct Word {
    KernelWord::Kind kind;
    Dtype dtype;    // of a scalar
    int index;      // of the buffer or of the graph input
    int64_t value;  // bytes from the buffer's start, or the number
  };
  // How a buffer gets its memory.
  struct Place {
    enum class Kind : uint8_t { kInput, kOutput, kTemporary, kAdopted };  // by an OpStep's result
    Kind kind;
    int index;      // of the graph's input or output
    int64_t bytes;  // an output's size, or a temporary's offset in the arena
    Device device;
  };
  static Place place_of(const ScheduleBuffer& buffer);
  std::vector<Word> resolve(const std::vector<KernelWord>& words) const;
  void place_buffers(std::span<TensorImpl* const> tensors, Frame* frame) const;
  void run_kernel(size_t number, const KernelStep& step, const Frame& frame) const;
  void run_op(const OpStep& step, Frame* frame) const;
  bool adopts(const ScheduleView& view) const;
  void find_adopted(const OpStep& step);
  Tensor wrap(const ScheduleView& view, const Frame& frame) const;
  void place_result(int view_index, Tensor result, Frame* frame) const;

  Schedule schedule_;
  std::vector<KernelCode> kernels_;
  std::vector<std::vector<Word>> words_;  // of each kernel
  std::vector<Place> places_;             // of each buffer
};

}  // namespace frit::runtime
