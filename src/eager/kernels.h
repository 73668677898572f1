// The CPU kernels, one function per family of ops; dispatch.cc's table routes to them.
//
// Each runs one call on materialised CPU operands: it applies the op's rules (infer), makes the
// result and fills it. Errors that depend on values are thrown before anything is written.
#pragma once

#include "src/eager/dispatch.h"

namespace frit::eager {

void run_pointwise(const OpCall& call, Tensor* results);  // unary, binary, ternary
void run_pow(const OpCall& call, Tensor* results);        // small exponents are products and roots
void run_cast(const OpCall& call, Tensor* results);
void run_reduce(const OpCall& call, Tensor* results);      // sum prod amax amin
void run_arg_reduce(const OpCall& call, Tensor* results);  // argmax argmin
void run_scan(const OpCall& call, Tensor* results);        // cumsum cumprod cummax cummin ...
void run_view(const OpCall& call, Tensor* results);        // kMove; copies where a reshape must
void run_clone(const OpCall& call, Tensor* results);
void run_contiguous(const OpCall& call, Tensor* results);
void run_flip(const OpCall& call, Tensor* results);
void run_cat(const OpCall& call, Tensor* results);
void run_pad(const OpCall& call, Tensor* results);
void run_store(const OpCall& call, Tensor* results);
void run_index_select(const OpCall& call, Tensor* results);
void run_gather(const OpCall& call, Tensor* results);
void run_index(const OpCall& call, Tensor* results);
void run_scatter(const OpCall& call, Tensor* results);  // scatter* and index_put/add/copy/fill
void run_nonzero(const OpCall& call, Tensor* results);
void run_sort(const OpCall& call, Tensor* results);
void run_topk(const OpCall& call, Tensor* results);
void run_matmul(const OpCall& call, Tensor* results);
void run_addmm(const OpCall& call, Tensor* results);
void run_convolution(const OpCall& call, Tensor* results);
void run_conv_transpose(const OpCall& call, Tensor* results);
void run_windows(const OpCall& call, Tensor* results);   // max_pool avg_pool adaptive_*_pool
void run_resample(const OpCall& call, Tensor* results);  // interpolate
void run_fft(const OpCall& call, Tensor* results);       // fft rfft irfft
void run_linalg(const OpCall& call, Tensor* results);  // inv solve* lu_factor cholesky qr svd eigh
void run_rnn(const OpCall& call, Tensor* results);
void run_search(const OpCall& call, Tensor* results);  // searchsorted
void run_pool(const OpCall& call, Tensor* results);    // max_pool2d avg_pool2d
void run_full(const OpCall& call, Tensor* results);
void run_arange(const OpCall& call, Tensor* results);
void run_triangle(const OpCall& call, Tensor* results);  // tril triu
void run_composite(const OpCall& call, Tensor* results);

}  // namespace frit::eager
