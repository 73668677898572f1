// Matrix products and convolutions on one thread, next to oneDNN's in the same run.
//
//   bazel run -c opt //bench:contraction_bench -- --benchmark_enable_random_interleaving=true
//   --benchmark_repetitions=5
//
// With DNNL_MAX_CPU_ISA=AVX2 oneDNN's convolutions have our bits; without, it may use AVX-512 and
// has others.
#include <benchmark/benchmark.h>
#include <omp.h>

#include <algorithm>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <vector>

#include "src/base/thread_pool.h"
#include "src/contraction/convolution.h"
#include "src/contraction/matmul.h"

namespace frit::contraction {
namespace {

using Memory = dnnl::memory;

struct Dnnl {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
};
Dnnl& dnnl_context() {
  static Dnnl context;
  return context;
}

Memory::desc dense(const Memory::dims& sizes, Memory::format_tag tag) {
  return {sizes, Memory::data_type::f32, tag};
}

struct ProductShape {
  int64_t m, n, k;
};
// FEASIBILITY's shapes, and the mel spectrogram's (a convolution of one channel, 257 filters of
// 512).
const ProductShape kProducts[] = {
    {1, 16, 16},     {8, 64, 64},        {64, 64, 64},    {256, 256, 256},
    {1, 768, 768},   {1, 768, 3072},     {1, 3072, 768},  {4, 768, 3072},
    {16, 768, 768},  {16, 768, 3072},    {128, 768, 768}, {128, 3072, 768},
    {512, 768, 768}, {1024, 1024, 1024}, {8, 257, 512},   {98, 257, 512}};

struct Product {
  std::vector<float> a, b, out;
  MatmulArgs args;

  explicit Product(const ProductShape& s)
      : a(static_cast<size_t>(s.m * s.k), 0.5f),
        b(static_cast<size_t>(s.n * s.k), 0.25f),
        out(static_cast<size_t>(s.m * s.n)) {
    args.m = s.m, args.n = s.n, args.k = s.k;
    args.a = {a.data(), 0, s.k, 1};
    args.b = {b.data(), 0, s.n, 1};
    args.out = out.data(), args.out_row = s.n;
  }
};

void report_flops(benchmark::State& state, double flops) {
  state.counters["FLOP/s"] = benchmark::Counter(flops * static_cast<double>(state.iterations()),
                                                benchmark::Counter::kIsRate);
}
void report_product(benchmark::State& state, const ProductShape& s) {
  report_flops(state, 2.0 * static_cast<double>(s.m * s.n * s.k));
}

void packed_product(benchmark::State& state, ProductShape shape) {
  Product product(shape);
  const PackedRef packed = pack_b(product.args);
  for (auto _ : state) matmul(product.args, packed.get());
  report_product(state, shape);
}

void plain_product(benchmark::State& state, ProductShape shape) {
  Product product(shape);
  for (auto _ : state) matmul(product.args);
  report_product(state, shape);
}

void transposed_product(benchmark::State& state, ProductShape shape) {
  Product product(shape);
  product.args.b = {product.b.data(), 0, 1, shape.k};
  for (auto _ : state) matmul(product.args);
  report_product(state, shape);
}

void dnnl_product(benchmark::State& state, ProductShape s) {
  Product product(s);
  Dnnl& context = dnnl_context();
  const auto tag = Memory::format_tag::ab;
  const Memory::desc a = dense({s.m, s.k}, tag), b = dense({s.k, s.n}, tag),
                     out = dense({s.m, s.n}, tag);
  const dnnl::matmul primitive(dnnl::matmul::primitive_desc({a, b, out}, context.engine));
  const std::unordered_map<int, Memory> args = {
      {DNNL_ARG_SRC, Memory(a, context.engine, product.a.data())},
      {DNNL_ARG_WEIGHTS, Memory(b, context.engine, product.b.data())},
      {DNNL_ARG_DST, Memory(out, context.engine, product.out.data())}};
  for (auto _ : state) primitive.execute(context.stream, args);
  report_product(state, s);
}

struct Layer {
  int64_t height, width, in, out, kernel_height, kernel_width, pad_width, pad_height = 0,
                                                                          groups = 1;
};
// The convolutions of the wake word's speech embedding, in order.
const std::vector<Layer> kEmbedding = {
    {76, 32, 1, 24, 3, 3, 1},  {74, 32, 24, 24, 1, 3, 1}, {74, 32, 24, 24, 3, 1, 0},
    {36, 16, 24, 48, 1, 3, 1}, {36, 16, 48, 48, 3, 1, 0}, {34, 16, 48, 48, 1, 3, 1},
    {34, 16, 48, 48, 3, 1, 0}, {32, 8, 48, 72, 1, 3, 1},  {32, 8, 72, 72, 3, 1, 0},
    {30, 8, 72, 72, 1, 3, 1},  {30, 8, 72, 72, 3, 1, 0},  {14, 4, 72, 96, 1, 3, 1},
    {14, 4, 96, 96, 3, 1, 0},  {12, 4, 96, 96, 1, 3, 1},  {12, 4, 96, 96, 3, 1, 0},
    {10, 2, 96, 96, 1, 3, 1},  {10, 2, 96, 96, 3, 1, 0},  {8, 2, 96, 96, 1, 3, 1},
    {8, 2, 96, 96, 3, 1, 0},   {3, 1, 96, 96, 3, 1, 0}};
const std::vector<std::pair<std::string, std::vector<Layer>>> kNets = {
    {"embedding", kEmbedding},
    {"64x56x56_3x3", {{56, 56, 64, 64, 3, 3, 1, 1}}},
    {"256x14x14_3x3", {{14, 14, 256, 256, 3, 3, 1, 1}}},
    {"64x56x56_1x1", {{56, 56, 64, 256, 1, 1, 0}}},
    {"depthwise_32x112x112", {{112, 112, 32, 32, 3, 3, 1, 1, 32}}}};

// One layer's operands, channels last.
struct Images {
  std::vector<float> x, w, bias, out;
  ConvolutionArgs args;

  Images(const Layer& l, uint64_t id) {
    const int64_t rows = l.height + 2 * l.pad_height - l.kernel_height + 1;
    const int64_t cols = l.width + 2 * l.pad_width - l.kernel_width + 1;
    const int64_t in_group = l.in / l.groups, positions = l.kernel_height * l.kernel_width;
    x.assign(static_cast<size_t>(l.height * l.width * l.in), 0.5f);
    w.assign(static_cast<size_t>(l.out * in_group * positions), 0.25f);
    bias.assign(static_cast<size_t>(l.out), 1.0f);
    out.resize(static_cast<size_t>(rows * cols * l.out));
    args.in_channels = l.in, args.out_channels = l.out, args.groups = l.groups;
    args.dims[0] = {.in = l.height, .out = rows, .kernel = l.kernel_height, .pad = l.pad_height};
    args.dims[1] = {.in = l.width, .out = cols, .kernel = l.kernel_width, .pad = l.pad_width};
    args.x = {x.data(), {l.height * l.width * l.in, 1, l.width * l.in, l.in}};
    args.w = {w.data(), {in_group * positions, positions, l.kernel_width, 1}};
    args.out = {out.data(), {rows * cols * l.out, 1, cols * l.out, l.out}};
    args.bias = bias.data();
    args.w_key = {id, 1};
  }
  double flops() const {
    const auto& [h, w_dim, unused] = args.dims;
    return 2.0 * static_cast<double>(h.out * w_dim.out) * static_cast<double>(w.size());
  }
};

std::vector<std::unique_ptr<Images>> all_images(const std::vector<Layer>& layers) {
  static uint64_t id = 1;
  std::vector<std::unique_ptr<Images>> all;
  for (const Layer& layer : layers) all.push_back(std::make_unique<Images>(layer, id++));
  return all;
}

void report_convolutions(benchmark::State& state, const std::vector<std::unique_ptr<Images>>& all) {
  double flops = 0;
  for (const auto& images : all) flops += images->flops();
  report_flops(state, flops);
}

void convolutions(benchmark::State& state, const std::vector<Layer>& layers) {
  const auto all = all_images(layers);
  for (auto _ : state)
    for (const auto& images : all) convolution(images->args);
  report_convolutions(state, all);
}

// A held primitive with packed weights.
struct DnnlConvolution {
  dnnl::convolution_forward primitive;
  std::unordered_map<int, Memory> args;
};

DnnlConvolution dnnl_convolution(Images& images) {
  const ConvolutionArgs& a = images.args;
  const auto& [h, w, unused] = a.dims;
  const dnnl::engine& engine = dnnl_context().engine;
  const auto nhwc = Memory::format_tag::nhwc;
  const Memory::desc x = dense({1, a.in_channels, h.in, w.in}, nhwc),
                     out = dense({1, a.out_channels, h.out, w.out}, nhwc);
  Memory::dims weight{a.out_channels / a.groups, a.in_channels / a.groups, h.kernel, w.kernel};
  if (a.groups > 1) weight.insert(weight.begin(), a.groups);
  const dnnl::convolution_forward::primitive_desc desc({dnnl::prop_kind::forward_inference,
                                                        dnnl::algorithm::convolution_direct,
                                                        x,
                                                        dense(weight, Memory::format_tag::any),
                                                        out,
                                                        {1, 1},
                                                        {h.pad, w.pad},
                                                        {h.pad, w.pad}},
                                                       engine);
  Memory packed(desc.weights_desc(), engine);
  std::fill_n(static_cast<char*>(packed.get_data_handle()), desc.weights_desc().get_size(), 0);
  return {dnnl::convolution_forward(desc),
          {{DNNL_ARG_SRC, Memory(x, engine, images.x.data())},
           {DNNL_ARG_WEIGHTS, packed},
           {DNNL_ARG_DST, Memory(out, engine, images.out.data())}}};
}

void dnnl_convolutions(benchmark::State& state, const std::vector<Layer>& layers) {
  const auto all = all_images(layers);
  std::vector<DnnlConvolution> primitives;
  for (const auto& images : all) primitives.push_back(dnnl_convolution(*images));
  for (auto _ : state)
    for (DnnlConvolution& p : primitives) p.primitive.execute(dnnl_context().stream, p.args);
  report_convolutions(state, all);
}

void register_all() {
  for (const ProductShape& s : kProducts) {
    const std::string shape =
        std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k);
    benchmark::RegisterBenchmark(("matmul/packed/" + shape).c_str(), packed_product, s);
    benchmark::RegisterBenchmark(("matmul/plain/" + shape).c_str(), plain_product, s);
    benchmark::RegisterBenchmark(("matmul/transposed/" + shape).c_str(), transposed_product, s);
    benchmark::RegisterBenchmark(("matmul/onednn/" + shape).c_str(), dnnl_product, s);
  }
  for (const auto& [net_name, layers] : kNets) {
    benchmark::RegisterBenchmark(("convolution/frit/" + net_name).c_str(), convolutions, layers);
    benchmark::RegisterBenchmark(("convolution/onednn/" + net_name).c_str(), dnnl_convolutions,
                                 layers);
  }
}

}  // namespace
}  // namespace frit::contraction

int main(int argc, char** argv) {
  frit::base::set_num_threads(1);
  omp_set_num_threads(1);
  frit::contraction::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
