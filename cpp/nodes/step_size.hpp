// SPDX-License-Identifier: Apache-2.0
/// The Runge-Kutta-Fehlberg method 4(5) (Fehlberg 1969): its coefficients, one substep, and what is needed to choose its size.
#pragma once
#include <array>
#include <cstddef>
#include <utility>

#include "base/math.hpp"

namespace npl::nodes::rkf45 {

/// Row i: of the slopes of the stages before, in the argument of the slope of stage i.
inline constexpr double a[6][5]{{},
                                {1.0 / 4},
                                {3.0 / 32, 9.0 / 32},
                                {1932.0 / 2197, -7200.0 / 2197, 7296.0 / 2197},
                                {439.0 / 216, -8.0, 3680.0 / 513, -845.0 / 4104},
                                {-8.0 / 27, 2.0, -3544.0 / 2565, 1859.0 / 4104, -11.0 / 40}};
/// Of slopes 1, 3, 4, 5, 6 in the fifth-order solution, and in its difference from the fourth-order one; those of slope 2 are 0.
inline constexpr double b[5]{16.0 / 135, 6656.0 / 12825, 28561.0 / 56430, -9.0 / 50, 2.0 / 55};
inline constexpr double e[5]{1.0 / 360, -128.0 / 4275, -2197.0 / 75240, 1.0 / 50, 2.0 / 55};

template <std::size_t N>
using Vars = std::array<double, N>;

/// A slope and its coefficient.
template <std::size_t N>
struct Term {
  double a;
  const Vars<N>& k;
};

/// A substep that was tried: the fifth-order solution, and a measure of its error.
template <std::size_t N, class Error = double>
struct Trial {
  Vars<N> y;
  Error error;
};

/// make(i) for each variable i, unrolled: a loop inside would keep the loop over neurons scalar.
template <std::size_t N, class Make>
NPL_INLINE Vars<N> each_variable(const Make& make) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) NPL_INLINE_LAMBDA { return Vars<N>{make(I)...}; }(std::make_index_sequence<N>{});
}

template <class Sums, std::size_t... I, std::size_t N, class... Slopes>
NPL_INLINE Vars<N> moved(std::index_sequence<I...>, const Vars<N>& y, double h, const Slopes&... k) {
  return Sums::move(y, h, Term<N>{a[sizeof...(k)][I], k}...);
}
/// The argument of a slope, from those of the stages before.
/// @tparam Sums `move(y, h, terms...)`: y + h * the sum of the terms. Two orders of these operations are in use: they differ in last bits.
template <class Sums, std::size_t N, class... Slopes>
NPL_INLINE Vars<N> argument(const Vars<N>& y, double h, const Slopes&... k) {
  if constexpr (sizeof...(k) == 0)
    return y;
  else
    return moved<Sums>(std::index_sequence_for<Slopes...>{}, y, h, k...);
}

/// @param measure of the slope of the error
template <class Sums, std::size_t N, class Measure>
NPL_INLINE auto end_of_substep(const Vars<N>& y, double h, const Vars<N>& k1, const Vars<N>& k3, const Vars<N>& k4, const Vars<N>& k5,
                               const Vars<N>& k6, const Measure& measure) {
  using T = Term<N>;
  constexpr double e1 = e[0], e3 = e[1], e4 = e[2], e5 = e[3], e6 = e[4];  // a device has no array in a lambda
  const auto slope = [&](std::size_t i) NPL_INLINE_LAMBDA { return e1 * k1[i] + e3 * k3[i] + e4 * k4[i] + e5 * k5[i] + e6 * k6[i]; };
  return Trial<N, decltype(measure(y))>{Sums::move(y, h, T{b[0], k1}, T{b[1], k3}, T{b[2], k4}, T{b[3], k5}, T{b[4], k6}),
                                        measure(each_variable<N>(slope))};
}

/// A substep of size h from y on. @param slope(y, stage), the first stage being 0 @param measure see end_of_substep
template <class Sums, std::size_t N, class Slope, class Measure>
NPL_INLINE auto substep(const Vars<N>& y, double h, const Slope& slope, const Measure& measure) {
  const Vars<N> k1 = slope(y, 0);
  const Vars<N> k2 = slope(argument<Sums>(y, h, k1), 1);
  const Vars<N> k3 = slope(argument<Sums>(y, h, k1, k2), 2);
  const Vars<N> k4 = slope(argument<Sums>(y, h, k1, k2, k3), 3);
  const Vars<N> k5 = slope(argument<Sums>(y, h, k1, k2, k3, k4), 4);
  const Vars<N> k6 = slope(argument<Sums>(y, h, k1, k2, k3, k4, k5), 5);
  return end_of_substep<Sums>(y, h, k1, k3, k4, k5, k6, measure);
}

/// About x^(-1/10) for x >= 0, within 4 %: straight lines for log2 and 2^; enough to choose a step size, and exactly the same everywhere.
NPL_INLINE double rough_root(double x) {
  const double log2 =
      math::detail::real(((math::detail::bits(x) & 0x7fffffffffffffffu) >> 12) | 0x4330000000000000u) - (0x1p52 + 0x1p40 * 1023);
  return math::detail::real(math::detail::bits(-0.1 * log2 + (0x1p52 + 0x1p40 * 1023)) << 12);
}

NPL_INLINE double between(double x, double low, double high) { return math::choose(x < low, low, math::choose(x > high, high, x)); }

}  // namespace npl::nodes::rkf45
