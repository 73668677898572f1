// From accesses, scalars and loops to parameters and the words of a call.
#include <algorithm>

#include "src/schedule/group_lowering.h"
#include "src/schedule/lower.h"

namespace frit::scheduling {

int GroupLowering::use(int access) {
  if (accesses_[access].order < 0) accesses_[access].order = next_order_++;
  return access;
}

int GroupLowering::use_scalar(const ScalarUse& scalar) {
  const auto it = std::find(scalars_.begin(), scalars_.end(), scalar);
  if (it != scalars_.end()) return static_cast<int>(it - scalars_.begin());
  scalars_.push_back(scalar);
  return static_cast<int>(scalars_.size()) - 1;
}

// A loop of one iteration has no strides. What is alone there is like a contiguous row; in a
// single row everything is as if there were more.
Access GroupLowering::class_of(const Way& way, int d) const {
  const int64_t stride = stride_of(way, d);
  if (stride == 1) return Access::kUnit;
  if (stride == -1 && way.use == Way::Use::kRead) return Access::kReversed;
  if (stride != 0) return Access::kStrided;
  const bool is_row = !group_.row.empty() && d == num_loops() - 1;
  if (way.use == Way::Use::kPut) return Access::kBroadcast;
  if (way.use != Way::Use::kRead)
    return is_row && is_alone(way) ? Access::kBroadcast : Access::kStrided;
  return loops_[d].dims.empty() && moves_in_row(way) ? Access::kStrided : Access::kBroadcast;
}

bool GroupLowering::moves_in_row(const Way& way) const {
  return std::any_of(group_.row.begin(), group_.row.end(),
                     [&](int d) { return way.strides[d] != 0; });
}

// Makes parameters of accesses, scalars and sizes, in this order but for the buffers written.
KernelStep GroupLowering::finish() {
  KernelStep step;
  Kernel kernel;
  kernel.rank = num_loops();
  std::vector<int> by_order;
  for (int i = 0; i < static_cast<int>(accesses_.size()); ++i)
    if (accesses_[i].order >= 0) by_order.push_back(i);
  std::sort(by_order.begin(), by_order.end(),
            [&](int a, int b) { return accesses_[a].order < accesses_[b].order; });
  std::vector<int> param_of_access(accesses_.size()), param_of_scalar, param_of_loop;
  const auto add_buffers = [&](Way::Use use, const std::string& stem) {
    int count = 0;
    for (int i : by_order) {
      if (accesses_[i].use != use) continue;
      param_of_access[i] = static_cast<int>(kernel.params.size());
      add_buffer(accesses_[i], stem + std::to_string(count++), &kernel, &step);
    }
  };
  add_buffers(Way::Use::kRead, "a");
  for (const ScalarUse& scalar : scalars_) {
    param_of_scalar.push_back(static_cast<int>(kernel.params.size()));
    kernel.params.push_back({KernelParam::Kind::kScalar,
                             "s" + std::to_string(param_of_scalar.size() - 1),
                             scalar.dtype,
                             {}});
    const bool given = scalar.input >= 0;
    step.words.push_back({given ? KernelWord::Kind::kScalar : KernelWord::Kind::kImmediate,
                          scalar.input, scalar.number, scalar.dtype});
  }
  add_buffers(Way::Use::kWritten, "out");
  add_buffers(Way::Use::kPut, "put");
  add_buffers(Way::Use::kKept, "t");
  for (const Loop& loop : loops_) {
    param_of_loop.push_back(static_cast<int>(kernel.params.size()));
    kernel.params.push_back(
        {KernelParam::Kind::kSize, "n" + std::to_string(param_of_loop.size() - 1), kInt64, {}});
    step.words.push_back({KernelWord::Kind::kImmediate, -1, loop.size, kInt64});
  }
  rename(&body_, param_of_access, param_of_scalar, param_of_loop);
  kernel.body = std::move(body_);
  step.kernel = std::make_shared<const Kernel>(std::move(kernel));
  step.outer_size = loops_[0].size;
  step.work = 1;
  for (const Loop& loop : loops_) step.work *= loop.size;
  step.in_order = goes_in_order();
  add_checks(&step);
  return step;
}

void GroupLowering::add_checks(KernelStep* step) {
  for (int n : group_.nodes) {
    if (is_take(node(n))) step->checks.push_back(check_of(n, taking_of(graph_, node(n))));
    if (is_put(node(n))) step->checks.push_back(check_of(n, putting_of(graph_, node(n)).to));
  }
}

// The call that has the error. Of a put's operands it needs the indices, and of the others what
// their layouts were: they may be in no memory, or cast.
IndexCheck GroupLowering::check_of(int n, const Taking& taking) {
  IndexCheck check;
  const Roles::Called called = roles_.called(n);
  const auto is_index = [&](size_t k) {
    return std::any_of(taking.indices.begin(), taking.indices.begin() + taking.num_indices,
                       [&](const Taking::Index& i) { return i.operand == static_cast<int>(k); });
  };
  check.is_calls = called.node.origin.empty() || called.node.origin == name(Op::embedding);
  check.op = call_step(called.graph, called.node, [&](size_t k, OpStep::Arg* arg) {
    if (is_index(k) || !is_put(node(n)))
      arg->view = memory_.view(node(n).operands[k].value);
    else
      arg->layout = called.graph.layout(called.node.operands[k].value);
  });
  for (int i = 0; i < taking.num_indices; ++i) {
    const Taking::Index& index = taking.indices[i];
    check.ranges.push_back({check.op.args[static_cast<size_t>(index.operand)].view,
                            taking.from_end ? -index.size : 0, index.size});
  }
  return check;
}

// Whether iterations of the outermost loop may put to one place.
bool GroupLowering::goes_in_order() const {
  return loops_[0].size > 1 && std::any_of(accesses_.begin(), accesses_.end(), [&](const Way& way) {
           return way.use == Way::Use::kPut && loops_[0].stride(way.strides) == 0;
         });
}

void GroupLowering::add_buffer(const Way& access, const std::string& name, Kernel* kernel,
                               KernelStep* step) {
  const bool kept = access.use == Way::Use::kKept;
  const int view = kept ? memory_.temporary(graph_.layout(access.value))
                        : memory_.view(access.value, access.offset);
  step->words.push_back({KernelWord::Kind::kAddress, view, 0, access.dtype});
  KernelParam param{KernelParam::Kind::kBuffer, name, access.dtype, {}};
  for (int d = 0; d < num_loops(); ++d) {
    param.access.push_back(class_of(access, d));
    step->words.push_back({KernelWord::Kind::kImmediate, -1, stride_of(access, d), kInt64});
  }
  kernel->params.push_back(std::move(param));
}

void GroupLowering::rename(Body* body, const std::vector<int>& accesses,
                           const std::vector<int>& scalars, const std::vector<int>& loops) {
  for (KernelStmt& stmt : *body) {
    const bool element =
        stmt.kind == KernelStmt::Kind::kLoad || stmt.kind == KernelStmt::Kind::kTake ||
        stmt.kind == KernelStmt::Kind::kPut || stmt.kind == KernelStmt::Kind::kStore;
    if (stmt.param >= 0) stmt.param = element ? accesses[stmt.param] : loops[stmt.param];
    for (int& operand : stmt.operands)
      if (operand < 0) operand = ~scalars[~operand];
    rename(&stmt.body, accesses, scalars, loops);
  }
}

}  // namespace frit::scheduling
