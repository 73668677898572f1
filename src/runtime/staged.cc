// Copies buffers to the CPU, runs a kernel there and copies back what it may have written.
#pragma GCC optimize("Os")  // the copies take the time
#include "src/runtime/staged.h"

#include <map>

#include "src/tensor/devices.h"

namespace frit::runtime {

void run_staged(const CompiledKernel& kernel, int64_t outer_size, Device device,
                std::span<const StagedBuffer> buffers, uint64_t* words) {
  std::map<std::byte*, StorageRef> copies;  // a buffer may be several operands
  for (const StagedBuffer& buffer : buffers) {
    StorageRef& copy = copies[buffer.data];
    if (copy.get() == nullptr) {
      copy = StorageRef::adopt(new_storage(buffer.bytes, kCPU));
      devices::copy_bytes(kCPU, copy->data, device, buffer.data, buffer.bytes);
    }
    words[buffer.word] = reinterpret_cast<uint64_t>(copy->data + buffer.offset);
  }
  kernel.run(words, 0, outer_size);
  for (const StagedBuffer& buffer : buffers) {
    const auto copy = copies.find(buffer.data);
    if (!buffer.written || copy == copies.end()) continue;
    devices::copy_bytes(device, buffer.data, kCPU, copy->second->data, buffer.bytes);
    copies.erase(copy);  // once is enough
  }
}

}  // namespace frit::runtime
