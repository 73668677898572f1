// Plain loops over rows, with the columns innermost so that they vectorise.
#include "src/contraction/matmul_loops.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "src/base/check.h"
#include "src/base/thread_pool.h"

namespace frit::contraction {
namespace {

constexpr int64_t kGrain = 1 << 16;  // products that are worth a thread

// Wrapping arithmetic happens in an unsigned type that is no narrower than int.
template <class T>
using Unsigned = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T>
T multiply(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a && b;
  else if constexpr (std::is_floating_point_v<T>)
    return a * b;
  else
    return static_cast<T>(static_cast<Unsigned<T>>(a) * static_cast<Unsigned<T>>(b));
}

template <class T>
T add(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a || b;
  else if constexpr (std::is_floating_point_v<T>)
    return a + b;
  else
    return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
}

template <class T>
T multiply_add(T a, T b, T sum) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fma(a, b, sum);
  else
    return add(sum, multiply(a, b));
}

template <class T>
T value_of(const Scalar& scalar) {
  if constexpr (std::is_same_v<T, bool>)
    return scalar.to_bool();
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(scalar.to_double());
  else
    return static_cast<T>(scalar.to_int());
}

// One row of a matrix from column `col` on.
template <class T>
struct Row {
  const T* data;
  int64_t step;
};

template <class T>
Row<T> row_of(const Matrix& matrix, int64_t batch, int64_t row, int64_t col) {
  return {static_cast<const T*>(matrix.data) + batch * matrix.batch + row * matrix.row +
              col * matrix.col,
          matrix.col};
}

template <class T>
void finish_row(const MatmulArgs& args, Row<T> bias, int64_t cols, T* out) {
  const T alpha = value_of<T>(args.alpha), beta = value_of<T>(args.beta);
  if (alpha != T(1))
    for (int64_t j = 0; j < cols; ++j) out[j] = multiply(out[j], alpha);
  if (args.bias.data == nullptr || beta == T(0)) return;
  for (int64_t j = 0; j < cols; ++j) {
    const T value = bias.data[j * bias.step];
    out[j] = add(out[j], beta == T(1) ? value : multiply(value, beta));
  }
}

// out += a * b, one k.
template <class T>
void add_product(T a, Row<T> b, int64_t n, T* out) {
  if (b.step == 1) {
    for (int64_t j = 0; j < n; ++j) out[j] = multiply_add(a, b.data[j], out[j]);
  } else {
    for (int64_t j = 0; j < n; ++j) out[j] = multiply_add(a, b.data[j * b.step], out[j]);
  }
}

template <class T>
void multiply_row(const MatmulArgs& args, int64_t batch, int64_t i) {
  T* out = static_cast<T*>(args.out) + batch * args.out_batch + i * args.out_row;
  std::fill(out, out + args.n, T(0));
  const Row<T> a = row_of<T>(args.a, batch, i, 0);
  for (int64_t k = 0; k < args.k; ++k)
    add_product(a.data[k * a.step], row_of<T>(args.b, batch, k, 0), args.n, out);
  finish_row(args, row_of<T>(args.bias, batch, i, 0), args.n, out);
}

template <class T>
void multiply_rows(const MatmulArgs& args) {
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(1, args.n * args.k));
  base::parallel_for(args.batch * args.m, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) multiply_row<T>(args, row / args.m, row % args.m);
  });
}

template <class T>
void finish_region(const MatmulArgs& args, int64_t batch, int64_t row, int64_t col, int64_t rows,
                   int64_t cols) {
  T* out = static_cast<T*>(args.out) + batch * args.out_batch + row * args.out_row + col;
  for (int64_t i = 0; i < rows; ++i)
    finish_row(args, row_of<T>(args.bias, batch, row + i, col), cols, out + i * args.out_row);
}

template <class T>
void reference(const MatmulArgs& args) {
  for (int64_t batch = 0; batch < args.batch; ++batch)
    for (int64_t i = 0; i < args.m; ++i)
      for (int64_t j = 0; j < args.n; ++j) {
        T sum = T(0);
        for (int64_t k = 0; k < args.k; ++k)
          sum = multiply_add(*row_of<T>(args.a, batch, i, k).data,
                             *row_of<T>(args.b, batch, k, j).data, sum);
        finish_row(args, row_of<T>(args.bias, batch, i, j), 1, &sum);
        static_cast<T*>(args.out)[batch * args.out_batch + i * args.out_row + j] = sum;
      }
}

}  // namespace

void multiply_integers(const MatmulArgs& args) {
  switch (args.dtype) {
    case Dtype::kI64:
      return multiply_rows<int64_t>(args);
    case Dtype::kI32:
      return multiply_rows<int32_t>(args);
    case Dtype::kI16:
      return multiply_rows<int16_t>(args);
    case Dtype::kI8:
      return multiply_rows<int8_t>(args);
    case Dtype::kU8:
      return multiply_rows<uint8_t>(args);
    case Dtype::kBool:
      return multiply_rows<bool>(args);
    case Dtype::kF64:
    case Dtype::kF32:
    case Dtype::kF16:
    case Dtype::kBF16:
      FRIT_CHECK(false) << name(args.dtype) << " is not integral";
  }
}

void scale_and_add_bias(const MatmulArgs& args, int64_t batch, int64_t row, int64_t col,
                        int64_t rows, int64_t cols) {
  if (args.dtype == Dtype::kF64) return finish_region<double>(args, batch, row, col, rows, cols);
  finish_region<float>(args, batch, row, col, rows, cols);
}

void matmul_reference(const MatmulArgs& args) {
  switch (args.dtype) {
    case Dtype::kF64:
      return reference<double>(args);
    case Dtype::kF32:
      return reference<float>(args);
    case Dtype::kI64:
      return reference<int64_t>(args);
    case Dtype::kI32:
      return reference<int32_t>(args);
    case Dtype::kI16:
      return reference<int16_t>(args);
    case Dtype::kI8:
      return reference<int8_t>(args);
    case Dtype::kU8:
      return reference<uint8_t>(args);
    case Dtype::kBool:
      return reference<bool>(args);
    case Dtype::kF16:
    case Dtype::kBF16:
      FRIT_CHECK(false) << "16-bit floats compute in f32";
  }
}

}  // namespace frit::contraction
