// The choices, each with what it was measured on (bench/contraction_bench).
#include "src/contraction/choose.h"

#include <algorithm>

namespace frit::contraction {
namespace {

constexpr int64_t kPage = 4096;

// Whether the elements of a's rows are side by side, as the tiles read them.
bool has_rows(const MatmulArgs& args) { return args.a.col == 1 || args.k <= 1; }
bool has_columns_side_by_side(const MatmulArgs& args) { return args.b.col == 1 || args.n == 1; }

// Rows a multiple of the page apart meet in one set of the cache; six of them and b evict each
// other.
bool rows_collide(const MatmulArgs& args, int element_size) {
  return args.m > 1 && args.a.row * element_size % kPage == 0 && args.n > 64;
}

int64_t round_up(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

}  // namespace

MatmulPlan choose_matmul(const MatmulArgs& args, const TileKernels& kernels, bool is_packed) {
  const int64_t element = kernels.element_size();
  const int64_t row_tiles = (args.m + kernels.max_rows() - 1) / kernels.max_rows();
  MatmulPlan plan;
  plan.pack_a = !has_rows(args) || rows_collide(args, kernels.element_size());
  // Reading b where it is costs a page per k and tile of rows; copying it costs about as much as
  // two tiles of rows. Short rows of b lie in few pages: there copying never pays.
  const bool is_small = args.k * args.n * element <= 32768;
  plan.pack_b = !is_packed && (!has_columns_side_by_side(args) || (row_tiles > 2 && !is_small));
  // A small b that can be read as it is costs less than looking it up.
  plan.use_cache =
      !is_packed && args.b_key.valid() && (!has_columns_side_by_side(args) || !is_small);
  // A panel of b of one k block is 16 to 32 KB and stays in L1 while the rows pass; rows x k of a
  // stay in L2.
  plan.k_block = 256;
  plan.row_block = 192 / kernels.max_rows() * kernels.max_rows();
  // Columns of b that are packed at once: k_block x 256 stay in L2 while the rows pass.
  plan.col_block = plan.pack_b ? 256 : args.n;
  // One row of an unpacked b: many k at once would touch as many pages; a few walk along them
  // together.
  if (!is_packed && !plan.pack_b && row_tiles == 1 && args.n > 512) plan.k_block = 16;
  plan.k_block = std::max<int64_t>(1, std::min(plan.k_block, args.k));
  plan.col_block =
      round_up(std::max<int64_t>(1, std::min(plan.col_block, args.n)), kernels.panel_width());
  return plan;
}

}  // namespace frit::contraction
