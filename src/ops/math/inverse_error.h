// erfinv: x times a polynomial in w = -log(1 - x^2), farther out in sqrt(w). f32 computes in f64.
#pragma once

#include "src/ops/math/complementary_error.h"

namespace frit::math {

// erfinv(x)/x: in w - 3.125 for w <= 6.25, in sqrt(w) - 3.25 up to 4, in sqrt(w) - 5.05 up to 6.1:
// Chebyshev interpolation
inline constexpr double kErfinvCentre[] = {
    0x1.a755e7c99ae86p+0,   0x1.ebd80d9b13df9p-3,   -0x1.8b6c33114eeaep-8,  -0x1.84576948353e1p-11,
    0x1.879c2a20da432p-13,  -0x1.d1d1f7ca4030fp-17, -0x1.6e8a53f106129p-20, 0x1.c6b4f890935ddp-22,
    -0x1.f36ce4ae847fdp-26, -0x1.1a9eb1bc8f0f0p-28, 0x1.20f4e6bf074cfp-30,  -0x1.dc3ee8b6c53ccp-35,
    -0x1.c89564c5d1004p-37, 0x1.723527b7cff86p-39,  -0x1.6d9ec5e3ec6afp-44, -0x1.686642b67610ap-45,
    0x1.db523eb040288p-48,  -0x1.73898c37dc54ap-55, -0x1.2c266176e7096p-53, 0x1.1f4ba5de5dc3fp-56,
    0x1.536d397f9b9b1p-60,  -0x1.9d290dd3bcb70p-62, -0x1.5087a244b0f6cp-70, 0x1.e9b8ae7230c25p-69};
inline constexpr double kErfinvFar[] = {
    0x1.8abcc380d5a48p+1,   0x1.0158a6d641d55p+0,   0x1.5ffcfe5b6cd38p-8,   -0x1.ebadabba02be5p-9,
    0x1.468eeca944c44p-9,   -0x1.ba9240d8768c3p-10, 0x1.f3cc545d9ca81p-11,  -0x1.7448bcc8e9aa7p-12,
    0x1.932e8fd4360edp-16,  0x1.1e6abbe66ca02p-14,  -0x1.8cf463501e9a0p-15, 0x1.a241c6f237f34p-17,
    0x1.899aa0e374402p-19,  -0x1.0b79e820e8497p-18, 0x1.8db69feb41fb6p-20,  -0x1.da75906425fdap-26,
    -0x1.079a074d69940p-22, 0x1.1a9484c4d3628p-23,  -0x1.674f1725daa65p-26, -0x1.06f1da245bfd3p-26,
    0x1.07e3c2020286fp-27};
inline constexpr double kErfinvFarther[] = {
    0x1.39a07f9e2524cp+2,  0x1.02a209f638a19p+0,   -0x1.6437de55671b8p-13, -0x1.a415b090e63b7p-13,
    0x1.2acdb4cb19466p-14, -0x1.34460823d45a1p-16, 0x1.1971dbdeb7f32p-18,  -0x1.e6fcf42f8f236p-21,
    0x1.b0f93f6f839dbp-23, -0x1.d7dcb22a5d859p-25, 0x1.76e578a5f2a8ap-26,  -0x1.8115df44429f2p-27,
    0x1.8efa43810d320p-28, -0x1.699e10e5f46f4p-29, 0x1.2029bb2949ed2p-30,  -0x1.a952b672e0ad4p-32,
    0x1.54a547a213db7p-34, 0x1.fc89ed3be490bp-36,  -0x1.0f9c53d96325ep-36};

template <Float V>
FRIT_MATH_INLINE V erfinv(V x) {
  return internal::through_double(x, [](auto u) FRIT_MATH_LAMBDA {
    using W = decltype(u);
    const W w = neg(log(fnma(u, u, W(1))));
    const W root = square_root(w);
    const W farther = select(root < W(4), polynomial<kErfinvFar>(root - W(3.25)),
                             polynomial<kErfinvFarther>(root - W(5.05)));
    const W ratio = select(w < W(6.25), polynomial<kErfinvCentre>(w - W(3.125)), farther);
    return u * select(abs(u) == W(1), W(kInfinity<W>), ratio);
  });
}

}  // namespace frit::math
