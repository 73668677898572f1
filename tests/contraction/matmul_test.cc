// Matrix products have the bits of the plain chain, whatever the shape, layout, instruction set and
// threads.
#include "src/contraction/matmul.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/base/thread_pool.h"
#include "tests/contraction/operands.h"

namespace frit::contraction {
namespace {

struct Shape {
  int64_t m, n, k, batch = 1;
};

enum class Layout { kRows, kTransposedB, kTransposedA, kStrided };

struct Case {
  Shape shape;
  Layout layout;
  Dtype dtype;
};

std::string text(const Case& c, const Way& way) {
  return std::to_string(c.shape.batch) + " x " + std::to_string(c.shape.m) + "x" +
         std::to_string(c.shape.n) + "x" + std::to_string(c.shape.k) + " layout " +
         std::to_string(static_cast<int>(c.layout)) + " " + std::string(name(c.dtype)) + " on " +
         std::string(name(way.cap)) + (way.no_exec ? " without code" : "");
}

// The operands of one case, and a place for the result with a column more than it has.
template <class T>
struct Operands {
  std::vector<T> a, b, bias, out;
  MatmulArgs args;

  explicit Operands(const Case& c) {
    const auto& [m, n, k, batch] = c.shape;
    Numbers numbers(static_cast<uint64_t>(m * 31 + n * 7 + k));
    a = numbers.some<T>(2 * batch * (m + 1) * (k + 1));
    b = numbers.some<T>(2 * batch * (k + 1) * (n + 1));
    bias = numbers.some<T>(m * n + n + 1);
    out = std::vector<T>(static_cast<size_t>(batch * m * (n + 1)), T(5));
    args.dtype = c.dtype;
    args.m = m, args.n = n, args.k = k, args.batch = batch;
    const int64_t step = c.layout == Layout::kStrided ? 2 : 1;
    args.a = {a.data(), m * k * step, k * step, step};
    args.b = {b.data(), k * n * step, n * step, step};
    if (c.layout == Layout::kTransposedA) args.a = {a.data(), m * k, 1, m};
    if (c.layout == Layout::kTransposedB) args.b = {b.data(), k * n, 1, k};
    args.out_batch = m * (n + 1), args.out_row = n + 1;
  }

  std::vector<T> run(void (*multiply)(const MatmulArgs&)) {
    std::vector<T> result = out;
    args.out = result.data();
    multiply(args);
    return result;
  }
  std::vector<T> fast() {
    return run([](const MatmulArgs& args) { matmul(args); });
  }
  std::vector<T> reference() { return run(matmul_reference); }
};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> shapes = {
      {0, 3, 2},     {3, 0, 2},     {3, 4, 0},   {1, 1, 1},   {1, 16, 16},  {1, 17, 5},
      {1, 131, 7},   {2, 67, 13},   {3, 5, 29},  {5, 33, 31}, {7, 16, 257}, {13, 29, 47},
      {6, 16, 300},  {14, 32, 64},  {31, 1, 19}, {29, 7, 1},  {1, 700, 37}, {41, 83, 530},
      {4, 8, 16, 3}, {1, 9, 11, 5}, {3, 2, 7, 4}};
  return shapes;
}

template <class T>
void expect_chains(Dtype dtype) {
  for (const Way& way : all_ways()) {
    const WithWay with(way);
    for (const Shape& shape : shapes())
      for (Layout layout :
           {Layout::kRows, Layout::kTransposedB, Layout::kTransposedA, Layout::kStrided}) {
        const Case c{shape, layout, dtype};
        Operands<T> operands(c);
        EXPECT_EQ(first_difference(operands.fast(), operands.reference()), -1) << text(c, way);
      }
  }
}

TEST(Matmul, IsAChainOfFmaForFloats) { expect_chains<float>(kFloat32); }
TEST(Matmul, IsAChainOfFmaForDoubles) { expect_chains<double>(kFloat64); }
TEST(Matmul, WrapsForI64) { expect_chains<int64_t>(kInt64); }
TEST(Matmul, WrapsForI32) { expect_chains<int32_t>(kInt32); }
TEST(Matmul, WrapsForI16) { expect_chains<int16_t>(kInt16); }
TEST(Matmul, WrapsForI8) { expect_chains<int8_t>(kInt8); }
TEST(Matmul, WrapsForU8) { expect_chains<uint8_t>(kUInt8); }

TEST(Matmul, OfBoolIsOrOfAnds) {
  const bool a[] = {true, false, true, true}, b[] = {false, true, false, false};
  bool out[4];
  MatmulArgs args;
  args.dtype = kBool;
  args.m = args.n = args.k = 2;
  args.a = {a, 0, 2, 1};
  args.b = {b, 0, 2, 1};
  args.out = out, args.out_row = 2;
  matmul(args);
  const bool expected[] = {false, true, false, true};
  EXPECT_TRUE(std::equal(out, out + 4, expected));
}

TEST(Matmul, KeepsInfinitiesAndNaNsWhereTheChainHasThem) {
  for (const Way& way : all_ways()) {
    const WithWay with(way);
    const Case c{{9, 37, 21}, Layout::kTransposedB, kFloat32};
    Operands<float> operands(c);
    Numbers numbers(3);
    sprinkle_specials(operands.a, numbers);
    sprinkle_specials(operands.b, numbers);
    EXPECT_EQ(first_difference(operands.fast(), operands.reference()), -1) << text(c, way);
  }
}

TEST(Matmul, RowsDoNotDependOnHowManyThereAre) {
  Operands<float> many({{37, 96, 301}, Layout::kRows, kFloat32});
  const std::vector<float> all = many.fast();
  many.args.m = 1;
  const std::vector<float> one = many.fast();
  for (size_t j = 0; j < 96; ++j) EXPECT_EQ(all[j], one[j]) << "column " << j;
}

TEST(Matmul, DoesNotDependOnThreads) {
  for (const Shape& shape : {Shape{130, 520, 300}, Shape{3, 900, 700}, Shape{40, 40, 40, 30}}) {
    Operands<float> operands({shape, Layout::kTransposedB, kFloat32});
    base::set_num_threads(1);
    const std::vector<float> one = operands.fast();
    base::set_num_threads(2);
    EXPECT_EQ(first_difference(operands.fast(), one), -1);
    base::set_num_threads(0);
    EXPECT_EQ(first_difference(operands.reference(), one), -1);
  }
}

TEST(Addmm, ScalesTheChainThenAddsTheScaledBias) {
  struct Factors {
    Scalar alpha, beta;
  };
  for (const Way& way : all_ways()) {
    const WithWay with(way);
    for (const Factors& f :
         {Factors{1, 1}, Factors{0.5, 1}, Factors{1, 3}, Factors{2, 0.25}, Factors{1, 0}})
      for (int kind = 0; kind < 4; ++kind)
        for (const Shape& shape :
             {Shape{1, 16, 16}, Shape{7, 37, 300}, Shape{11, 1, 5}, Shape{20, 200, 40}}) {
          Operands<float> operands({shape, Layout::kRows, kFloat32});
          const int64_t row = kind & 1 ? shape.n : 0, col = kind & 2 ? 1 : 0;
          operands.args.bias = {operands.bias.data(), 0, row, col};
          operands.args.alpha = f.alpha;
          operands.args.beta = f.beta;
          EXPECT_EQ(first_difference(operands.fast(), operands.reference()), -1)
              << shape.m << "x" << shape.n << " bias " << kind << " alpha " << f.alpha.to_double()
              << " on " << name(way.cap);
        }
  }
}

TEST(Addmm, WithBetaZeroDoesNotReadTheBias) {
  Operands<float> operands({{3, 5, 2}, Layout::kRows, kFloat32});
  const std::vector<float> product = operands.reference();
  std::fill(operands.bias.begin(), operands.bias.end(), NAN);
  operands.args.bias = {operands.bias.data(), 0, 0, 1};
  operands.args.beta = 0;
  EXPECT_EQ(first_difference(operands.fast(), product), -1);
}

TEST(Addmm, OfIntegersWrapsWithIntegerFactors) {
  Operands<int8_t> operands({{5, 9, 12}, Layout::kRows, kInt8});
  operands.args.bias = {operands.bias.data(), 0, 0, 1};
  operands.args.alpha = 3;
  operands.args.beta = 7;
  EXPECT_EQ(first_difference(operands.fast(), operands.reference()), -1);
}

struct Visits {
  const float* out;
  int64_t ld;
  std::vector<int> count;
};

void visit(void* context, void* tile, int64_t row, int64_t col, int64_t rows, int64_t cols,
           int64_t ld) {
  Visits& visits = *static_cast<Visits*>(context);
  EXPECT_EQ(static_cast<float*>(tile), visits.out + row * visits.ld + col);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < cols; ++j) {
      ++visits.count[static_cast<size_t>((row + i) * visits.ld + col + j)];
      static_cast<float*>(tile)[i * ld + j] *= 2;
    }
}

TEST(Epilogue, SeesEveryElementOnceWhenItIsFinished) {
  base::set_num_threads(1);
  for (const Shape& shape :
       {Shape{1, 16, 16}, Shape{13, 300, 520}, Shape{4, 3, 2, 5}, Shape{9, 1, 4}}) {
    Operands<float> operands({shape, Layout::kTransposedB, kFloat32});
    operands.args.bias = {operands.bias.data(), 0, 0, 1};
    std::vector<float> expected = operands.reference();
    std::vector<float> result = operands.out;
    Visits visits{result.data(), shape.n + 1, std::vector<int>(result.size())};
    operands.args.out = result.data();
    operands.args.epilogue = {visit, &visits};
    matmul(operands.args);
    for (size_t i = 0; i < result.size(); ++i) {
      const bool inside = static_cast<int64_t>(i) % (shape.n + 1) < shape.n;
      EXPECT_EQ(visits.count[i], inside);
      EXPECT_EQ(result[i], inside ? 2 * expected[i] : 5);
    }
  }
  base::set_num_threads(0);
}

TEST(PackedB, GivesTheSameBits) {
  for (const Way& way : all_ways()) {
    const WithWay with(way);
    for (const Shape& shape : {Shape{1, 77, 300}, Shape{19, 40, 600}, Shape{3, 16, 8, 4}}) {
      const Case c{shape, Layout::kTransposedB, kFloat32};
      Operands<float> operands(c);
      const std::vector<float> expected = operands.reference();
      const PackedRef packed = pack_b(operands.args);
      operands.args.b.data = nullptr;
      std::vector<float> result = operands.out;
      operands.args.out = result.data();
      matmul(operands.args, packed.get());
      EXPECT_EQ(first_difference(result, expected), -1) << text(c, way);
    }
  }
}

TEST(PackCache, KeepsAStableBFromItsSecondUse) {
  pack_cache().trim();
  Operands<float> operands({{4, 64, 48}, Layout::kTransposedB, kFloat32});
  operands.args.b_key = {17, 1};
  const std::vector<float> expected = operands.reference();
  EXPECT_EQ(first_difference(operands.fast(), expected), -1);
  EXPECT_EQ(pack_cache().bytes(), 0);
  EXPECT_EQ(first_difference(operands.fast(), expected), -1);
  EXPECT_GE(pack_cache().bytes(), 64 * 48 * 4);
  EXPECT_EQ(first_difference(operands.fast(), expected), -1);
  pack_cache().trim();
  EXPECT_EQ(pack_cache().bytes(), 0);
}

TEST(PackCache, SeesANewVersion) {
  pack_cache().trim();
  Operands<float> operands({{4, 64, 48}, Layout::kTransposedB, kFloat32});
  operands.args.b_key = {18, 1};
  operands.fast();
  operands.fast();
  operands.b[5] += 1;
  operands.args.b_key.version = 2;
  EXPECT_EQ(first_difference(operands.fast(), operands.reference()), -1);
  EXPECT_EQ(first_difference(operands.fast(), operands.reference()), -1);
}

TEST(PackCache, DropsTheLeastRecentlyUsedAtItsLimit) {
  PackCache cache;
  cache.set_limit(1000);
  auto use = [&](int64_t id) {
    PackKey key;
    key.add(id);
    return cache.find(key, [] { return std::make_shared<Packed>(400); });
  };
  for (int64_t id : {1, 1, 2, 2, 1, 3, 3}) use(id);
  EXPECT_EQ(cache.bytes(), 800);
  EXPECT_NE(use(1), nullptr);
  EXPECT_EQ(use(2), nullptr);
}

}  // namespace
}  // namespace frit::contraction
