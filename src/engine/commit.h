// The stores of a plan, made after everything has been computed.
#pragma once

#include <absl/container/inlined_vector.h>

#include <span>

#include "src/capture/trace_graph.h"
#include "src/tensor/storage.h"

namespace frit::engine {

// Everything that may fail happens in the constructor.
class CommitScope {
 public:
  // `scalars` are the trace's.
  CommitScope(std::span<const capture::Commit> commits, std::span<TensorImpl* const> externals,
              std::span<const StorageRef> outputs, std::span<const Scalar> scalars);
  // In order.
  void run() const;

 private:
  struct Ready {
    Tensor target, source;  // without a source, the scalar
    Scalar scalar;
  };
  absl::InlinedVector<Ready, 4> ready_;
};

}  // namespace frit::engine
