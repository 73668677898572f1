// The tensors that a plan reads: the externals of the run, and the moving views of them where they
// lie in this run (see capture/moving.h).
#pragma once

#include <absl/container/inlined_vector.h>

#include <span>

#include "src/capture/match.h"

namespace frit::engine {

class PlanInputs {
 public:
  // `externals` are those of `pending`, or copies of them that lie in memory as they do. Both must
  // outlive this.
  PlanInputs(const capture::Pending& pending, std::span<TensorImpl* const> externals);
  std::span<TensorImpl* const> impls() const { return views_.empty() ? externals_ : all_; }

 private:
  std::span<TensorImpl* const> externals_;
  absl::InlinedVector<Tensor, 4> views_;
  absl::InlinedVector<TensorImpl*, 8> all_;  // where there are views: the externals, then these
};

}  // namespace frit::engine
