// ShortProgram: the few instructions by which two values become one, placed without an allocator:
// what folds and scans do with each element.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "src/codegen/emitter.h"
#include "src/ops/math/program.h"

namespace frit::codegen {

class ShortProgram {
 public:
  // Nothing where it has instructions that need one.
  static std::optional<ShortProgram> make(math::Program program);

  // dst = program(a, b), all registers. `free` are used up, as many as registers(). dst may be a or
  // b.
  void emit(Assembly& assembly, Emitter& emitter, int dst, std::array<int, 2> inputs,
            std::span<const int> free) const;
  int registers() const;
  const math::Program& program() const { return program_; }

 private:
  math::Program program_;
};

}  // namespace frit::codegen
