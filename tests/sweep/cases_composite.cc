// Composites: operands and attributes as each one's row asks for.
#include "src/base/check.h"
#include "tests/sweep/cases.h"

namespace frit::sweep {
namespace {

constexpr Dtype kSome[] = {kFloat32, kFloat64, kFloat16, kBFloat16, kInt64, kUInt8, kBool};
constexpr Lies kLayouts[] = {Lies::kContiguous, Lies::kTransposed, Lies::kStrided,
                             Lies::kBroadcast};

Tensor special(Dtype dtype, IntArrayRef sizes, Lies lies = Lies::kContiguous, int which = 0) {
  return make_tensor(dtype, sizes, lies, Values::kSpecial, which);
}
Tensor small(Dtype dtype, IntArrayRef sizes, Lies lies = Lies::kContiguous, int which = 0) {
  return make_tensor(dtype, sizes, lies, Values::kSmall, which);
}

// One operand, special and small values, by all the attribute sets.
void add_unary(Op op, Dtype dtype, const std::vector<Attrs>& attrs,
               const std::vector<Scalar>& scalars, Cases& cases) {
  for (const Attrs& a : attrs) {
    for (Lies lies : kLayouts) {
      for (const Tensor& x : {special(dtype, {4, 5, 40}, lies), small(dtype, {3, 70}, lies)}) {
        CaseBuilder builder(op);
        builder.add(x).attrs(a);
        for (const Scalar& s : scalars) builder.add(s);
        cases.push_back(builder);
      }
    }
    for (const Tensor& x : {special(dtype, {}), special(dtype, {0, 3})}) {
      CaseBuilder builder(op);
      builder.add(x).attrs(a);
      for (const Scalar& s : scalars) builder.add(s);
      cases.push_back(builder);
    }
  }
}

std::vector<Attrs> reduce_attrs() {
  std::vector<Attrs> list;
  list.push_back(Attrs().add_list({}).add(false));
  list.push_back(Attrs().add_list({-1}).add(true));
  list.push_back(Attrs().add_list({0}).add(false));
  list.push_back(Attrs().add_list({0, 1}).add(true));
  return list;
}

std::vector<Attrs> dim_attrs() {
  return {Attrs().add(-1), Attrs().add(int64_t{0}), Attrs().add(1)};
}

void add_clamp(Op op, Dtype dtype, Cases& cases) {
  for (Lies lies : kLayouts) {
    const Tensor x = special(dtype, {24, 25}, lies);
    if (op == Op::clamp) {
      cases.push_back(CaseBuilder(op).add(x).add(-1).add(2));
      cases.push_back(CaseBuilder(op).add(x).add(0.5).add(-0.5));
      cases.push_back(
          CaseBuilder(op).add(x).add(special(dtype, {25}, Lies::kContiguous, 1)).add(3));
    } else {
      cases.push_back(CaseBuilder(op).add(x).add(0));
      cases.push_back(CaseBuilder(op).add(x).add(0.25));
      cases.push_back(CaseBuilder(op).add(x).add(special(dtype, {24, 1}, Lies::kContiguous, 1)));
    }
  }
}

void add_linear(Op op, Dtype dtype, Cases& cases) {
  for (Lies lies : kLayouts) {
    for (const Tensor& x :
         {small(dtype, {6, 31}, lies), small(dtype, {2, 3, 31}, lies), small(dtype, {31})}) {
      const Tensor w = small(dtype, {17, 31}, Lies::kContiguous, 1);
      cases.push_back(CaseBuilder(op).add(x).add(w));
      cases.push_back(CaseBuilder(op).add(x).add(w).add(small(dtype, {17}, Lies::kContiguous, 2)));
    }
  }
  cases.push_back(CaseBuilder(op).add(small(dtype, {6, 30})).add(small(dtype, {17, 31})));
}

void add_masked_fill(Op op, Dtype dtype, Cases& cases) {
  for (Lies lies : kLayouts) {
    const Tensor x = special(dtype, {24, 25}, lies);
    cases.push_back(CaseBuilder(op).add(x).add(special(kBool, {24, 25}, lies, 1)).add(2));
    cases.push_back(
        CaseBuilder(op).add(x).add(special(kBool, {25}, Lies::kContiguous, 1)).add(-1e9));
  }
}

void add_embedding(Op op, Dtype dtype, Cases& cases) {
  const Tensor weight = small(dtype, {11, 7});
  cases.push_back(CaseBuilder(op).add(weight).add(make_index({5}, 11)));
  cases.push_back(CaseBuilder(op).add(weight).add(make_index({2, 3}, 11)));
  cases.push_back(
      CaseBuilder(op).add(small(dtype, {11, 7}, Lies::kTransposed)).add(make_index({}, 11)));
  cases.push_back(CaseBuilder(op).add(weight).add(make_index({50}, 12, true)));
}

void add_triangles(Op op, Dtype dtype, Cases& cases) {
  for (Lies lies : kLayouts)
    for (int64_t diagonal : {0, 2, -3, 50, -50})
      for (const Tensor& x : {special(dtype, {3, 9, 7}, lies), special(dtype, {6, 33}, lies)})
        cases.push_back(CaseBuilder(op).add(x).attrs(Attrs().add(diagonal)));
  cases.push_back(CaseBuilder(op).add(special(dtype, {5})).attrs(Attrs().add(int64_t{0})));
  cases.push_back(CaseBuilder(op).add(special(dtype, {0, 3})).attrs(Attrs().add(int64_t{0})));
}

void add_baddbmm(Op op, Dtype dtype, Cases& cases) {
  const auto add = [&](std::initializer_list<int64_t> bias, Scalar alpha, Scalar beta) {
    cases.push_back(CaseBuilder(op)
                        .add(small(dtype, IntArrayRef(bias), Lies::kContiguous, 2))
                        .add(small(dtype, {3, 5, 17}))
                        .add(small(dtype, {3, 17, 6}, Lies::kTransposed, 1))
                        .add(alpha)
                        .add(beta));
  };
  add({3, 5, 6}, 1, 1);
  add({6}, 2, 1);
  add({5, 1}, 1, 3);
  add({}, 2, 0);
  add({2, 3, 5, 6}, 1, 1);  // does not broadcast to the product
  if (is_floating_point(dtype)) add({6}, 0.3, 0.7);
}

void add_vector_norms(Op op, Dtype dtype, Cases& cases) {
  for (const Scalar& p : {Scalar(2), Scalar(1), Scalar(0), Scalar(3.5), Scalar(-__builtin_inf()),
                          Scalar(__builtin_inf())})
    add_unary(op, dtype, reduce_attrs(), {p}, cases);
}

void add_distances(Op op, Dtype dtype, Cases& cases) {
  for (Lies lies : kLayouts) {
    const Tensor x = small(dtype, {2, 5, 9}, lies), y = small(dtype, {2, 7, 9}, lies, 1);
    const Tensor z = special(dtype, {2, 5, 9}, lies, 1);
    if (op == Op::cdist) {
      for (const Scalar& p : {Scalar(2.0), Scalar(1.0), Scalar(0.0), Scalar(__builtin_inf())})
        cases.push_back(CaseBuilder(op).add(x).add(y).add(p));
      cases.push_back(CaseBuilder(op).add(x).add(small(dtype, {7, 8})).add(2.0));
      cases.push_back(CaseBuilder(op).add(x).add(small(dtype, {2, 26, 9}, lies)).add(2.0));
    } else {
      for (int64_t dim : {0, 1, -1}) {
        const Attrs attrs = Attrs().add(dim);
        cases.push_back(CaseBuilder(op).add(x).add(z).add(1e-8).attrs(attrs));
        cases.push_back(
            CaseBuilder(op).add(x).add(small(dtype, {2, 5, 9}, lies, 1)).add(1e-8).attrs(attrs));
      }
    }
  }
}

void add_crosses(Op op, Dtype dtype, Cases& cases) {
  for (Lies lies : kLayouts)
    for (int64_t dim : {0, 1, -1})
      cases.push_back(CaseBuilder(op)
                          .add(special(dtype, {3, 5, 3}, lies))
                          .add(small(dtype, {3, 5, 3}, lies, 1))
                          .attrs(Attrs().add(dim)));
}

void add_norm(Op op, Dtype dtype, Cases& cases) {
  for (Lies lies : kLayouts) {
    for (int64_t dims : {1, 2}) {
      const Tensor x = small(dtype, {4, 5, 40}, lies);
      const Dims sizes = dims == 1 ? Dims({40}) : Dims({5, 40});
      cases.push_back(CaseBuilder(op).add(x).add(1e-5).attrs(Attrs().add(false).add(dims)));
      CaseBuilder affine(op);
      affine.add(x).add(1e-5).add(small(dtype, sizes, Lies::kContiguous, 1));
      if (op == Op::layer_norm) affine.add(small(dtype, sizes, Lies::kContiguous, 2));
      cases.push_back(affine.attrs(Attrs().add(true).add(dims)));
    }
  }
  cases.push_back(
      CaseBuilder(op).add(special(dtype, {24, 25})).add(1e-5).attrs(Attrs().add(false).add(1)));
}

void add_batch_norm(Op op, Dtype dtype, Cases& cases) {
  for (Lies lies : kAllLies) {
    CaseBuilder builder(op);
    builder.add(small(dtype, {2, 6, 4, 5}, lies));
    for (int which : {1, 2, 3}) builder.add(small(dtype, {6}, Lies::kContiguous, which));
    Tensor var = small(dtype, {6}, Lies::kContiguous, 4);
    cases.push_back(builder.add(var).add(1e-5));
  }
}

void add_group_norm(Op op, Dtype dtype, Cases& cases) {
  for (Lies lies : kAllLies) {
    const Tensor x = small(dtype, {2, 6, 4, 5}, lies);
    cases.push_back(CaseBuilder(op).add(x).add(1e-5).attrs(Attrs().add(false).add(3)));
    cases.push_back(CaseBuilder(op)
                        .add(x)
                        .add(1e-5)
                        .add(small(dtype, {6}, Lies::kContiguous, 1))
                        .add(small(dtype, {6}, Lies::kContiguous, 2))
                        .attrs(Attrs().add(true).add(2)));
    cases.push_back(CaseBuilder(op).add(x).add(1e-5).attrs(Attrs().add(false).add(4)));
  }
}

void add_attention(Op op, Dtype dtype, Cases& cases) {
  for (bool causal : {false, true}) {
    for (Lies lies : {Lies::kContiguous, Lies::kStrided}) {
      const Tensor q = small(dtype, {2, 3, 9, 8}, lies), k = small(dtype, {2, 3, 11, 8}, lies, 1);
      const Tensor v = small(dtype, {2, 3, 11, 8}, lies, 2);
      cases.push_back(
          CaseBuilder(op).add(q).add(k).add(v).add(0.35).attrs(Attrs().add(causal).add(false)));
      if (causal) continue;
      for (const Tensor& mask : {small(kBool, {9, 11}), small(dtype, {9, 11})})
        cases.push_back(CaseBuilder(op).add(q).add(k).add(v).add(0.35).add(mask).attrs(
            Attrs().add(false).add(true)));
    }
  }
}

// Operands of one size and of sizes that broadcast, then these numbers.
void add_tensors(Op op, Dtype dtype, int count, const std::vector<Scalar>& scalars,
                 const Attrs& attrs, Cases& cases) {
  const auto add = [&](const std::vector<Tensor>& tensors) {
    CaseBuilder builder(op);
    for (const Tensor& t : tensors) builder.add(t);
    for (const Scalar& s : scalars) builder.add(s);
    cases.push_back(builder.attrs(attrs));
  };
  for (Lies lies : kLayouts) {
    std::vector<Tensor> equal, broadcast;
    for (int i = 0; i < count; ++i) {
      equal.push_back(special(dtype, {24, 25}, i == 0 ? lies : Lies::kContiguous, i));
      const Dims row = i % 2 == 0 ? Dims({3, 1, 70}) : Dims({2, 1});
      broadcast.push_back(small(dtype, row, Lies::kContiguous, i));
    }
    add(equal);
    add(broadcast);
  }
  std::vector<Tensor> mixed, empty;
  for (int i = 0; i < count; ++i) {
    mixed.push_back(special(i == 0 ? dtype : kFloat32, {24, 25}, Lies::kContiguous, i));
    empty.push_back(special(dtype, {0, 3}));
  }
  add(mixed);
  add(empty);
}

void add_lerp(Op op, Dtype dtype, Cases& cases) {
  add_tensors(op, dtype, 3, {}, Attrs(), cases);
  for (double weight : {0.25, 0.75, -3.0}) add_tensors(op, dtype, 2, {weight}, Attrs(), cases);
}

void add_glu(Op op, Dtype dtype, Cases& cases) {
  for (Lies lies : kLayouts) {
    for (const Tensor& x : {special(dtype, {4, 6, 40}, lies), small(dtype, {2, 70}, lies)})
      for (const Attrs& attrs : {Attrs().add(-1), Attrs().add(int64_t{0})})
        cases.push_back(CaseBuilder(op).add(x).attrs(attrs));
  }
  cases.push_back(CaseBuilder(op).add(small(dtype, {3, 5})).attrs(Attrs().add(1)));
  cases.push_back(CaseBuilder(op).add(small(dtype, {})).attrs(Attrs().add(int64_t{0})));
}

void add_logit(Op op, Dtype dtype, Cases& cases) {
  add_unary(op, dtype, {Attrs()}, {}, cases);
  add_unary(op, dtype, {Attrs()}, {0.125, 0.875}, cases);
}

void add_cases(Op op, Dtype dtype, Cases& cases) {
  switch (op) {
#define FRIT_UNARY(name, ...) case Op::name:
#define FRIT_BINARY(name, ...) case Op::name:
#define FRIT_TERNARY(name, ...) case Op::name:
#define FRIT_CORE(name, ...) case Op::name:
#define FRIT_COMPOSITE(...)
#include "src/ops/ops.def"
    FRIT_CHECK(false) << name(op) << " is no composite";
    break;
    case Op::mean:
    case Op::any:
    case Op::all:
    case Op::logsumexp:
      return add_unary(op, dtype, reduce_attrs(), {}, cases);
    case Op::var:
      return add_unary(op, dtype, reduce_attrs(), {1}, cases);
    case Op::clamp:
    case Op::clamp_min:
    case Op::clamp_max:
      return add_clamp(op, dtype, cases);
    case Op::addcmul:
    case Op::addcdiv:
      return add_tensors(op, dtype, 3, {2}, Attrs(), cases);
    case Op::lerp:
      return add_lerp(op, dtype, cases);
    case Op::logit:
      return add_logit(op, dtype, cases);
    case Op::polygamma:
      return add_unary(op, dtype, {Attrs().add(int64_t{0}), Attrs().add(1), Attrs().add(3)}, {},
                       cases);
    case Op::nan_to_num:
      return add_unary(op, dtype, {Attrs()}, {0, 100, -100}, cases);
    case Op::isclose:
      for (bool equal_nan : {false, true})
        add_tensors(op, dtype, 2, {1e-2, 1e-3}, Attrs().add(equal_nan), cases);
      return;
    case Op::round_decimals:
      return add_unary(op, dtype, {Attrs().add(2), Attrs().add(-1)}, {}, cases);
    case Op::elu:
      return add_unary(op, dtype, {Attrs()}, {1.5, 1.25, 0.5}, cases);
    case Op::softplus:
      return add_unary(op, dtype, {Attrs()}, {2, 20}, cases);
    case Op::threshold:
      return add_unary(op, dtype, {Attrs()}, {1, 7}, cases);
    case Op::mse_loss:
    case Op::binary_cross_entropy:
      return add_tensors(op, dtype, 2, {}, Attrs(), cases);
    case Op::binary_cross_entropy_with_logits:
      add_tensors(op, dtype, 3, {}, Attrs(), cases);
      return add_tensors(op, dtype, 2, {}, Attrs(), cases);
    case Op::smooth_l1_loss:
    case Op::huber_loss:
      return add_tensors(op, dtype, 2, {0.75}, Attrs(), cases);
    case Op::kl_div:
      for (bool log_target : {false, true})
        add_tensors(op, dtype, 2, {}, Attrs().add(log_target), cases);
      return;
    case Op::glu:
      return add_glu(op, dtype, cases);
    case Op::gelu:
      return add_unary(op, dtype, {Attrs().add(false), Attrs().add(true)}, {}, cases);
    case Op::softmax:
    case Op::log_softmax:
      return add_unary(op, dtype, dim_attrs(), {}, cases);
    case Op::linear:
      return add_linear(op, dtype, cases);
    case Op::masked_fill:
      return add_masked_fill(op, dtype, cases);
    case Op::norm:
      return add_vector_norms(op, dtype, cases);
    case Op::cdist:
    case Op::cosine_similarity:
      return add_distances(op, dtype, cases);
    case Op::cross:
      return add_crosses(op, dtype, cases);
    case Op::tril:
    case Op::triu:
      return add_triangles(op, dtype, cases);
    case Op::baddbmm:
      return add_baddbmm(op, dtype, cases);
    case Op::embedding:
      return add_embedding(op, dtype, cases);
    case Op::layer_norm:
    case Op::rms_norm:
      return add_norm(op, dtype, cases);
    case Op::batch_norm:
      return add_batch_norm(op, dtype, cases);
    case Op::group_norm:
      return add_group_norm(op, dtype, cases);
    case Op::scaled_dot_product_attention:
      return add_attention(op, dtype, cases);
  }
}

}  // namespace

Cases composite_cases(Op op) {
  Cases cases;
  for (Dtype dtype : kSome) add_cases(op, dtype, cases);
  return cases;
}

}  // namespace frit::sweep
