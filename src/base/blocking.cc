#include "src/base/blocking.h"

namespace frit::base {

constinit std::atomic<const BlockingHooks*> blocking_hooks = nullptr;

}  // namespace frit::base
