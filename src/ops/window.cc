#include "src/ops/window.h"

#include <algorithm>

namespace frit {
namespace {

bool adapts(Op op) { return op == Op::adaptive_avg_pool || op == Op::adaptive_max_pool; }

// As many elements for each output as divide evenly, rounded to whole ones on both sides.
PoolWindow adaptive_window(int64_t in, int64_t out, int64_t i) {
  PoolWindow w;
  w.first = i * in / out;
  w.count = ((i + 1) * in + out - 1) / out - w.first;
  w.padded = w.count;
  return w;
}

struct Kernel {
  int64_t size, stride, pad, dilation;
};

PoolWindow strided_window(const Kernel& k, int64_t in, int64_t i) {
  const int64_t start = i * k.stride - k.pad;
  const int64_t skipped = start < 0 ? (-start + k.dilation - 1) / k.dilation : 0;
  PoolWindow w;
  w.first = start + skipped * k.dilation;
  w.step = k.dilation;
  const int64_t fit = w.first >= in ? 0 : (in - 1 - w.first) / k.dilation + 1;
  w.count = std::max<int64_t>(std::min(k.size - skipped, fit), 0);
  w.padded = std::min(start + k.size, in + k.pad) - start;
  return w;
}

Kernel kernel_of(const OpCall& call, int d) {
  const auto at = [&](const char* list) {
    return list_attr(call.op, call.attrs, list)[static_cast<size_t>(d)];
  };
  return {at("kernel"), at("stride"), at("padding"), call.op == Op::max_pool ? at("dilation") : 1};
}

}  // namespace

int pooled_dims(Op op, const Attrs& attrs) {
  return static_cast<int>(list_attr(op, attrs, adapts(op) ? "sizes" : "kernel").size());
}

PoolWindows::PoolWindows(const OpCall& call, const Layout& x, const Layout& out) {
  const int n = pooled_dims(call.op, call.attrs);
  for (int d = 0; d < 3; ++d) {
    const int own = d - (3 - n);
    if (own < 0) {
      dims[d].emplace_back();
      continue;
    }
    in[d] = x.size(x.rank - n + own);
    const int64_t outs = out.size(out.rank - n + own);
    for (int64_t i = 0; i < outs; ++i)
      dims[d].push_back(adapts(call.op) ? adaptive_window(in[d], outs, i)
                                        : strided_window(kernel_of(call, own), in[d], i));
  }
}

}  // namespace frit
