// SPDX-License-Identifier: Apache-2.0
#include "circuit/overlap.hpp"

#include <cmath>

#include "base/math.hpp"

namespace npl::circuit {
namespace {

using math::choose;

constexpr double slack = 1e-12;  // of an axis: roots that rounding puts beyond its ends

/// The interval found so far. It grows by places that are known to overlap.
struct Hull {
  double lo = 2, hi = -1;
  NPL_INLINE void add(double s, bool valid) {
    lo = choose(valid & (s < lo), s, lo);
    hi = choose(valid & (s > hi), s, hi);
  }
};

NPL_INLINE bool within(double s) { return (s >= -slack) & (s <= 1 + slack); }

NPL_INLINE double clamped(double s) { return choose(s < 0, 0, choose(s > 1, 1, s)); }

/// Roots of a s^2 + 2 b s + c.
struct Quadratic {
  double a, b, c;
  double first, second;  ///< roots, in any order; NaN or infinite where there are none
  bool real;

  NPL_INLINE Quadratic(double a, double b, double c) : a(a), b(b), c(c) {
    const double square = b * b - a * c;
    const double root = std::sqrt(choose(square > 0, square, 0));
    const double sum = -(b + choose(b < 0, -root, root));  // avoids cancellation
    first = sum / a;
    second = c / sum;
    real = square >= 0;
  }
};

/// Overlap with one end of q: t = 0 or t = 1.
NPL_INLINE void add_side(Hull& hull, const Quadratic& q) {
  hull.add(0, q.c <= 0);
  hull.add(1, q.a + 2 * q.b + q.c <= 0);
  hull.add(clamped(q.first), q.real & within(q.first));
  hull.add(clamped(q.second), q.real & within(q.second));
}

NPL_INLINE Interval interval(const double (&x)[PairBlock::n_columns]) {
  using P = PairBlock;
  const double ww = x[P::wx] * x[P::wx] + x[P::wy] * x[P::wy] + x[P::wz] * x[P::wz],
               uu = x[P::ux] * x[P::ux] + x[P::uy] * x[P::uy] + x[P::uz] * x[P::uz];
  const double vv = x[P::vx] * x[P::vx] + x[P::vy] * x[P::vy] + x[P::vz] * x[P::vz],
               uv = x[P::ux] * x[P::vx] + x[P::uy] * x[P::vy] + x[P::uz] * x[P::vz];
  const double wu = x[P::wx] * x[P::ux] + x[P::wy] * x[P::uy] + x[P::wz] * x[P::uz],
               wv = x[P::wx] * x[P::vx] + x[P::wy] * x[P::vy] + x[P::wz] * x[P::vz];
  const double r = x[P::reach], du = x[P::du], dv = x[P::dv];
  // |p - q|^2 - (r + r)^2 = a s^2 + 2 b s t + c t^2 + 2 d s + 2 e t + f
  const double a = uu - du * du, b = -uv - du * dv, c = vv - dv * dv, d = wu - r * du, e = -wv - r * dv, f = ww - r * r;
  Hull hull;
  add_side(hull, Quadratic(a, d, f));
  add_side(hull, Quadratic(a, b + d, c + 2 * e + f));
  // The minimum along t is at t = -(b s + e) / c; if c <= 0, at t = 0 or 1.
  const Quadratic tangent(a * c - b * b, d * c - b * e, f * c - e * e);
  const auto inside = [&](double s) __attribute__((always_inline)) {
    const double t = -(b * s + e) / c;
    return (c > 0) & within(t);
  };
  hull.add(0, (tangent.c <= 0) & inside(0));
  hull.add(1, (tangent.a + 2 * tangent.b + tangent.c <= 0) & inside(1));
  hull.add(clamped(tangent.first), tangent.real & within(tangent.first) & inside(tangent.first));
  hull.add(clamped(tangent.second), tangent.real & within(tangent.second) & inside(tangent.second));
  return {hull.lo, hull.hi};
}

struct Body {
  NPL_INLINE static void run(PairBlock* block) {
    for (std::size_t i = 0; i < PairBlock::capacity; ++i) {
      double x[PairBlock::n_columns];
      for (std::size_t c = 0; c < PairBlock::n_columns; ++c) x[c] = block->in[c][i];
      const Interval s = interval(x);
      block->lo[i] = s.lo;
      block->hi[i] = s.hi;
    }
  }
};

}  // namespace

void PairBlock::evaluate() {
  for (std::size_t c = 0; c < n_columns; ++c) std::fill(in[c] + size, in[c] + capacity, 0.0);
  Dispatch<Body>::run(this);
}

Interval overlap(const Segment& p, const Segment& q) {
  double row[PairBlock::n_columns];
  PairBlock::fill(row, p, q);
  return interval(row);
}

double nearest(const Segment& q, Vec point) {
  const double length = norm(q.axis);
  if (!(length > 0)) return q.widening > 0 ? 1 : 0;
  const Vec w = point - q.begin;
  const double along = dot(w, q.axis) / length, slope = q.widening / length;
  if (slope * slope >= 1) return slope > 0 ? 1 : 0;  // the ball at one end contains that at the other
  const double aside = std::sqrt(std::max(0.0, dot(w, w) - along * along));
  return std::clamp((along + aside * slope / std::sqrt(1 - slope * slope)) / length, 0.0, 1.0);
}

double PairBlock::clearance(std::size_t k, double s) const {
  const Vec at{in[wx][k] + s * in[ux][k], in[wy][k] + s * in[uy][k], in[wz][k] + s * in[uz][k]};
  const Segment q{{}, {in[vx][k], in[vy][k], in[vz][k]}, 0, in[dv][k]};
  const double t = nearest(q, at);
  return norm(at - q.at(t)) - (in[reach][k] + s * in[du][k] + t * in[dv][k]);
}

}  // namespace npl::circuit
