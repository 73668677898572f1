// Matrix products, convolution and pooling.
#include <algorithm>

#include "src/ops/rules.h"
#include "src/ops/window.h"

namespace frit::rules {
namespace {

void check_same_dtype(const Call& call, const Layout& a, const Layout& b) {
  if (a.dtype != b.dtype)
    fail(call, ErrorKind::kRuntime, text("dtypes differ: ", name(a.dtype), " and ", name(b.dtype)));
  if (a.dtype == kBool) fail(call, ErrorKind::kNotImplemented, "bool is not supported");
}

void check_inner(const Call& call, int64_t a, int64_t b) {
  if (a != b) fail(call, ErrorKind::kRuntime, text("inner dimensions differ: ", a, " and ", b));
}

// Batch dimensions of both, broadcast.
Dims batch_sizes(const Call& call, const Layout& a, const Layout& b) {
  const int rank_a = std::max(a.rank - 2, 0), rank_b = std::max(b.rank - 2, 0);
  Dims sizes;
  sizes.rank = std::max(rank_a, rank_b);
  for (int d = 0; d < sizes.rank; ++d) {
    const int at_a = d - (sizes.rank - rank_a), at_b = d - (sizes.rank - rank_b);
    const int64_t size_a = at_a < 0 ? 1 : a.size(at_a), size_b = at_b < 0 ? 1 : b.size(at_b);
    if (size_a != size_b && size_a != 1 && size_b != 1)
      fail(call, ErrorKind::kRuntime,
           text("batch sizes do not broadcast: ", size_a, " and ", size_b));
    sizes[d] = size_a == 1 ? size_b : size_a;
  }
  return sizes;
}

ResultTypes matmul(const Call& call) {
  const Layout& a = call.tensor(0);
  const Layout& b = call.tensor(1);
  if (a.rank == 0 || b.rank == 0)
    fail(call, ErrorKind::kRuntime, "both operands need at least one dimension");
  check_same_dtype(call, a, b);
  check_inner(call, a.size(a.rank - 1), b.size(b.rank == 1 ? 0 : b.rank - 2));
  Dims sizes = batch_sizes(call, a, b);
  if (a.rank > 1) sizes.push_back(a.size(a.rank - 2));
  if (b.rank > 1) sizes.push_back(b.size(b.rank - 1));
  return contiguous_result(a, a.dtype, sizes);
}

ResultTypes addmm(const Call& call) {
  const Layout& bias = call.tensor(0);
  const Layout& a = call.tensor(1);
  const Layout& b = call.tensor(2);
  if (a.rank != 2 || b.rank != 2)
    fail(call, ErrorKind::kRuntime,
         text("both factors must be matrices: ranks ", int{a.rank}, " and ", int{b.rank}));
  check_same_dtype(call, a, b);
  check_same_dtype(call, bias, a);
  check_inner(call, a.size(1), b.size(0));
  const int64_t sizes[] = {a.size(0), b.size(1)};
  for (int d = 0; d < bias.rank; ++d) {
    const int at = d + 2 - bias.rank;
    if (at < 0 || (bias.size(d) != 1 && bias.size(d) != sizes[at]))
      fail(call, ErrorKind::kRuntime,
           text("the bias does not broadcast to [", sizes[0], ", ", sizes[1], "]"));
  }
  return contiguous_result(a, a.dtype, {sizes, 2});
}

// Only a batch may be empty.
void check_not_empty(const Call& call, const Layout& x, int first_dim) {
  for (int d = first_dim; d < x.rank; ++d)
    if (x.size(d) == 0) fail(call, ErrorKind::kRuntime, text("dimension ", d, " has size 0"));
}

// How many windows fit. The last one, in ceil mode, must start inside the input or its front
// padding.
int64_t window_count(int64_t size, int64_t kernel, int64_t stride, int64_t before, int64_t after,
                     int64_t dilation, bool ceil_mode) {
  const int64_t room = size + before + after - dilation * (kernel - 1) - 1;
  if (room < 0 && !ceil_mode) return 0;
  int64_t count = (room + (ceil_mode ? stride - 1 : 0)) / stride + 1;
  if (ceil_mode && (count - 1) * stride >= size + before) --count;
  return count;
}

struct Convolution {
  Dims stride, padding, dilation;  // padding: before and after each dimension
  int64_t groups;
};

void check_range(const Call& call, IntArrayRef values, int64_t low, const char* what) {
  for (int64_t v : values)
    if (v < low || v > INT32_MAX) fail(call, ErrorKind::kRuntime, text(what, " out of range: ", v));
}

Convolution read_convolution(const Call& call, int spatial) {
  Convolution c;
  c.stride = repeated(call, list_attr(call.op, call.attrs, "stride"), spatial, "stride");
  c.dilation = repeated(call, list_attr(call.op, call.attrs, "dilation"), spatial, "dilation");
  c.padding = repeated(call, list_attr(call.op, call.attrs, "padding"), 2 * spatial, "padding");
  c.groups = int_attr(call.op, call.attrs, "groups");
  check_range(call, c.stride, 1, "stride");
  check_range(call, c.dilation, 1, "dilation");
  check_range(call, c.padding, 0, "padding");
  return c;
}

void check_bias(const Call& call, const Layout& x, int64_t channels) {
  if (call.operands.size() < 3) return;
  const Layout& bias = call.tensor(2);
  if (bias.dtype != x.dtype)
    fail(call, ErrorKind::kRuntime,
         text("dtypes differ: ", name(x.dtype), " and bias ", name(bias.dtype)));
  if (bias.rank != 1 || bias.size(0) != channels)
    fail(call, ErrorKind::kRuntime,
         text("the bias is not one number per output channel: ", channels));
}

void check_channels(const Call& call, const Layout& x, const Layout& w, int64_t groups) {
  if (groups < 1 || w.size(0) % groups != 0)
    fail(call, ErrorKind::kRuntime,
         text("groups do not divide the output channels: ", groups, " and ", w.size(0)));
  if (x.size(1) != w.size(1) * groups)
    fail(call, ErrorKind::kRuntime,
         text("channels differ: ", x.size(1), " of the input, ", w.size(1) * groups,
              " of the weight"));
  check_bias(call, x, w.size(0));
}

// A 2-D convolution gives channels_last whatever the input's format is: its kernels want that
// memory, so that a chain of convolutions never converts. Logical sizes are PyTorch's.
ResultTypes convolution(const Call& call) {
  const Layout& x = call.tensor(0);
  const Layout& w = call.tensor(1);
  const int spatial = w.rank - 2;
  if (call.operands.size() > 3 || spatial < 1 || spatial > 3 || x.rank != w.rank)
    fail(call, ErrorKind::kRuntime,
         text("ranks differ: ", int{x.rank}, " of the input, ", int{w.rank}, " of the weight"));
  check_same_dtype(call, x, w);
  check_not_empty(call, x, 1);
  const Convolution c = read_convolution(call, spatial);
  check_channels(call, x, w, c.groups);
  Dims sizes;
  sizes.push_back(x.size(0));
  sizes.push_back(w.size(0));
  for (int d = 0; d < spatial; ++d) {
    if (w.size(d + 2) < 1)
      fail(call, ErrorKind::kRuntime,
           text("the kernel has size ", w.size(d + 2), " in dimension ", d));
    const int64_t padded = x.size(d + 2) + c.padding[2 * d] + c.padding[2 * d + 1];
    const int64_t reach = c.dilation[d] * (w.size(d + 2) - 1) + 1;
    if (padded < reach)
      fail(call, ErrorKind::kRuntime,
           text("the kernel does not fit: ", reach, " in ", padded, ", dimension ", d));
    sizes.push_back((padded - reach) / c.stride[d] + 1);
  }
  if (spatial == 2 && w.size(0) > 1)
    return one(intern_layout(x.dtype, x.device, sizes, channels_last_strides(sizes)));
  return contiguous_result(x, x.dtype, sizes);
}

// Of a transposed convolution: weight [in, out / groups, kernel...].
ResultTypes conv_transpose(const Call& call) {
  const Layout& x = call.tensor(0);
  const Layout& w = call.tensor(1);
  const int spatial = w.rank - 2;
  if (call.operands.size() > 3 || spatial < 1 || spatial > 3 || x.rank != w.rank)
    fail(call, ErrorKind::kRuntime,
         text("ranks differ: ", int{x.rank}, " of the input, ", int{w.rank}, " of the weight"));
  check_same_dtype(call, x, w);
  check_not_empty(call, x, 1);
  const int64_t groups = int_attr(call.op, call.attrs, "groups");
  if (groups < 1 || w.size(0) % groups != 0 || x.size(1) != w.size(0))
    fail(call, ErrorKind::kRuntime,
         text("channels do not fit: ", x.size(1), " of the input, ", w.size(0),
              " of the weight in ", groups, " groups"));
  const auto list = [&](const char* what, int64_t low) {
    const Dims values = repeated(call, list_attr(call.op, call.attrs, what), spatial, what);
    check_range(call, values, low, what);
    return values;
  };
  const Dims stride = list("stride", 1), dilation = list("dilation", 1);
  const Dims padding = list("padding", 0), added = list("output_padding", 0);
  Dims sizes({x.size(0), w.size(1) * groups});
  for (int d = 0; d < spatial; ++d) {
    if (added[d] >= stride[d] && added[d] >= dilation[d])
      fail(call, ErrorKind::kRuntime,
           text("output_padding is not smaller than stride or dilation: ", added[d]));
    const int64_t size = (x.size(d + 2) - 1) * stride[d] - 2 * padding[d] +
                         dilation[d] * (w.size(d + 2) - 1) + added[d] + 1;
    if (size < 1 || w.size(d + 2) < 1)
      fail(call, ErrorKind::kRuntime, text("dimension ", d, " would have size ", size));
    sizes.push_back(size);
  }
  check_bias(call, x, sizes[1]);
  if (spatial == 2 && sizes[1] > 1)
    return one(intern_layout(x.dtype, x.device, sizes, channels_last_strides(sizes)));
  return contiguous_result(x, x.dtype, sizes);
}

}  // namespace

ResultTypes contract(const Call& call) {
  if (call.op == Op::matmul) return matmul(call);
  if (call.op == Op::addmm) return addmm(call);
  if (call.op == Op::conv_transpose) return conv_transpose(call);
  return convolution(call);
}

namespace {

// One dimension of max_pool or avg_pool.
int64_t pooled_size(const Call& call, int64_t size, int d) {
  const auto at = [&](const char* list, int64_t low) {
    const IntArrayRef values = list_attr(call.op, call.attrs, list);
    if (static_cast<int>(values.size()) <= d)
      fail(call, ErrorKind::kRuntime, text(list, " has too few values"));
    check_range(call, values, low, list);
    return values[static_cast<size_t>(d)];
  };
  const int64_t kernel = at("kernel", 1), stride = at("stride", 1), padding = at("padding", 0);
  const int64_t dilation = call.op == Op::max_pool ? at("dilation", 1) : 1;
  if (padding > kernel / 2)
    fail(call, ErrorKind::kRuntime,
         text("padding is more than half of the kernel: ", padding, " and ", kernel));
  const bool ceil_mode = int_attr(call.op, call.attrs, "ceil_mode") != 0;
  const int64_t count = window_count(size, kernel, stride, padding, padding, dilation, ceil_mode);
  if (count < 1)
    fail(call, ErrorKind::kRuntime, text("no window fits in dimension ", d, " of size ", size));
  return count;
}

// The pools that src/ops/window.h describes.
ResultTypes pool_windows(const Call& call) {
  const Layout& x = call.tensor(0);
  const bool adapts = call.op == Op::adaptive_avg_pool || call.op == Op::adaptive_max_pool;
  const int n = pooled_dims(call.op, call.attrs);
  if (n < 1 || n > 3 || (x.rank != n + 1 && x.rank != n + 2))
    fail(call, ErrorKind::kRuntime,
         text("expected ", n + 1, " or ", n + 2, " dimensions, got ", int{x.rank}));
  check_not_empty(call, x, x.rank - n - 1);
  if (x.dtype == kBool || (call.op == Op::adaptive_avg_pool && !is_floating_point(x.dtype)))
    fail(call, ErrorKind::kNotImplemented, text(name(x.dtype), " is not supported"));
  Dims sizes(x.sizes());
  for (int d = 0; d < n; ++d) {
    int64_t& size = sizes[x.rank - n + d];
    size = adapts ? list_attr(call.op, call.attrs, "sizes")[static_cast<size_t>(d)]
                  : pooled_size(call, size, d);
    if (size < 0) fail(call, ErrorKind::kRuntime, text("negative size: ", size));
  }
  ResultTypes types = contiguous_result(x, x.dtype, sizes);
  if (info(call.op).results == 1) return types;
  types.count = 2;
  types.results[1].layout = intern_contiguous(kInt64, x.device, sizes);
  return types;
}

}  // namespace

ResultTypes pool(const Call& call) {
  if (call.op != Op::max_pool2d && call.op != Op::avg_pool2d) return pool_windows(call);
  const Layout& x = call.tensor(0);
  if (x.rank != 3 && x.rank != 4)
    fail(call, ErrorKind::kRuntime, text("expected 3 or 4 dimensions, got ", int{x.rank}));
  check_not_empty(call, x, x.rank - 3);
  if (x.dtype == kBool || (call.op == Op::avg_pool2d && !is_floating_point(x.dtype)))
    fail(call, ErrorKind::kNotImplemented, text(name(x.dtype), " is not supported"));
  const Dims kernel = repeated(call, list_attr(call.op, call.attrs, "kernel"), 2, "kernel");
  const Dims padding = repeated(call, list_attr(call.op, call.attrs, "padding"), 2, "padding");
  const Dims stride = repeated(call, list_attr(call.op, call.attrs, "stride"), 2, "stride");
  const Dims dilation =
      call.op == Op::max_pool2d
          ? repeated(call, list_attr(call.op, call.attrs, "dilation"), 2, "dilation")
          : Dims({1, 1});
  check_range(call, kernel, 1, "kernel");
  check_range(call, stride, 1, "stride");
  check_range(call, dilation, 1, "dilation");
  check_range(call, padding, 0, "padding");
  const bool ceil_mode = int_attr(call.op, call.attrs, "ceil_mode") != 0;
  Dims sizes(x.sizes());
  for (int i = 0; i < 2; ++i) {
    const int d = x.rank - 2 + i;
    if (padding[i] > kernel[i] / 2)
      fail(call, ErrorKind::kRuntime,
           text("padding is more than half of the kernel: ", padding[i], " and ", kernel[i]));
    sizes[d] = window_count(x.size(d), kernel[i], stride[i], padding[i], padding[i], dilation[i],
                            ceil_mode);
    if (sizes[d] < 1)
      fail(call, ErrorKind::kRuntime,
           text("no window fits in dimension ", d, " of size ", x.size(d)));
  }
  if (!is_channels_last(x)) return contiguous_result(x, x.dtype, sizes);
  return one(intern_layout(x.dtype, x.device, sizes, channels_last_strides(sizes)));
}

}  // namespace frit::rules
