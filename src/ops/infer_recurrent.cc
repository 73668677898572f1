// rnn: sizes of a recurrent layer.
#include "src/ops/recurrent.h"
#include "src/ops/rules.h"

namespace frit::rules {
namespace {

void check_operand(const Call& call, size_t i, const char* what, IntArrayRef sizes) {
  const Layout &operand = call.tensor(i), &x = call.tensor(0);
  if (operand.sizes() != sizes)
    fail(call, ErrorKind::kRuntime,
         text(what, ": expected sizes ", sizes, ", got ", operand.sizes()));
  if (operand.dtype != x.dtype)
    fail(call, ErrorKind::kRuntime,
         text(what, ": expected ", name(x.dtype), ", got ", name(operand.dtype)));
}

}  // namespace

ResultTypes recurrent(const Call& call) {
  const RecurrentCall layer(call.attrs);
  const Layout& x = call.tensor(0);
  if (layer.mode > Recurrence::kGru || call.operands.size() != layer.operands())
    fail(call, ErrorKind::kType, text("expected ", layer.operands(), " operands"));
  if (!is_floating_point(x.dtype))
    fail(call, ErrorKind::kRuntime, text("only floating point is supported: not ", name(x.dtype)));
  const Layout& state = call.tensor(RecurrentCall::kH);
  if (x.rank != 3 || state.rank != 2)
    fail(call, ErrorKind::kRuntime, "expected an input of 3 dimensions and a state of 2");
  if (x.size(0) < 1) fail(call, ErrorKind::kRuntime, "expected at least one step");
  const int64_t batch = x.size(1), hidden = state.size(1), rows = gates_of(layer.mode) * hidden;
  check_operand(call, RecurrentCall::kInputWeight, "weight of the input", Dims({rows, x.size(2)}));
  check_operand(call, RecurrentCall::kWeight, "weight of the state", Dims({rows, hidden}));
  check_operand(call, RecurrentCall::kH, "state", Dims({batch, hidden}));
  const bool has_c = layer.mode == Recurrence::kLstm;
  if (has_c) check_operand(call, RecurrentCall::kC, "cell state", Dims({batch, hidden}));
  if (layer.bias) {
    check_operand(call, layer.input_bias(), "bias of the input", Dims({rows}));
    check_operand(call, layer.state_bias(), "bias of the state", Dims({rows}));
  }
  ResultTypes types = contiguous_result(x, x.dtype, Dims({x.size(0), batch, hidden}));
  types.count = 2;
  types.results[1].layout =
      intern_contiguous(x.dtype, x.device, has_c ? Dims({batch, hidden}) : Dims({0}));
  return types;
}

}  // namespace frit::rules
