// The twins of tiles, and the depthwise loops, for any x86-64: fma is a slow but right library call
// there.
#include "src/contraction/depthwise.h"
#include "src/contraction/tile_twin.h"

namespace frit::contraction::baseline {
namespace {

#include "src/contraction/single.inc"

// There is no vector fma to use.
template <class T>
using Vector = Single<T>;

}  // namespace

#include "src/contraction/loops.inc"

}  // namespace frit::contraction::baseline
