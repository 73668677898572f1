// Watch: tells whether anybody looked at a value before it died.
//
// Learning and nothing else: a Watch that is wrong costs time, never a result. A tensor carries its
// Watch's number; the places where values are looked at, and the tensor's death, leave a mark under
// that number in a table of bounded size.
//
//   Watch watch = Watch::on(tensor.impl());
//   ...
//   watch.fate()  // kLiving, kRead or kDiedUnread
#pragma once

#include <cstdint>
#include <utility>

#include "src/tensor/tensor_impl.h"

namespace frit {

enum class Fate : uint8_t { kLiving, kRead, kDiedUnread };

class Watch {
 public:
  Watch() = default;
  // Empty when the table is full, or when the tensor is watched already.
  static Watch on(TensorImpl* tensor);
  Watch(Watch&& other) noexcept : number_(std::exchange(other.number_, 0)) {}
  Watch& operator=(Watch&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Watch();

  explicit operator bool() const { return number_ != 0; }
  Fate fate() const;  // of a tensor that is watched

 private:
  explicit Watch(uint32_t number) : number_(number) {}
  uint32_t number_ = 0;
};

// Somebody looks at the value.
void note_watched_read(uint32_t number);
inline void note_read(const TensorImpl* tensor) {
  const uint32_t number = tensor->watch.load(std::memory_order_relaxed);
  if (__builtin_expect(number != 0, false)) note_watched_read(number);
}
// The last handle is gone.
void note_watched_death(uint32_t number);

}  // namespace frit
