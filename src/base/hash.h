// Mixing functions for hash tables and trace tokens. Not for security; equal on all machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace frit::base {

constexpr uint64_t mix64(uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  return x ^ (x >> 32);
}

// Folds `value` into a running hash.
constexpr uint64_t combine(uint64_t hash, uint64_t value) {
  return (hash ^ value) * 0x9e3779b97f4a7c15u + (hash >> 29);
}

inline uint64_t hash_bytes(const void* data, size_t size, uint64_t seed = 0) {
  const char* bytes = static_cast<const char*>(data);
  uint64_t hash = combine(seed, size);
  for (; size >= 8; size -= 8, bytes += 8) {
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    hash = combine(hash, word);
  }
  uint64_t tail = 0;
  std::memcpy(&tail, bytes, size);
  return mix64(combine(hash, tail));
}

}  // namespace frit::base
