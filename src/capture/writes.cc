// Keeps, for each memory that was written, the views through which its content is known.
#include "src/capture/writes.h"

#include "src/tensor/same_places.h"

namespace frit::capture {

bool reads_elements(Op op, size_t i) {
  const Traits traits = info(op).traits;
  return traits != Traits::kView && !(traits == Traits::kEffect && i == 0);
}

bool known_after_store(const Layout* target, const Layout* source) {
  if (source == nullptr) return target->contiguous;
  return source == target || same_places(*source, *target);
}

int Writes::value_at(const Place& place, int unwritten) const {
  const auto* memory = memories_.find(place.memory);
  if (memory == nullptr) return unwritten;
  for (const Known& known : *memory)
    if (known.layout == place.layout && known.offset == place.offset) return known.value;
  return kUnknown;
}

void Writes::store(const Place& place, int value) {
  auto& known = memories_.insert(place.memory, {});
  known.clear();
  if (value != kUnknown) known.push_back({place.layout, place.offset, value});
}

void Writes::add_view(const Place& place, int value) {
  auto* memory = memories_.find(place.memory);
  if (memory != nullptr && value_at(place, kUnknown) == kUnknown)
    memory->push_back({place.layout, place.offset, value});
}

}  // namespace frit::capture
