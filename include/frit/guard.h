// Guards: the conditions under which a trace's compiled form is valid, as public data.
#pragma once

#include <string>
#include <vector>

#include "frit/array_ref.h"
#include "frit/dtype.h"
#include "frit/scalar.h"

namespace frit {

struct Guard {
  enum class Kind : uint8_t { kLayout, kScalar, kEnvironment };
  Kind kind = Kind::kLayout;
  std::string subject;  // graph input: "x0", "s1"; or "environment"
  // kLayout: dtype, sizes and strides of the input.
  Dtype dtype = Dtype::kF32;
  std::vector<int64_t> sizes, strides;
  // kScalar: the bits that it must have.
  Scalar scalar;
  uint64_t environment = 0;

  // x0: f32[8,16]; s1 == 2.0
  std::string str() const;
};

using GuardSet = std::vector<Guard>;

// One guard a line.
std::string to_string(const GuardSet& guards);

}  // namespace frit
