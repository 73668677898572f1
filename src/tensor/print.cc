// Prints tensors as PyTorch does: all elements in one style, lines of a width, and of a tensor with
// many elements only the first and last along each dimension.
#pragma GCC optimize("Os")  // runs seldom, and is large otherwise
#include "src/tensor/print.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

#include "src/tensor/convert.h"
#include "src/tensor/devices.h"
#include "src/tensor/tensor_impl.h"

namespace frit {
namespace {

// Lines break where PyTorch's do, which counts its own module's name.
constexpr size_t kDtypePrefixWidth = std::string_view("torch.").size();

// PyTorch's names.
std::string_view long_name(Dtype dtype) {
  constexpr std::string_view kNames[kNumDtypes] = {"float64", "float32", "bfloat16", "float16",
                                                   "int64",   "int32",   "int16",    "int8",
                                                   "uint8",   "bool"};
  return kNames[static_cast<int>(dtype)];
}

std::string print(const char* format, int digits, double value) {
  if (std::isnan(value)) return "nan";
  std::string text(static_cast<size_t>(std::snprintf(nullptr, 0, format, digits, value)), ' ');
  std::snprintf(text.data(), text.size() + 1, format, digits, value);
  return text;
}

// The indices of a dimension that are shown: all of them, or those at either end.
class Shown {
 public:
  Shown(bool summarize, int64_t size, int64_t edge)
      : size_(size), edge_(edge), cut_(summarize && size > 2 * edge) {}
  bool gap_after(int64_t i) const { return cut_ && i + 1 == edge_; }
  // Past the gap, where there is one before the first index.
  int64_t first() const { return cut_ && edge_ == 0 ? size_ : 0; }
  int64_t next(int64_t i) const { return gap_after(i) ? size_ - edge_ : i + 1; }

 private:
  int64_t size_, edge_;
  bool cut_;
};

// One style for all elements: wide enough for each.
class Style {
 public:
  Style(Dtype dtype, const PrintOptions& options)
      : precision_(options.precision),
        wanted_scientific_(options.scientific),
        is_float_(is_floating_point(dtype)) {}

  // Elements that will be shown come first through here, then through fit().
  void look_at(const Scalar& value) {
    const double v = value.to_double();
    if (!is_float_ || !std::isfinite(v) || v == 0) return;
    smallest_ = std::min(smallest_, std::fabs(v));
    largest_ = std::max(largest_, std::fabs(v));
    whole_ &= v == std::ceil(v);
  }
  void choose() {
    if (largest_ == 0) return;
    scientific_ = largest_ / smallest_ > 1000 || largest_ > 1e8 || (!whole_ && smallest_ < 1e-4);
  }
  // Zeros, infinities and NaN are padded, but do not widen the column.
  void fit(const Scalar& value) {
    const double v = value.to_double();
    if (is_float_ && (!std::isfinite(v) || v == 0)) return;
    width_ = std::max(width_, text(value).size());
  }
  // The option decides after the width is known, and not where only zeros, infinities and NaN are.
  void decide() {
    if (largest_ > 0) scientific_ = wanted_scientific_.value_or(scientific_);
  }

  size_t width() const { return width_; }
  std::string format(const Scalar& value) const {
    const std::string body = text(value);
    return std::string(width_ - std::min(width_, body.size()), ' ') + body;
  }

 private:
  std::string text(const Scalar& value) const {
    if (value.kind() == Scalar::Kind::kBool) return value.to_bool() ? "True" : "False";
    if (!is_float_) return std::to_string(value.to_int());
    const double v = value.to_double();
    if (scientific_) return print("%.*e", precision_, v);
    if (!whole_) return print("%.*f", precision_, v);
    return print("%.*f", 0, v) + (std::isfinite(v) ? "." : "");
  }

  int precision_;
  std::optional<bool> wanted_scientific_;
  bool is_float_, whole_ = true, scientific_ = false;
  double smallest_ = HUGE_VAL, largest_ = 0;
  size_t width_ = 1;
};

class Printer {
 public:
  Printer(const TensorImpl* impl, const PrintOptions& options)
      : impl_(impl),
        options_(options),
        layout_(*impl->layout),
        style_(layout_.dtype, options),
        summarize_(static_cast<double>(layout_.numel) > options.threshold) {}

  std::string run() {
    if (layout_.numel == 0) return "[]";
    for_each_shown(0, 0, [&](const Scalar& v) { style_.look_at(v); });
    style_.choose();
    for_each_shown(0, 0, [&](const Scalar& v) { style_.fit(v); });
    style_.decide();
    return print(0, 0, options_.prefix.size());
  }

 private:
  Scalar element(int64_t offset) const {
    return load_element(layout_.dtype, impl_->data + offset * byte_size(layout_.dtype));
  }

  Shown shown_of(int64_t size) const { return Shown(summarize_, size, options_.edge_items); }

  template <class Fn>
  void for_each_shown(int dim, int64_t offset, Fn fn) const {
    if (dim == layout_.rank) return fn(element(offset));
    const int64_t size = layout_.size(dim);
    const Shown shown = shown_of(size);
    for (int64_t i = shown.first(); i < size; i = shown.next(i))
      for_each_shown(dim + 1, offset + i * layout_.stride(dim), fn);
  }

  std::string print(int dim, int64_t offset, size_t indent) const {
    if (dim == layout_.rank) return style_.format(element(offset));
    const bool is_row = dim + 1 == layout_.rank;
    const int64_t size = layout_.size(dim);
    const Shown shown = shown_of(size);
    std::vector<std::string> parts;
    if (shown.first() == size) parts.push_back("...");
    for (int64_t i = shown.first(); i < size; i = shown.next(i)) {
      parts.push_back(print(dim + 1, offset + i * layout_.stride(dim), indent + 1));
      if (shown.gap_after(i)) parts.push_back(is_row ? " ..." : "...");
    }
    return '[' + (is_row ? join_row(parts, indent) : join_blocks(parts, dim, indent)) + ']';
  }

  // As many elements in a line as fit.
  std::string join_row(const std::vector<std::string>& parts, size_t indent) const {
    const size_t width = static_cast<size_t>(options_.line_width);
    const size_t room = width > indent ? width - indent : 0;
    const size_t per_line = std::max<size_t>(1, room / (style_.width() + 2));
    std::string text;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) text += i % per_line == 0 ? ",\n" + std::string(indent + 1, ' ') : ", ";
      text += parts[i];
    }
    return text;
  }

  // An empty line more for each dimension further out.
  std::string join_blocks(const std::vector<std::string>& parts, int dim, size_t indent) const {
    const std::string separator = ',' +
                                  std::string(static_cast<size_t>(layout_.rank - dim - 1), '\n') +
                                  std::string(indent + 1, ' ');
    std::string text;
    for (size_t i = 0; i < parts.size(); ++i) text += (i > 0 ? separator : "") + parts[i];
    return text;
  }

  const TensorImpl* impl_;
  const PrintOptions& options_;
  const Layout& layout_;
  Style style_;
  bool summarize_;
};

// A text, and the columns that it takes.
struct Suffix {
  std::string text;
  size_t width;
};

// What cannot be seen from the elements: another device, the sizes of an empty tensor, an unusual
// dtype.
std::vector<Suffix> suffixes(const Layout& layout, const PrintOptions& options) {
  std::vector<Suffix> suffixes;
  const auto add = [&](const std::string& text) { suffixes.push_back({text, text.size()}); };
  if (!layout.device.is_cpu()) add("device='" + layout.device.str() + "'");
  if (layout.numel == 0 && layout.rank != 1) {
    std::string sizes;
    for (int64_t size : layout.sizes()) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    add("size=(" + sizes + ")");
  }
  const bool usual = layout.dtype == kFloat32 ||
                     (layout.numel > 0 && (layout.dtype == kInt64 || layout.dtype == kBool));
  if (!usual) {
    add("dtype=" + std::string(options.dtype_prefix) + std::string(long_name(layout.dtype)));
    suffixes.back().width += kDtypePrefixWidth - options.dtype_prefix.size();
  }
  for (const std::string& suffix : options.suffixes) add(suffix);
  return suffixes;
}

}  // namespace

std::string print(const Tensor& tensor, const PrintOptions& options) {
  if (!tensor.defined()) return options.prefix + "undefined)";
  const TensorImpl* impl = tensor.impl();
  observe_value(impl, "str");
  const Tensor here = impl->layout->device.is_cpu() ? tensor : devices::copy_to(kCPU, *impl);
  std::string text = options.prefix + Printer(here.impl(), options).run();
  const size_t newline = text.rfind('\n');
  size_t line = newline == text.npos ? text.size() + 2 : text.size() - newline + 1;
  for (const auto& [suffix, width] : suffixes(*impl->layout, options)) {
    if (line + width + 2 > static_cast<size_t>(options.line_width)) {
      text += ",\n" + std::string(options.prefix.size(), ' ') + suffix;
      line = options.prefix.size() + width;
    } else {
      text += ", " + suffix;
      line += width + 2;
    }
  }
  return text + ")";
}

std::string Tensor::str() const { return print(*this, {}); }

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) { return out << tensor.str(); }

}  // namespace frit
