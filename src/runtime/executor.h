// Executor: a schedule with its kernels compiled, ready to run.
//
//   std::unique_ptr<Executor> e = Executor::make(schedule(core), writers, &reason);
//   e->run({.tensors = externals, .scalars = scalars, .outputs = outputs});
//
// Outputs are new memory from the pool, or what the caller gives. Temporaries, and what a run
// notes, lie in an arena of the calling thread that is kept between runs. Any number of threads may
// run one executor at once.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "frit/kernel.h"
#include "src/base/profiler.h"
#include "src/runtime/kernel_cache.h"
#include "src/schedule/schedule.h"
#include "src/tensor/tensor_impl.h"

namespace frit::runtime {

// Gives back the memory for temporaries of the calling thread. Not done at the thread's end by
// itself, since what is pending then still needs it.
void release_arena();

// Tensors one after the other, by handle or by pointer. Does not own.
class TensorSpan {
 public:
  TensorSpan() = default;
  TensorSpan(std::span<const Tensor> handles)  // NOLINT
      : handles_(handles.data()), size_(handles.size()) {}
  TensorSpan(std::span<TensorImpl* const> impls)  // NOLINT
      : impls_(impls.data()), size_(impls.size()) {}
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  TensorImpl* operator[](size_t i) const {
    return handles_ != nullptr ? handles_[i].impl() : impls_[i];
  }

 private:
  const Tensor* handles_ = nullptr;
  TensorImpl* const* impls_ = nullptr;
  size_t size_ = 0;
};

// What a run works on. All tensors are materialised and have the graph's layouts.
struct RunArgs {
  // The graph's tensor inputs in order: the first ones, and the rest. They stand before its scalar
  // inputs.
  TensorSpan tensors, constants;
  std::span<const Scalar> scalars;  // the graph's scalar inputs
  // One of these, per output of the graph: what gets new memory unless it was reserved, or what is
  // written to, which overlaps no input and no other one.
  std::span<StorageRef> outputs;
  TensorSpan destinations;
  // Whether the indices of calls are known to be in range, since each call was made with them.
  bool calls_are_tested = false;
};

class Executor {
 public:
  // Each kernel is compiled by the first of the writers that supports it; nulls are passed over.
  // Null, with the reason, when none does. All values lie on `device`; where that is not the CPU,
  // the first writer is its own, and kernels of the others run on copies.
  static std::unique_ptr<Executor> make(Schedule schedule, Device device,
                                        std::span<Writer* const> writers, std::string* reason);
  // For a schedule that differs from that of `like` in numbers only (see schedule/numbers.h).
  static std::unique_ptr<Executor> resized(const Executor& like, Schedule schedule);

  // When it throws, destinations may have been written in part. No heap is asked once the thread's
  // arena and the pool have grown, but by eager kernels and for outputs.
  void run(const RunArgs& args) const;

  // Gets the memory that a run of this thread will need and that can be had beforehand: outputs
  // that kernels write, and the arena. Throws out_of_memory.
  void reserve(std::span<StorageRef> outputs) const;

  const Schedule& schedule() const { return schedule_; }
  // One per KernelStep, in order.
  const std::vector<KernelCode>& kernels() const { return kernels_; }

 private:
  struct Frame;  // one run

  Executor(Schedule schedule, Device device) : schedule_(std::move(schedule)), device_(device) {}
  // A kernel's argument word: an address in a buffer, a number, or a scalar input.
  struct Word {
    KernelWord::Kind kind;
    Dtype dtype;    // of a scalar
    int index;      // of the buffer or of the graph input
    int64_t value;  // bytes from the buffer's start, or the number
  };
  // How a buffer gets its memory.
  struct Place {
    // kAdopted: from an OpStep's result. kOwn: a temporary that a registered op reads, since it
    // may keep it, or that lies on a device.
    enum class Kind : uint8_t { kInput, kOutput, kTemporary, kAdopted, kOwn };
    Kind kind;
    int index;      // of the graph's input or output; -1 for a temporary
    int64_t bytes;  // its size, or a temporary's offset in the arena
    Device device;
  };
  static Place place_of(const ScheduleBuffer& buffer);
  std::vector<Word> resolve(const std::vector<KernelWord>& words) const;
  void prepare();
  void measure_frame();
  static Storage* output_memory(const Place& place, StorageRef* output);
  void place_buffers(Frame* frame) const;
  void check_indices(const KernelStep& step, Frame* frame) const;
  void run_kernel(size_t number, const KernelStep& step, const Frame& frame) const;
  void run_op(const OpStep& step, Frame* frame) const;
  // How profiles show a kernel.
  struct Label {
    std::string name, hash;
  };
  static Label label_of(const Kernel& kernel);
  int64_t bytes_of(const KernelStep& step) const;
  std::unique_ptr<base::ProfileEvent> begin_event(size_t number, const KernelStep& step) const;
  bool adopts(const ScheduleView& view) const;
  void find_adopted(const OpStep& step);
  void find_own(const OpStep& step);
  void make_own(int buffer);
  void run_on_copies(size_t number, const KernelStep& step, const Frame& frame) const;
  Tensor wrap(const ScheduleView& view, const Frame& frame) const;
  void place_result(int view_index, Tensor result, Frame* frame) const;

  Schedule schedule_;
  Device device_;
  const Writer* own_writer_ = nullptr;  // the device's
  std::vector<KernelCode> kernels_;
  std::vector<std::vector<Word>> words_;  // of each kernel
  std::vector<Place> places_;             // of each buffer
  std::vector<Label> labels_;             // of each kernel, if it was made while profiling
  // Of a run's notes in the arena, behind the temporaries: where each part begins, in bytes.
  int64_t buffers_at_ = 0, kept_at_ = 0, words_at_ = 0, arena_bytes_ = 0;
};

}  // namespace frit::runtime
