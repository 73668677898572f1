// Random programs whose state lives on from iteration to iteration give the same bits with the JIT
// off and on: views of views, writes through them, writes by the host, and reads at any place.
//
// All decisions follow from the seed, the iteration and values that were read. FRIT_FUZZ_SEED runs
// one seed, FRIT_FUZZ_COUNT that many.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <random>
#include <thread>

#include "frit/frit.h"
#include "tests/engine/hot_scope.h"
#include "tests/sample.h"

namespace frit {
namespace {

constexpr int kVariables = 6;
constexpr int kIterations = 16;
constexpr int64_t kMaxElements = 2048;

class Program {
 public:
  explicit Program(uint32_t seed) {
    std::mt19937 generator(seed);
    const auto random = [&] { return static_cast<uint32_t>(generator()); };
    const int length = 2 + static_cast<int>(random() % 14);
    for (int i = 0; i < length; ++i)
      statements_.push_back({random() % kKinds, random(), random(), random(), random()});
    size_ = random() % 5 == 0 ? 24 : 4;
    looks_ = 1 + random() % 4;
    region_ = random() % 3 == 0;
    varying_ = random() % 4 == 0;
    growth_ = random() % 3 == 0 ? 1 + random() % 3 : 0;
  }

  // The program, a statement a line, for whoever looks into a failure.
  std::string text() const {
    std::string lines = "size " + std::to_string(size_) + (region_ ? ", in a region" : "") +
                        (varying_ ? ", varying" : "") +
                        (growth_ > 0 ? ", grows by " + std::to_string(growth_) : "") +
                        ", looks every " + std::to_string(looks_) + "\n";
    for (const Statement& s : statements_)
      lines += "kind " + std::to_string(s.kind) + " to v" + std::to_string(s.a % kVariables) +
               " x v" + std::to_string(s.b % kVariables) + " y v" +
               std::to_string(s.c % kVariables) + " d " + std::to_string(s.d % 24) + "\n";
    return lines;
  }

  // Everything that the host saw, with the exact bits.
  std::string run() {
    seen_.clear();
    begin_anew(size_);
    const auto body = [this](int iteration) { run_iteration(iteration); };
    const auto compiled = compile(body);
    for (int i = 0; i < kIterations; ++i) region_ ? compiled(i) : body(i);
    for (const Tensor& t : variables_) see(t);
    return seen_;
  }

 private:
  static constexpr uint32_t kKinds = 32;
  struct Statement {
    uint32_t kind, a, b, c, d;
  };

  void see(const Tensor& t) {
    for (int64_t s : t.sizes()) seen_ += std::to_string(s) + ",";
    for (float v : values(t.to(kFloat32)))
      seen_ += std::isnan(v) ? " nan" : " " + std::to_string(__builtin_bit_cast(uint32_t, v));
    seen_ += "\n";
  }

  void begin_anew(int64_t size) {
    variables_.clear();
    for (int i = 0; i < kVariables; ++i)
      variables_.push_back(
          (remainder(arange(size * size, kFloat32), 7) * 0.25 - 0.1 * i).reshape({size, size}));
  }

  void run_iteration(int iteration) {
    if (growth_ > 0) begin_anew(size_ + growth_ * iteration);
    for (const Statement& s : statements_) {
      try {
        run_statement(s, iteration);
      } catch (const Error& error) {
        seen_ += "error " + std::string(error.what()) + "\n";
      }
      // Broadcasting makes values grow.
      Tensor& made = variables_[s.a % kVariables];
      if (made.numel() > kMaxElements) made = zeros({2, 2});
    }
    if (iteration % static_cast<int>(looks_) == 0) see(variables_[0]);
  }

  // Some place along the first dimension.
  static int64_t place(const Tensor& t, uint32_t start, int iteration) {
    const int64_t size = t.dim() > 0 ? std::max<int64_t>(t.size(0), 1) : 1;
    return (start % 24 + static_cast<int64_t>(iteration) * (1 + start % 3)) % size;
  }

  const Tensor& pick(uint32_t number) const { return variables_[number % kVariables]; }

  void run_statement(const Statement& s, int iteration) {
    Tensor& to = variables_[s.a % kVariables];
    const Tensor x = pick(s.b), y = pick(s.c);
    const int64_t first = static_cast<int64_t>(s.d % 3) + (varying_ ? iteration % 2 : 0);
    switch (s.kind) {
      case 0:
        to = tanh(x * 0.75 + 0.1);
        break;
      case 1:
        to = x + y;
        break;
      case 2:
        to = x.clone();
        break;
      case 3:
        to = remainder(x * 3 - y, 2);
        break;
      case 4:
        to = x.transpose(0, 1);
        break;
      case 5:
        to = x.narrow(0, first, 2);
        break;
      case 6:
        to = x.narrow(1, first, 3);
        break;
      case 7:
        to = x.reshape({-1});
        break;
      case 8:
        to = (remainder(arange(size_ * size_, kFloat32) + iteration, 5) * 0.5)
                 .reshape({size_, size_});
        break;
      case 9:
        x.add_(y);
        break;
      case 10:
        x.mul_(0.5);
        break;
      case 11:
        x.copy_(y);
        break;
      case 12:
        x.fill_(static_cast<double>(s.d % 8) * 0.125 + (s.d % 2 ? iteration : 0));
        break;
      case 13:
        x.select(0, static_cast<int64_t>(s.d % 2)).add_(y.select(0, 1) * 0.5);
        break;
      case 14:
        x.narrow(0, first, 1).copy_(y.narrow(0, 0, 1));
        break;
      case 15:
        x.clamp_(-2, 2);
        x.relu_();
        break;
      case 16:
        if (sum(x).item<float>() > 0) to = y * 0.25;
        break;
      case 17:
        see(amax(x, {0}));
        break;
      case 18:
        x.with_data<float>([&](float* p) { p[0] = static_cast<float>(iteration); });
        break;
      case 19:
        if (s.d % 4 == 0 && iteration == 9) x.const_data_ptr();
        break;
      case 20:
        to = matmul(x, y.transpose(0, 1)) * 0.1;
        break;
      case 21:
        to = mean(x, {-1}, true) - y;
        break;
      case 22:
        x.sub_(y.mean({0}, true) * 0.5);
        break;
      case 24:  // another thread looks
        elsewhere([&] { see(x); });
        break;
      case 25:  // another thread writes
        elsewhere([&] { x.mul_(0.75); });
        break;
      case 26:  // another thread makes a value from what is pending here
        elsewhere([&] { to = relu(x) - 0.125; });
        break;
      case 27:  // positions that go on from iteration to iteration
        to = x.narrow(0, place(x, s.d, iteration), 1);
        break;
      case 28:
        x.select(0, place(x, s.d, iteration)).copy_(y.select(0, place(y, s.a, iteration)));
        break;
      case 29:
        x.narrow(0, place(x, s.d, iteration), 1).add_(y * 0.5);
        break;
      case 30:
        to = x.select(0, place(x, s.d, iteration)) + x.select(0, place(x, s.c, iteration / 2));
        break;
      case 31:
        to = tanh(x.narrow(0, place(x, s.d, iteration) / 2, 2)).narrow(1, iteration % 2, 2);
        break;
      case 23:
        if (x.dim() == 2 && y.dim() == 2) to = cat({x.narrow(0, 0, 1), y.narrow(0, 0, 1)}, 0);
        break;
    }
  }

  // On another thread, with its errors as if on this one.
  template <class F>
  static void elsewhere(F fn) {
    std::exception_ptr error;
    std::thread([&] {
      try {
        fn();
      } catch (const Error&) {
        error = std::current_exception();
      }
    }).join();
    if (error) std::rethrow_exception(error);
  }

  std::vector<Statement> statements_;
  int64_t size_, growth_;
  uint32_t looks_;
  bool region_, varying_;
  std::vector<Tensor> variables_;
  std::string seen_;
};

int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

TEST(StateFuzz, TheJitChangesNoBitAndNoError) {
  const int first = from_environment("FRIT_FUZZ_SEED", 1);
  const int count =
      from_environment("FRIT_FUZZ_COUNT", std::getenv("FRIT_FUZZ_SEED") ? 1 : 400 / sample_step());
  int64_t entries = 0;
  for (int seed = first; seed < first + count; ++seed) {
    Program program(static_cast<uint32_t>(seed));
    if (count == 1) std::cerr << program.text();  // a failed check ends the process
    set_jit_mode("off");
    const std::string eager = program.run();
    set_jit_mode("on");
    HotScope hot;
    ASSERT_EQ(program.run(), eager) << "FRIT_FUZZ_SEED=" << seed << "\n" << program.text();
    entries += hot.plan_entries();
  }
  EXPECT_GT(entries, count) << "hardly any plan ran";
}

// Hot by time, plans compared with eager and left alone where that is faster, ops that go
// unobserved.
TEST(StateFuzz, AsShippedTheJitChangesNoBitAndNoError) {
  constexpr int kRuns = 40;
  const int first = from_environment("FRIT_FUZZ_SEED", 1);
  const int count = from_environment("FRIT_FUZZ_COUNT",
                                     std::getenv("FRIT_FUZZ_SEED") ? 10 : 400 / sample_step()) /
                    10;
  const int64_t before = stats().plan_entries;
  for (int seed = first; seed < first + count; ++seed) {
    Program program(static_cast<uint32_t>(seed));
    set_jit_mode("off");
    const std::string eager = program.run();
    set_jit_mode("on");
    for (int run = 0; run < kRuns; ++run)
      ASSERT_EQ(program.run(), eager) << "FRIT_FUZZ_SEED=" << seed << ", run " << run << "\n"
                                      << program.text();
  }
  EXPECT_GT(stats().plan_entries, before + count) << "hardly any plan ran";
}

}  // namespace
}  // namespace frit
