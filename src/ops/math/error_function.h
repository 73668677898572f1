// erf: a polynomial near 0, elsewhere 1 - erfc with erfc(x) = e^p(x), p a polynomial too.
#pragma once

#include "src/ops/math/exponential.h"

namespace frit::math {

// erf(x)/x - 1 in x^2, |x| <= 0.93
inline constexpr float kErfF32[] = {0x1.06eba6p-3f,  -0x1.8126e8p-2f, 0x1.ce1a88p-4f,
                                    -0x1.b689b4p-6f, 0x1.4723c4p-8f,  -0x1.398870p-11f};
inline constexpr double kErfF64[] = {
    0x1.06eba8214db69p-3,  -0x1.812746b0379f8p-2,  0x1.ce2f21a0430d3p-4,  -0x1.b82ce3128c546p-6,
    0x1.565bcd0ccb63bp-8,  -0x1.c02db35e6586fp-11, 0x1.f9a30ace44075p-14, -0x1.f4cf7adc4a8c2p-17,
    0x1.b9b701913b944p-20, -0x1.5d75255a3218fp-23, 0x1.e1d7b0fde7425p-27, -0x1.ce8d569a688a3p-31};
// log(erfc(x)), 0.93 <= x <= 4
inline constexpr float kLogErfcF32[] = {0x1.34cb9ap-12f, -0x1.21505ap+0f,  -0x1.4394b8p-1f,
                                        -0x1.c24222p-4f, 0x1.af7de0p-6f,   -0x1.36046ep-8f,
                                        0x1.35ba0cp-11f, -0x1.7c8044p-15f, 0x1.ae39b6p-20f};
// log(erfc(t + 1.25)) in t, -0.33 <= t <= 4.7: least squares at 220 Chebyshev nodes, weighted by
// erfc
inline constexpr double kLogErfcF64[] = {
    -0x1.48050902770fdp+1,  -0x1.88ab2d9950138p+1,  -0x1.bddad46f504e8p-1,  -0x1.0bc5a029786fdp-5,
    0x1.fea76c4b20621p-8,   -0x1.a540a74ec21e7p-10, 0x1.02c592f0a777bp-12,  -0x1.50f17172dba09p-17,
    -0x1.6b6c868d308c2p-17, 0x1.5ab8513a476a6p-18,  -0x1.84180433d923cp-20, 0x1.0d58609a1d0cep-22,
    -0x1.c2649b15546ffp-30, -0x1.3f732d3713680p-26, 0x1.24c15aecad2afp-27,  -0x1.506af8b0bc569p-29,
    0x1.0ef3cab621e7dp-31,  -0x1.14013709f45e5p-34, 0x1.10a63a6fcbedfp-39,  0x1.28b96494e5a5ap-40,
    -0x1.06217f8187b36p-42, 0x1.919d70a12acb3p-46,  -0x1.f8c63097d2123p-51};

template <Float V>
FRIT_MATH_INLINE V erf(V x) {
  const V magnitude = abs(x);
  const V small =
      fma(magnitude, polynomial_of_width<kErfF32, kErfF64>(magnitude * magnitude), magnitude);
  const V held = min_lt(of_width<V>(4.0f, 5.95), magnitude);
  const V t = kIsSingle<V> ? held : held - V(1.25);
  const V large = V(1) - internal::exp_moderate(polynomial_of_width<kLogErfcF32, kLogErfcF64>(t));
  return flip_sign(select(magnitude < of_width<V>(0.93f, 0.93), small, large), sign_bit(x));
}

}  // namespace frit::math
