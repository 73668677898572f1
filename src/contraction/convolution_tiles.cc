// Walks over blocks of pixels and hands each to the tiles, with the memory under its windows as
// segments.
//
// A segment is a run of input channels at one position of the window, in the order of the chain.
// Runs that follow each other in memory are joined: a 3x3 window over an image of one channel has
// three segments of three.
#include "src/contraction/convolution_tiles.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "src/base/cpu.h"
#include "src/base/thread_pool.h"
#include "src/contraction/convolution_weights.h"
#include "src/contraction/depthwise.h"
#include "src/contraction/tile.h"
#include "src/contraction/windows.h"

namespace frit::contraction {
namespace {

constexpr int64_t kParallelProducts = 1 << 19;  // that are worth waking a thread for

// How chains read the weights.
struct WeightOrder {
  int64_t channels;        // input channels that one chain sums
  int64_t row_bytes;       // from one row of packed weights to the next
  int64_t block_channels;  // channels per block
  bool joins;              // whether runs that follow each other may be one
};

// Segments by which of the window's positions are inside the input. Filled as they are met; a
// handful per convolution.
class SegmentLists {
 public:
  SegmentLists(const ConvolutionArgs& args, const WeightOrder& order)
      : args_(args), order_(order) {}

  const std::vector<Segment>& of(const PixelBlock& block) {
    for (const auto& list : lists_)
      if (list->matches(block)) return list->segments;
    lists_.push_back(std::make_unique<List>());
    List& list = *lists_.back();
    for (int d = 0; d < kMaxSpatial; ++d) {
      list.first[d] = block.runs[d]->first;
      list.last[d] = block.runs[d]->last;
    }
    fill(list);
    return list.segments;
  }

 private:
  struct List {
    int64_t first[kMaxSpatial], last[kMaxSpatial];
    std::vector<Segment> segments;
    bool matches(const PixelBlock& block) const {
      for (int d = 0; d < kMaxSpatial; ++d)
        if (block.runs[d]->first != first[d] || block.runs[d]->last != last[d]) return false;
      return true;
    }
  };

  void fill(List& list) const {
    for (int64_t c = 0; c < order_.channels; c += order_.block_channels)
      for (int64_t d = list.first[0]; d < list.last[0]; ++d)
        for (int64_t h = list.first[1]; h < list.last[1]; ++h)
          for (int64_t w = list.first[2]; w < list.last[2]; ++w) append(list, c, {d, h, w});
  }

  struct Position {
    int64_t d, h, w;
  };

  void append(List& list, int64_t c, Position at) const {
    const int64_t element = byte_size(args_.dtype);
    const auto& [depth, rows, cols] = args_.dims;
    const int64_t* xs = args_.x.strides;
    const int64_t count = std::min(order_.block_channels, order_.channels - c);
    const int64_t positions = depth.kernel * rows.kernel * cols.kernel;
    const int64_t position = (at.d * rows.kernel + at.h) * cols.kernel + at.w;
    const int64_t a = (at.d - list.first[0]) * depth.dilation * xs[2] +
                      (at.h - list.first[1]) * rows.dilation * xs[3] +
                      (at.w - list.first[2]) * cols.dilation * xs[4] + c;
    const int64_t row = c * positions + position * count;
    const Segment segment{a * element, row * order_.row_bytes, count};
    if (order_.joins && !list.segments.empty() && follows(list.segments.back(), segment)) {
      list.segments.back().count += count;
    } else {
      list.segments.push_back(segment);
    }
  }

  bool follows(const Segment& last, const Segment& next) const {
    return next.a_offset == last.a_offset + last.count * byte_size(args_.dtype) &&
           next.b_offset == last.b_offset + last.count * order_.row_bytes;
  }

  const ConvolutionArgs& args_;
  const WeightOrder order_;
  std::vector<std::unique_ptr<List>> lists_;
};

int64_t products_per_row(const ConvolutionArgs& args) {
  const auto& [d, h, w] = args.dims;
  return w.out * args.out_channels * (args.in_channels / args.groups) * d.kernel * h.kernel *
         w.kernel;
}

// Rows of one image that a thread takes at once: all of them unless others would wait.
int64_t rows_per_slab(const ConvolutionArgs& args) {
  const int64_t rows = args.dims[1].out, images = args.batch * args.dims[0].out;
  const int threads = base::num_threads();
  if (threads == 1 || images >= 4 * threads) return rows;
  const int64_t worth = kParallelProducts / std::max<int64_t>(1, products_per_row(args)) + 1;
  return std::clamp((rows * images + 4 * threads - 1) / (4 * threads), std::min(worth, rows), rows);
}

void run_epilogue(const ConvolutionArgs& args, const Slab& slab) {
  if (args.epilogue.run == nullptr) return;
  const int64_t* os = args.out.strides;
  std::byte* out = static_cast<std::byte*>(args.out.data);
  for (int64_t h = slab.begin; h < slab.end; ++h) {
    const int64_t offset = slab.batch * os[0] + slab.depth * os[2] + h * os[3];
    const int64_t row =
        ((slab.batch * args.dims[0].out + slab.depth) * args.dims[1].out + h) * args.dims[2].out;
    args.epilogue.run(args.epilogue.context, out + offset * byte_size(args.dtype), row, 0,
                      args.dims[2].out, args.out_channels, os[4]);
  }
}

// Cuts the output into slabs and computes each block of its pixels by compute(slab's segments,
// block).
template <class F>
void each_slab(const ConvolutionArgs& args, const WeightOrder& order, F compute) {
  const int64_t step = rows_per_slab(args), rows = args.dims[1].out, depth = args.dims[0].out;
  const int64_t per_image = (rows + step - 1) / step;
  base::parallel_for(args.batch * depth * per_image, 1, [&](int64_t begin, int64_t end) {
    SegmentLists lists(args, order);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t image = i / per_image, row = i % per_image * step;
      const Slab slab{image / depth, image % depth, row, std::min(row + step, rows)};
      each_pixel_block(args, slab,
                       [&](const PixelBlock& block) { compute(lists.of(block), block); });
      run_epilogue(args, slab);
    }
  });
}

TileArgs tile_of(const ConvolutionArgs& args, const std::vector<Segment>& segments,
                 const PixelBlock& block) {
  const int64_t element = byte_size(args.dtype);
  TileArgs tile{};
  tile.a = static_cast<const std::byte*>(args.x.data) + block.x_offset * element;
  tile.a_row = block.x_step * element;
  tile.c = static_cast<std::byte*>(args.out.data) + block.out_offset * element;
  tile.c_row = block.out_step * element;
  tile.segments = segments.data();
  tile.num_segments = static_cast<int64_t>(segments.size());
  tile.bias = static_cast<const std::byte*>(args.bias);
  return tile;
}

}  // namespace

void convolve_tiles(const ConvolutionArgs& args) {
  const TileKernels kernels = TileKernels::of(args.dtype);
  const int64_t element = byte_size(args.dtype), width = kernels.panel_width();
  const int64_t in_group = args.in_channels / args.groups,
                out_group = args.out_channels / args.groups;
  const int64_t k = in_group * args.dims[0].kernel * args.dims[1].kernel * args.dims[2].kernel;
  const PackedRef weights = weight_panels(args, width);
  each_slab(args, {in_group, width * element, kChannelBlock, true},
            [&](const std::vector<Segment>& segments, const PixelBlock& block) {
              TileArgs tile = tile_of(args, segments, block);
              tile.b = weights->data();
              tile.b_k = width * element;
              tile.b_panel = k * width * element;
              for (int64_t g = 0; g < args.groups; ++g) {
                kernels.run({block.count, out_group, tile});
                tile.a += in_group * element;
                tile.b += weights->batch_bytes;
                tile.c += out_group * element;
                if (tile.bias != nullptr) tile.bias += out_group * element;
              }
            });
}

void convolve_depthwise(const ConvolutionArgs& args) {
  const DepthwiseLoop loop = base::isa() == Isa::kBaseline ? baseline::depthwise_loop(args.dtype)
                                                           : avx2::depthwise_loop(args.dtype);
  const PackedRef weights = depthwise_rows(args);
  each_slab(args, {1, args.out_channels * byte_size(args.dtype), 1, false},
            [&](const std::vector<Segment>& segments, const PixelBlock& block) {
              TileArgs tile = tile_of(args, segments, block);
              tile.b = weights->data();
              loop(tile, block.count, args.out_channels);
            });
}

}  // namespace frit::contraction
