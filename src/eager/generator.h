// Where random numbers come from: PyTorch's CPU generator and its draws, in its order, so that a
// seed gives its numbers.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <random>
#include <span>

#include "frit/device.h"
#include "frit/dtype.h"
#include "src/base/fork.h"

namespace frit::random {

class Engine {
 public:
  explicit Engine(uint64_t seed) { this->seed(seed); }
  void seed(uint64_t seed);
  uint64_t initial_seed() const { return seed_; }

  uint32_t bits32() { return static_cast<uint32_t>(engine_()); }
  uint64_t bits64() {
    const uint64_t high = bits32();
    return high << 32 | bits32();
  }
  // In [0, 1), with as many bits as the dtype's significand has.
  double uniform(Dtype dtype);
  // Of mean 0 and deviation 1.
  double normal();
  // Below `range`.
  uint64_t below(uint64_t range) {
    return range >= uint64_t{1} << 32 ? bits64() % range : bits32() % range;
  }

  // All there is to know, in the bytes of PyTorch's get_rng_state().
  static constexpr size_t kStateBytes = 5056;
  void save(std::span<std::byte, kStateBytes> state) const;
  // False, and nothing is changed, where the bytes are no state.
  bool load(std::span<const std::byte, kStateBytes> state);

 private:
  std::mt19937 engine_;
  uint64_t seed_ = 0;
  std::optional<double> next_normal_;  // normal() makes two at a time
};

// An engine that threads share.
struct SharedEngine {
  explicit SharedEngine(uint64_t seed) : engine(seed) {}
  base::ForkMutex mutex{base::ForkLevel::kTables};
  Engine engine;
};

// That of the innermost GeneratorScope of this thread, or the default one.
SharedEngine& current();

// In its scope, what is drawn outside of a GeneratorScope is drawn from the device's default one.
class OnDevice {
 public:
  explicit OnDevice(Device device);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;

 private:
  SharedEngine* saved_;
};

// Runs fn(engine) alone.
template <class Fn>
void draw(Fn fn) {
  SharedEngine& shared = current();
  std::lock_guard lock(shared.mutex);
  fn(shared.engine);
}

// Normal numbers of mean 0 and deviation 1, as PyTorch fills a tensor of 16 elements or more.
void fill_normal(Engine& engine, Dtype dtype, std::byte* data, int64_t count);

}  // namespace frit::random
