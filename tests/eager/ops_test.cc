// The public ops as a program calls them: PyTorch's results, errors and aliasing.
#include "frit/ops.h"

#include <cmath>

#include <gtest/gtest.h>

#include "frit/losses.h"
#include "tests/error_of.h"

namespace frit {
namespace {

Tensor matrix() { return arange(6, kFloat32).reshape({2, 3}); }

TEST(Ops, KeepNumbersWeak) {
  EXPECT_EQ((tensor({1, 2}, kInt32) + 2).dtype(), kInt32);
  EXPECT_EQ((tensor({1, 2}, kInt32) * 2.5).dtype(), kFloat32);
  EXPECT_EQ((tensor({1.0f}, kHalf) + 2.5).dtype(), kHalf);
  EXPECT_EQ((2 - tensor({1, 2})).str(), "tensor([1, 0])");
}

TEST(Ops, NameTheirOperandsInErrors) {
  EXPECT_EQ(error_of([] {
              matmul(zeros({8, 16}), zeros({4, 4}));
            }),
            "matmul(f32[8,16], f32[4,4]): inner dimensions differ: 16 and 4");
  EXPECT_EQ(error_of([] { zeros({2}) + Tensor(); }), "add(undefined): a tensor is undefined");
  EXPECT_EQ(error_of([] { softmax(matrix(), 2); }),
            "softmax(f32[2,3], dim=2): dimension out of range: 2 is not in [-2, 1]");
}

TEST(Ops, NameNumbersOfDimensionsInErrors) {
  EXPECT_EQ(error_of([] { matrix().permute({0}); }),
            "permute(f32[2,3], dims=[0]): number of dimensions differs: 1 and 2");
  EXPECT_EQ(error_of([] { matrix().expand({3}); }),
            "expand(f32[2,3], sizes=[3]): too few sizes: 1 for 2 dimensions");
  EXPECT_EQ(error_of([] {
              cat({matrix(), zeros({2, 3, 1})});
            }),
            "cat(f32[2,3], f32[2,3,1], dim=0): operand 2 has 3 dimensions, expected 2");
  EXPECT_EQ(error_of([] { gather(matrix(), 0, tensor({0})); }),
            "gather(f32[2,3], i64[1], dim=0): the index has 1 dimensions, expected 2");
}

TEST(Shifts, AreOperatorsOfIntegers) {
  EXPECT_EQ((tensor({1, 5, -8}) << 2).str(), "tensor([  4,  20, -32])");
  EXPECT_EQ((tensor({1, 5, -8}) >> tensor({0, 1, 64})).str(), "tensor([ 1,  2, -1])");
  EXPECT_EQ((1 << tensor({0, 3, -1})).str(), "tensor([1, 8, 0])");
  EXPECT_EQ(error_of([] { tensor({true}) << tensor({true}); }),
            "bitwise_left_shift(bool[1], bool[1]): bool is not supported");
}

TEST(Division, RoundsAsAsked) {
  const Tensor a = tensor({-7, 7}), b = tensor({2, 2});
  EXPECT_EQ(div(a, b, "trunc").str(), "tensor([-3,  3])");
  EXPECT_EQ(div(a, 2, "floor").str(), "tensor([-4,  3])");
  EXPECT_EQ(error_of([&] { div(a, b, "up"); }),
            "div(i64[2]): the rounding mode is neither floor nor trunc: up");
}

TEST(Lerp, TakesOneDtype) {
  const Tensor a = tensor({1.0f, 2.0f}), b = tensor({3.0f, 8.0f});
  EXPECT_EQ(lerp(a, b, 0.25).str(), "tensor([1.5000, 3.5000])");
  EXPECT_EQ(error_of([&] { lerp(a, b.to(kFloat64), 0.5); }),
            "lerp(f32[2]): the dtypes differ: f32 and f64");
}

TEST(Equal, LooksAtSizesAndElements) {
  const Tensor a = tensor({1, 2});
  EXPECT_TRUE(equal(a, a));
  EXPECT_FALSE(equal(a, a + 1));
  EXPECT_FALSE(equal(a, a.reshape({1, 2})));
  EXPECT_TRUE(allclose(tensor({1.0f}), tensor({1.000001f})));
}

TEST(CrossEntropy, RefusesTargetsThatDoNotFit) {
  EXPECT_EQ(error_of([] {
              cross_entropy(zeros({2, 3}), tensor({0, 1, 2}));
            }),
            "nll_loss(f32[2,3]): the target's batch has another size: 3");
  EXPECT_EQ(error_of([] {
              cross_entropy(zeros({2, 3}), zeros({2}));
            }),
            "nll_loss(f32[2]): the target is neither i64 nor u8");
}

// The losses are rounded once, after their mean.
TEST(MseLoss, OfHalvesIsComputedInF32) {
  const Tensor x = tensor({1.0f, 1.0078125f, 3.0f}, kBFloat16), y = zeros({3}, kBFloat16);
  const Tensor wide = mse_loss(x.to(kFloat32), y.to(kFloat32));
  EXPECT_EQ(mse_loss(x, y).item().to_double(), wide.to(kBFloat16).item().to_double());
}

// As a host's memory may hold them.
TEST(Bools, AreTrueWhateverTheirByteIsButZero) {
  std::vector<uint8_t> bytes(70), one_or_zero(70);
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = i % 3 == 0 ? 0 : static_cast<uint8_t>(i * 2);
    one_or_zero[i] = bytes[i] != 0;
  }
  const Tensor odd = from_blob(bytes.data(), {70}, kBool);
  const Tensor plain = from_blob(one_or_zero.data(), {70}, kBool);
  const auto results = [](const Tensor& x) {
    std::string text;
    for (const Tensor& t :
         {x.to(kFloat32), x.to(kInt64), where(x, 5, 7), logical_not(x), logical_and(x, x), x == x,
          sum(x), prod(x), any(x), all(x), amax(x), amin(x.narrow(0, 1, 2)), nonzero(x),
          sum(x.reshape({7, 10}), {0}), amax(x.reshape({7, 10}), {1}), sum(x.reshape({7, 10}).t())})
      text += t.str() + "\n";
    return text;
  };
  EXPECT_EQ(results(odd), results(plain));
}

TEST(Softmax, OfAnEmptyAxisIsEmpty) {
  EXPECT_EQ(softmax(zeros({2, 0}), 1).sizes(), IntArrayRef({2, 0}));
}

TEST(Arange, CountsAsPyTorchDoes) {
  EXPECT_EQ(arange(5).str(), "tensor([0, 1, 2, 3, 4])");
  EXPECT_EQ(arange(0, 1, 0.25).str(), "tensor([0.0000, 0.2500, 0.5000, 0.7500])");
  EXPECT_EQ(arange(0, 1, 0.1).numel(), 10);
  EXPECT_THROW(arange(0, 3, 0), Error);
  EXPECT_THROW(arange(3, 1), Error);
  EXPECT_EQ(arange(0, -7, -2).str(), "tensor([ 0, -2, -4, -6])");
  EXPECT_EQ(arange(3, 3, 2).numel(), 0);
  EXPECT_EQ(arange(3, 8, 5).numel(), 1);
  EXPECT_EQ(arange(3, 9, 5).numel(), 2);
}

TEST(Arange, CountsIntegersThatDoublesDoNotTellApart) {
  EXPECT_EQ(arange(INT64_MAX - 2, INT64_MAX).str(),
            "tensor([9223372036854775805, 9223372036854775806])");
  EXPECT_EQ(arange(INT64_MIN, INT64_MAX, INT64_MAX)[2].item<int64_t>(), INT64_MAX - 1);
  EXPECT_EQ(arange(INT64_MAX, INT64_MIN, INT64_MIN).numel(), 2);
  EXPECT_EQ(error_of([] { arange(INT64_MIN, INT64_MAX); }),
            "arange(-9223372036854775808, 9223372036854775807, 1): too many elements");
}

TEST(FromHost, RefusesANullPointer) {
  EXPECT_EQ(from_host(nullptr, {0, 2}).numel(), 0);
  EXPECT_EQ(error_of([] { from_host(nullptr, {2}); }), "from_host(f32[2]): data is null");
}

TEST(Full, TakesTheValuesDtypeAndRefusesWhatDoesNotFit) {
  EXPECT_EQ(full({2}, 1).dtype(), kInt64);
  EXPECT_EQ(full({2}, true).dtype(), kBool);
  EXPECT_EQ(full({}, 1.5).dtype(), kFloat32);
  EXPECT_THROW(full({2}, 300, kUInt8), Error);
  EXPECT_THROW(full({2}, 1e300), Error);
}

TEST(ZerosLike, KeepsTheMemoryFormat) {
  const Tensor x = zeros({2, 3}).t();
  EXPECT_EQ(zeros_like(x).strides(), x.strides());
  EXPECT_EQ(ones_like(x, kInt64).dtype(), kInt64);
}

TEST(To, GivesBackItsArgumentWhenNothingChanges) {
  const Tensor x = matrix();
  EXPECT_TRUE(x.to(kFloat32).is_same(x));
  EXPECT_TRUE(contiguous(x).is_same(x));
  EXPECT_TRUE(dropout(x).is_same(x));
  EXPECT_FALSE(x.detach().is_same(x));
}

TEST(Linspace, HasBothEnds) {
  EXPECT_EQ(linspace(0, 1, 5).str(), "tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])");
  EXPECT_EQ(linspace(3, 7, 1).item<float>(), 3);
}

TEST(Split, MakesTheLastPieceSmaller) {
  const auto sizes = [](const std::vector<Tensor>& pieces) {
    std::vector<int64_t> sizes;
    for (const Tensor& piece : pieces) sizes.push_back(piece.size(0));
    return sizes;
  };
  EXPECT_EQ(sizes(arange(5).split(2)), (std::vector<int64_t>{2, 2, 1}));
  EXPECT_EQ(sizes(arange(5).chunk(4)), (std::vector<int64_t>{2, 2, 1}));
  EXPECT_EQ(sizes(split(arange(5), {1, 4})), (std::vector<int64_t>{1, 4}));
  EXPECT_EQ(sizes(zeros({0}).chunk(3)), (std::vector<int64_t>{0, 0, 0}));
  EXPECT_THROW(split(arange(5), {1, 1}), Error);
  EXPECT_THROW(split(arange(5), {INT64_MAX, INT64_MAX, 7}), Error);
}

TEST(Index, TakesIntegersSlicesEllipsisAndNewAxes) {
  const Tensor x = arange(24).reshape({2, 3, 4});
  EXPECT_EQ(x.index({1, Slice(0, 2), -1}).str(), "tensor([15, 19])");
  EXPECT_EQ(x.index({Ellipsis, 0}).sizes(), IntArrayRef({2, 3}));
  EXPECT_EQ(x.index({None, Ellipsis, None, 1}).sizes(), IntArrayRef({1, 2, 3, 1}));
  EXPECT_EQ(x.index({0, Slice(std::nullopt, std::nullopt, 2), 1}).str(), "tensor([1, 9])");
  EXPECT_THROW(x.index({0, 0, 0, 0}), Error);
}

TEST(Index, PutsSeparatedIndicesInFront) {
  const Tensor x = arange(24).reshape({2, 3, 4}), i = tensor({0, 1, 1});
  EXPECT_EQ(x.index({i, Slice(), i}).sizes(), IntArrayRef({3, 3}));
  EXPECT_EQ(x.index({Slice(), i, i}).sizes(), IntArrayRef({2, 3}));
  EXPECT_EQ(x.index({i, 0, tensor({-1, 0, 2})}).str(), "tensor([ 3, 12, 14])");
}

TEST(Index, TakesMasks) {
  const Tensor x = matrix();
  EXPECT_EQ(x.index({x > 2}).str(), "tensor([3., 4., 5.])");
  EXPECT_EQ(x.index({tensor({false, true})}).str(), "tensor([[3., 4., 5.]])");
  EXPECT_EQ(masked_select(x, tensor({true, false, false})).str(), "tensor([0., 3.])");
  EXPECT_THROW(x.index({tensor({true, false, false})}), Error);
}

TEST(InPlace, WritesThroughViews) {
  const Tensor x = zeros({2, 3});
  x[1].add_(2);
  x.t()[0].fill_(7);
  x.narrow(1, 2, 1).mul_(tensor({3.0f}));
  EXPECT_EQ(x.str(), "tensor([[7., 0., 0.],\n        [7., 2., 6.]])");
}

TEST(InPlace, RefusesResultsThatTheTensorCannotHold) {
  EXPECT_EQ(error_of([] {
              tensor({1, 2}).add_(1.5);
            }),
            "add_(i64[2]): the result is f32, which i64 does not hold");
  EXPECT_THROW(tensor({true}).add_(1), Error);
  EXPECT_THROW(tensor({1, 2}).div_(2), Error);
  EXPECT_THROW(zeros({2}).add_(zeros({3, 2})), Error);
  EXPECT_EQ(tensor({1.0f}, kHalf).add_(tensor({0.5f})).dtype(), kHalf);
}

TEST(InPlace, RefusesOverlap) {
  const Tensor x = zeros({4});
  EXPECT_THROW(x.narrow(0, 1, 3).mul_(x.narrow(0, 0, 3)), Error);
  EXPECT_THROW(x.narrow(0, 1, 3).copy_(x.narrow(0, 0, 3)), Error);
  EXPECT_THROW(zeros({2, 1}).expand({2, 2}).add_(1), Error);
  x.add_(x);
}

TEST(Std, TakesTheRootBeforeItRounds) {
  const Tensor x = tensor({0.1f, 0.2f, 0.4f, 0.8f});
  const double variance = var(x.to(kFloat64)).item<double>();
  EXPECT_EQ(std(x).item<float>(), static_cast<float>(std::sqrt(variance)));
}

TEST(Max, AlongADimensionGivesValuesAndFirstIndices) {
  const auto [values, indices] = max(tensor({1.0f, 5.0f, 5.0f}).reshape({1, 3}), 1);
  EXPECT_EQ(values.str() + indices.str(), "tensor([5.])tensor([1])");
  EXPECT_EQ(max(tensor({false, true}), 0).second.item<int>(), 1);
}

TEST(Linear, TakesAnyRank) {
  const Tensor w = ones({4, 3}), b = arange(4, kFloat32);
  EXPECT_EQ(linear(ones({3}), w, b).str(), "tensor([3., 4., 5., 6.])");
  EXPECT_EQ(linear(ones({2, 5, 3}), w, b).sizes(), IntArrayRef({2, 5, 4}));
  EXPECT_EQ(linear(zeros({0, 3}), w).sizes(), IntArrayRef({0, 4}));
}

TEST(Conv2d, TakesImagesWithoutABatchAndGivesChannelsLast) {
  const Tensor y = conv2d(ones({3, 5, 5}), ones({4, 3, 3, 3}), {}, {2}, {1});
  EXPECT_EQ(y.sizes(), IntArrayRef({4, 3, 3}));
  EXPECT_EQ(y.select(0, 1).index({1, 1}).item<float>(), 27);
  EXPECT_EQ(conv2d(ones({1, 3, 5, 5}), ones({4, 3, 3, 3})).strides(), IntArrayRef({36, 1, 12, 4}));
}

// Rows of one element, of less than a register, of more than a piece, and of more than a block.
TEST(Composites, OfRowsGiveTheBitsOfTheirParts) {
  for (auto [rows, n] : {std::pair<int64_t, int64_t>{7, 1},
                         {6, 3},
                         {1, 40},
                         {130, 8},
                         {3, 700},
                         {3, 2000},
                         {2, 4096},
                         {2, 4097}}) {
    const Tensor x = mul(sin(arange(rows * n, kFloat32)), 3).reshape({rows, 1, n});
    const Tensor weight = x.select(0, 0).select(0, 0);
    const Tensor shifted = sub(x, amax(x, {-1}, true)), e = exp(shifted);
    EXPECT_TRUE(equal(softmax(x, -1), div(e, sum(e, {-1}, true)))) << n;
    EXPECT_TRUE(equal(log_softmax(x, -1), sub(shifted, log(sum(e, {-1}, true))))) << n;
    const Tensor deviation = sub(x, div(sum(x, {-1}, true), n));
    const Tensor variance = div(sum(mul(deviation, deviation), {-1}, true), n);
    const Tensor normal = div(deviation, sqrt(add(variance, 1e-5)));
    EXPECT_TRUE(equal(layer_norm(x, {n}, weight, weight, 1e-5), add(mul(normal, weight), weight)))
        << n;
  }
}

// Eight at once and the rest one by one, in every layout.
TEST(Pool2d, FoldsFewWindowsOfManyChannels) {
  const Tensor x = arange(11 * 4 * 6, kFloat32).reshape({1, 11, 4, 6});
  const Tensor transposed = x.permute({0, 1, 3, 2}).contiguous().permute({0, 1, 3, 2});
  const Tensor means = x.reshape({1, 11, 2, 2, 2, 3}).mean({3, 5});
  EXPECT_TRUE(equal(avg_pool2d(x, {2, 3}, {2, 3}), means));
  EXPECT_TRUE(equal(avg_pool2d(transposed, {2, 3}, {2, 3}), means));
  EXPECT_TRUE(equal(max_pool2d(x, {2, 3}, {2, 3}), x.reshape({1, 11, 2, 2, 2, 3}).amax({3, 5})));
  EXPECT_EQ(avg_pool2d(ones({1, 1, 2, 2}), {2, 2}, {1, 1}, {1, 1}).flatten().str(),
            "tensor([0.2500, 0.5000, 0.2500, 0.5000, 1.0000, 0.5000, 0.2500, 0.5000, 0.2500])");
}

// Four neighbouring windows at once, and those at the border, and what is left.
TEST(Pool3d, FoldsNeighbouringWindowsOfOnePlane) {
  const Tensor x = sin(arange(2 * 4 * 22, kFloat32)).reshape({1, 2, 4, 22});
  const auto [largest, places] = max_pool_with_indices(x, 3, {2, 2, 2}, {2, 2, 2}, {1, 1, 1});
  EXPECT_TRUE(equal(x.flatten().index_select(0, places.flatten()), largest.flatten()));
  ASSERT_EQ(largest.sizes(), IntArrayRef({1, 2, 3, 12}));
  for (int64_t d = 0; d < 2; ++d)
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < 12; ++j) {
        // Of size 2, from 2 places apart, with one of padding.
        const auto part = [&](const Tensor& t, int64_t dim, int64_t at) {
          return t.slice(dim, std::max<int64_t>(2 * at - 1, 0), 2 * at + 1);
        };
        const Tensor window = part(part(part(x, 1, d), 2, i), 3, j);
        EXPECT_EQ(largest.select(0, 0).select(0, d).select(0, i).select(0, j).item<float>(),
                  window.amax().item<float>());
      }
}

// Windows that the dilation makes leap over the image.
TEST(Pool2d, OfNothingHasNoPlace) {
  for (const std::vector<int64_t>& sizes :
       {std::vector<int64_t>{1, 1, 4, 8}, std::vector<int64_t>{1, 4, 4, 2}}) {
    const Tensor x = arange(32, kFloat32).reshape(sizes);
    const auto [largest, places] = max_pool_with_indices(x, 2, {2, 1}, {1, 1}, {1, 0}, {5, 1});
    EXPECT_TRUE(all(eq(places, -1)).item<bool>());
    EXPECT_TRUE(all(eq(largest, -INFINITY)).item<bool>());
  }
}

// beta is 0, or denormal, in f32.
TEST(SmoothL1Loss, TakesTheSmallestBeta) {
  for (double beta : {1e-46, 1e-40})
    EXPECT_EQ(smooth_l1_loss(tensor({0.0f, 1.0f, -3.0f}), zeros({3}), Reduction::kNone, beta).str(),
              "tensor([0., 1., 3.])");
}

TEST(AdaptiveAvgPool2d, TakesAnySizes) {
  const Tensor x = arange(16, kFloat32).reshape({1, 1, 4, 4});
  EXPECT_EQ(adaptive_avg_pool2d(x, {2}).flatten().str(),
            "tensor([ 2.5000,  4.5000, 10.5000, 12.5000])");
  EXPECT_EQ(adaptive_avg_pool2d(x, {1, 1}).item<float>(), 7.5f);
  EXPECT_EQ(adaptive_avg_pool2d(x, {1, 3}).flatten().str(), "tensor([6.5000, 7.5000, 8.5000])");
  EXPECT_THROW(adaptive_avg_pool2d(x, {-3}), Error);
}

TEST(MaskedFill, KeepsTheDtype) {
  const Tensor x = tensor({1, 2});
  EXPECT_EQ(masked_fill(x, x > 1, 9.7).str(), "tensor([1, 9])");
  EXPECT_THROW(masked_fill(tensor({1.0f}, kHalf), tensor({true}), -1e9), Error);
}

TEST(Pow, OfIntegersRefusesNegativeNumbers) {
  EXPECT_THROW(pow(tensor({1, 2}), -1), Error);
  EXPECT_EQ(pow(tensor({1, 2}), tensor({-1, -1})).str(), "tensor([1, 0])");
  EXPECT_EQ(square(tensor({true})).dtype(), kInt64);
}

TEST(AsStrided, StaysInTheStorage) {
  const Tensor x = arange(6);
  EXPECT_EQ(as_strided(x, {2, 2}, {2, 1}, 1).str(), "tensor([[1, 2],\n        [3, 4]])");
  EXPECT_THROW(as_strided(x, {7}, {1}), Error);
}

TEST(ScaledDotProductAttention, LooksBackOnlyWhenCausal) {
  const Tensor q = zeros({1, 3, 2}), v = arange(3, kFloat32).reshape({1, 3, 1});
  EXPECT_EQ(scaled_dot_product_attention(q, q, v, {}, 0, true).flatten().str(),
            "tensor([0.0000, 0.5000, 1.0000])");
  EXPECT_EQ(scaled_dot_product_attention(q, q, v, tensor({true, false, false})).sum().item<float>(),
            0);
}

TEST(Arange, OfI64CountsByTheNumbersThatItHolds) {
  EXPECT_EQ(arange(0.0, -8.000001, -4.0, kInt64).str(), "tensor([ 0, -4])");
  EXPECT_EQ(arange(0.0, -8.000001, -4.0, kInt32).numel(), 3);
}

TEST(Add, RoundsOnceIn16BitsWithAlphaToo) {
  const Tensor a = tensor({1.0f}, kHalf), b = tensor({0.33325195f}, kHalf);
  const Tensor exact = a.to(kFloat32) + b.to(kFloat32) * 3.1;
  EXPECT_EQ(add(a, b, 3.1).item<float>(), exact.to(kHalf).item<float>());
  const Tensor x = linspace(-4, 4, 999).to(kBFloat16), y = linspace(-1, 3, 999).to(kBFloat16);
  const Tensor wide = (x.to(kFloat32) - y.to(kFloat32) * 1.7).to(kBFloat16);
  EXPECT_TRUE((sub(x, y, 1.7) == wide).all().item<bool>());
  EXPECT_EQ(sub(x, y, 1.7).dtype(), kBFloat16);
}

TEST(Gather, HasPyTorchsClassForAnIndexOutOfRange) {
  const auto kind_of = [](auto fn) {
    try {
      fn();
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::kValue;
  };
  EXPECT_EQ(kind_of([] { gather(matrix(), 1, full({2, 3}, 7)).item(); }), ErrorKind::kRuntime);
  EXPECT_EQ(kind_of([] { index_select(matrix(), 1, full({1}, 7)); }), ErrorKind::kIndex);
}

TEST(Logsumexp, TakesIntegers) {
  EXPECT_EQ(logsumexp(zeros({1, 1}, kInt64), {1}).str(), "tensor([0.])");
}

TEST(StoreResult, WritesWhatTheTensorCanHold) {
  const Tensor x = zeros({4}), same = store_result("exp_", x, exp(x), {x});
  EXPECT_TRUE(same.is_same(x));
  EXPECT_EQ(x.str(), "tensor([1., 1., 1., 1.])");
  EXPECT_EQ(error_of([&] { store_result("exp_", zeros({4}, kInt64), exp(x)); }),
            "exp_(i64[4]): the result is f32, which i64 does not hold");
  EXPECT_EQ(error_of([&] { store_result("exp_", x, exp(zeros({3}))); }),
            "exp_(f32[4]): the result has other sizes: [3]");
  EXPECT_EQ(
      error_of([&] { store_result("exp", x.narrow(0, 1, 3), ones({3}), {x.narrow(0, 0, 3)}); }),
      "exp(f32[3]): an operand overlaps with the written tensor: clone it first");
}

TEST(Random, NumbersArePyTorchsAfterASeed) {
  // torch.manual_seed(0)
  manual_seed(0);
  EXPECT_EQ(rand({3}).str(), "tensor([0.4963, 0.7682, 0.0885])");
  EXPECT_EQ(randn({3}).str(), "tensor([0.3643, 0.1344, 0.1642])");
  EXPECT_EQ(randn({17}).narrow(0, 12, 5).str(),
            "tensor([-2.3160, -0.1023,  0.7924, -0.2897,  0.0525])");
  EXPECT_EQ(randint(-3, 4, {6}).str(), "tensor([3, 1, 2, 1, 1, 2])");
  EXPECT_EQ(randperm(5).str(), "tensor([0, 2, 4, 1, 3])");
}

}  // namespace
}  // namespace frit
