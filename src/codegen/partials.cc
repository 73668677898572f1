// Blocks of partials, as levels that carry into one another.
#include "src/codegen/partials.h"

#include <array>
#include <cstring>

#include "src/ops/reference/reduce.h"

namespace frit::codegen {
namespace {

using math::Type;

// Masks as integers: any and all.
struct OrFold {
  using Type = uint32_t;
  static Type identity() { return 0; }
  static Type combine(Type a, Type b) { return a | b; }
};
struct AndFold {
  using Type = uint32_t;
  static Type identity() { return ~uint32_t{0}; }
  static Type combine(Type a, Type b) { return a & b; }
};

// One level holds the lanes of one block of partials; a full block becomes a partial of the next
// level. Levels of every type are equally long, so that generated code can find their counts.
template <class F, PartialWidth width>
struct Level {
  using T = typename F::Type;
  static constexpr size_t kElements = static_cast<size_t>(width) / sizeof(T);
  using Partial = std::array<T, kElements>;

  int64_t count;
  std::array<Partial, reference::kLanes> lanes;

  void add(const Partial& partial) {
    if (count == 0) {
      for (Partial& lane : lanes) lane.fill(F::identity());
    }
    Partial& lane = lanes[static_cast<size_t>(count++ % reference::kLanes)];
    for (size_t i = 0; i < kElements; ++i) lane[i] = F::combine(lane[i], partial[i]);
  }

  Partial joined() const {
    Partial result;
    for (size_t i = 0; i < kElements; ++i) {
      std::array<T, reference::kLanes> column;
      for (size_t lane = 0; lane < column.size(); ++lane) column[lane] = lanes[lane][i];
      result[i] = reference::join_lanes<F>(column.data());
    }
    return result;
  }
};

template <class F, PartialWidth width>
using Levels = std::array<Level<F, width>, kPartialLevels>;

// Full levels carry.
template <class F, PartialWidth width>
void push_at(Levels<F, width>* levels, size_t i, const typename Level<F, width>::Partial& partial) {
  Level<F, width>& level = (*levels)[i];
  if (level.count == reference::kBlock && i + 1 < levels->size()) {
    push_at<F, width>(levels, i + 1, level.joined());
    level.count = 0;
  }
  level.add(partial);
}

template <class F, PartialWidth width>
void push(void* state, const void* partial) {
  static_assert(sizeof(Level<F, width>) == level_bytes(width));
  typename Level<F, width>::Partial value;
  std::memcpy(&value, partial, sizeof value);
  push_at<F, width>(static_cast<Levels<F, width>*>(state), 0, value);
}

template <class F, PartialWidth width>
void finish(void* result, const void* state) {
  Levels<F, width> levels;
  std::memcpy(&levels, state, sizeof levels);
  typename Level<F, width>::Partial value = levels[0].joined();
  for (size_t i = 1; i < levels.size() && levels[i].count > 0; ++i) {
    push_at<F, width>(&levels, i, value);
    value = levels[i].joined();
  }
  std::memcpy(result, &value, sizeof value);
}

template <class F>
PartialFunctions functions(PartialWidth width) {
  PartialFunctions made;
  const typename F::Type identity = F::identity();
  std::memcpy(&made.identity, &identity, sizeof identity);
  if (width == PartialWidth::kElement) {
    made.push = &push<F, PartialWidth::kElement>;
    made.finish = &finish<F, PartialWidth::kElement>;
  } else {
    made.push = &push<F, PartialWidth::kVector>;
    made.finish = &finish<F, PartialWidth::kVector>;
  }
  return made;
}

template <class T>
PartialFunctions arithmetic(Op op, PartialWidth width) {
  if (op == Op::sum) return functions<reference::SumFold<T>>(width);
  if (op == Op::prod) return functions<reference::ProdFold<T>>(width);
  if (op == Op::amax) return functions<reference::MaxFold<T>>(width);
  if (op == Op::amin) return functions<reference::MinFold<T>>(width);
  return {};
}

}  // namespace

PartialFunctions partial_functions(Op op, Type type, PartialWidth width) {
  switch (type) {
    case Type::kF32:
      return arithmetic<float>(op, width);
    case Type::kF64:
      return arithmetic<double>(op, width);
    case Type::kI32:
      return arithmetic<int32_t>(op, width);
    case Type::kI64:
      return arithmetic<int64_t>(op, width);
    case Type::kM32:
      return op == Op::sum || op == Op::amax ? functions<OrFold>(width) : functions<AndFold>(width);
    case Type::kM64:
      break;
  }
  return {};
}

}  // namespace frit::codegen
