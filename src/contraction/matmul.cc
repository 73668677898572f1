// Matrix products of floats through tiles.
//
// The output is cut into items of rows and columns that threads take as they are free. An item goes
// through k in blocks; the chains of a block go on from what the block before stored, so that
// blocks change no bits. What the plan says is copied (a in rows, b in panels) is copied block by
// block, on the thread that uses it.
#include "src/contraction/matmul.h"

#include <algorithm>

#include "src/base/check.h"
#include "src/base/thread_pool.h"
#include "src/contraction/choose.h"
#include "src/contraction/matmul_loops.h"
#include "src/contraction/pack.h"
#include "src/contraction/tile.h"

namespace frit::contraction {
namespace {

// Products that are worth waking a thread for.
constexpr int64_t kParallelProducts = 1 << 19;
// Columns that are finished (scaled, bias, epilogue) together, while they are in L1.
constexpr int64_t kFinishColumns = 128;

struct Range {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};

// One product of a batch, with everything that its items share.
template <class T>
class Product {
 public:
  Product(const MatmulArgs& args, const TileKernels& kernels, const MatmulPlan& plan,
          const Packed* packed)
      : args_(args), kernels_(kernels), plan_(plan), packed_(packed) {}

  // Computes out[batch, rows, cols] and finishes it.
  void run_item(int64_t batch, Range rows, Range cols) const {
    const int64_t last = args_.k == 0 ? 0 : (args_.k - 1) / plan_.k_block * plan_.k_block;
    for (int64_t k = 0; k <= last; k += plan_.k_block) {
      const Range ks{k, std::min(k + plan_.k_block, args_.k)};
      TileArgs tile{};
      place_b(batch, ks, cols, &tile);
      tile.accumulate = k > 0;
      for (int64_t row = rows.begin; row < rows.end; row += plan_.row_block)
        run_rows(batch, {row, std::min(row + plan_.row_block, rows.end)}, cols, ks, tile);
    }
  }

 private:
  // Points the tile at b[ks, cols], copying it if the plan says so.
  void place_b(int64_t batch, Range ks, Range cols, TileArgs* tile) const {
    const int64_t width = kernels_.panel_width(), size = sizeof(T);
    tile->b_k = width * size;
    if (packed_ != nullptr) {
      tile->b_panel = args_.k * width * size;
      tile->b = packed_->data() + batch * packed_->batch_bytes +
                cols.begin / width * tile->b_panel + ks.begin * tile->b_k;
      return;
    }
    const T* b = static_cast<const T*>(args_.b.data) + batch * args_.b.batch +
                 ks.begin * args_.b.row + cols.begin * args_.b.col;
    if (plan_.pack_b) {
      const int64_t floats = ks.size() * num_panels(cols.size(), width) * width;
      T* copy = reinterpret_cast<T*>(scratch(ScratchSlot::kB, static_cast<size_t>(floats * size)));
      copy_panels(CopySource<T>{b, args_.b.row, args_.b.col}, ks.size(), cols.size(), width, copy);
      tile->b = reinterpret_cast<const std::byte*>(copy);
      tile->b_panel = ks.size() * width * size;
      return;
    }
    tile->b = reinterpret_cast<const std::byte*>(b);
    tile->b_k = args_.b.row * size;
    tile->b_panel = width * size;
  }

  void place_a(int64_t batch, Range rows, Range ks, TileArgs* tile) const {
    const T* a = static_cast<const T*>(args_.a.data) + batch * args_.a.batch +
                 rows.begin * args_.a.row + ks.begin * args_.a.col;
    tile->a_row = args_.a.row * static_cast<int64_t>(sizeof(T));
    if (plan_.pack_a) {
      // A line more than the block, so that rows do not collide in the cache.
      const int64_t stride = ks.size() + 64 / static_cast<int64_t>(sizeof(T));
      T* copy = reinterpret_cast<T*>(
          scratch(ScratchSlot::kA, static_cast<size_t>(rows.size() * stride) * sizeof(T)));
      copy_matrix(CopySource<T>{a, args_.a.row, args_.a.col}, rows.size(), ks.size(), copy, stride);
      a = copy;
      tile->a_row = stride * static_cast<int64_t>(sizeof(T));
    }
    tile->a = reinterpret_cast<const std::byte*>(a);
  }

  void run_rows(int64_t batch, Range rows, Range cols, Range ks, TileArgs tile) const {
    const Segment segment{0, 0, ks.size()};
    tile.segments = &segment;
    tile.num_segments = ks.size() > 0;
    place_a(batch, rows, ks, &tile);
    tile.c_row = args_.out_row * static_cast<int64_t>(sizeof(T));
    const bool finishes = ks.end == args_.k && needs_finish();
    const int64_t step = finishes ? kFinishColumns : cols.size();
    const std::byte* b = tile.b;
    for (int64_t col = cols.begin; col < cols.end; col += step) {
      const Range part{col, std::min(col + step, cols.end)};
      tile.b = b + (col - cols.begin) / kernels_.panel_width() * tile.b_panel;
      tile.c = reinterpret_cast<std::byte*>(out_at(batch, rows.begin, col));
      tile.bias = ks.end == args_.k && bias_is_row() ? bias_at(batch, col) : nullptr;
      kernels_.run({rows.size(), part.size(), tile});
      if (finishes) finish(batch, rows, part);
    }
  }

  T* out_at(int64_t batch, int64_t row, int64_t col) const {
    return static_cast<T*>(args_.out) + batch * args_.out_batch + row * args_.out_row + col;
  }
  const std::byte* bias_at(int64_t batch, int64_t col) const {
    return reinterpret_cast<const std::byte*>(static_cast<const T*>(args_.bias.data) +
                                              batch * args_.bias.batch + col);
  }

  bool has_bias() const { return args_.bias.data != nullptr && args_.beta.to_double() != 0; }
  // A bias that the tiles add themselves: one row for all.
  bool bias_is_row() const {
    return has_bias() && args_.alpha.to_double() == 1 && args_.beta.to_double() == 1 &&
           args_.bias.row == 0 && (args_.bias.col == 1 || args_.n == 1);
  }
  bool needs_scaling() const {
    return args_.alpha.to_double() != 1 || (has_bias() && !bias_is_row());
  }
  bool needs_finish() const { return needs_scaling() || args_.epilogue.run != nullptr; }

  void finish(int64_t batch, Range rows, Range cols) const {
    if (needs_scaling())
      scale_and_add_bias(args_, batch, rows.begin, cols.begin, rows.size(), cols.size());
    if (args_.epilogue.run != nullptr)
      args_.epilogue.run(args_.epilogue.context, out_at(batch, rows.begin, cols.begin),
                         batch * args_.m + rows.begin, cols.begin, rows.size(), cols.size(),
                         args_.out_row);
  }

  const MatmulArgs& args_;
  const TileKernels& kernels_;
  const MatmulPlan& plan_;
  const Packed* packed_;
};

// How the output is cut so that threads have a few items each; one item per product for one thread.
struct Items {
  int64_t row_step, col_step, row_count, col_count;
};

Items cut_items(const MatmulArgs& args, const TileKernels& kernels, const MatmulPlan& plan) {
  Items items{args.m, plan.col_block, 1, 1};
  const int threads = base::num_threads();
  if (threads > 1 && args.m * args.n * args.k * args.batch > kParallelProducts &&
      args.batch < 2 * threads) {
    // Rows first, in blocks that still fill tiles; then columns, in whole finished parts.
    const int64_t tall = 8 * kernels.max_rows();
    items.row_step =
        std::min(args.m, std::max(tall, (args.m / (2 * threads) + tall - 1) / tall * tall));
    const int64_t wanted = 2 * threads * items.row_step / args.m + 1;
    const int64_t wide = (args.n / wanted + kFinishColumns - 1) / kFinishColumns * kFinishColumns;
    items.col_step = std::min(plan.col_block, std::max(kFinishColumns, wide));
  }
  items.row_count = (args.m + items.row_step - 1) / items.row_step;
  items.col_count = (args.n + items.col_step - 1) / items.col_step;
  return items;
}

// A b that repeats through the batch is packed once.
int64_t num_matrices(const MatmulArgs& args) { return args.b.batch == 0 ? 1 : args.batch; }

template <class T>
PackedRef pack(const MatmulArgs& args) {
  const int64_t width = TileKernels::of(args.dtype).panel_width();
  const int64_t elements = num_panels(args.n, width) * width * args.k;
  const int64_t bytes = elements * static_cast<int64_t>(sizeof(T));
  auto packed = std::make_shared<Packed>(static_cast<size_t>(bytes * num_matrices(args)));
  packed->panel_width = width;
  packed->batch_bytes = num_matrices(args) == 1 ? 0 : bytes;
  for (int64_t i = 0; i < num_matrices(args); ++i)
    copy_panels(CopySource<T>{static_cast<const T*>(args.b.data) + i * args.b.batch, args.b.row,
                              args.b.col},
                args.k, args.n, width, reinterpret_cast<T*>(packed->data()) + i * elements);
  return packed;
}

PackKey pack_key(const MatmulArgs& args, int64_t panel_width) {
  PackKey key;
  for (int64_t word :
       {static_cast<int64_t>(args.b_key.storage), static_cast<int64_t>(args.b_key.version),
        reinterpret_cast<int64_t>(args.b.data), static_cast<int64_t>(args.dtype), args.n, args.k,
        num_matrices(args), args.b.batch, args.b.row, args.b.col, panel_width})
    key.add(word);
  return key;
}

template <class T>
void multiply(const MatmulArgs& args, const TileKernels& kernels, const Packed* packed) {
  const MatmulPlan plan = choose_matmul(args, kernels, packed != nullptr);
  if (plan.use_cache) {
    const PackKey key = pack_key(args, kernels.panel_width());
    const PackedRef cached = pack_cache().find(key, [&] { return pack<T>(args); });
    if (cached != nullptr) return multiply<T>(args, kernels, cached.get());
  }
  const Product<T> product(args, kernels, plan, packed);
  const Items items = cut_items(args, kernels, plan);
  const int64_t per_product = items.row_count * items.col_count;
  const int64_t count = args.batch * per_product;
  const int64_t work = std::max<int64_t>(1, args.m * args.n * args.k / per_product);
  const int64_t grain = std::max<int64_t>(1, kParallelProducts / 2 / work);
  base::parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t batch = i / per_product, item = i % per_product;
      const int64_t row = item / items.col_count * items.row_step,
                    col = item % items.col_count * items.col_step;
      product.run_item(batch, {row, std::min(row + items.row_step, args.m)},
                       {col, std::min(col + items.col_step, args.n)});
    }
  });
}

// A matrix times a column is a row times the transpose: the tiles want the long side as columns.
// The factors of each product change places, which changes no bits.
bool is_column(const MatmulArgs& args) {
  return args.n == 1 && args.m > 1 && args.out_row == 1 && args.epilogue.run == nullptr;
}

MatmulArgs as_row(const MatmulArgs& args) {
  MatmulArgs row = args;
  row.m = 1;
  row.n = args.m;
  row.a = {args.b.data, args.b.batch, args.b.col, args.b.row};
  row.b = {args.a.data, args.a.batch, args.a.col, args.a.row};
  row.bias = {args.bias.data, args.bias.batch, args.bias.col, args.bias.row};
  row.b_key = {};
  return row;
}

// Whether the batch's rows follow each other in `matrix` at one distance.
bool rows_follow(const Matrix& matrix, int64_t m) {
  return matrix.data == nullptr || m == 1 || matrix.batch == m * matrix.row;
}

bool is_one_matrix(const MatmulArgs& args) {
  return args.batch > 1 && args.b.batch == 0 && rows_follow(args.a, args.m) &&
         rows_follow(args.bias, args.m) && (args.m == 1 || args.out_batch == args.m * args.out_row);
}

// A batch of rows with one b is one matrix.
MatmulArgs without_batch(const MatmulArgs& args) {
  MatmulArgs one = args;
  one.m = args.m * args.batch;
  one.batch = 1;
  if (args.m == 1) {
    one.a.row = args.a.batch;
    one.bias.row = args.bias.batch;
    one.out_row = args.out_batch;
  }
  return one;
}

}  // namespace

void matmul(const MatmulArgs& args, const Packed* packed) {
  if (args.batch == 0 || args.m == 0 || args.n == 0) return;
  if (!is_floating_point(args.dtype)) return multiply_integers(args);
  FRIT_CHECK(!is_half(args.dtype)) << "16-bit floats compute in f32";
  if (is_one_matrix(args)) return matmul(without_batch(args), packed);
  if (packed == nullptr && is_column(args)) return matmul(as_row(args));
  const TileKernels kernels = TileKernels::of(args.dtype);
  FRIT_CHECK(packed == nullptr || packed->panel_width == kernels.panel_width())
      << "packed for another instruction set";
  if (args.dtype == Dtype::kF64) return multiply<double>(args, kernels, packed);
  multiply<float>(args, kernels, packed);
}

PackedRef pack_b(const MatmulArgs& args) {
  if (args.dtype == Dtype::kF64) return pack<double>(args);
  return args.dtype == Dtype::kF32 ? pack<float>(args) : nullptr;
}

}  // namespace frit::contraction
