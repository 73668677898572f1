// The backend "onednn": whole graphs through oneDNN's primitives. Link with //src/backends:onednn.
//
//   frit::register_onednn();
//   auto fast = frit::compile(model, {.backend = "onednn, native"});
//
// It takes graphs of f32 (and bf16, where oneDNN has it on this CPU) that are made of products,
// convolutions, pooling, norms, softmax, activations, arithmetic, reductions over dimensions, cat,
// views and copies, and refuses all others, naming the op: "onednn, native" leaves these to Frit.
// Elementwise ops that follow a product or convolution run within it.
//
// Results are within a tolerance of eager's. A NaN may get lost in relu, maximum, minimum, clamp
// and max_pool2d, and sums have another order. It uses get_num_threads() threads.
#pragma once

namespace frit {

// Thread-safe; again does no harm.
void register_onednn();

}  // namespace frit
