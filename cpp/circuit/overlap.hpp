// SPDX-License-Identifier: Apache-2.0
/// Overlap of two segments. A segment is an axis p(s) = p0 + s u, s in [0, 1], with a radius r(s) = r0 + s dr; the axis of a sphere is a
/// point. Two segments overlap where |p(s) - q(t)| <= r(s) + r(t) for some s, t in [0, 1], that is, where balls of linearly varying radii
/// along both axes meet. |p - q| - r - r is convex in (s, t), so the overlap is an interval on either axis. Its ends lie on s = 0, s = 1, t
/// = 0 or t = 1, or where the conic |p - q|^2 = (r + r)^2 has a tangent along t: the roots of three quadratic equations, without iteration.
/// Backward stable: the result is that of slightly perturbed input.
#pragma once
#include <cstddef>

#include "base/simd.hpp"
#include "circuit/geometry.hpp"

namespace npl::circuit {

/// Shape of segments. capsule: constant radius, the mean of those at the ends.
enum class Mode { tapered, capsule };

/// A segment; lengths in um.
struct Segment {
  Vec begin, axis;
  double radius, widening;  ///< radius at the beginning, and its increase up to the end

  Vec at(double s) const { return begin + s * axis; }
  double radius_at(double s) const { return radius + s * widening; }
};

/// The segment between two points. If both are the same point: a ball of the larger radius. @param spine added to both radii [um]
inline Segment segment(const Point& from, const Point& to, double spine, Mode mode) {
  const bool ball = from.at.x == to.at.x && from.at.y == to.at.y && from.at.z == to.at.z;
  if (ball) return {from.at, {}, std::max(from.radius, to.radius) + spine, 0};
  if (mode == Mode::capsule) return {from.at, to.at - from.at, 0.5 * (from.radius + to.radius) + spine, 0};
  return {from.at, to.at - from.at, from.radius + spine, to.radius - from.radius};
}

/// Closed interval; empty if lo > hi or either is NaN.
struct Interval {
  double lo, hi;
  bool empty() const { return !(lo <= hi); }
};

/// Part of p's axis that overlaps with q, as an interval of s in [0, 1].
Interval overlap(const Segment& p, const Segment& q);

/// The t in [0, 1] at which the surface of q is nearest to a point: |point - q(t)| - r(t) is minimal.
double nearest(const Segment& q, Vec point);

/// Pairs of segments as columns, so that the closed form vectorises over pairs. The same bits on every SIMD level.
struct PairBlock {
  static constexpr std::size_t capacity = 128;
  enum Column { wx, wy, wz, ux, uy, uz, vx, vy, vz, reach, du, dv, n_columns };
  alignas(64) double in[n_columns][capacity];  ///< p0 - q0, both axes, sum of the radii at the beginnings, both widenings
  alignas(64) double lo[capacity], hi[capacity];
  std::size_t size = 0;

  NPL_INLINE static void fill(double (&row)[n_columns], const Segment& p, const Segment& q) {
    row[wx] = p.begin.x - q.begin.x, row[wy] = p.begin.y - q.begin.y, row[wz] = p.begin.z - q.begin.z;
    row[ux] = p.axis.x, row[uy] = p.axis.y, row[uz] = p.axis.z;
    row[vx] = q.axis.x, row[vy] = q.axis.y, row[vz] = q.axis.z;
    row[reach] = p.radius + q.radius, row[du] = p.widening, row[dv] = q.widening;
  }
  NPL_INLINE void add(const Segment& p, const Segment& q) {
    double row[n_columns];
    fill(row, p, q);
    for (std::size_t c = 0; c < n_columns; ++c) in[c][size] = row[c];
    ++size;
  }
  bool full() const { return size == capacity; }
  /// Computes lo and hi of the first `size` pairs, as overlap().
  void evaluate();
  /// Distance [um] of the second segment's surface from that of the first one at s, for pair k; negative where they interpenetrate.
  double clearance(std::size_t k, double s) const;
};

}  // namespace npl::circuit
