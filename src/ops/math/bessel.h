// The modified Bessel functions i0 and i1, and both times e^(-|x|): i0e and i1e. f32 computes in
// f64.
#pragma once

#include "src/ops/math/complementary_error.h"

namespace frit::math {

// i0e(x) and i1e(x)/x in x/4 - 1, x <= 8; both times sqrt(x) in 16/x - 1, x >= 8: Chebyshev
// interpolation
inline constexpr double kI0Near[] = {
    0x1.a7f09f8eedf5ap-3,  -0x1.cedda0048620cp-4,  0x1.8322d1d8a3bbbp-4,  -0x1.6cb8d0c91588fp-4,
    0x1.65c235bfeaa72p-4,  -0x1.5c028fe647844p-4,  0x1.44b6196a78062p-4,  -0x1.1cd73a8e6cd6ep-4,
    0x1.d11e10f60db14p-5,  -0x1.602411e2b84cbp-5,  0x1.ee6f564cfa915p-6,  -0x1.427b099142586p-6,
    0x1.87e867ba41db8p-7,  -0x1.bd258ef81b1b7p-8,  0x1.da1a9fb31a327p-9,  -0x1.daf9ae8ac58f3p-10,
    0x1.c0f4afe538061p-11, -0x1.918057560fb50p-12, 0x1.5496c575b16e4p-13, -0x1.12c45b18c205dp-14,
    0x1.a6d2ef17e0495p-16, -0x1.3666062a15f5fp-17, 0x1.b170d36b55864p-19, -0x1.246102354dd25p-20,
    0x1.8aa9ed99d4de8p-22, -0x1.e70761a76cf5bp-24, 0x1.c35f7ef8ecfc7p-26, -0x1.0e148b0af9254p-27,
    0x1.332208b1b9040p-28, -0x1.409665a03765ap-30};
inline constexpr double kI0Far[] = {
    0x1.9bd428ad249a5p-2,   0x1.b87969bb93a48p-9,  0x1.1daa72b5e2366p-13,  0x1.75e5ee7822f78p-17,
    0x1.8e513accc76a3p-20,  0x1.3f49933733f90p-22, 0x1.7d0e5f25bc841p-24,  0x1.51d5f84cd03f6p-25,
    0x1.7257db9ed6674p-26,  0x1.02cf9254e7670p-27, -0x1.d3b411548af05p-28, -0x1.c9aa2ffce2ca1p-27,
    -0x1.62c3f99ada19fp-28, 0x1.f7410b7f70fd0p-28, 0x1.d29741886cb2dp-28,  -0x1.ac9afa081a33ep-29,
    -0x1.4d2b550bd6e76p-28, 0x1.2c4a86bc0bfefp-30, 0x1.499ae7b4d59c2p-29,  -0x1.2e287745e1a2ep-32,
    -0x1.9ae1031554e04p-31, 0x1.36172c123f453p-35, 0x1.de985e80c26e1p-34};
inline constexpr double kI1Near[] = {
    0x1.6e14eb8e5d319p-5,  -0x1.f4bb071a7752bp-5,  0x1.16c390ddb08ecp-4,  -0x1.1881379ffb5c2p-4,
    0x1.0530f817ffa4ap-4,  -0x1.c4daa51341c6dp-5,  0x1.6df95e8bdfc8fp-5,  -0x1.13d5f358a4edap-5,
    0x1.84125b0d2de85p-6,  -0x1.fe3d9c01a6736p-7,  0x1.3a0c1a007877fp-7,  -0x1.6ab6a3876ed57p-8,
    0x1.89f8a69545405p-9,  -0x1.93682690e9b9ap-10, 0x1.8656c1654765cp-11, -0x1.65bf65dd72f08p-12,
    0x1.37430c18eefeap-13, -0x1.01a43775d9f1cp-14, 0x1.969330fb70d0ep-16, -0x1.3269f669d578fp-17,
    0x1.ba196041625d2p-19, -0x1.317ffb356f636p-20, 0x1.93a99c550319ep-22, -0x1.01b4b419a1fcbp-23,
    0x1.46a890c79f1e3p-25, -0x1.80875810a1429p-27, 0x1.65dc717d15110p-29, -0x1.95ae4a3a5ec82p-31,
    0x1.99db77e00f02dp-32, -0x1.9be8fdf579908p-34};
inline constexpr double kI1Far[] = {
    0x1.8ebe783a84030p-2,   -0x1.3f796198ee5e3p-7,  -0x1.cbc54df1e8a30p-13, -0x1.f89c230c1c6c7p-17,
    -0x1.ec8e10cda9622p-20, -0x1.76136c8d9dbb3p-22, -0x1.ad8c9576be72ap-24, -0x1.7280f7124367dp-25,
    -0x1.91b62a0449ae7p-26, -0x1.20dfa102cdc55p-27, 0x1.d2f43270388f8p-28,  0x1.df68969b0012bp-27,
    0x1.89426861550d7p-28,  -0x1.fec28b5e30e16p-28, -0x1.f053fd33757dcp-28, 0x1.a62d3a5241febp-29,
    0x1.5e0ee1eae723fp-28,  -0x1.1ff732137576bp-30, -0x1.5873a50ddf275p-29, 0x1.1be99bbf474cep-32,
    0x1.ac4bf6a87bc29p-31,  -0x1.1f6f8a3689d3bp-35, -0x1.f23ff1f27dca9p-34};

namespace internal {

// For x >= 0; 0 at inf.
template <class W>
FRIT_MATH_INLINE W i0e_of_magnitude(W x) {
  const W near = polynomial<kI0Near>(fma(x, W(0.25), W(-1)));
  const W far = polynomial<kI0Far>(W(16) / x - W(1)) / square_root(x);
  return select(x < W(8), near, far);
}
template <class W>
FRIT_MATH_INLINE W i1e_of_magnitude(W x) {
  const W near = x * polynomial<kI1Near>(fma(x, W(0.25), W(-1)));
  const W far = polynomial<kI1Far>(W(16) / x - W(1)) / square_root(x);
  return select(x < W(8), near, far);
}

// e^x * y, which e^x alone may overflow. At inf it is NaN, as in PyTorch.
template <class W>
FRIT_MATH_INLINE W grown(W x, W y) {
  const W root = exp(W(0.5) * x);
  return root * y * root;
}

}  // namespace internal

template <Float V>
FRIT_MATH_INLINE V i0e(V x) {
  return internal::through_double(
      x, [](auto w) FRIT_MATH_LAMBDA { return internal::i0e_of_magnitude(abs(w)); });
}
template <Float V>
FRIT_MATH_INLINE V i0(V x) {
  return internal::through_double(x, [](auto w) FRIT_MATH_LAMBDA {
    const auto a = abs(w);
    return internal::grown(a, internal::i0e_of_magnitude(a));
  });
}
template <Float V>
FRIT_MATH_INLINE V i1e(V x) {
  return internal::through_double(x, [](auto w) FRIT_MATH_LAMBDA {
    return flip_sign(internal::i1e_of_magnitude(abs(w)), sign_bit(w));
  });
}
template <Float V>
FRIT_MATH_INLINE V i1(V x) {
  return internal::through_double(x, [](auto w) FRIT_MATH_LAMBDA {
    const auto a = abs(w);
    return flip_sign(internal::grown(a, internal::i1e_of_magnitude(a)), sign_bit(w));
  });
}

}  // namespace frit::math
