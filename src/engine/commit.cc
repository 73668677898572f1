// Stores by eager's kernel, between tensors that are made beforehand.
#include "src/engine/commit.h"

#include <cstring>

#include "src/eager/dispatch.h"

namespace frit::engine {
namespace {

constexpr int64_t kSmall =
    1 << 16;  // bytes; more are left to eager's kernel, which may use threads

Tensor wrap(const capture::PlanMemory& where, const Layout* layout,
            std::span<TensorImpl* const> externals, std::span<const StorageRef> outputs) {
  const int64_t size = byte_size(layout->dtype);
  if (where.output >= 0) return new_view(layout, outputs[where.output].get(), where.offset / size);
  TensorImpl* external = externals[where.external];
  if (where.offset == 0 && external->layout == layout) return Tensor::share(external);
  return new_view(layout, external->storage, external->offset + where.offset / size);
}

}  // namespace

CommitScope::CommitScope(std::span<const capture::Commit> commits,
                         std::span<TensorImpl* const> externals,
                         std::span<const StorageRef> outputs, std::span<const Scalar> scalars) {
  ready_.reserve(commits.size());
  for (const capture::Commit& commit : commits) {
    Ready& ready = ready_.emplace_back();
    ready.target = wrap(commit.target, commit.target_layout, externals, outputs);
    if (commit.scalar >= 0) {
      ready.scalar = scalars[commit.scalar];
    } else {
      ready.source = wrap(commit.source, commit.source_layout, externals, outputs);
    }
  }
}

void CommitScope::run() const {
  const Attrs none;
  for (const Ready& ready : ready_) {
    const TensorImpl& target = *ready.target.impl();
    // Most stores are of a whole new value: its bytes as they lie.
    const bool plain = target.layout->device.is_cpu() && ready.source.defined() &&
                       ready.source.impl()->layout == target.layout &&
                       ready.source.impl()->storage != target.storage && target.layout->dense;
    if (plain && target.layout->nbytes() <= kSmall) {
      std::memcpy(target.data, ready.source.impl()->data,
                  static_cast<size_t>(target.layout->nbytes()));
      target.storage->version.fetch_add(1, std::memory_order_relaxed);
      continue;
    }
    const Operand source = ready.source.defined() ? Operand(ready.source) : Operand(ready.scalar);
    const Operand operands[] = {ready.target, source};
    run_eager({Op::store, operands, none}, nullptr);
  }
}

}  // namespace frit::engine
