// Ops that move elements between dimensions or repeat those at the border.
#include <limits>

#include "src/onnx/ops.h"

namespace frit::onnx::ops {
namespace {

using Ints = std::vector<int64_t>;

int64_t read_block_size(Node& node) {
  const int64_t size = node.required_int("blocksize");
  if (size < 1 || size > std::numeric_limits<int32_t>::max())
    node.fail("blocksize is " + std::to_string(size));
  return size;
}

void require_image(const Tensor& x) {
  if (x.dim() != 4)
    throw Error(ErrorKind::kValue, "expected 4 dimensions, got " + std::to_string(x.dim()));
}

int64_t part(int64_t size, int64_t divisor) {
  if (size % divisor != 0)
    throw Error(ErrorKind::kValue,
                "size " + std::to_string(size) + " is not divided by " + std::to_string(divisor));
  return size / divisor;
}

Tensor depth_to_space(const Tensor& x, int64_t block, bool depth_first) {
  require_image(x);
  const int64_t n = x.size(0), c = part(x.size(1), block * block), h = x.size(2), w = x.size(3);
  const Tensor moved = depth_first
                           ? x.reshape({n, block, block, c, h, w}).permute({0, 3, 4, 1, 5, 2})
                           : x.reshape({n, c, block, block, h, w}).permute({0, 1, 4, 2, 5, 3});
  return moved.reshape({n, c, h * block, w * block});
}

Tensor space_to_depth(const Tensor& x, int64_t block) {
  require_image(x);
  const int64_t n = x.size(0), c = x.size(1);
  const int64_t h = part(x.size(2), block), w = part(x.size(3), block);
  return x.reshape({n, c, h, block, w, block})
      .permute({0, 3, 5, 1, 2, 4})
      .reshape({n, c * block * block, h, w});
}

enum class Border { kConstant, kEdge, kReflect };

Border read_border(Node& node) {
  const std::string mode = node.string_or("mode", "constant");
  if (mode == "constant") return Border::kConstant;
  if (mode == "edge") return Border::kEdge;
  if (mode == "reflect") return Border::kReflect;
  node.fail_unsupported("mode " + mode);
}

// Indices of one dimension with `before` and `after` more that repeat it.
Tensor repeated_places(int64_t size, int64_t before, int64_t after, Border border) {
  if (size == 0) throw Error(ErrorKind::kValue, "a dimension of size 0 has no border to repeat");
  const Tensor place = arange(-before, size + after);
  const int64_t last = size - 1;
  if (border == Border::kEdge || last == 0)
    return clamp(place, OptionalScalar(0), OptionalScalar(last));
  const Tensor phase = remainder(place, 2 * last);  // there and back, without either end twice
  return minimum(phase, 2 * last - phase);
}

// ONNX lists all befores, then all afters.
void check_pads(const Ints& pads, int64_t rank) {
  if (static_cast<int64_t>(pads.size()) != 2 * rank)
    throw Error(ErrorKind::kValue, "expected " + std::to_string(2 * rank) + " pads, got " +
                                       std::to_string(pads.size()));
  for (const int64_t pad : pads)
    if (pad > (int64_t{1} << 48) || pad < -(int64_t{1} << 48))
      throw Error(ErrorKind::kOutOfMemory, "out of memory: a pad of " + std::to_string(pad));
}

Tensor pad_repeating(Tensor x, const Ints& pads, Border border) {
  const int64_t rank = x.dim();
  for (int64_t d = 0; d < rank; ++d)
    if (pads[d] != 0 || pads[rank + d] != 0)
      x = index_select(x, d, repeated_places(x.size(d), pads[d], pads[rank + d], border));
  return x;
}

// frit::pad pairs from the last dimension on.
Ints paired_from_last(const Ints& pads, int64_t rank) {
  Ints result;
  for (int64_t d = rank - 1; d >= 0; --d) result.insert(result.end(), {pads[d], pads[rank + d]});
  return result;
}

}  // namespace

Runner bind_depth_to_space(Node& node) {
  const int64_t block = read_block_size(node);
  const std::string mode = node.string_or("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") node.fail("mode is " + mode);
  return [block, depth_first = mode == "DCR"](Call& call) {
    call.result(depth_to_space(call[0], block, depth_first));
  };
}

Runner bind_space_to_depth(Node& node) {
  const int64_t block = read_block_size(node);
  return [block](Call& call) { call.result(space_to_depth(call[0], block)); };
}

Runner bind_pad(Node& node) {
  const Border border = read_border(node);
  const IntList list = node.int_list("pads", 11, 1);
  if (!list.given()) node.fail("no pads");
  const bool by_input = node.opset() >= 11;
  const Scalar value = by_input ? Scalar(0) : Scalar(node.float_or("value", 0));
  return [=](Call& call) {
    const Tensor& x = call[0];
    const Ints pads = list.get(call);
    check_pads(pads, x.dim());
    if (border != Border::kConstant) return call.result(pad_repeating(x, pads, border));
    const Ints paired = paired_from_last(pads, x.dim());
    if (!by_input || !call.has(2)) return call.result(pad(x, paired, value));
    const auto number = call.number(2, x);
    call.result(pad(x, paired, number ? *number : call[2].item()));
  };
}

}  // namespace frit::onnx::ops
