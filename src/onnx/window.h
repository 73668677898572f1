// What convolution and pooling share: the attributes of a window that moves over an input.
#pragma once

#include <vector>

#include "src/onnx/node.h"

namespace frit::onnx::ops {

enum class AutoPad { kGiven, kValid, kSameUpper, kSameLower };

// Lists are empty where the model has none.
struct WindowAttributes {
  std::vector<int64_t> kernel, strides, pads, dilations;
  AutoPad auto_pad = AutoPad::kGiven;
};

WindowAttributes read_window(Node& node);

// Over one or two dimensions; an undefined bias is none.
Tensor convolve(Tensor x, const Tensor& weight, const Tensor& bias, const WindowAttributes& window,
                int64_t groups);

}  // namespace frit::onnx::ops
