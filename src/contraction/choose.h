// Chooses how a contraction is computed, from its shape and layout at run time. The bits are the
// same for every choice.
#pragma once

#include "src/contraction/matmul.h"
#include "src/contraction/tile.h"

namespace frit::contraction {

struct MatmulPlan {
  bool pack_a = false;     // copy blocks of a
  bool pack_b = false;     // copy panels of b, block by block, where it is not packed already
  bool use_cache = false;  // ask the cache for b in packed form
  int64_t row_block = 0;   // rows, columns and k of the blocks
  int64_t col_block = 0;
  int64_t k_block = 0;
};

MatmulPlan choose_matmul(const MatmulArgs& args, const TileKernels& kernels, bool is_packed);

}  // namespace frit::contraction
