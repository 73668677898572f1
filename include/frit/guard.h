// Guards: the conditions under which a trace's compiled form is valid, as public data.
#pragma once

#include <string>
#include <vector>

#include "frit/array_ref.h"
#include "frit/dtype.h"
#include "frit/scalar.h"

namespace frit {

struct Guard {
  enum class Kind : uint8_t { kLayout, kScalar, kAliases, kEnvironment };
  Kind kind = Kind::kLayout;
  std::string subject;  // graph input: "x0", "s1"; or "environment"
  // kLayout: dtype, sizes and strides of the input.
  Dtype dtype = Dtype::kF32;
  std::vector<int64_t> sizes, strides;
  // kScalar: the bits that it must have.
  Scalar scalar;
  // kAliases, in plans that write to an input: the first input that shares the subject's storage,
  // which may be itself, and how many bytes the subject begins behind it.
  std::string shares;
  int64_t offset = 0;
  uint64_t environment = 0;

  // x0: f32[8,16]; s1 == 2.0; x1: shares no earlier input's memory;
  // x2: at 64 bytes in the memory of x0
  std::string str() const;
};

using GuardSet = std::vector<Guard>;

// One guard a line.
std::string to_string(const GuardSet& guards);

}  // namespace frit
