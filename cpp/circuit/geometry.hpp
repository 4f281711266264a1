// SPDX-License-Identifier: Apache-2.0
/// Points, boxes and rotations; lengths in um.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace npl::circuit {

/// A point or a direction.
struct Vec {
  double x = 0, y = 0, z = 0;
};
inline Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec operator*(double k, Vec a) { return {k * a.x, k * a.y, k * a.z}; }
inline double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline double norm(Vec a) { return std::sqrt(dot(a, a)); }

/// A point of a neurite with its radius.
struct Point {
  Vec at;
  double radius = 0;
};

/// Axis-parallel box in single precision, rounded outwards.
struct Box {
  std::array<float, 3> lo{inf, inf, inf}, hi{-inf, -inf, -inf};

  static constexpr float inf = std::numeric_limits<float>::infinity();
  bool empty() const { return lo[0] > hi[0]; }
  /// Extends the box to contain another one.
  void add(const Box& other) {
    for (int k = 0; k < 3; ++k) lo[k] = std::min(lo[k], other.lo[k]), hi[k] = std::max(hi[k], other.hi[k]);
  }
  /// Extends the box to contain a ball, with a margin of 1e-6 um: no overlap is lost by rounding.
  void add(Vec centre, double radius) {
    const double c[3] = {centre.x, centre.y, centre.z}, r = radius + 1e-6;
    for (int k = 0; k < 3; ++k)
      lo[k] = std::min(lo[k], below(c[k] - r)), hi[k] = std::max(hi[k], -below(-c[k] - r));  // for subnormal corners the margin suffices
  }

 private:
  /// A float below x: x rounded, minus more than half a unit in the last place.
  static float below(double x) {
    const float f = static_cast<float>(x);
    return f - std::fabs(f) * 0x1p-23f;
  }
};

/// Rotation by a quaternion (w, x, y, z), which must not be 0 and need not be normalised.
class Rotation {
 public:
  explicit Rotation(const std::array<double, 4>& q) {
    const double n = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double w = q[0] / n, x = q[1] / n, y = q[2] / n, z = q[3] / n;
    rows_[0] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)};
    rows_[1] = {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)};
    rows_[2] = {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
  }
  Vec operator()(Vec v) const { return {dot(rows_[0], v), dot(rows_[1], v), dot(rows_[2], v)}; }

 private:
  std::array<Vec, 3> rows_;
};

}  // namespace npl::circuit
