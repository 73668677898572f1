// The canonical order of convolutions is that of oneDNN's AVX2 kernels on channels-last images, so
// that a program may be checked against an independent implementation to the last bit.
//
// What the sweep shows for oneDNN 2.6.3: `jit:avx2`, `jit_1x1:avx2` and `jit_dw:avx2` keep the
// order for all shapes and skip positions in the padding (an infinite weight over padding leaves no
// trace). `x64:gemm:jit` (padding along a dimension with kernel 1, small groups) does not, nor do
// the AVX-512 kernels beyond 8 input channels.
#include <gtest/gtest.h>

#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <vector>

#include "tests/contraction/images.h"
#include "tests/contraction/operands.h"

namespace frit::contraction {
namespace {

bool keeps_order(const std::string& implementation) {
  return implementation.starts_with("jit") && implementation.ends_with(":avx2");
}

struct Result {
  std::string implementation;
  std::vector<float> out;
};

// The convolution by oneDNN, of channels-last images without bias.
class OneDnn {
 public:
  OneDnn() : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {}

  Result run(Images<float>& images) {
    using Memory = dnnl::memory;
    const ConvolutionArgs& a = images.args;
    const auto& [h, w, unused] = a.dims;
    const auto type = Memory::data_type::f32;
    const Memory::desc x({a.batch, a.in_channels, h.in, w.in}, type, Memory::format_tag::nhwc);
    const Memory::desc out({a.batch, a.out_channels, h.out, w.out}, type, Memory::format_tag::nhwc);
    Memory::dims weight{a.out_channels / a.groups, a.in_channels / a.groups, h.kernel, w.kernel};
    if (a.groups > 1) weight.insert(weight.begin(), a.groups);
    const Memory::desc any(weight, type, Memory::format_tag::any);
    const Memory::desc plain(weight, type,
                             a.groups > 1 ? Memory::format_tag::goihw : Memory::format_tag::oihw);
    const Memory::dims pad{h.pad, w.pad};
    const dnnl::convolution_forward::primitive_desc desc({dnnl::prop_kind::forward_inference,
                                                          dnnl::algorithm::convolution_direct,
                                                          x,
                                                          any,
                                                          out,
                                                          {h.stride, w.stride},
                                                          {h.dilation - 1, w.dilation - 1},
                                                          pad,
                                                          pad},
                                                         engine_);
    Result result{desc.impl_info_str(), std::vector<float>(images.out.size())};
    Memory packed(desc.weights_desc(), engine_);
    Memory from(plain, engine_, images.w.data());
    dnnl::reorder(from, packed).execute(stream_, from, packed);
    dnnl::convolution_forward(desc).execute(
        stream_, {{DNNL_ARG_SRC, Memory(x, engine_, images.x.data())},
                  {DNNL_ARG_WEIGHTS, packed},
                  {DNNL_ARG_DST, Memory(out, engine_, result.out.data())}});
    stream_.wait();
    return result;
  }

 private:
  dnnl::engine engine_;
  dnnl::stream stream_;
};

const std::vector<std::vector<ConvolvedDim>>& windows() {
  static const std::vector<std::vector<ConvolvedDim>> windows = {
      {{11, 1, 1}, {9, 1, 1}},
      {{11, 1, 1, 2}, {9, 1, 1, 2}},
      {{11, 1, 3}, {9, 1, 3}},
      {{11, 1, 3, 1, 1, 1}, {9, 1, 3, 1, 1, 1}},
      {{11, 1, 3, 2, 1, 1}, {9, 1, 3, 2, 1, 1}},
      {{11, 1, 1}, {9, 1, 3, 1, 1, 1}},
      {{11, 1, 3, 1, 1, 1}, {9, 1, 1}},
      {{11, 1, 5, 1, 1, 2}, {9, 1, 5, 1, 1, 2}},
      {{11, 1, 3, 1, 2, 2}, {9, 1, 3, 1, 2, 2}},
  };
  return windows;
}

std::vector<ConvolutionCase> sweep() {
  std::vector<ConvolutionCase> cases;
  for (const auto& dims : windows()) {
    for (int64_t in : {1, 3, 7, 8, 9, 16, 24, 33, 48, 100})
      for (int64_t out : {1, 8, 24, 40}) {
        cases.push_back({1, in, out, 1, dims, true, true, false});
        if (in % 2 == 0 && out % 2 == 0) cases.push_back({1, in, out, 2, dims, true, true, false});
      }
    for (int64_t channels : {8, 17, 32, 96})
      cases.push_back({2, channels, channels, channels, dims, true, true, false});
  }
  return cases;
}

// How many cases oneDNN computed with a kernel that keeps the order; every one of them is compared.
int compare_all(bool with_specials) {
  dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2);
  OneDnn dnnl;
  int kept = 0;
  for (const ConvolutionCase& c : sweep()) {
    Images<float> images(c);
    Numbers numbers(11);
    if (with_specials) sprinkle_specials(images.w, numbers);
    const Result theirs = dnnl.run(images);
    if (!keeps_order(theirs.implementation)) continue;
    ++kept;
    EXPECT_EQ(first_difference(theirs.out, images.run(convolution_reference)), -1)
        << text(c) << " by " << theirs.implementation;
  }
  return kept;
}

TEST(ConvolutionOrder, IsThatOfOneDnnsAvx2Kernels) {
  if (base::detected_isa() < Isa::kAvx2) GTEST_SKIP() << "no AVX2";
  EXPECT_GT(compare_all(false), 300);
}

TEST(ConvolutionOrder, SkipsPaddingAsOneDnnDoes) {
  if (base::detected_isa() < Isa::kAvx2) GTEST_SKIP() << "no AVX2";
  EXPECT_GT(compare_all(true), 300);
}

}  // namespace
}  // namespace frit::contraction
