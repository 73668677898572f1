// Puts the environment into one word.
#include "src/engine/environment.h"

#include "src/base/cpu.h"
#include "src/base/flags.h"
#include "src/engine/backends.h"

namespace frit::engine {

uint64_t environment_word() {
  return mxcsr_mode() | static_cast<uint64_t>(base::isa()) << 32 |
         static_cast<uint64_t>(base::flags().threads & 0xfff) << 36 |
         static_cast<uint64_t>(backend_generation() & 0xffff) << 48;
}

}  // namespace frit::engine
