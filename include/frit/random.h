// Generators of random numbers. The ops that draw (rand, randn, randint, randperm, bernoulli,
// multinomial, normal) are in ops.h; they draw from the default generator, or from that of a scope:
//
//   Generator generator(7);
//   GeneratorScope scope(generator);
//   Tensor x = randn({2, 3});          // as torch.randn(2, 3, generator=...) of that seed
#pragma once

#include <cstdint>
#include <memory>

#include "frit/tensor.h"

namespace frit {
namespace random {
struct SharedEngine;
}

// PyTorch's CPU generator, a Mersenne twister: the same seed gives the same numbers. Copies share
// its state. May be used by several threads at once.
class Generator {
 public:
  Generator();  // with the seed of the default generator
  explicit Generator(uint64_t seed);

  // Of the seed, the low 32 bits count.
  void manual_seed(uint64_t seed);
  // Takes a seed from the system, and returns it.
  uint64_t seed();
  // What it was seeded with last.
  uint64_t initial_seed() const;

  // u8[5056], what torch.Generator.get_state() gives. set_state throws kRuntime for anything else.
  Tensor get_state() const;
  void set_state(const Tensor& state);

 private:
  friend class GeneratorScope;
  friend Generator default_generator(Device device);
  explicit Generator(std::shared_ptr<random::SharedEngine> engine) : engine_(std::move(engine)) {}

  std::shared_ptr<random::SharedEngine> engine_;
};

// The one that all threads draw from outside of scopes, for tensors on that device: each has one of
// its own. manual_seed(seed) seeds them all.
Generator default_generator(Device device = kCPU);

// While it lives, the ops of this thread draw from its generator. Scopes nest.
class GeneratorScope {
 public:
  explicit GeneratorScope(Generator generator);
  ~GeneratorScope();
  GeneratorScope(const GeneratorScope&) = delete;
  GeneratorScope& operator=(const GeneratorScope&) = delete;

 private:
  Generator generator_;
  random::SharedEngine* saved_;
};

// Draw a number for each element of a floating-point tensor, in place, and return it: from
// [from, to), or normally distributed. PyTorch's numbers; kRuntime for a negative deviation.
Tensor uniform_(const Tensor& x, double from = 0, double to = 1);
Tensor normal_(const Tensor& x, double mean = 0, double deviation = 1);

}  // namespace frit
