// Ops that move, scatter, scan, order and resample elements: PyTorch's numbers, views and errors.
#include <cmath>

#include <gtest/gtest.h>

#include "frit/ops.h"
#include "tests/error_of.h"

namespace frit {
namespace {

Tensor matrix() { return arange(6, kFloat32).reshape({2, 3}); }

TEST(Views, OfDiagonalsAndWindowsWriteToTheirBase) {
  const Tensor x = zeros({3, 4}), y = zeros({7});
  diagonal(x, 1).fill_(2);
  diagonal(x.t(), 1).fill_(3);
  EXPECT_EQ(
      x.str(),
      tensor({0.f, 2.f, 0.f, 0.f, 3.f, 0.f, 2.f, 0.f, 0.f, 3.f, 0.f, 2.f}).reshape({3, 4}).str());
  unfold(y, 0, 2, 3).fill_(1);
  EXPECT_EQ(y.str(), "tensor([1., 1., 0., 1., 1., 0., 0.])");
}

TEST(Repeat, CopiesEvenWhereNothingIsRepeated) {
  const Tensor x = matrix();
  repeat(x, {1, 1}).fill_(9);
  repeat(x.narrow(1, 0, 1), {1, 2}).fill_(9);
  EXPECT_EQ(x.str(), matrix().str());
  EXPECT_EQ(repeat(tensor({1, 2}), {2, 2}).str(), "tensor([[1, 2, 1, 2],\n        [1, 2, 1, 2]])");
  EXPECT_EQ(repeat_interleave(tensor({1, 2}), 2).str(), "tensor([1, 1, 2, 2])");
  EXPECT_EQ(repeat_interleave(tensor({1, 2}), tensor({3, 1})).str(), "tensor([1, 1, 1, 2])");
}

TEST(Repeat, NamesTheProblem) {
  EXPECT_EQ(error_of([] { repeat(matrix(), {2}); }),
            "repeat(f32[2,3]): too few repeats: 1 for 2 dimensions");
  EXPECT_EQ(error_of([] {
              flip(matrix(), {0, -2});
            }),
            "flip(f32[2,3], dims=[0, -2]): dimension -2 appears twice");
}

TEST(Roll, MovesElementsRound) {
  EXPECT_EQ(roll(tensor({1, 2, 3, 4}), {1}, {0}).str(), "tensor([4, 1, 2, 3])");
  EXPECT_EQ(roll(tensor({1, 2, 3, 4}), {-5}, {0}).str(), "tensor([2, 3, 4, 1])");
  EXPECT_EQ(roll(matrix(), {2}).str(), "tensor([[4., 5., 0.],\n        [1., 2., 3.]])");
  EXPECT_EQ(rot90(matrix()).str(), "tensor([[2., 5.],\n        [1., 4.],\n        [0., 3.]])");
}

TEST(Triangles, KeepTheDtype) {
  EXPECT_EQ(tril(matrix(), -1).str(), "tensor([[0., 0., 0.],\n        [3., 0., 0.]])");
  EXPECT_EQ(triu(ones({2, 2}, kBool)).str(), "tensor([[ True,  True],\n        [False,  True]])");
  EXPECT_EQ(tril_indices(2, 3).str(), "tensor([[0, 1, 1],\n        [0, 0, 1]])");
}

TEST(Scans, WidenIntegersAndKeepTheLastOfEqualExtremes) {
  EXPECT_EQ(cumsum(tensor({100, 90, 3}, kInt8), 0).str(), "tensor([100, 190, 193])");
  EXPECT_EQ(cumprod(tensor({2.f, -0.5f, 3.f}), 0).str(), "tensor([ 2., -1., -3.])");
  const auto [values, indices] = cummax(tensor({1.f, 3.f, 3.f, NAN, 2.f}), 0);
  EXPECT_EQ(values.str(), "tensor([1., 3., 3., nan, nan])");
  EXPECT_EQ(indices.str(), "tensor([0, 1, 2, 3, 3])");
  EXPECT_EQ(logcumsumexp(tensor({0.f, 1.f, 2.f}), 0).str(), "tensor([0.0000, 1.3133, 2.4076])");
}

// 1 + 2^-30 is 1 in f32: only a sum in f64 sees the many small parts.
TEST(Scans, SumFloatsInDoubles) {
  const Tensor x = full({1 << 12}, 0x1p-30f);
  x.narrow(0, 0, 1).fill_(1);
  EXPECT_EQ(cumsum(x, 0).select(0, -1).item<float>(), 1 + 0x1p-18f);
}

TEST(Scatter, LetsTheLastOfEqualIndicesStay) {
  const Tensor index = tensor({0, 0, 2});
  EXPECT_EQ(scatter(zeros({3}), 0, index, tensor({5.f, 7.f, 4.f})).str(), "tensor([7., 0., 4.])");
  EXPECT_EQ(scatter_add(ones({3}), 0, index, tensor({5.f, 7.f, 4.f})).str(),
            "tensor([13.,  1.,  5.])");
  const Tensor x = tensor({1.f, 2.f, 3.f}), source = tensor({5.f, 7.f, 4.f});
  EXPECT_EQ(scatter_reduce(x, 0, index, source, "mean").str(), "tensor([4.3333, 2.0000, 3.5000])");
  EXPECT_EQ(scatter_reduce(x, 0, index, source, "prod", false).str(), "tensor([35.,  2.,  4.])");
}

TEST(Scatter, RefusesIndicesOutOfRange) {
  EXPECT_EQ(
      error_of([] { scatter_add(zeros({3}), 0, tensor({-1}), ones({1})); }),
      "scatter_add(f32[3], i64[1], f32[1], dim=0): index out of range: -1 in a dimension of 3");
  EXPECT_EQ(error_of([] {
              index_copy(zeros({1, 2}), 0, tensor({0}), ones({1, 1}));
            }),
            "index_copy(f32[1,2], i64[1], f32[1,1], dim=0): the source has size 1 in dimension 1, "
            "expected 2");
}

TEST(IndexPut, WritesOrAddsWhereIndexReads) {
  const Tensor x = zeros({2, 3});
  const std::vector<TensorIndex> last = {Slice(), tensor({2, 2, 0})};
  EXPECT_EQ(index_put(x, last, ones({1}), true).str(),
            "tensor([[1., 0., 2.],\n        [1., 0., 2.]])");
  index_put_(x, {1, tensor({0, -1})}, tensor({5.f, 6.f}));
  EXPECT_EQ(x.str(), "tensor([[0., 0., 0.],\n        [5., 0., 6.]])");
  EXPECT_EQ(index_add(tensor({1, 2}), 0, tensor({1, 1}), tensor({3, 4}), -2).str(),
            "tensor([  1, -12])");
  EXPECT_EQ(index_fill(tensor({1, 2, 3}), 0, tensor({-1}), 9).str(), "tensor([1, 2, 9])");
}

TEST(Scatters, IntoAPartLeaveTheOperandAsItIs) {
  const Tensor x = matrix();
  EXPECT_EQ(select_scatter(x, zeros({2}), 1, 1).str(),
            "tensor([[0., 0., 2.],\n        [3., 0., 5.]])");
  EXPECT_EQ(masked_scatter(x, x > 3, tensor({7.f, 8.f, 9.f})).str(),
            "tensor([[0., 1., 2.],\n        [3., 7., 8.]])");
  EXPECT_EQ(x.str(), matrix().str());
}

TEST(Products, OfNamedDimensions) {
  const Tensor x = matrix();
  EXPECT_EQ(einsum("ij,jk->ki", {x, x.t()}).str(), "tensor([[ 5., 14.],\n        [14., 50.]])");
  EXPECT_EQ(einsum("ij->", {x}).str(), "tensor(15.)");
  const Tensor counts = einsum("ijk,ik->j", {ones({1, 2, 3}, kInt32), ones({1, 3}, kInt32)});
  EXPECT_EQ(counts.dtype(), kInt32);
  EXPECT_EQ(counts.to(kInt64).str(), "tensor([3, 3])");
  EXPECT_EQ(einsum("ii->i", {x.narrow(1, 0, 2)}).str(), "tensor([0., 4.])");
  EXPECT_EQ(einsum("...i,i", {x, tensor({1.f, 0.f, 2.f})}).str(), "tensor([ 4., 13.])");
  EXPECT_EQ(tensordot(x, x, {0, 1}, {0, 1}).str(), "tensor(55.)");
  EXPECT_EQ(outer(tensor({1, 2}), tensor({3, 4})).str(), "tensor([[3, 4],\n        [6, 8]])");
  EXPECT_EQ(error_of([&] { einsum("ij,ij->k", {x, x}); }), "einsum(ij,ij->k): no operand has k");
}

TEST(Baddbmm, IgnoresTheBiasWhereBetaIsZero) {
  const Tensor a = ones({1, 1, 2}), b = ones({1, 2, 1}), bias = full({1, 1, 1}, NAN);
  EXPECT_EQ(baddbmm(bias, a, b, 0, 3).item<float>(), 6);
  EXPECT_TRUE(std::isnan(baddbmm(bias, a, b).item<float>()));
}

TEST(ConvTranspose, SpreadsEachElement) {
  const Tensor x = arange(4, kFloat32).reshape({1, 1, 2, 2});
  const Tensor w = arange(9, kFloat32).reshape({1, 1, 3, 3});
  EXPECT_EQ(contiguous(conv_transpose2d(x, w, {}, {2}, {1}, {1})).reshape({16}).str(),
            "tensor([ 0.,  3.,  4.,  5.,  2., 10., 10., 14.,  8., 19., 12., 15., 14., 34.,\n"
            "        21., 24.])");
}

TEST(Pools, FindPlacesAndAdapt) {
  const Tensor x = tensor({1, 5, 2, 7, 0, 3, 4, 8, 6}, kFloat32).reshape({1, 3, 3});
  const auto [values, places] = max_pool_with_indices(x, 2, {2}, {1});
  EXPECT_EQ(values.reshape({4}).str(), "tensor([7., 5., 8., 8.])");
  EXPECT_EQ(places.reshape({4}).str(), "tensor([3, 1, 7, 7])");
  EXPECT_EQ(adaptive_avg_pool(arange(5, kFloat32).reshape({1, 1, 5}), 1, {3}).reshape({3}).str(),
            "tensor([0.5000, 2.0000, 3.5000])");
}

TEST(Interpolate, PlacesSamplesAsPyTorch) {
  const Tensor row = arange(4, kFloat32).reshape({1, 1, 4});
  const std::vector<double> scale = {1.5};
  EXPECT_EQ(interpolate(row, std::nullopt, scale).reshape({6}).str(),
            "tensor([0., 0., 1., 2., 2., 3.])");
  EXPECT_EQ(interpolate(row, std::nullopt, scale, "nearest-exact").reshape({6}).str(),
            "tensor([0., 1., 1., 2., 3., 3.])");
  const std::vector<int64_t> size = {3, 4}, other = {2, 5};
  EXPECT_EQ(
      interpolate(row.reshape({1, 1, 2, 2}), size, std::nullopt, "bilinear").reshape({12}).str(),
      "tensor([0.0000, 0.2500, 0.7500, 1.0000, 1.0000, 1.2500, 1.7500, 2.0000, 2.0000,\n"
      "        2.2500, 2.7500, 3.0000])");
  EXPECT_EQ(interpolate(arange(9, kFloat32).reshape({1, 1, 3, 3}), other, std::nullopt, "bicubic")
                .reshape({10})
                .str(),
            "tensor([0.4782, 0.8902, 1.5742, 2.2582, 2.6702, 5.3298, 5.7418, 6.4258, 7.1098,\n"
            "        7.5218])");
}

TEST(Order, PicksMiddlesAndQuantiles) {
  const Tensor x = tensor({3.f, 1.f, 2.f, 5.f});
  EXPECT_EQ(median(x).item<float>(), 2);
  EXPECT_TRUE(std::isnan(median(tensor({1.f, NAN})).item<float>()));
  EXPECT_EQ(nanmedian(tensor({1.f, NAN})).item<float>(), 1);
  EXPECT_EQ(quantile(x, tensor({0.25f, 0.6f})).str(), "tensor([1.7500, 2.8000])");
  EXPECT_EQ(mode(tensor({3, 1, 3, 1, 2})).first.item<int64_t>(), 1);
  EXPECT_EQ(kthvalue(x, 2).second.item<int64_t>(), 2);
}

TEST(Unique, SaysWhereAndHowOften) {
  const Unique all = unique(tensor({3, 1, 3, 2}));
  EXPECT_EQ(all.values.str(), "tensor([1, 2, 3])");
  EXPECT_EQ(all.inverse.str(), "tensor([2, 0, 2, 1])");
  EXPECT_EQ(all.counts.str(), "tensor([1, 1, 2])");
  EXPECT_EQ(unique_consecutive(tensor({1, 1, 2, 1})).values.str(), "tensor([1, 2, 1])");
  EXPECT_EQ(unique(tensor({2, 1, 2, 1, 0, 0}).reshape({3, 2}), 0).values.str(),
            "tensor([[0, 0],\n        [2, 1]])");
  EXPECT_EQ(bincount(tensor({1, 3, 1})).str(), "tensor([0, 2, 0, 1])");
}

// More differences than eager makes at once.
TEST(Distances, OfManyRowsAreThoseOfEachPair) {
  const Tensor x = sin(arange(2 * 70 * 90, kFloat32)).reshape({2, 70, 90});
  const Tensor y = cos(arange(50 * 90, kFloat32)).reshape({50, 90});
  const Tensor differences = sub(x.unsqueeze(-2), y);
  for (double p : {0.0, 1.0, 3.0, double{INFINITY}})
    EXPECT_TRUE(equal(cdist(x, y, p), norm(differences, p, {-1}))) << p;
}

TEST(Distances, OfMoreThan25RowsAreAProduct) {
  const Tensor x = arange(52, kFloat64).reshape({26, 2});
  const Tensor y = tensor({1.0, 0.0, 2.0, 3.0}).reshape({2, 2});
  EXPECT_TRUE(allclose(cdist(x, y), norm(sub(x.unsqueeze(-2), y), 2, {-1})));
  // Their squares have no digits for the difference, which a norm has.
  const Tensor far = full({26, 1}, 1e8f), near = full({1, 1}, 1e8f + 8);
  EXPECT_NE(cdist(far, near).select(0, 0).item<float>(), 8);
  EXPECT_EQ(cdist(far.slice(0, 0, 25), near).select(0, 0).item<float>(), 8);
}

TEST(Distances, AreNorms) {
  EXPECT_EQ(cdist(tensor({0.f, 0.f, 1.f, 2.f}).reshape({2, 2}), tensor({3.f, 4.f}).reshape({1, 2}))
                .reshape({2})
                .str(),
            "tensor([5.0000, 2.8284])");
  EXPECT_EQ(norm(tensor({3.f, -4.f}), 1).item<float>(), 7);
  EXPECT_EQ(norm(tensor({3.f, -4.f}), INFINITY).item<float>(), 4);
  EXPECT_EQ(cross(tensor({1, 2, 3}), tensor({4, 5, 6})).str(), "tensor([-3,  6, -3])");
  // Where the lengths divide exactly; values.txt has others, within the row's tolerance.
  const Tensor up = tensor({0.f, 4.f}), down = tensor({0.f, -2.f}), right = tensor({8.f, 0.f});
  EXPECT_EQ(cosine_similarity(up, up, 0).item<float>(), 1.0f);
  EXPECT_EQ(cosine_similarity(up, down, 0).item<float>(), -1.0f);
  EXPECT_EQ(cosine_similarity(up, right, 0).item<float>(), 0.0f);
}

TEST(Images, GetBordersAndColumns) {
  const Tensor row = arange(4, kFloat32).reshape({1, 4});
  EXPECT_EQ(pad_border(row, {2, 1}, "reflect").reshape({7}).str(),
            "tensor([2., 1., 0., 1., 2., 3., 2.])");
  EXPECT_EQ(pad_border(row.reshape({1, 1, 4}), {2, 1}, "circular").reshape({7}).str(),
            "tensor([2., 3., 0., 1., 2., 3., 0.])");
  const Tensor columns = im2col(arange(9, kFloat32).reshape({1, 1, 3, 3}), {2});
  EXPECT_EQ(columns.select(1, 1).reshape({4}).str(), "tensor([1., 2., 4., 5.])");
  EXPECT_EQ(col2im(columns, {3}, {2}).reshape({9}).str(),
            "tensor([ 0.,  2.,  2.,  6., 16., 10.,  6., 14.,  8.])");
}

TEST(Random, DrawsPyTorchsCategories) {
  const Tensor weights = tensor({1.f, 2.f, 3.f, 4.f});
  manual_seed(0);
  EXPECT_EQ(multinomial(weights, 3).str(), "tensor([2, 1, 3])");
  EXPECT_EQ(multinomial(weights, 8, true).str(), "tensor([3, 3, 1, 2, 2, 1, 2, 1])");
  EXPECT_EQ(bernoulli(full({8}, 0.5f)).str(), "tensor([1., 0., 0., 1., 1., 1., 1., 0.])");
}

}  // namespace
}  // namespace frit
