// Copies buffers to the CPU, runs a kernel there and copies back what it may have written.
#pragma GCC optimize("Os")  // the copies take the time
#include "src/runtime/staged.h"

#include <algorithm>
#include <map>

#include "src/tensor/devices.h"

namespace frit::runtime {

void run_staged(const CompiledKernel& kernel, int64_t outer_size, Device device,
                std::span<const StagedBuffer> buffers, uint64_t* words) {
  // What begins at one address is one memory, which operands may know different lengths of.
  std::map<std::byte*, int64_t> lengths;
  for (const StagedBuffer& buffer : buffers)
    lengths[buffer.data] = std::max(lengths[buffer.data], buffer.bytes);
  std::map<std::byte*, StorageRef> copies;
  for (const StagedBuffer& buffer : buffers) {
    StorageRef& copy = copies[buffer.data];
    if (copy.get() == nullptr) {
      copy = StorageRef::adopt(new_storage(lengths[buffer.data], kCPU));
      devices::copy_bytes(kCPU, copy->data, device, buffer.data, lengths[buffer.data]);
    }
    words[buffer.word] = reinterpret_cast<uint64_t>(copy->data + buffer.offset);
  }
  kernel.run(words, 0, outer_size);
  for (const StagedBuffer& buffer : buffers) {
    const auto copy = copies.find(buffer.data);
    if (!buffer.written || copy == copies.end()) continue;
    devices::copy_bytes(device, buffer.data, kCPU, copy->second->data, lengths[buffer.data]);
    copies.erase(copy);  // once is enough
  }
}

}  // namespace frit::runtime
