// The ops, as free functions with PyTorch's names, arguments and meaning.
//
//   using namespace frit;
//   Tensor h = gelu(linear(x, w, b));
//   Tensor y = softmax(h * 0.5 + 1, -1);
//
// Unless a line says otherwise:
// - operands broadcast, dtypes are promoted as in PyTorch, and numbers are weak: i32 + 2 is i32.
// - "float ops" turn integers and bool into f32; f16 and bf16 are computed in f32 and rounded once.
// - dims count from the end when negative; one out of range is an IndexError (ErrorKind::kIndex).
// - sizes or dtypes that do not fit are ErrorKind::kRuntime; a dtype that an op does not have is
//   kNotImplemented; an undefined tensor is kRuntime.
// - results are new tensors; "view" means that storage is shared, "may be a view" that strides
// decide.
// - `dims` empty means all dimensions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frit/convolution_ops.h"
#include "frit/image_ops.h"
#include "frit/tensor.h"

namespace frit {

using OptionalScalar = std::optional<Scalar>;
using OptionalTensor = std::optional<Tensor>;

// Creation. dtype f32 unless the options, the line or the value say otherwise.
Tensor zeros(IntArrayRef sizes, const TensorOptions& options = {});
Tensor ones(IntArrayRef sizes, const TensorOptions& options = {});
// The value's dtype: bool, i64 or f32.
Tensor full(IntArrayRef sizes, const Scalar& value, const TensorOptions& options = {});
// Of the tensor's sizes and, unless given, dtype. Row-major.
Tensor empty_like(const Tensor& x, const TensorOptions& options = {});
Tensor zeros_like(const Tensor& x, const TensorOptions& options = {});
Tensor ones_like(const Tensor& x, const TensorOptions& options = {});
Tensor full_like(const Tensor& x, const Scalar& value, const TensorOptions& options = {});
// start, start + step, ... below end: i64 when all are integers, else f32.
Tensor arange(const Scalar& end, const TensorOptions& options = {});
Tensor arange(const Scalar& start, const Scalar& end, const TensorOptions& options = {});
Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
              const TensorOptions& options = {});
// `steps` numbers from start to end, both included.
Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps,
                const TensorOptions& options = {});
// base to the power of such numbers.
Tensor logspace(const Scalar& start, const Scalar& end, int64_t steps, double base = 10,
                const TensorOptions& options = {});
Tensor eye(int64_t n, const TensorOptions& options = {});

// Random numbers: those of PyTorch's CPU generator after the same seed and calls (the last places
// of normal ones may differ). One generator serves all threads. A frozen program holds the numbers
// that were drawn when it was made.
void manual_seed(uint64_t seed);
Tensor rand(IntArrayRef sizes, const TensorOptions& options = {});   // uniform in [0, 1)
Tensor randn(IntArrayRef sizes, const TensorOptions& options = {});  // normal: mean 0, variance 1
// low <= number < high. i64 unless the options say otherwise.
Tensor randint(int64_t low, int64_t high, IntArrayRef sizes, const TensorOptions& options = {});
Tensor randperm(int64_t n, const TensorOptions& options = {});  // 0 to n - 1 in some order; i64
// 1 with the probability that is given, else 0.
Tensor bernoulli(const Tensor& p);
Tensor bernoulli(double p, IntArrayRef sizes, const TensorOptions& options = {});
// Categories by weight, of a row or of each row; i64. Waits for the weights.
Tensor multinomial(const Tensor& weights, int64_t num_samples, bool replacement = false);
Tensor normal(const Tensor& mean, const Tensor& deviation);

// Conversion and copies. `to` gives back its argument when there is nothing to convert.
Tensor to(const Tensor& x, Dtype dtype);
Tensor clone(const Tensor& x);       // keeps the memory format where that is dense
Tensor contiguous(const Tensor& x);  // row-major; the argument itself where it is so

// Elementwise, one operand. neg, abs and relu refuse bool; floor, ceil, trunc, round refuse bool
// and leave integers unchanged.
Tensor neg(const Tensor& x);
Tensor abs(const Tensor& x);
Tensor floor(const Tensor& x);
Tensor ceil(const Tensor& x);
Tensor trunc(const Tensor& x);
Tensor round(const Tensor& x);  // ties to even
Tensor frac(const Tensor& x);   // x - trunc(x); floating point only
Tensor sign(const Tensor& x);   // sign(NaN) is 0
inline Tensor sgn(const Tensor& x) { return sign(x); }
Tensor relu(const Tensor& x);
// Float ops.
Tensor sqrt(const Tensor& x);
Tensor rsqrt(const Tensor& x);
Tensor reciprocal(const Tensor& x);
Tensor cbrt(const Tensor& x);  // of negative numbers too; PyTorch has none
Tensor exp(const Tensor& x);
Tensor exp2(const Tensor& x);
Tensor expm1(const Tensor& x);
Tensor log(const Tensor& x);
Tensor log2(const Tensor& x);
Tensor log10(const Tensor& x);
Tensor log1p(const Tensor& x);
Tensor sin(const Tensor& x);
Tensor cos(const Tensor& x);
Tensor tan(const Tensor& x);
Tensor asin(const Tensor& x);  // NaN outside [-1, 1]; so acos
Tensor acos(const Tensor& x);
Tensor atan(const Tensor& x);
Tensor sinh(const Tensor& x);
Tensor cosh(const Tensor& x);
Tensor tanh(const Tensor& x);
Tensor asinh(const Tensor& x);
Tensor acosh(const Tensor& x);
Tensor atanh(const Tensor& x);
Tensor sinc(const Tensor& x);  // sin(pi x) / (pi x); 1 at 0
Tensor deg2rad(const Tensor& x);
Tensor rad2deg(const Tensor& x);
Tensor angle(const Tensor& x);  // 0, or pi where x < 0
Tensor erf(const Tensor& x);
Tensor erfc(const Tensor& x);
Tensor erfcx(const Tensor& x);   // e^(x^2) * erfc(x)
Tensor erfinv(const Tensor& x);  // NaN outside [-1, 1]
Tensor ndtr(const Tensor& x);    // the normal distribution, and its logarithm
Tensor log_ndtr(const Tensor& x);
Tensor lgamma(const Tensor& x);
Tensor digamma(const Tensor& x);
Tensor polygamma(int64_t n, const Tensor& x);  // the n-th derivative of digamma
Tensor mvlgamma(const Tensor& x, int64_t p);   // multivariate, of p dimensions
Tensor i0(const Tensor& x);  // modified Bessel functions; i0e and i1e: times exp(-|x|)
Tensor i0e(const Tensor& x);
Tensor i1(const Tensor& x);
Tensor i1e(const Tensor& x);
Tensor entr(const Tensor& x);  // -x * log(x); 0 at 0, -inf below
Tensor sigmoid(const Tensor& x);
Tensor square(const Tensor& x);
// x / (1 + exp(-x)); floating point only.
Tensor silu(const Tensor& x);
// Results are bool.
Tensor logical_not(const Tensor& x);
Tensor isnan(const Tensor& x);
Tensor isinf(const Tensor& x);
Tensor isfinite(const Tensor& x);
Tensor isposinf(const Tensor& x);
Tensor isneginf(const Tensor& x);
Tensor signbit(const Tensor& x);  // of -0.0 too
// Integers, and bool as logical not.
Tensor bitwise_not(const Tensor& x);

// Elementwise, two operands: tensors or a tensor and a number.
#define FRIT_DECLARE_BINARY(name)                \
  Tensor name(const Tensor& a, const Tensor& b); \
  Tensor name(const Tensor& a, const Scalar& b); \
  Tensor name(const Scalar& a, const Tensor& b);
FRIT_DECLARE_BINARY(add)           // bool: or
FRIT_DECLARE_BINARY(sub)           // refuses bool
FRIT_DECLARE_BINARY(mul)           // bool: and
FRIT_DECLARE_BINARY(div)           // float op: true division
FRIT_DECLARE_BINARY(floor_divide)  // rounds down; an integer divisor of 0 throws
FRIT_DECLARE_BINARY(trunc_divide)  // rounds towards 0, likewise
FRIT_DECLARE_BINARY(fmod)          // sign of a
FRIT_DECLARE_BINARY(remainder)     // sign of b
FRIT_DECLARE_BINARY(pow)           // exponents 0, 1, 2, 3, -1, 0.5 and -0.5 as products and roots
FRIT_DECLARE_BINARY(atan2)         // float op
FRIT_DECLARE_BINARY(hypot)         // floating point only; so logaddexp and logaddexp2
FRIT_DECLARE_BINARY(xlogy)         // float op: a * log(b), 0 where a is 0 and b a number
FRIT_DECLARE_BINARY(xlog1py)       // float op: a * log(1 + b), likewise
FRIT_DECLARE_BINARY(logaddexp)     // log(exp(a) + exp(b))
FRIT_DECLARE_BINARY(logaddexp2)    // log2(2^a + 2^b)
FRIT_DECLARE_BINARY(zeta)          // float op: Hurwitz's, the sum of (b + k)^-a over k >= 0
FRIT_DECLARE_BINARY(heaviside)     // 0 below a == 0, b there, 1 above
FRIT_DECLARE_BINARY(maximum)       // NaN wins
FRIT_DECLARE_BINARY(minimum)
FRIT_DECLARE_BINARY(fmax)  // NaN loses
FRIT_DECLARE_BINARY(fmin)
FRIT_DECLARE_BINARY(copysign)  // float op
FRIT_DECLARE_BINARY(eq)        // comparisons and logical ops give bool
FRIT_DECLARE_BINARY(ne)
FRIT_DECLARE_BINARY(lt)
FRIT_DECLARE_BINARY(le)
FRIT_DECLARE_BINARY(gt)
FRIT_DECLARE_BINARY(ge)
FRIT_DECLARE_BINARY(logical_and)
FRIT_DECLARE_BINARY(logical_or)
FRIT_DECLARE_BINARY(logical_xor)
FRIT_DECLARE_BINARY(bitwise_and)  // integers and bool
FRIT_DECLARE_BINARY(bitwise_or)
FRIT_DECLARE_BINARY(bitwise_xor)
FRIT_DECLARE_BINARY(bitwise_left_shift)   // 0 for a count below 0 or beyond the width
FRIT_DECLARE_BINARY(bitwise_right_shift)  // the sign comes in
#undef FRIT_DECLARE_BINARY
// a + alpha*b, a - alpha*b, as mul and add. A float alpha with integers is an error.
Tensor add(const Tensor& a, const Tensor& b, const Scalar& alpha);
Tensor sub(const Tensor& a, const Tensor& b, const Scalar& alpha);

// a / b; rounding_mode: "floor" (floor_divide), "trunc" (trunc_divide).
Tensor div(const Tensor& a, const Tensor& b, const std::string& rounding_mode);
Tensor div(const Tensor& a, const Scalar& b, const std::string& rounding_mode);
// Rounded to so many decimals (tens, hundreds, ... where negative), ties to even.
Tensor round(const Tensor& x, int64_t decimals);
// x + value*a*b and x + value*a/b; the latter of floating point only.
Tensor addcmul(const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value = 1);
Tensor addcdiv(const Tensor& x, const Tensor& a, const Tensor& b, const Scalar& value = 1);
// start + weight*(end - start). Dtypes must be equal, and floating point.
Tensor lerp(const Tensor& start, const Tensor& end, const Scalar& weight);
Tensor lerp(const Tensor& start, const Tensor& end, const Tensor& weight);
// log(x / (1 - x)), x held within [eps, 1 - eps] where eps is given. Float op.
Tensor logit(const Tensor& x, std::optional<double> eps = std::nullopt);
// Numbers in place of NaN, inf and -inf: by default 0 and the dtype's largest and lowest.
Tensor nan_to_num(const Tensor& x, std::optional<double> nan = std::nullopt,
                  std::optional<double> posinf = std::nullopt,
                  std::optional<double> neginf = std::nullopt);
// In f64. One of them may be a number.
Tensor float_power(const Tensor& x, const Tensor& exponent);
Tensor float_power(const Tensor& x, const Scalar& exponent);
Tensor float_power(const Scalar& x, const Tensor& exponent);
Tensor ldexp(const Tensor& x, const Tensor& exponent);  // x * 2^exponent

// |a - b| <= atol + |rtol*b|, or equal; NaN equals NaN where equal_nan. Dtypes must be equal.
Tensor isclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8,
               bool equal_nan = false);
bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8,
              bool equal_nan = false);
// Whether sizes and all elements are equal. Dtypes must be.
bool equal(const Tensor& a, const Tensor& b);
// Whether each element is among `tests`; where `invert`, whether it is not.
Tensor isin(const Tensor& elements, const Tensor& tests, bool invert = false);

// condition ? a : b; the condition is bool.
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
Tensor where(const Tensor& condition, const Tensor& a, const Scalar& b);
Tensor where(const Tensor& condition, const Scalar& a, const Tensor& b);
Tensor where(const Tensor& condition, const Scalar& a, const Scalar& b);
// min(max(x, lo), hi); one bound may be missing. NaN stays.
Tensor clamp(const Tensor& x, const OptionalScalar& min, const OptionalScalar& max = std::nullopt);
Tensor clamp(const Tensor& x, const OptionalTensor& min, const OptionalTensor& max = std::nullopt);
// x with `value` where the mask is true; keeps x's dtype, which must hold the value.
Tensor masked_fill(const Tensor& x, const Tensor& mask, const Scalar& value);
Tensor masked_fill(const Tensor& x, const Tensor& mask, const Tensor& value);  // 0-dim value

// Activations; floating point only, but relu6 (also integers), softsign and tanhshrink (float ops).
Tensor relu6(const Tensor& x);
Tensor hardsigmoid(const Tensor& x);  // relu6(x + 3) / 6
Tensor hardswish(const Tensor& x);    // x * relu6(x + 3) / 6
Tensor selu(const Tensor& x);
Tensor mish(const Tensor& x);  // x * tanh(log(1 + exp(x)))
Tensor logsigmoid(const Tensor& x);
Tensor softsign(const Tensor& x);    // x / (1 + |x|)
Tensor tanhshrink(const Tensor& x);  // x - tanh(x)
Tensor leaky_relu(const Tensor& x, const Scalar& negative_slope = 0.01);
// scale * (x > 0 ? x : alpha * expm1(input_scale * x))
Tensor elu(const Tensor& x, double alpha = 1, double scale = 1, double input_scale = 1);
Tensor celu(const Tensor& x, double alpha = 1);  // elu(x, alpha, 1, 1 / alpha)
// log(1 + exp(beta*x)) / beta; x where beta*x is above the threshold.
Tensor softplus(const Tensor& x, double beta = 1, double threshold = 20);
// clamp, also of integers.
Tensor hardtanh(const Tensor& x, const Scalar& min = -1, const Scalar& max = 1);
// x <= threshold ? value : x; also of integers.
Tensor threshold(const Tensor& x, const Scalar& threshold, const Scalar& value);
Tensor hardshrink(const Tensor& x, const Scalar& lambda = 0.5);  // |x| <= lambda ? 0 : x
Tensor softshrink(const Tensor& x, const Scalar& lambda = 0.5);  // towards 0 by lambda >= 0
// x > 0 ? x : x*weight; one weight, or one per channel (dimension 1).
Tensor prelu(const Tensor& x, const Tensor& weight);
Tensor glu(const Tensor& x, int64_t dim = -1);  // a * sigmoid(b) of a dimension's halves
// approximate: "none" (erf) or "tanh".
Tensor gelu(const Tensor& x, const std::string& approximate = "none");
Tensor softmax(const Tensor& x, int64_t dim);
Tensor log_softmax(const Tensor& x, int64_t dim);
// Gives back its argument: Frit runs inference.
Tensor dropout(const Tensor& x, double p = 0.5, bool train = false);

// Reductions. Integers and bool sum to i64; f16 and bf16 accumulate in f32.
Tensor sum(const Tensor& x);
Tensor sum(const Tensor& x, IntArrayRef dims, bool keepdim = false);
Tensor prod(const Tensor& x);
Tensor prod(const Tensor& x, int64_t dim, bool keepdim = false);
// Floating point only.
Tensor mean(const Tensor& x);
Tensor mean(const Tensor& x, IntArrayRef dims, bool keepdim = false);
// sum((x - mean)^2) / (n - correction), computed in f64.
Tensor var(const Tensor& x, IntArrayRef dims = {}, const Scalar& correction = 1,
           bool keepdim = false);
Tensor std(const Tensor& x, IntArrayRef dims = {}, const Scalar& correction = 1,
           bool keepdim = false);
std::pair<Tensor, Tensor> var_mean(const Tensor& x, IntArrayRef dims = {},
                                   const Scalar& correction = 1, bool keepdim = false);
std::pair<Tensor, Tensor> std_mean(const Tensor& x, IntArrayRef dims = {},
                                   const Scalar& correction = 1, bool keepdim = false);
Tensor logsumexp(const Tensor& x, IntArrayRef dims, bool keepdim = false);  // float op
// sum(|x|^p)^(1/p); p 0 counts what is not 0, infinite p is the largest or smallest |x|. Floating
// point only, as are distances.
Tensor norm(const Tensor& x, const Scalar& p = 2, IntArrayRef dims = {}, bool keepdim = false);
Tensor dist(const Tensor& a, const Tensor& b, const Scalar& p = 2);  // norm(a - b)
Tensor pairwise_distance(const Tensor& a, const Tensor& b, double p = 2, double eps = 1e-6,
                         bool keepdim = false);  // of rows: norm(a - b + eps)
// Of each row of a and each row of b.
Tensor cdist(const Tensor& a, const Tensor& b, double p = 2);
Tensor cosine_similarity(const Tensor& a, const Tensor& b, int64_t dim = 1, double eps = 1e-8);
// Along a dimension of size 3: the first one without a dim.
Tensor cross(const Tensor& a, const Tensor& b, std::optional<int64_t> dim = std::nullopt);
// NaN wins. Over no elements: kIndex or kRuntime.
Tensor amax(const Tensor& x, IntArrayRef dims = {}, bool keepdim = false);
Tensor amin(const Tensor& x, IntArrayRef dims = {}, bool keepdim = false);
Tensor max(const Tensor& x);
Tensor min(const Tensor& x);
// Values and the indices of their first occurrence.
std::pair<Tensor, Tensor> max(const Tensor& x, int64_t dim, bool keepdim = false);
std::pair<Tensor, Tensor> min(const Tensor& x, int64_t dim, bool keepdim = false);
Tensor max(const Tensor& a, const Tensor& b);  // maximum
Tensor min(const Tensor& a, const Tensor& b);
// The smallest and the largest.
std::pair<Tensor, Tensor> aminmax(const Tensor& x, std::optional<int64_t> dim = std::nullopt,
                                  bool keepdim = false);
// Sum and mean of what is no NaN; how many are not 0.
Tensor nansum(const Tensor& x, IntArrayRef dims = {}, bool keepdim = false);
Tensor nanmean(const Tensor& x, IntArrayRef dims = {}, bool keepdim = false);
Tensor count_nonzero(const Tensor& x, IntArrayRef dims = {});
// i64. Without a dim: of the flattened tensor.
Tensor argmax(const Tensor& x, std::optional<int64_t> dim = std::nullopt, bool keepdim = false);
Tensor argmin(const Tensor& x, std::optional<int64_t> dim = std::nullopt, bool keepdim = false);
// bool (u8 for u8).
Tensor any(const Tensor& x);
Tensor any(const Tensor& x, int64_t dim, bool keepdim = false);
Tensor all(const Tensor& x);
Tensor all(const Tensor& x, int64_t dim, bool keepdim = false);

// Scans along a dimension. Integers and bool accumulate in i64, f32 in f64.
Tensor cumsum(const Tensor& x, int64_t dim);
Tensor cumprod(const Tensor& x, int64_t dim);
Tensor logcumsumexp(const Tensor& x, int64_t dim);  // log(cumsum(exp(x))); floating point only
// The largest or smallest so far and where it last was. NaN wins.
std::pair<Tensor, Tensor> cummax(const Tensor& x, int64_t dim);
std::pair<Tensor, Tensor> cummin(const Tensor& x, int64_t dim);
// Differences of neighbours, n times; of bools whether they differ. `prepend` and `append` are put
// before and after x first, unless n is 0.
Tensor diff(const Tensor& x, int64_t n = 1, int64_t dim = -1, const Tensor& prepend = {},
            const Tensor& append = {});

// Shape. One size may be -1.
Tensor view(const Tensor& x, IntArrayRef sizes);  // a view, or kRuntime
// The same memory as elements of another dtype. Of another width, the last dimension shrinks or
// grows: its stride must be 1, and what is joined must be divisible. Ops on memory that is seen as
// two dtypes run at their call.
Tensor view(const Tensor& x, Dtype dtype);
Tensor reshape(const Tensor& x, IntArrayRef sizes);                            // may be a view
Tensor flatten(const Tensor& x, int64_t start_dim = 0, int64_t end_dim = -1);  // may be a view
// Views.
Tensor permute(const Tensor& x, IntArrayRef dims);
Tensor transpose(const Tensor& x, int64_t dim0, int64_t dim1);
Tensor t(const Tensor& x);  // at most 2-D
Tensor expand(const Tensor& x, IntArrayRef sizes);
Tensor squeeze(const Tensor& x);
Tensor squeeze(const Tensor& x, int64_t dim);
Tensor unsqueeze(const Tensor& x, int64_t dim);
Tensor narrow(const Tensor& x, int64_t dim, int64_t start, int64_t length);
Tensor select(const Tensor& x, int64_t dim, int64_t index);
Tensor slice(const Tensor& x, int64_t dim, std::optional<int64_t> start = std::nullopt,
             std::optional<int64_t> end = std::nullopt, int64_t step = 1);
// In elements of the storage; must lie within it.
Tensor as_strided(const Tensor& x, IntArrayRef sizes, IntArrayRef strides,
                  std::optional<int64_t> storage_offset = std::nullopt);
// The elements x[i, i + offset] of two dimensions, which become the last one. A view.
Tensor diagonal(const Tensor& x, int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1);
// Windows of `size` elements of a dimension, `step` apart; the window is the last dimension. A
// view.
Tensor unfold(const Tensor& x, int64_t dim, int64_t size, int64_t step);
// Pieces of `split_size`, the last one smaller; or of these sizes.
std::vector<Tensor> split(const Tensor& x, int64_t split_size, int64_t dim = 0);
std::vector<Tensor> split(const Tensor& x, IntArrayRef split_sizes, int64_t dim = 0);
// At most `chunks` pieces of equal size, the last one smaller.
std::vector<Tensor> chunk(const Tensor& x, int64_t chunks, int64_t dim = 0);
std::vector<Tensor> unbind(const Tensor& x, int64_t dim = 0);
// `sections` pieces whose sizes differ by at most 1; or pieces that begin at 0 and these indices.
std::vector<Tensor> tensor_split(const Tensor& x, int64_t sections, int64_t dim = 0);
std::vector<Tensor> tensor_split(const Tensor& x, IntArrayRef indices, int64_t dim = 0);
// 0-D and 1-D tensors as the coordinates of a grid, expanded to all its points. indexing: "ij", or
// "xy" with the first two swapped.
std::vector<Tensor> meshgrid(const std::vector<Tensor>& tensors,
                             const std::string& indexing = "ij");
std::vector<Tensor> broadcast_tensors(const std::vector<Tensor>& tensors);
// Copies. Dtypes are promoted.
Tensor cat(const std::vector<Tensor>& tensors, int64_t dim = 0);
Tensor stack(const std::vector<Tensor>& tensors, int64_t dim = 0);
// `repeats` times along each dimension, new ones in front.
Tensor repeat(const Tensor& x, IntArrayRef repeats);
Tensor tile(const Tensor& x, IntArrayRef repeats);  // missing ones are 1
// Each element `repeats` times; along the flattened tensor without a dim.
Tensor repeat_interleave(const Tensor& x, int64_t repeats,
                         std::optional<int64_t> dim = std::nullopt);
// As many times as `repeats` (i64 or i32; one for all, or one each) says. Waits for its values.
Tensor repeat_interleave(const Tensor& x, const Tensor& repeats,
                         std::optional<int64_t> dim = std::nullopt);
Tensor flip(const Tensor& x, IntArrayRef dims);  // in reverse order
// Elements move on by `shifts` and come back at the other end. Without dims: of the flattened
// tensor.
Tensor roll(const Tensor& x, IntArrayRef shifts, IntArrayRef dims = {});
Tensor rot90(const Tensor& x, int64_t k = 1, IntArrayRef dims = {0, 1});  // k quarter turns
// The last two dimensions with zeros above or below a diagonal.
Tensor tril(const Tensor& x, int64_t diagonal = 0);
Tensor triu(const Tensor& x, int64_t diagonal = 0);
// A matrix with the vector on a diagonal, or the diagonal of a matrix.
Tensor diag(const Tensor& x, int64_t diagonal = 0);
// Matrices in dimensions dim1 and dim2 with x's last dimension on a diagonal.
Tensor diag_embed(const Tensor& x, int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1);
// A copy of x with `source` in place of a part of it.
Tensor slice_scatter(const Tensor& x, const Tensor& source, int64_t dim = 0,
                     std::optional<int64_t> start = std::nullopt,
                     std::optional<int64_t> end = std::nullopt, int64_t step = 1);
Tensor select_scatter(const Tensor& x, const Tensor& source, int64_t dim, int64_t index);
Tensor diagonal_scatter(const Tensor& x, const Tensor& source, int64_t offset = 0, int64_t dim1 = 0,
                        int64_t dim2 = 1);
// Channels become blocks of r x r pixels, and back.
Tensor pixel_shuffle(const Tensor& x, int64_t upscale_factor);
Tensor pixel_unshuffle(const Tensor& x, int64_t downscale_factor);
// Constant border: before and after from the last dimension on; negative crops.
Tensor pad(const Tensor& x, IntArrayRef pads, const Scalar& value = 0);
// mode: "constant", or "reflect", "replicate" or "circular" for the last 1 to 3 dimensions.
Tensor pad_border(const Tensor& x, IntArrayRef pads, const std::string& mode,
                  const Scalar& value = 0);

// Indexing and order. Indices are i64 (index_select and embedding also i32).
Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index);  // negative: kIndex
Tensor gather(const Tensor& x, int64_t dim, const Tensor& index);
// x[i, a:b, ..., None, t]: integers, slices, ellipsis, new axes, i64 tensors and bool masks.
Tensor index(const Tensor& x, const std::vector<TensorIndex>& indices);
// x with elements of `source`, or a number, written to where `index` says along a dimension:
// out[index[i]] = source[i]. Of equal indices the last one stays. Indices are i64; a negative one
// is an error.
Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source);
Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Scalar& value);
Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source);
// reduce: "sum", "prod", "mean", "amax" or "amin", with what x holds there or without it.
Tensor scatter_reduce(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source,
                      const std::string& reduce, bool include_self = true);
// x with values, which broadcast, written to what index(x, indices) reads; or added to it.
Tensor index_put(const Tensor& x, const std::vector<TensorIndex>& indices, const Tensor& values,
                 bool accumulate = false);
const Tensor& index_put_(const Tensor& x, const std::vector<TensorIndex>& indices,
                         const Tensor& values, bool accumulate = false);
// Rows of x along a dimension, by a 1-D index: plus alpha times those of `source`, replaced by
// those, or filled. index_fill takes negative indices.
Tensor index_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha = 1);
Tensor index_copy(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source);
Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& index, const Scalar& value);
Tensor index_fill(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& value);  // 0-dim
// Elements of the flattened tensor; negative indices count from the end.
Tensor take(const Tensor& x, const Tensor& index);
Tensor put(const Tensor& x, const Tensor& index, const Tensor& source, bool accumulate = false);
// gather with sizes that broadcast; without a dim, of the flattened tensors.
Tensor take_along_dim(const Tensor& x, const Tensor& index,
                      std::optional<int64_t> dim = std::nullopt);
// x with the first elements of `source` where the mask is true. Waits for the mask.
Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source);
// Indices of elements that are not 0, one row each. Waits for the value.
Tensor nonzero(const Tensor& x);
Tensor masked_select(const Tensor& x, const Tensor& mask);
Tensor embedding(const Tensor& weight, const Tensor& index);
// mode "sum", "mean" or "max" of the rows of each bag: a row of the index, or what follows an
// offset in a 1-D one. A padding index stands for no row.
Tensor embedding_bag(const Tensor& index, const Tensor& weight, const Tensor& offsets = {},
                     const std::string& mode = "mean", const Tensor& sample_weights = {},
                     bool last_offset = false, std::optional<int64_t> padding_index = std::nullopt);
// Stable; NaN is largest. Values and indices.
std::pair<Tensor, Tensor> sort(const Tensor& x, int64_t dim = -1, bool descending = false);
Tensor argsort(const Tensor& x, int64_t dim = -1, bool descending = false);
// Sorted.
std::pair<Tensor, Tensor> topk(const Tensor& x, int64_t k, int64_t dim = -1, bool largest = true);

// How many of a sorted row stand before each value: rows are one, or one for each row of values.
// right: equal ones stand before it, too. i64.
Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool right = false);
Tensor bucketize(const Tensor& values, const Tensor& boundaries, bool right = false);

// The k-th smallest along a dimension, and its index; NaN is largest.
std::pair<Tensor, Tensor> kthvalue(const Tensor& x, int64_t k, int64_t dim = -1,
                                   bool keepdim = false);
// The lower of two middle elements. NaN wins, or takes no part.
Tensor median(const Tensor& x);
Tensor nanmedian(const Tensor& x);
std::pair<Tensor, Tensor> median(const Tensor& x, int64_t dim, bool keepdim = false);
std::pair<Tensor, Tensor> nanmedian(const Tensor& x, int64_t dim, bool keepdim = false);
// The most frequent element, the smallest of equally frequent ones, and its index.
std::pair<Tensor, Tensor> mode(const Tensor& x, int64_t dim = -1, bool keepdim = false);
// The q-th of sorted elements, q from 0 to 1, 0-D or 1-D; several q make the first dimension.
// interpolation: "linear", "lower", "higher", "midpoint" or "nearest". f32 or f64.
Tensor quantile(const Tensor& x, const Tensor& q, std::optional<int64_t> dim = std::nullopt,
                bool keepdim = false, const std::string& interpolation = "linear");
Tensor nanquantile(const Tensor& x, const Tensor& q, std::optional<int64_t> dim = std::nullopt,
                   bool keepdim = false, const std::string& interpolation = "linear");
// The different elements, or rows along a dimension: in rising order, or of each run of equal ones
// the first. `inverse` says which of them each element of x is. Wait for the values.
struct Unique {
  Tensor values, inverse, counts;
};
Unique unique(const Tensor& x, std::optional<int64_t> dim = std::nullopt);
Unique unique_consecutive(const Tensor& x, std::optional<int64_t> dim = std::nullopt);
// How often each number occurs in 1-D integers, or the sum of its weights. Waits for the values.
Tensor bincount(const Tensor& x, const Tensor& weights = {}, int64_t minlength = 0);
// i64: 1 where the class is; the largest class decides how many there are unless given.
Tensor one_hot(const Tensor& x, int64_t num_classes = -1);
// Rows and columns of a triangle's elements.
Tensor tril_indices(int64_t rows, int64_t columns, int64_t offset = 0, Dtype dtype = kInt64);
Tensor triu_indices(int64_t rows, int64_t columns, int64_t offset = 0, Dtype dtype = kInt64);

// Contractions. Dtypes must be equal.
Tensor matmul(const Tensor& a, const Tensor& b);  // 1-D, 2-D and batched, as numpy's
Tensor mm(const Tensor& a, const Tensor& b);      // 2-D
Tensor bmm(const Tensor& a, const Tensor& b);     // 3-D
// beta*bias + alpha*(a @ b). beta 0 ignores the bias.
Tensor addmm(const Tensor& bias, const Tensor& a, const Tensor& b, const Scalar& beta = 1,
             const Scalar& alpha = 1);
Tensor baddbmm(const Tensor& bias, const Tensor& a, const Tensor& b, const Scalar& beta = 1,
               const Scalar& alpha = 1);  // addmm of each pair of a batch
Tensor addmv(const Tensor& bias, const Tensor& a, const Tensor& v, const Scalar& beta = 1,
             const Scalar& alpha = 1);
Tensor addr(const Tensor& bias, const Tensor& a, const Tensor& b, const Scalar& beta = 1,
            const Scalar& alpha = 1);  // a, b: vectors
Tensor addbmm(const Tensor& bias, const Tensor& a, const Tensor& b, const Scalar& beta = 1,
              const Scalar& alpha = 1);          // the sum over a batch
Tensor dot(const Tensor& a, const Tensor& b);    // 1-D
Tensor mv(const Tensor& a, const Tensor& v);     // 2-D and 1-D
Tensor outer(const Tensor& a, const Tensor& b);  // 1-D
Tensor inner(const Tensor& a, const Tensor& b);  // over the last dimensions
// Over the dimensions that are listed, in pairs; or the last ones of a and first ones of b.
Tensor tensordot(const Tensor& a, const Tensor& b, IntArrayRef dims_a, IntArrayRef dims_b);
Tensor tensordot(const Tensor& a, const Tensor& b, int64_t dims = 2);
// Sums of products by the names of dimensions: einsum("bij,bjk->bik", {a, b}). Left to right.
Tensor einsum(const std::string& equation, const std::vector<Tensor>& operands);
// x @ weight^T + bias, over the last dimension. weight [out, in].
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});

// Normalization; floating point only. Weight and bias come both or not at all (rms_norm: weight).
Tensor layer_norm(const Tensor& x, IntArrayRef normalized_shape, const Tensor& weight = {},
                  const Tensor& bias = {}, double eps = 1e-5);
Tensor rms_norm(const Tensor& x, IntArrayRef normalized_shape, const Tensor& weight = {},
                std::optional<double> eps = std::nullopt);
// Inference form: with the running mean and variance, per channel (dimension 1).
Tensor batch_norm(const Tensor& x, const Tensor& weight, const Tensor& bias,
                  const Tensor& running_mean, const Tensor& running_var, double eps = 1e-5);
Tensor group_norm(const Tensor& x, int64_t num_groups, const Tensor& weight = {},
                  const Tensor& bias = {}, double eps = 1e-5);
// group_norm with a group for each channel.
Tensor instance_norm(const Tensor& x, const Tensor& weight = {}, const Tensor& bias = {},
                     double eps = 1e-5);
// x / max(norm, eps) along a dimension.
Tensor normalize(const Tensor& x, double p = 2, int64_t dim = 1, double eps = 1e-12);
// softmax(q @ k^T * scale + mask) @ v. A bool mask is true where attention may look. Default scale:
// 1 / sqrt(head size). `is_causal` and a mask exclude each other.
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask = {}, double dropout_p = 0.0,
                                    bool is_causal = false,
                                    std::optional<double> scale = std::nullopt);

// What the form in place (`method` is "exp_") or out= of any op does with its result: writes it to
// `target`, whose sizes are the result's and whose dtype is of the same or a higher category. A
// target that overlaps with one of `operands` in part is refused. Errors are kRuntime.
const Tensor& store_result(std::string_view method, const Tensor& target, const Tensor& result,
                           const std::vector<Tensor>& operands = {});

// Operators.
inline Tensor operator-(const Tensor& x) { return neg(x); }
inline Tensor operator~(const Tensor& x) { return bitwise_not(x); }
inline Tensor operator!(const Tensor& x) { return logical_not(x); }
#define FRIT_OPERATOR(symbol, function)                                                      \
  inline Tensor operator symbol(const Tensor& a, const Tensor& b) { return function(a, b); } \
  inline Tensor operator symbol(const Tensor& a, const Scalar& b) { return function(a, b); } \
  inline Tensor operator symbol(const Scalar& a, const Tensor& b) { return function(a, b); }
FRIT_OPERATOR(+, add)
FRIT_OPERATOR(-, sub)
FRIT_OPERATOR(*, mul)
FRIT_OPERATOR(/, div)
FRIT_OPERATOR(%, remainder)
FRIT_OPERATOR(==, eq)
FRIT_OPERATOR(!=, ne)
FRIT_OPERATOR(<, lt)
FRIT_OPERATOR(<=, le)
FRIT_OPERATOR(>, gt)
FRIT_OPERATOR(>=, ge)
FRIT_OPERATOR(&, bitwise_and)
FRIT_OPERATOR(|, bitwise_or)
FRIT_OPERATOR(^, bitwise_xor)
FRIT_OPERATOR(<<, bitwise_left_shift)
FRIT_OPERATOR(>>, bitwise_right_shift)
#undef FRIT_OPERATOR

}  // namespace frit
