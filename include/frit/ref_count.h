// RefCount: how many handles hold an object.
//
// While the process has a single thread the arithmetic is plain, as in the C++ library's
// shared_ptr: an atomic addition costs about 20 cycles, and an op call has several.
#pragma once

#include <sys/single_threaded.h>

#include <atomic>
#include <cstdint>

namespace frit {

class RefCount {
 public:
  explicit RefCount(uint32_t count = 1) : count_(count) {}

  void add() {
    if (__libc_single_threaded) {
      count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    } else {
      count_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  // True when it was the last handle. A holder that counts one is alone: nobody can add.
  bool drop() {
    const uint32_t count = count_.load(std::memory_order_acquire);
    if (count == 1) return true;
    if (__libc_single_threaded) {
      count_.store(count - 1, std::memory_order_relaxed);
      return false;
    }
    return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  uint32_t count() const { return count_.load(std::memory_order_acquire); }
  // By a thread that is the only one to know the object.
  void set(uint32_t count) { count_.store(count, std::memory_order_relaxed); }

 private:
  std::atomic<uint32_t> count_;
};

// A count that several threads change, with no object hanging on it.
class SharedCount {
 public:
  void add(int32_t n) {
    if (__libc_single_threaded) {
      count_.store(count_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    } else {
      count_.fetch_add(n, std::memory_order_acq_rel);
    }
  }
  // True when it is zero now.
  bool drop() {
    if (!__libc_single_threaded) return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    const int32_t count = count_.load(std::memory_order_relaxed) - 1;
    count_.store(count, std::memory_order_relaxed);
    return count == 0;
  }
  // False when it is zero, and stays so.
  bool add_unless_zero() {
    int32_t count = get();
    while (count != 0 &&
           !count_.compare_exchange_weak(count, count + 1, std::memory_order_acq_rel)) {
    }
    return count != 0;
  }
  int32_t get() const { return count_.load(std::memory_order_acquire); }

 private:
  std::atomic<int32_t> count_{0};
};

}  // namespace frit
