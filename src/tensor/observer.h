// The one inversion of the layering: tensors and eager dispatch tell an observer what happens; the
// engine installs it. Without an engine nothing is observed and every op runs at its call.
#pragma once

#include <cstdint>

namespace frit {

class Tensor;
struct TensorImpl;
struct OpCall;

// Where a tensor lies: in a storage, or in what a pending value is to get.
struct MemoryPlace {
  const void* memory;
  int64_t offset;  // of its first element, in bytes
};

struct Observer {
  // Before an op runs. True: the observer has taken it over and filled `results`.
  bool (*before_op)(const OpCall& call, Tensor* results);
  // After an op has run and succeeded.
  void (*after_op)(const OpCall& call, Tensor* results);
  // After the last op that it did not want to hear of (see ObservedThread).
  void (*quiet_ended)();
  // The value of a tensor that is pending, or that a deferred call writes to, is needed by this
  // thread or another than its owner's.
  void (*materialize)(TensorImpl* tensor);
  // The host looks at a value: a boundary where the value was made in the current trace.
  void (*value_observed)(TensorImpl* tensor);
  // The host gets a pointer through which it may write: whatever waits to read the memory must run
  // first.
  void (*storage_exposed)(TensorImpl* tensor);
  // Where a tensor lies that is pending in a trace of this thread. False for other ones.
  bool (*locate)(const TensorImpl* tensor, MemoryPlace* place);
  // The last handle of a recipe is gone. True: its owner keeps the object, for the next one.
  bool (*recipe_dropped)(TensorImpl* tensor);
};
extern Observer observer;

// Whether ops are told to the observer at all: an engine is present and the JIT is not off.
extern bool observer_enabled;

struct ObservedThread {
  uint32_t muted = 0;  // depth of scopes in which ops are not observed
  uint32_t quiet = 0;  // ops still to come that the observer does not want to hear of
  uint64_t kinds = 0;  // which ones those were so far: see add_kind()
  // An op that is not heard of; `op`: its number.
  void skip(uint64_t op) {
    --quiet;
    kinds = add_kind(kinds, op);
  }
  static uint64_t add_kind(uint64_t kinds, uint64_t op) { return kinds * 31 + op + 1; }
};
// No initial-exec model: a shared library that is loaded late has no place for that.
extern constinit thread_local ObservedThread observed_thread;

inline bool observing() { return observer_enabled && observed_thread.muted == 0; }
// Whether the observer wants to hear what the host looks at.
inline bool listening_to_host() { return observing() && observed_thread.quiet == 0; }

// Mutes observation for a scope: what runs inside belongs to the op that opened it.
class MuteScope {
 public:
  MuteScope() { ++observed_thread.muted; }
  ~MuteScope() { --observed_thread.muted; }
  MuteScope(const MuteScope&) = delete;
};

// Stands in for the observer on one thread, whatever the JIT's mode, while somebody writes down
// what a function does. What a method throws, the host's call throws.
class Listener {
 public:
  virtual void before_op(const OpCall& call) = 0;
  virtual void after_op(const OpCall& call, const Tensor* results) = 0;
  // `method` is about to show the host a value, or to hand out a pointer to it.
  virtual void value_observed(const TensorImpl* tensor, const char* method) = 0;

 protected:
  ~Listener() = default;
};

// Inside its scope the listener is told of this thread's ops, and the observer is not.
class ListenScope {
 public:
  explicit ListenScope(Listener* listener);
  ~ListenScope();
  ListenScope(const ListenScope&) = delete;

 private:
  MuteScope mute_;
  Listener* outer_;
  uint32_t outer_depth_;
};

// Who listens to this thread, or null. Of use only where observing() is false: it is not asked on
// the way of every op.
Listener* listener();

}  // namespace frit
