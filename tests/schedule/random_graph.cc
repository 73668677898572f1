// Adds random nodes until there are enough; those whose operands do not fit are dropped.
#include "tests/schedule/random_graph.h"

#include <algorithm>
#include <random>

#include "src/ops/attrs.h"
#include "src/tensor/convert.h"
#include "src/tensor/tensor_impl.h"

namespace frit {
namespace {

class RandomGraph {
 public:
  explicit RandomGraph(uint32_t seed) : random_(seed) {
    for (int d = 0; d < pick(1, 4); ++d) sizes_.push_back(pick_from({1, 2, 3, 5, 8, 33, 40}));
    if (pick(0, 30) == 0) sizes_[pick(0, static_cast<int>(sizes_.size()) - 1)] = 0;
    for (int i = 0; i < pick(1, 4); ++i) graph_.add_input("x" + std::to_string(i), input_layout());
    for (int i = 0; i < pick(0, 2); ++i)
      graph_.add_scalar_input("s" + std::to_string(i),
                              pick(0, 2) == 0 ? Scalar::Kind::kInt : Scalar::Kind::kFloat);
  }

  Graph make(int num_nodes) {
    for (int tries = 0;
         tries < num_nodes * 20 && static_cast<int>(graph_.nodes().size()) < num_nodes; ++tries)
      add();
    std::vector<Graph::ValueId> outputs;
    if (graph_.num_values() > graph_.num_inputs()) outputs.push_back(graph_.num_values() - 1);
    for (int i = 0; i < pick(0, 3); ++i) outputs.push_back(value());
    graph_.set_outputs(outputs);
    return graph_;
  }

  std::vector<GraphArg> args() {
    std::vector<GraphArg> args;
    for (int v = 0; v < graph_.num_inputs(); ++v) {
      if (graph_.is_scalar(v)) {
        args.emplace_back(graph_.scalar_kind(v) == Scalar::Kind::kInt
                              ? Scalar(pick(-3, 3))
                              : Scalar(pick(-30, 30) / 7.0));
      } else {
        args.emplace_back(input(graph_.layout(v)));
      }
    }
    return args;
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  template <class T>
  T pick_from(std::initializer_list<T> list) {
    return list.begin()[pick(0, static_cast<int>(list.size()) - 1)];
  }

  // Of the base sizes, some of them 1 and some leading ones left out, in some order of memory.
  const Layout* input_layout() {
    Dims sizes;
    for (size_t d =
             static_cast<size_t>(pick(0, 4) == 0 ? pick(0, static_cast<int>(sizes_.size())) : 0);
         d < sizes_.size(); ++d)
      sizes.push_back(pick(0, 4) == 0 ? 1 : sizes_[d]);
    const Dtype dtype = pick_from({kFloat32, kFloat32, kFloat32, kFloat32, kFloat64, kInt32, kInt64,
                                   kBool, kFloat16, kBFloat16, kUInt8});
    if (pick(0, 2) > 0) return intern_contiguous(dtype, kCPU, sizes);
    std::vector<int> order;
    for (int d = 0; d < sizes.rank; ++d) order.push_back(d);
    std::shuffle(order.begin(), order.end(), random_);
    Dims strides = sizes;
    int64_t stride = pick(0, 3) == 0 ? 2 : 1;
    for (int d : order) {
      strides[d] = stride;
      stride *= std::max<int64_t>(sizes[d], 1);
    }
    return intern_layout(dtype, kCPU, sizes, strides);
  }

  Tensor input(const Layout* layout) {
    Storage* storage = new_storage(layout->span() * byte_size(layout->dtype), kCPU);
    Tensor t = new_view(layout, storage, 0);
    release(storage);
    const int special = pick(0, 3);
    for (int64_t i = 0; i < layout->span(); ++i)
      store_element(layout->dtype, storage->data + i * byte_size(layout->dtype),
                    element(special == 0));
    return t;
  }

  Scalar element(bool special) {
    if (special && pick(0, 9) == 0)
      return pick_from<Scalar>({0.0, -0.0, __builtin_inf(), -__builtin_inf(), __builtin_nan("")});
    return pick(-64, 64) / 16.0;
  }

  Graph::ValueId value() {
    for (;;) {
      const int v = pick(0, 2) == 0
                        ? pick(0, graph_.num_values() - 1)
                        : pick(std::max(0, graph_.num_values() - 4), graph_.num_values() - 1);
      if (!graph_.is_scalar(v)) return v;
    }
  }
  Graph::Operand operand() {
    if (pick(0, 3) > 0) return {value(), {}};
    if (pick(0, 1) == 0)
      return {-1, pick(0, 1) == 0 ? Scalar(pick(-2, 2)) : Scalar(pick(-20, 20) / 8.0)};
    return {pick(0, graph_.num_values() - 1), {}};
  }

  void add() {
    const Graph::ValueId x = value();
    const int rank = static_cast<int>(graph_.sizes(x).size());
    const int dim = rank == 0 ? 0 : pick(0, rank - 1);
    switch (pick(0, 18)) {
      case 0:
        return node(pick_from({Op::neg, Op::abs, Op::relu, Op::logical_not, Op::floor, Op::sign,
                               Op::isfinite}),
                    {{x, {}}});
      case 1:
        return node(
            pick_from({Op::exp, Op::sqrt, Op::sigmoid, Op::tanh, Op::reciprocal, Op::log1p}),
            {{x, {}}});
      case 2:
      case 3:
      case 4:
        return node(pick_from({Op::add, Op::sub, Op::mul, Op::div, Op::maximum, Op::minimum}),
                    {{x, {}}, operand()});
      case 5:
        return node(pick_from({Op::lt, Op::ge, Op::eq, Op::logical_and, Op::bitwise_or, Op::pow,
                               Op::remainder}),
                    {operand(), {x, {}}});
      case 6:
        return node(Op::where, {{value(), {}}, operand(), operand()});
      case 7:
        return node(Op::cast, {{x, {}}},
                    Attrs().add(pick_from(
                        {kFloat32, kFloat32, kFloat64, kInt32, kInt64, kBool, kFloat16, kInt8})));
      case 8:
      case 9:
        return reduction(x, rank, dim);
      case 10:
        return node(Op::softmax, {{x, {}}}, Attrs().add(pick(0, 2) > 0 ? -1 : dim));
      case 11:
        return node(Op::layer_norm, {{x, {}}, {-1, Scalar(1e-5)}},
                    Attrs().add(false).add(pick(1, 2)));
      case 12:
        return movement(x, rank, dim);
      case 13:
        return node(Op::unsqueeze, {{x, {}}}, Attrs().add(pick(0, rank)));
      case 14:
        return node(pick_from({Op::clone, Op::contiguous}), {{x, {}}});
      case 15:
        if (pick(0, 1) == 0) return node(Op::matmul, {{x, {}}, {value(), {}}});
        return node(Op::full, {operand_number()}, Attrs().add(kFloat32).add_list(graph_.sizes(x)));
      case 16:
        return node(pick_from({Op::cumsum, Op::cumsum, Op::cumprod}), {{x, {}}},
                    Attrs().add(pick(0, 3) > 0 ? -1 : dim));
      case 17:
        return counting(x, rank);
      case 18:
        return taking(x, rank, pick(0, 2) > 0 ? rank - 1 : dim);
    }
  }

  // A range along the last dimension, or one that has sizes of its own.
  void counting(Graph::ValueId x, int rank) {
    const int64_t n =
        rank > 0 && pick(0, 4) > 0 ? graph_.sizes(x)[static_cast<size_t>(rank - 1)] : 5;
    node(Op::arange, {operand_number(), operand_number()},
         Attrs().add(pick_from({kFloat32, kFloat64, kInt64, kInt32, kFloat16})).add(n));
  }

  // Elements of x by indices that are in range: where the largest are, or the first and last few.
  void taking(Graph::ValueId x, int rank, int dim) {
    if (rank == 0 || graph_.layout(x)->numel == 0) return;
    const Op find = pick_from({Op::argmax, Op::argmin});
    if (pick(0, 2) == 0) return node(find, {{x, {}}}, Attrs().add_list({dim}).add(pick(0, 1) == 0));
    const int64_t n = std::min<int64_t>(graph_.sizes(x)[static_cast<size_t>(dim)], pick(1, 9));
    const int way = pick(0, 2);
    const int before = graph_.num_values();
    if (way == 0) {
      node(find, {{x, {}}}, Attrs().add_list({dim}).add(true));
    } else {
      node(Op::arange, {{-1, Scalar(way == 1 ? 0 : -1)}, {-1, Scalar(way == 1 ? 1 : -1)}},
           Attrs().add(kInt64).add(n));
    }
    if (graph_.num_values() == before) return;
    const Graph::Operand index{graph_.num_values() - 1, {}};
    if (pick(0, 1) == 0) return putting(x, dim, way, index);
    if (way == 2) return node(Op::index, {{x, {}}, index}, Attrs().add_list({dim}));
    node(way == 0 ? Op::gather : Op::index_select, {{x, {}}, index}, Attrs().add(dim));
  }

  // Elements into x by those indices.
  void putting(Graph::ValueId x, int dim, int way, const Graph::Operand& index) {
    const Graph::Operand source{pick(0, 1) == 0 ? x : value(), {}};
    if (way == 0 && pick(0, 1) == 0)
      return node(Op::scatter_reduce, {{x, {}}, index, source},
                  Attrs().add(dim).add(pick(0, 1)).add(pick(1, 5)));
    if (way == 0)
      return node(pick_from({Op::scatter, Op::scatter_add}), {{x, {}}, index, source},
                  Attrs().add(dim));
    if (way == 2)
      return node(Op::index_put, {{x, {}}, pick(0, 1) == 0 ? operand_number() : source, index},
                  Attrs().add(pick(0, 1)).add_list({dim}));
    const int before = graph_.num_values();
    node(Op::index_select, {{x, {}}, index}, Attrs().add(dim));
    if (graph_.num_values() == before) return;
    const Graph::Operand rows{graph_.num_values() - 1, {}};
    if (pick(0, 1) == 0) return node(Op::index_copy, {{x, {}}, index, rows}, Attrs().add(dim));
    node(Op::index_add, {{x, {}}, index, rows, {-1, Scalar(pick(1, 2))}}, Attrs().add(dim));
  }

  Graph::Operand operand_number() { return {-1, Scalar(pick(-8, 8) / 4.0)}; }

  void reduction(Graph::ValueId x, int rank, int dim) {
    Dims dims;
    if (pick(0, 5) > 0 && rank > 0) dims.push_back(pick(0, 2) > 0 ? rank - 1 : dim);
    if (pick(0, 3) == 0 && rank > 1 && dims.rank == 1 && dims[0] == rank - 1)
      dims.push_back(rank - 2);
    const Op op = pick_from({Op::sum, Op::sum, Op::amax, Op::amin, Op::prod, Op::mean, Op::var,
                             Op::any, Op::logsumexp});
    std::vector<Graph::Operand> operands = {{x, {}}};
    if (op == Op::var) operands.push_back({-1, Scalar(1)});
    node(op, operands, Attrs().add_list(dims).add(pick(0, 1)));
  }

  void movement(Graph::ValueId x, int rank, int dim) {
    Dims dims(graph_.sizes(x));
    switch (pick(0, 5)) {
      case 0: {
        for (int d = 0; d < rank; ++d) dims[d] = d;
        std::shuffle(dims.values, dims.values + rank, random_);
        return node(Op::permute, {{x, {}}}, Attrs().add_list(dims));
      }
      case 1:
        return node(Op::slice, {{x, {}}},
                    Attrs().add(dim).add(int64_t{1} << 40).add(pick(0, 1)).add(pick(1, 2)));
      case 2:
        return node(Op::select, {{x, {}}}, Attrs().add(dim).add(0));
      case 3:
        return node(Op::reshape, {{x, {}}}, Attrs().add_list(Dims({-1})));
      case 4:
        return node(Op::squeeze, {{x, {}}}, Attrs().add_list({}));
      case 5:
        return node(Op::cat, {{x, {}}, {value(), {}}}, Attrs().add(dim));
    }
  }

  void node(Op op, std::vector<Graph::Operand> operands, const Attrs& attrs = Attrs()) {
    int64_t numel = 1;
    try {
      Graph copy = graph_;
      const auto results = copy.add_node(op, std::move(operands), attrs.flat().vec());
      for (Graph::ValueId v : results) numel = std::max(numel, copy.layout(v)->numel);
      if (numel < 20000) graph_ = std::move(copy);
    } catch (const Error&) {
      // Operands that do not fit: another try.
    }
  }

  std::mt19937 random_;
  std::vector<int64_t> sizes_;
  Graph graph_;
};

}  // namespace

std::optional<RandomCase> random_case(uint32_t seed, int num_nodes) {
  RandomGraph random(seed);
  RandomCase made;
  made.captured = random.make(num_nodes);
  made.args = random.args();
  for (const GraphArg& arg : made.args) made.context.scalar_values.push_back(arg.scalar);
  try {
    made.core = normalize(made.captured, &made.context);
    made.expected = interpret(made.core, made.args);
  } catch (const Error&) {
    return std::nullopt;
  }
  return made;
}

}  // namespace frit
