// Recording calls and holding later calls against them.
#include "src/capture/match.h"
#include "src/capture/trace_graph.h"

#include <gtest/gtest.h>

#include "frit/ops.h"
#include "src/eager/dispatch.h"

namespace frit::capture {
namespace {

// Runs calls eagerly and writes them down.
class Recording {
 public:
  Recording() { writer_.begin(); }
  Tensor call(Op op, std::initializer_list<Operand> operands, const Attrs& attrs = Attrs()) {
    const OpCall call{op, {operands.begin(), operands.size()}, attrs};
    Tensor result;
    run_eager(call, &result);
    EXPECT_TRUE(writer_.append(call, &result, ++path_));
    return result;
  }
  Trace end() { return writer_.end(); }

 private:
  MuteScope mute_;
  TraceWriter writer_;
  uint64_t path_ = 0;
};

MatchTable table_of(Trace trace) {
  MatchTable table;
  table.guarded.assign(trace.scalars.size(), true);
  table.trace = std::move(trace);
  return table;
}

// Holds calls against a table.
class Matcher {
 public:
  explicit Matcher(const MatchTable& table) { pending.begin(&table, &placeholders, this, 1 << 20); }
  ~Matcher() {
    for (TensorImpl* p : placeholders) {
      if (p == nullptr) continue;
      p->owner.store(nullptr);
      Tensor::adopt(p);
    }
  }
  Tensor match(Op op, std::initializer_list<Operand> operands, const Attrs& attrs = Attrs()) {
    Tensor result;
    matched =
        pending.match({op, {operands.begin(), operands.size()}, attrs}, &result, &reason, &scalar);
    return result;
  }

  std::vector<TensorImpl*> placeholders;
  Pending pending;
  bool matched = false;
  Reason reason{};
  int scalar = -1;
};

MatchTable affine(const Tensor& x) {
  Recording r;
  const Tensor y = r.call(Op::mul, {x, Scalar(2)});
  r.call(Op::add, {y, Scalar(1)});
  return table_of(r.end());
}

TEST(Trace, NumbersExternalsSlotsAndScalarsByFirstUse) {
  const Tensor x = full({3}, 1.0);
  Recording r;
  const Tensor a = r.call(Op::mul, {x, Scalar(2)});
  const Tensor b = r.call(Op::add, {a, x});
  const Trace trace = r.end();
  EXPECT_EQ(trace.externals.size(), 1u);
  EXPECT_EQ(trace.scalars.size(), 1u);
  EXPECT_EQ(trace.operands[2], ValueRef(ValueRef::Kind::kSlot, 0));
  EXPECT_EQ(trace.operands[3], ValueRef(ValueRef::Kind::kExternal, 0));
  EXPECT_TRUE(trace.alive[0] && trace.alive[1]);
}

TEST(Trace, KnowsWhatIsAliveAndWhatMustBeProduced) {
  const Tensor x = full({3}, 1.0);
  Recording r;
  Tensor dead = r.call(Op::relu, {x});
  Tensor kept = r.call(Op::neg, {dead});
  r.call(Op::exp, {x});  // dropped at once, and nothing consumed it
  dead = Tensor();
  const Trace trace = r.end();
  EXPECT_EQ(trace.alive, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(roots_to_produce(trace, trace.alive), (std::vector<bool>{false, true, true}));
}

TEST(Trace, ViewsLeadToTheirRoots) {
  const Tensor x = full({4, 2}, 1.0);
  Recording r;
  const Tensor y = r.call(Op::relu, {x});
  const Tensor row = r.call(Op::select, {y}, Attrs().add(0).add(2));
  const Tensor of_input = r.call(Op::select, {x}, Attrs().add(0).add(1));
  const Trace trace = r.end();
  EXPECT_EQ(trace.slots[1].root, ValueRef(ValueRef::Kind::kSlot, 0));
  EXPECT_EQ(trace.slots[1].offset, 4);
  EXPECT_EQ(trace.slots[2].root, ValueRef(ValueRef::Kind::kExternal, 0));
  EXPECT_EQ(trace.slots[2].offset, 2);
}

TEST(Trace, BecomesTheGraphOfTheUsersOps) {
  const MatchTable table = affine(full({3}, 1.0));
  const TraceGraph literal = to_graph(table.trace, {false, true}, {true, true}, "t");
  EXPECT_EQ(literal.graph.print(),
            "graph %t(%x0: f32[3]) -> f32[3] {\n  %0: f32[3] = mul %x0, 2\n  %1: f32[3] = add %0, "
            "1\n  return %1\n}\n");
  const TraceGraph argument = to_graph(table.trace, {false, true}, {false, true}, "t");
  EXPECT_EQ(argument.graph.print(),
            "graph %t(%x0: f32[3], %s0: i64) -> f32[3] {\n  %0: f32[3] = mul %x0, %s0\n  %1: "
            "f32[3] = add %0, 1\n  return %1\n}\n");
  EXPECT_EQ(argument.scalar_of_input, std::vector<int>{0});
  EXPECT_EQ(argument.places[0].output, -1);
  EXPECT_EQ(argument.places[1].output, 0);
}

TEST(Match, HandsOutPendingTensorsOfTheRightLayout) {
  const MatchTable table = affine(full({3}, 1.0));
  Matcher m(table);
  const Tensor y = m.match(Op::mul, {full({3}, 5.0), Scalar(2)});
  ASSERT_TRUE(m.matched);
  EXPECT_TRUE(y.impl()->pending());
  EXPECT_EQ(y.sizes(), IntArrayRef({3}));
  m.match(Op::add, {y, Scalar(1)});
  EXPECT_TRUE(m.matched);
  EXPECT_TRUE(m.pending.complete());
}

TEST(Match, FailsWithItsReason) {
  const MatchTable table = affine(full({3}, 1.0));
  const Tensor x = full({3}, 5.0);
  {
    Matcher m(table);
    m.match(Op::div, {x, Scalar(2)});
    EXPECT_EQ(m.reason, Reason::other_op);
    m.match(Op::mul, {full({4}, 5.0), Scalar(2)});
    EXPECT_EQ(m.reason, Reason::other_layout);
    m.match(Op::mul, {full({3}, 5, kFloat64), Scalar(2)});
    EXPECT_EQ(m.reason, Reason::other_layout);
    m.match(Op::mul, {x, Scalar(3)});
    EXPECT_EQ(m.reason, Reason::other_scalar);
    EXPECT_EQ(m.scalar, 0);
    m.match(Op::mul, {x, Scalar(2.0)});
    EXPECT_EQ(m.reason, Reason::other_operand);
    EXPECT_EQ(x.use_count(), 1u) << "a failed match keeps nothing";
  }
  Matcher m(table);
  const Tensor y = m.match(Op::mul, {x, Scalar(2)});
  m.match(Op::add, {x, Scalar(1)});
  EXPECT_EQ(m.reason, Reason::other_operand);
  m.match(Op::add, {y, Scalar(1)});
  EXPECT_TRUE(m.matched) << "the failed call left no trace";
}

TEST(Match, ExposedMemoryIsNotBound) {
  const MatchTable table = affine(full({3}, 1.0));
  const Tensor x = full({3}, 5.0);
  x.data_ptr<float>();
  Matcher m(table);
  m.match(Op::mul, {x, Scalar(2)});
  EXPECT_EQ(m.reason, Reason::exposed_operand);
}

TEST(Match, GoesOnWithAnotherTableThatAgrees) {
  const Tensor x = full({3}, 1.0);
  const MatchTable first = affine(x);
  Recording r;
  const Tensor y = r.call(Op::mul, {x, Scalar(2)});
  r.call(Op::sub, {y, Scalar(1)});
  const MatchTable second = table_of(r.end());
  Matcher m(first);
  const Tensor pending = m.match(Op::mul, {x, Scalar(2)});
  m.match(Op::sub, {pending, Scalar(1)});
  ASSERT_FALSE(m.matched);
  ASSERT_TRUE(m.pending.agrees(second));
  std::vector<TensorImpl*> others;
  m.pending.switch_to(&second, &others);
  m.match(Op::sub, {pending, Scalar(1)});
  EXPECT_TRUE(m.matched);
  m.placeholders.swap(others);
}

}  // namespace
}  // namespace frit::capture
