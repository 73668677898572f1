// Random programs give the same bits with the JIT off and on.
//
// A program is a loop over statements on a few variables: ops, views, writes in place, reads that
// decide branches, names that keep values over iterations and are read now and then, scalars and
// sizes that vary. All its decisions follow from the seed and the
// iteration, so that it can be run twice. FRIT_FUZZ_SEED runs one seed, FRIT_FUZZ_COUNT that many.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>

#include "frit/frit.h"
#include "src/base/flags.h"
#include "tests/engine/hot_scope.h"
#include "tests/sample.h"

namespace frit {
namespace {

constexpr int kVariables = 5;
constexpr int kNames = 6;
constexpr int kIterations = 18;
constexpr int64_t kNarrow = 6, kWide = 1100;  // columns; a wide row is more than a tile

// Everything that the host saw, as text with the exact bits.
class Observations {
 public:
  void add(const Tensor& t) {
    text_ += std::string(name(t.dtype()));
    for (int64_t s : t.sizes()) text_ += "," + std::to_string(s);
    const Tensor c = t.to(kFloat64).contiguous();
    const double* p = c.const_data_ptr<double>();
    for (int64_t i = 0; i < c.numel(); ++i)
      text_ += std::isnan(p[i]) ? " nan" : " " + std::to_string(__builtin_bit_cast(uint64_t, p[i]));
    text_ += "\n";
  }
  void add(const std::string& what) { text_ += what + "\n"; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// What outlives an iteration.
struct Memory {
  Observations seen;
  std::vector<Tensor> kept;                                 // read at the very end
  std::vector<Tensor> named = std::vector<Tensor>(kNames);  // overwritten; read sometimes, or never
};

class Program {
 public:
  explicit Program(uint32_t seed) : seed_(seed) {
    std::mt19937 generator(seed);
    const auto random = [&] { return static_cast<uint32_t>(generator()); };
    const int length = 2 + static_cast<int>(random() % 12);
    for (int i = 0; i < length; ++i)
      statements_.push_back({random() % kKinds, random(), random(), random(), random()});
    varying_sizes_ = random() % 4 == 0;
    region_ = random() % 3 == 0;
    names_all_ = random() % 2 == 0;
    if (random() % 6 == 0) columns_ = kWide;
  }

  std::string run() const {
    Memory memory;
    const Tensor weight = (arange(36, kFloat32) * 0.07 - 1.1).reshape({6, 6});
    const auto body = [&](int iteration) { return run_iteration(iteration, weight, &memory); };
    const auto compiled = compile(body);
    for (int i = 0; i < kIterations; ++i) memory.seen.add(region_ ? compiled(i) : body(i));
    for (const Tensor& t : memory.kept) memory.seen.add(t);
    return memory.seen.text();
  }

 private:
  static constexpr uint32_t kFirstOfNames = 21, kKinds = 26;
  struct Statement {
    uint32_t kind, a, b, c, d;
  };

  // The first columns are multiplied, the others stay.
  Tensor multiply(const Tensor& x, const Tensor& weight) const {
    const Tensor product = matmul(x.narrow(1, 0, kNarrow), weight);
    return columns_ == kNarrow ? product
                               : cat({product, x.narrow(1, kNarrow, columns_ - kNarrow)}, 1);
  }

  // As many indices as there are rows, some of them equal.
  static Tensor some_rows(int64_t rows, uint32_t seed) {
    std::vector<int64_t> index;
    for (int64_t i = 0; i < rows; ++i) index.push_back(static_cast<int64_t>(seed >> i) % rows);
    return tensor(index, kInt64);
  }

  // A mask of rows, needed again after what was masked.
  static Tensor keep_rows(const Tensor& mask, const Tensor& x) {
    return where(mask, leaky_relu(where(mask, x, 0)), 0);
  }

  Tensor run_iteration(int iteration, const Tensor& weight, Memory* memory) const {
    const int64_t rows = varying_sizes_ ? 1 + iteration % 3 : 4;
    std::vector<Tensor> v;
    for (int i = 0; i < kVariables; ++i)
      v.push_back(((remainder(arange(rows * columns_, kFloat32), 24) - 11) * (0.3 + 0.1 * i) +
                   iteration % 2)
                      .reshape({rows, columns_}));
    for (const Statement& s : statements_) {
      try {
        if (s.kind < kFirstOfNames) {
          run_statement(s, iteration, weight, &v, memory);
          if (names_all_) memory->named[s.d % kNames] = v[s.a % kVariables];
        } else {
          use_name(s, iteration, &v, memory);
        }
      } catch (const Error& error) {
        memory->seen.add("error kind " + std::to_string(static_cast<int>(error.kind())));
      }
    }
    if (names_all_ && iteration % 4 == 1) read_names(iteration, memory);
    return v[0];
  }

  void read_names(int iteration, Memory* memory) const {
    std::minstd_rand random(seed_ * 100 + static_cast<uint32_t>(iteration));
    for (const Tensor& name : memory->named)
      if (iteration > 4 && random() % 2 == 0 && name.defined()) memory->seen.add(name);
  }

  // Names are given in each iteration, and used in few.
  static void use_name(const Statement& s, int iteration, std::vector<Tensor>* v, Memory* memory) {
    Tensor& name = memory->named[s.d % kNames];
    const Tensor x = (*v)[s.b % kVariables];
    const bool now = (static_cast<uint32_t>(iteration) * 7 + s.c) % 9 == 0;
    if (s.kind < kFirstOfNames + 2) {
      name = s.c % 4 == 0 ? x.transpose(0, 1) : x;
    } else if (now && name.defined()) {
      if (s.kind == kFirstOfNames + 2) {
        memory->seen.add(name);
      } else if (s.kind == kFirstOfNames + 3) {
        (*v)[s.a % kVariables] = s.c % 4 == 0 ? name.transpose(0, 1) + x : name * x;
      } else {
        name.mul_(0.5);
      }
    }
  }

  void run_statement(const Statement& s, int iteration, const Tensor& weight,
                     std::vector<Tensor>* v, Memory* memory) const {
    Tensor& to = (*v)[s.a % kVariables];
    const Tensor x = (*v)[s.b % kVariables], y = (*v)[s.c % kVariables];
    switch (s.kind) {
      case 0:
        to = relu(x);
        break;
      case 1:
        to = tanh(x * 0.5);
        break;
      case 2:
        to = x + y;
        break;
      case 3:
        to = x * y - x;
        break;
      case 4:
        to = sigmoid(x) * (s.d % 2 ? 2.5 : 0.125);
        break;
      case 5:
        to = x * iteration + static_cast<int>(s.d % 3);
        break;
      case 6:
        to = softmax(x, -1);
        break;
      case 7:
        to = x - mean(x, {-1}, true);
        break;
      case 8:
        to = multiply(x, weight);
        break;
      case 9:
        to = where(x > y, x, neg(y));
        break;
      case 10:
        to = x.transpose(0, 1).contiguous().transpose(0, 1);
        break;
      case 11:
        to = cat({x.narrow(1, 0, 2), y.narrow(1, 2, columns_ - 2)}, 1);
        break;
      case 12:
        to.add_(x);
        break;
      case 13:
        x.narrow(1, static_cast<int64_t>(s.d % 5), 1).fill_(0.25);
        break;
      case 14:
        if (x[0][0].item<float>() > 0) to = exp(clamp(y, -3, 3));
        break;
      case 15:
        memory->kept.push_back(x);
        break;
      case 16:
        memory->seen.add(amax(x, {0}));
        break;
      case 17:
        to = (iteration + static_cast<int>(s.d)) % 5 == 0 ? x / 3 : x / 4;
        break;
      case 18:
        to = keep_rows(y.narrow(1, static_cast<int64_t>(s.d % 6), 1) > 0, x);
        break;
      case 19:
        to = index_add(x, 0, some_rows(y.size(0), s.d), y * 0.5);
        break;
      case 20:
        index_put_(to, {some_rows(x.size(0), s.d)}, x, s.d % 2 != 0);
        break;
    }
  }

  uint32_t seed_;
  std::vector<Statement> statements_;
  bool varying_sizes_, region_, names_all_;
  int64_t columns_ = kNarrow;
};

int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

void compare_programs() {
  const int first = from_environment("FRIT_FUZZ_SEED", 1);
  const int count =
      from_environment("FRIT_FUZZ_COUNT", std::getenv("FRIT_FUZZ_SEED") ? 1 : 300 / sample_step());
  int64_t entries = 0, recipes = 0, recipes_read = 0;
  for (int seed = first; seed < first + count; ++seed) {
    const Program program(static_cast<uint32_t>(seed));
    set_jit_mode("off");
    const std::string eager = program.run();
    set_jit_mode("on");
    HotScope hot;
    ASSERT_EQ(program.run(), eager) << "FRIT_FUZZ_SEED=" << seed;
    entries += hot.plan_entries();
    recipes += hot.recipes();
    recipes_read += hot.reason("recipe_read");
  }
  EXPECT_GT(entries, count) << "hardly any plan ran";
  EXPECT_GT(recipes, count) << "hardly any value was left out";
  EXPECT_GT(recipes_read, count / 20) << "hardly any of them was read";
}

TEST(ProgramFuzz, TheJitChangesNoBit) { compare_programs(); }

TEST(ProgramFuzz, TheJitChangesNoBitWithoutMachineCode) {
  const bool before = base::flags().no_exec;
  base::mutable_flags().no_exec = true;
  compare_programs();
  base::mutable_flags().no_exec = before;
}

}  // namespace
}  // namespace frit
