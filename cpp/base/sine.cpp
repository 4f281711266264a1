// SPDX-License-Identifier: Apache-2.0
#include "base/sine.hpp"

#include <bit>
#include <cstdint>

namespace npl::math::detail {
namespace {

__extension__ using Wide = unsigned __int128;

/// 2/pi = 0.a2f98... in 64-bit words, behind one word of zeros: bits for every exponent of a double, and 192 more.
constexpr std::uint64_t two_over_pi[] = {0,
                                         0xa2f9836e4e441529,
                                         0xfc2757d1f534ddc0,
                                         0xdb6295993c439041,
                                         0xfe5163abdebbc561,
                                         0xb7246e3a424dd2e0,
                                         0x06492eea09d1921c,
                                         0xfe1deb1cb129a73e,
                                         0xe88235f52ebb4484,
                                         0xe99c7026b45f7e41,
                                         0x3991d639835339f4,
                                         0x9c845f8bbdf9283b,
                                         0x1ff897ffde05980f,
                                         0xef2f118b5a0a6d1f,
                                         0x6d367ecf27cb09b7,
                                         0x4f463f669e5fea2d,
                                         0x7527bac7ebe5f17b,
                                         0x3d0739f78a5292ea,
                                         0x6bfb5fb11f8d5d08,
                                         0x56033046fc7b6bab};

/// The 64 bits of two_over_pi that begin at bit `first`, the most significant bit of the array being bit 0.
std::uint64_t window(unsigned first) {
  const std::uint64_t* word = two_over_pi + first / 64;
  const unsigned shift = first % 64;
  return shift ? word[0] << shift | word[1] >> (64 - shift) : word[0];
}

/// The product of an integer with 53 bits and the 192 bits from `first` on, modulo 2^192: its upper 128 bits.
Wide upper_product(std::uint64_t m, unsigned first) {
  const Wide low = Wide{m} * window(first + 128), middle = Wide{m} * window(first + 64) + static_cast<std::uint64_t>(low >> 64);
  return (Wide{m} * window(first) << 64) + middle;
}

/// a / 2^128 as a sum of two doubles; 0 gives 0.
Pair fraction(Wide a) {
  if (a == 0) return {0.0, 0.0};
  int zeros = 0;
  for (; static_cast<std::int64_t>(static_cast<std::uint64_t>(a >> 64)) >= 0; a <<= 1) ++zeros;
  const auto unit = real(static_cast<std::uint64_t>(1023 - zeros) << 52);
  const auto high = static_cast<double>(static_cast<std::uint64_t>(a >> 75)),
             low = static_cast<double>(static_cast<std::uint64_t>(a >> 22) & (2 * (mantissa_bits + 1) - 1));
  return {high * 0x1p-53 * unit, low * 0x1p-106 * unit};
}

/// (f.hi + f.lo) pi/2.
Pair times_half_pi(Pair f) {
  constexpr double p = 0x1.921fb54442d18p+0, p_lo = 0x1.1a62633145c07p-54;
  const double f_h = head(f.hi), f_l = f.hi - f_h, p_h = head(p), p_l = p - p_h, product = f.hi * p;
  const double error = ((f_h * p_h - product) + f_h * p_l + f_l * p_h) + f_l * p_l;
  const double lo = error + (f.hi * p_lo + f.lo * p), hi = product + lo;
  return {hi, (product - hi) + lo};
}

}  // namespace

Angle reduce_far(double x) noexcept {
  const std::uint64_t b = bits(x);
  const auto exponent = static_cast<unsigned>(b >> 52 & 0x7ff);
  if (exponent == 0x7ff) return {{nan, nan}, 0};
  // |x| = m 2^e, e = exponent - 1075. Bits of 2/pi of weight 2^(2-e) and more give whole turns; those from 2^(1-e) on are needed.
  // As 64 zeros lead, the bit of weight 2^-j is bit 63 + j of the array.
  const Wide turn = upper_product((b & mantissa_bits) | (mantissa_bits + 1), exponent - 1075 + 62);                      // of 2^128
  const std::uint64_t quadrant = static_cast<std::uint64_t>(turn >> 126) + static_cast<std::uint64_t>(turn >> 125 & 1);  // the nearest
  const Wide rest = turn << 2;
  const bool below = (rest >> 127) != 0;
  const Pair r = times_half_pi(fraction(below ? -rest : rest));
  const bool negative = b >> 63 != 0, flip = below != negative;
  return {{flip ? -r.hi : r.hi, flip ? -r.lo : r.lo}, negative ? -quadrant : quadrant};
}

}  // namespace npl::math::detail
