// Finds runs by comparing neighbours: borders are short, and the whole windows between them are
// found at once.
#include "src/contraction/windows.h"

#include <algorithm>
#include <utility>

namespace frit::contraction {
namespace {

int64_t divide_up(int64_t a, int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; }

// One output and the positions of its window that are inside.
WindowRun single(const ConvolvedDim& dim, int64_t at) {
  const int64_t start = at * dim.stride - dim.pad;
  const int64_t first = std::min(dim.kernel, divide_up(-start, dim.dilation));
  const int64_t last = std::min(dim.kernel, divide_up(dim.in - start, dim.dilation));
  return {at, at + 1, first, std::max(first, last)};
}

// The first output after `at` whose window is not whole any more, if that of `at` is.
int64_t end_of_whole(const ConvolvedDim& dim, int64_t at, int64_t end) {
  const int64_t reach = (dim.kernel - 1) * dim.dilation;
  const int64_t last_start = dim.in - 1 - reach;  // of a whole window
  return std::clamp((last_start + dim.pad) / dim.stride + 1, at + 1, end);
}

// Where the first position of a run's first window inside the input lies.
int64_t first_inside(const ConvolvedDim& dim, const WindowRun& run) {
  return run.begin * dim.stride - dim.pad + run.first * dim.dilation;
}

// From one output pixel to the next: in the input and in the output.
struct Step {
  int64_t x, out;
};
struct Line {
  int64_t count;
  Step step;
};

// A rectangle of pixels as evenly spaced lines: as one if its rows follow each other, else along
// its longer side. `block` is at its first pixel.
void each_line(Line rows, Line cols, PixelBlock block,
               base::FunctionRef<void(const PixelBlock&)> fn) {
  if (rows.step.x == cols.step.x * cols.count && rows.step.out == cols.step.out * cols.count) {
    cols.count *= rows.count;
    rows.count = 1;
  }
  if (rows.count > cols.count) std::swap(rows, cols);
  block.count = cols.count;
  block.x_step = cols.step.x;
  block.out_step = cols.step.out;
  for (int64_t i = 0; i < rows.count; ++i) {
    fn(block);
    block.x_offset += rows.step.x;
    block.out_offset += rows.step.out;
  }
}

}  // namespace

std::vector<WindowRun> window_runs(const ConvolvedDim& dim, int64_t begin, int64_t end) {
  std::vector<WindowRun> runs;
  for (int64_t at = begin; at < end;) {
    WindowRun run = single(dim, at);
    if (run.first == 0 && run.last == dim.kernel) run.end = end_of_whole(dim, at, end);
    at = run.end;
    if (!runs.empty() && runs.back().first == run.first && runs.back().last == run.last) {
      runs.back().end = run.end;
    } else {
      runs.push_back(run);
    }
  }
  return runs;
}

void each_pixel_block(const ConvolutionArgs& args, const Slab& slab,
                      base::FunctionRef<void(const PixelBlock&)> fn) {
  const ConvolvedDim &rows = args.dims[1], &cols = args.dims[2];
  const std::vector<WindowRun> depth_run = window_runs(args.dims[0], slab.depth, slab.depth + 1);
  const std::vector<WindowRun> row_runs = window_runs(rows, slab.begin, slab.end);
  const std::vector<WindowRun> col_runs = window_runs(cols, 0, cols.out);
  const int64_t *xs = args.x.strides, *os = args.out.strides;
  const Step row{rows.stride * xs[3], os[3]}, col{cols.stride * xs[4], os[4]};
  for (const WindowRun& h : row_runs)
    for (const WindowRun& w : col_runs) {
      PixelBlock block;
      block.x_offset = slab.batch * xs[0] + first_inside(args.dims[0], depth_run[0]) * xs[2] +
                       first_inside(rows, h) * xs[3] + first_inside(cols, w) * xs[4];
      block.out_offset =
          slab.batch * os[0] + slab.depth * os[2] + h.begin * os[3] + w.begin * os[4];
      block.runs[0] = &depth_run[0];
      block.runs[1] = &h;
      block.runs[2] = &w;
      each_line({h.size(), row}, {w.size(), col}, block, fn);
    }
}

}  // namespace frit::contraction
