// Resizing, one dimension after the other: each output place lies somewhere between input places,
// and takes the nearest one or a weighted sum of its neighbours.
#include <cmath>
#include <limits>

#include "src/onnx/broadcast.h"
#include "src/onnx/ops.h"

namespace frit::onnx::ops {
namespace {

using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

enum class Sample { kNearest, kLinear, kCubic };

struct Resizing {
  Sample sample = Sample::kNearest;
  std::string coordinates = "half_pixel";
  std::string nearest = "round_prefer_floor";
  double cubic_a = -0.75;
  bool exclude_outside = false;
  float outside_value = 0;  // where tf_crop_and_resize looks outside
};

// One dimension: sizes, and the factor between them.
struct Stretch {
  int64_t in, out;
  double scale;
  double begin = 0, end = 1;  // of the part that tf_crop_and_resize takes
};

// A list of numbers that is known or an input.
struct FloatList {
  std::optional<Floats> known;
  int input = -1;

  Floats get(const Call& call) const {
    return known ? *known : input >= 0 ? read(call[input]) : Floats();
  }
  static Floats read(const Tensor& tensor) {
    const Tensor flat = tensor.cpu().to(kFloat32).contiguous();
    const float* p = flat.const_data_ptr<float>();
    return {p, p + flat.numel()};
  }
  static FloatList of(const Node& node, int input) {
    if (!node.has_input(input)) return {};
    if (const Tensor* value = node.constant(input)) return {read(*value), -1};
    return {std::nullopt, input};
  }
};

// Where the output's places lie in the input, as f64.
Tensor input_places(const Stretch& s, const std::string& coordinates) {
  const Tensor place = arange(s.out, kFloat64);
  const double last_in = static_cast<double>(s.in - 1), last_out = static_cast<double>(s.out - 1);
  if (coordinates == "asymmetric") return place / s.scale;
  if (coordinates == "tf_half_pixel_for_nn") return (place + 0.5) / s.scale;
  if (coordinates == "align_corners") {
    const double exact = static_cast<double>(s.in) * s.scale - 1;  // ONNX does not cut it to a size
    return place * (s.out > 1 ? last_in / exact : 0.0);
  }
  if (coordinates == "tf_crop_and_resize") {
    if (s.out <= 1) return place + 0.5 * (s.begin + s.end) * last_in;
    return place * ((s.end - s.begin) * last_in / last_out) + s.begin * last_in;
  }
  if (coordinates == "pytorch_half_pixel" && s.out <= 1) return place;
  return (place + 0.5) / s.scale - 0.5;  // half_pixel
}

Tensor nearest_places(const Tensor& place, const std::string& mode) {
  if (mode == "floor") return floor(place);
  if (mode == "ceil") return ceil(place);
  return mode == "round_prefer_ceil" ? floor(place + 0.5) : ceil(place - 0.5);
}

// The weights of the four neighbours, by the distance from the second one (Keys' kernel).
std::vector<Tensor> cubic_weights(const Tensor& f, double a) {
  const auto near = [a](const Tensor& t) { return ((a + 2) * t - (a + 3)) * t * t + 1; };
  const auto far = [a](const Tensor& t) { return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a; };
  return {far(f + 1), near(f), near(1 - f), far(2 - f)};
}

Tensor inside(const Tensor& place, int64_t size) { return (place >= 0) & (place <= size - 1); }

Tensor pick(const Tensor& x, int64_t axis, const Tensor& place) {
  const Tensor index =
      clamp(place, OptionalScalar(0.0), OptionalScalar(static_cast<double>(x.size(axis) - 1)));
  return index_select(x, axis, index.to(kInt64));
}

Tensor interpolate(const Tensor& x, int64_t axis, const Tensor& place, const Resizing& how) {
  const bool linear = how.sample == Sample::kLinear;
  const Tensor below = floor(place), fraction = place - below;
  std::vector<Tensor> weights =
      linear ? std::vector<Tensor>{1 - fraction, fraction} : cubic_weights(fraction, how.cubic_a);
  const Tensor first = linear ? below : below - 1;
  if (how.exclude_outside) {
    Tensor total;
    for (size_t i = 0; i < weights.size(); ++i) {
      const Tensor there = inside(first + static_cast<double>(i), x.size(axis));
      weights[i] = where(there, weights[i], Scalar(0.0));
      total = i == 0 ? weights[i] : total + weights[i];
    }
    for (Tensor& weight : weights) weight = weight / total;
  }
  Tensor result;
  for (size_t i = 0; i < weights.size(); ++i) {
    const Tensor weight = along(weights[i].to(x.dtype()), axis, x.dim());
    const Tensor term = pick(x, axis, first + static_cast<double>(i)) * weight;
    result = i == 0 ? term : result + term;
  }
  return result;
}

Tensor resize(Tensor x, const std::vector<Stretch>& stretches, const Resizing& how) {
  if (how.sample != Sample::kNearest && !x.is_floating_point())
    throw Error(ErrorKind::kNotImplemented, "interpolation of " + std::string(name(x.dtype())));
  const bool crops = how.coordinates == "tf_crop_and_resize";
  Tensor outside;  // places that tf_crop_and_resize fills
  for (int64_t d = 0; d < x.dim(); ++d) {
    const Stretch& s = stretches[d];
    if (s.in == s.out && s.scale == 1 && !crops) continue;
    if (s.in == 0) throw Error(ErrorKind::kValue, "a dimension of size 0 cannot be resized");
    const Tensor place = input_places(s, how.coordinates);
    x = how.sample == Sample::kNearest ? pick(x, d, nearest_places(place, how.nearest))
                                       : interpolate(x, d, place, how);
    if (!crops) continue;
    const Tensor here = along(logical_not(inside(place, s.in)), d, x.dim());
    outside = outside.defined() ? outside | here : here;
  }
  return outside.defined() ? masked_fill(x, outside, how.outside_value) : x;
}

std::vector<Stretch> by_scales(IntArrayRef sizes, const Floats& scales) {
  std::vector<Stretch> result;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const double scale = scales[d], out = std::floor(static_cast<double>(sizes[d]) * scale);
    if (!(scale > 0)) throw Error(ErrorKind::kValue, "a scale of " + std::to_string(scale));
    if (!(out < 1e15))
      throw Error(ErrorKind::kOutOfMemory, "out of memory: a scale of " + std::to_string(scale));
    result.push_back({sizes[d], static_cast<int64_t>(out), scale});
  }
  return result;
}

std::vector<Stretch> by_sizes(IntArrayRef sizes, const Ints& outs) {
  std::vector<Stretch> result;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (outs[d] < 0) throw Error(ErrorKind::kValue, "a size of " + std::to_string(outs[d]));
    const double scale =
        sizes[d] == outs[d] ? 1 : static_cast<double>(outs[d]) / static_cast<double>(sizes[d]);
    result.push_back({sizes[d], outs[d], scale});
  }
  return result;
}

Sample read_sample(Node& node) {
  const std::string mode = node.string_or("mode", "nearest");
  if (mode == "nearest") return Sample::kNearest;
  if (mode == "linear" || mode == "bilinear") return Sample::kLinear;
  if (mode == "cubic") return Sample::kCubic;
  node.fail_unsupported("mode " + mode);
}

std::string read_choice(Node& node, const std::string& name,
                        std::initializer_list<std::string_view> choices) {
  const std::string text = node.string_or(name, std::string(*choices.begin()));
  for (const std::string_view choice : choices)
    if (choice == text) return text;
  node.fail_unsupported(name + " " + text);
}

Runner resize_by_scales(const Resizing& how, const FloatList& scales) {
  return [=](Call& call) {
    const Floats factors = scales.get(call);
    check_length(factors.size(), static_cast<size_t>(call[0].dim()), "scales");
    call.result(resize(call[0], by_scales(call[0].sizes(), factors), how));
  };
}

Resizing read_resizing(Node& node) {
  Resizing how;
  how.sample = read_sample(node);
  how.coordinates = read_choice(node, "coordinate_transformation_mode",
                                {"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel",
                                 "tf_crop_and_resize", "tf_half_pixel_for_nn"});
  how.nearest = read_choice(node, "nearest_mode",
                            {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  how.cubic_a = node.float_or("cubic_coeff_a", -0.75f);
  how.exclude_outside = node.int_or("exclude_outside", 0) != 0;
  how.outside_value = node.float_or("extrapolation_value", 0);
  return how;
}

}  // namespace

Runner bind_upsample(Node& node) {
  Resizing how;
  how.sample = read_sample(node);
  how.coordinates = "asymmetric";
  how.nearest = "floor";
  const FloatList scales =
      node.opset() >= 9 ? FloatList::of(node, 1) : FloatList{node.floats_or("scales", {}), -1};
  return resize_by_scales(how, scales);
}

Runner bind_resize(Node& node) {
  if (node.opset() < 11) return bind_upsample(node);
  const Resizing how = read_resizing(node);
  const FloatList roi = FloatList::of(node, 1), scales = FloatList::of(node, 2);
  const IntList sizes = node.int_list(3);
  return [=](Call& call) {
    const size_t rank = static_cast<size_t>(call[0].dim());
    const Floats factors = scales.get(call);
    check_length(sizes.given() ? sizes.get(call).size() : factors.size(), rank,
                 sizes.given() ? "sizes" : "scales");
    std::vector<Stretch> stretches = sizes.given() ? by_sizes(call[0].sizes(), sizes.get(call))
                                                   : by_scales(call[0].sizes(), factors);
    if (how.coordinates == "tf_crop_and_resize") {
      const Floats ends = roi.get(call);
      check_length(ends.size(), 2 * rank, "roi");
      for (size_t d = 0; d < rank; ++d) {
        stretches[d].begin = ends[d];
        stretches[d].end = ends[rank + d];
      }
    }
    call.result(resize(call[0], stretches, how));
  };
}

}  // namespace frit::onnx::ops
