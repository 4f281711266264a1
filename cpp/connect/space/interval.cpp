// SPDX-License-Identifier: Apache-2.0
#include "connect/space/interval.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math.hpp"
#include "base/sine.hpp"

namespace npl::connect::space {
namespace {

// + - * / and the square root round monotonically: their values at the ends, rounded to nearest like those of the program, bound those
// between them. The functions of base/math.hpp are right to 1.05 ulp and need not be monotone: their values at the ends are moved outwards.

constexpr double endless = std::numeric_limits<double>::infinity();
constexpr Interval anything{-endless, endless, true};
constexpr double most_angle = 0x1p20;  // [rad] beyond, the quadrant of an angle is not looked for

double outwards(double x, double sign) { return std::isinf(x) ? x : x + sign * (std::fabs(x) * 0x1p-48 + 0x1p-1060); }
Interval widened(double low, double high, bool nan) { return {outwards(low, -1.0), outwards(high, 1.0), nan}; }

/// An end that is NaN is unknown.
Interval known(double low, double high, bool nan) {
  return {low == low ? low : -endless, high == high ? high : endless, nan || low != low || high != high};
}
Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.maybe_nan || b.maybe_nan};
}
bool holds_zero(const Interval& a) { return a.low <= 0.0 && a.high >= 0.0; }
bool is_endless(const Interval& a) { return std::isinf(a.low) || std::isinf(a.high); }

Interval sum(const Interval& a, const Interval& b) {
  const bool opposite = (a.high == endless && b.low == -endless) || (a.low == -endless && b.high == endless);
  return known(a.low + b.low, a.high + b.high, a.maybe_nan || b.maybe_nan || opposite);
}
Interval negative(const Interval& a) { return {-a.high, -a.low, a.maybe_nan}; }

Interval product(const Interval& a, const Interval& b) {
  const auto times = [](double x, double y) { return x == 0.0 || y == 0.0 ? 0.0 : x * y; };  // the limit for 0 * inf
  const auto [low, high] = std::minmax({times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)});
  const bool unknown = (holds_zero(a) && is_endless(b)) || (holds_zero(b) && is_endless(a));
  return {low, high, a.maybe_nan || b.maybe_nan || unknown};
}

Interval quotient(const Interval& a, const Interval& b) {
  if (holds_zero(b) || (is_endless(a) && is_endless(b))) return anything;
  const auto [low, high] = std::minmax({a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high});
  return {low, high, a.maybe_nan || b.maybe_nan};
}

Interval magnitude(const Interval& a) {
  const double low = std::fabs(a.low), high = std::fabs(a.high);
  return {holds_zero(a) ? 0.0 : std::min(low, high), std::max(low, high), a.maybe_nan};
}

Interval square(const Interval& a) {
  const Interval m = magnitude(a);
  return {m.low * m.low, m.high * m.high, m.maybe_nan};
}

/// a^y for a >= 0.
Interval positive_power(const Interval& a, double y) {
  const double first = math::pow(a.low, y), last = math::pow(a.high, y);
  const Interval found = widened(std::min(first, last), std::max(first, last), a.maybe_nan);
  return {std::max(found.low, 0.0), found.high, found.maybe_nan};
}

Interval power(const Interval& a, double y) {
  if (y == 0.0) return {1.0, 1.0};
  if (y != y || std::isinf(y)) return anything;
  if (y < 0.0 && holds_zero(a)) return anything;  // -0 and an odd power give -inf
  if (a.low >= 0.0) return positive_power(a, y);
  const bool whole = std::floor(y) == y, odd = whole && std::fmod(y, 2.0) != 0.0;
  if (whole && !odd) return positive_power(magnitude(a), y);
  if (!odd)
    return a.high < 0.0 || a.low == -endless ? anything : hull(positive_power({0.0, a.high}, y), {0.0, 0.0, true});  // (-inf)^y = inf
  const Interval below = negative(positive_power(magnitude({a.low, std::min(a.high, 0.0)}), y));
  return a.high <= 0.0 ? Interval{below.low, below.high, a.maybe_nan} : hull(below, positive_power({0.0, a.high, a.maybe_nan}, y));
}

Interval root(const Interval& a) { return {std::sqrt(std::max(a.low, 0.0)), std::sqrt(std::max(a.high, 0.0)), a.maybe_nan || a.low < 0.0}; }

Interval exponential(const Interval& a) {
  const Interval found = widened(math::exp(a.low), math::exp(a.high), a.maybe_nan);
  return {std::max(found.low, 0.0), found.high, found.maybe_nan};
}

Interval logarithm(const Interval& a) {
  if (a.high < 0.0) return anything;
  return widened(math::log(std::max(a.low, 0.0)), math::log(a.high), a.maybe_nan || a.low < 0.0);
}

/// Whether offset + 2 pi k lies in a for a whole number k, or almost.
bool holds_angle(const Interval& a, double offset) {
  constexpr double turn = 0x1.921fb54442d18p+2, slack = 1e-9;
  return std::ceil((a.low - offset) / turn - slack) <= (a.high - offset) / turn + slack;
}

/// A sine or cosine with these values at the ends and a maximum at this angle.
Interval wave(const Interval& a, double first, double last, double top) {
  constexpr double half_turn = 0x1.921fb54442d18p+1, slack = 1e-12;
  const bool near = std::max(std::fabs(a.low), std::fabs(a.high)) < most_angle;
  const double high = near && !holds_angle(a, top) ? std::max(first, last) : 1.0,
               low = near && !holds_angle(a, top - half_turn) ? std::min(first, last) : -1.0;
  return {low - slack, high + slack, a.maybe_nan || is_endless(a)};
}

/// The smaller or larger one; the program gives b where a or b is not a number.
Interval one_of(const Interval& a, const Interval& b, double (*pick)(double, double)) {
  if (!a.maybe_nan && !b.maybe_nan) return {pick(a.low, b.low), pick(a.high, b.high)};
  const Interval both = hull(a, b);
  return {both.low, both.high, b.maybe_nan};
}

Interval truth(bool surely, bool surely_not) { return {surely ? 1.0 : 0.0, surely_not ? 0.0 : 1.0}; }

/// A comparison; with NaN any result is taken as possible.
Interval compared(Op op, const Interval& a, const Interval& b) {
  if (a.maybe_nan || b.maybe_nan) return {0.0, 1.0};
  const bool same = a.low == a.high && b.low == b.high && a.low == b.low, apart = a.high < b.low || b.high < a.low;
  switch (op) {
    case Op::less: return truth(a.high < b.low, a.low >= b.high);
    case Op::less_equal: return truth(a.high <= b.low, a.low > b.high);
    case Op::equal: return truth(same, apart);
    default: return truth(apart, same);
  }
}

Interval chosen(const Interval& a, const Interval& b, const Interval& c) {
  if (!holds_zero(a)) return b;  // NaN counts as true, too
  return a.low == 0.0 && a.high == 0.0 && !a.maybe_nan ? c : hull(b, c);
}

}  // namespace

Interval apply(const Instruction& s, const Interval& a, const Interval& b, const Interval& c) {
  switch (s.op) {
    case Op::constant: return known(s.value, s.value, false);
    case Op::input: return a;
    case Op::add: return sum(a, b);
    case Op::subtract: return sum(a, negative(b));
    case Op::both:
    case Op::multiply: return product(a, b);
    case Op::divide: return quotient(a, b);
    case Op::power: return power(a, s.value);
    case Op::square: return square(a);
    case Op::root: return root(a);
    case Op::exponential: return exponential(a);
    case Op::magnitude: return magnitude(a);
    case Op::floor: return {std::floor(a.low), std::floor(a.high), a.maybe_nan};
    case Op::smaller: return one_of(a, b, [](double x, double y) { return std::min(x, y); });
    case Op::either:
    case Op::larger: return one_of(a, b, [](double x, double y) { return std::max(x, y); });
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::unequal: return compared(s.op, a, b);
    case Op::without: return product(a, sum({1.0, 1.0}, negative(b)));
    case Op::choose: return chosen(a, b, c);
    case Op::logarithm: return logarithm(a);
    case Op::sine: return wave(a, math::sin(a.low), math::sin(a.high), 0x1.921fb54442d18p+0);
    case Op::cosine: return wave(a, math::cos(a.low), math::cos(a.high), 0.0);
  }
  return anything;
}

Interval bounds(const Program& program, const Interval* inputs, std::vector<Interval>& work) {
  const std::vector<Instruction>& code = program.code();
  work.resize(code.size());
  for (std::size_t i = 0; i < code.size(); ++i) {
    const Instruction& s = code[i];
    const auto operand = [&](std::int32_t k) -> const Interval& { return work[static_cast<std::size_t>(k)]; };
    if (s.op == Op::input)
      work[i] = inputs[s.a];
    else if (s.op == Op::constant)
      work[i] = known(s.value, s.value, false);
    else
      work[i] = apply(s, operand(s.a), operand(s.b), operand(s.c));
  }
  return work.back();
}

}  // namespace npl::connect::space
