// Texts of the reasons.
#include "src/capture/reason.h"

namespace frit::capture {
namespace {

constexpr ReasonInfo kReasons[] = {
#define FRIT_REASON(name, group, text, hint) {#name, text, hint},
#include "src/capture/aborts.def"
};

}  // namespace

const ReasonInfo& info(Reason reason) { return kReasons[static_cast<int>(reason)]; }

}  // namespace frit::capture
