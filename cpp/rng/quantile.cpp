// SPDX-License-Identifier: Apache-2.0
#include "rng/quantile.hpp"

#include <algorithm>

#include "base/math.hpp"
#include "rng/normal.hpp"

namespace npl::rng {
namespace {

Tails normal_tails(double z) { return {normal_upper(-z), normal_upper(z)}; }

Tails exponential_tails(double x) {
  if (x <= 0) return {0.0, 1.0};
  if (x > 700) return {1.0, 0.0};
  const double upper = math::exp(-x);
  // 1 - e^-x without cancellation: the series for small x.
  const double lower = x > 0.01 ? 1.0 - upper : x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5 * (1 - x / 6)))));
  return {lower, upper};
}

}  // namespace

Quantile::Quantile(const ValueSpec& spec) : spec_(spec) {
  if (spec.limit != Limit::redraw) return;
  at_min_ = unbounded(spec.min);
  at_max_ = unbounded(spec.max);
  mass_ = at_min_.lower > 0.5 ? at_min_.upper - at_max_.upper : at_max_.lower - at_min_.lower;
}

Tails Quantile::unbounded(double x) const {
  if (x == -std::numeric_limits<double>::infinity()) return {0.0, 1.0};
  if (x == std::numeric_limits<double>::infinity()) return {1.0, 0.0};
  const Tails t = drawn_tails((x - spec_.shift) / spec_.factor);
  return spec_.factor < 0 ? Tails{t.upper, t.lower} : t;
}

Tails Quantile::drawn_tails(double x) const {
  switch (spec_.kind) {
    case Kind::normal: return normal_tails((x - spec_.a) / spec_.b);
    case Kind::lognormal: return x > 0 ? normal_tails((math::log(x) - spec_.a) / spec_.b) : Tails{0.0, 1.0};
    case Kind::exponential: return exponential_tails(x / spec_.a);
    default: break;
  }
  const double p = std::clamp((x - spec_.a) / (spec_.b - spec_.a), 0.0, 1.0);
  return {p, std::clamp((spec_.b - x) / (spec_.b - spec_.a), 0.0, 1.0)};
}

double Quantile::invert(Tails t) const {
  switch (spec_.kind) {
    case Kind::normal: return spec_.a + spec_.b * normal_quantile(t.lower, t.upper);
    case Kind::lognormal: return math::exp(spec_.a + spec_.b * normal_quantile(t.lower, t.upper));
    case Kind::exponential: return -spec_.a * (t.lower < 0.5 ? math::log1p(-t.lower) : math::log(t.upper));
    default: return t.lower < 0.5 ? spec_.a + (spec_.b - spec_.a) * t.lower : spec_.b - (spec_.b - spec_.a) * t.upper;
  }
}

double Quantile::operator()(Tails t) const {
  if (spec_.limit == Limit::redraw) t = {at_min_.lower + mass_ * t.lower, at_max_.upper + mass_ * t.upper};
  const double x = spec_.shift + spec_.factor * invert(spec_.factor < 0 ? Tails{t.upper, t.lower} : t);
  return spec_.limit == Limit::redraw ? clip(x) : x;
}

double Quantile::clip(double x) const { return spec_.limit == Limit::none ? x : std::clamp(x, spec_.min, spec_.max); }

double Quantile::cdf(double x) const {
  if (spec_.limit == Limit::none) return unbounded(x).lower;
  if (x < spec_.min) return 0.0;
  if (x >= spec_.max) return 1.0;
  const Tails t = unbounded(x);
  if (spec_.limit == Limit::clip) return t.lower;
  return at_min_.lower > 0.5 ? (at_min_.upper - t.upper) / mass_ : (t.lower - at_min_.lower) / mass_;
}

bool is_single_value(const ValueSpec& s, double* value) {
  const bool single = s.kind == Kind::constant || (s.kind == Kind::uniform && s.a == s.b) || (s.kind == Kind::uniform_int && s.a == 1) ||
                      ((s.kind == Kind::normal || s.kind == Kind::lognormal) && s.b == 0) || (s.limit == Limit::clip && s.min == s.max);
  if (!single) return false;
  const double drawn = s.kind == Kind::lognormal ? math::exp(s.a) : s.kind == Kind::uniform_int ? 0.0 : s.a;
  *value = s.shift + s.factor * drawn;
  if (s.limit == Limit::clip) *value = std::clamp(*value, s.min, s.max);
  return true;
}

}  // namespace npl::rng
