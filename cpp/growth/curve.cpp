// SPDX-License-Identifier: Apache-2.0
#include "growth/curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "base/math.hpp"

namespace npl::growth {
namespace {

constexpr double sqrt_ln2 = 0x1.aa4499161cd47p-1;

double xi(const Curve& c) { return 0.5 * (c.eta + c.eps); }
double zeta(const Curve& c) { return std::fabs(c.eps - c.eta) / (2.0 * sqrt_ln2); }

/// Beyond so many widths from its centre a curve is flat to the last bit of its sum.
constexpr double flat_gaussian = 8.0, flat_sigmoid = 40.0;

/// Values of calcium, where a curve changes its sign or becomes flat; infinity: none.
std::array<double, 4> marks(const Curve& c) {
  constexpr double none = std::numeric_limits<double>::infinity();
  switch (c.shape) {
    case Shape::gaussian: return {c.eta, c.eps, xi(c) - flat_gaussian * zeta(c), xi(c) + flat_gaussian * zeta(c)};
    case Shape::sigmoid: return {c.eps, c.eps - flat_sigmoid * c.psi, c.eps + flat_sigmoid * c.psi, none};
    case Shape::linear: break;
  }
  return {c.eps, none, none, none};
}

double width(const Curve& c) { return c.shape == Shape::gaussian ? zeta(c) : c.psi; }

/// Whether the curve varies between these values of calcium, which no mark lies between.
bool varies(const Curve& c, double high, double low) {
  const double middle = 0.5 * (high + low);
  if (c.shape == Shape::gaussian) return std::fabs(middle - xi(c)) < flat_gaussian * zeta(c);
  return std::fabs(middle - c.eps) < flat_sigmoid * c.psi;
}

/// The mean of f over a piece in which calcium decays from `calcium` by exp(-x), by 3 points or by 5.
double mean(const Curve& c, double calcium, double x, bool three) {
  constexpr double n3[] = {0.11270166537925831, 0.5, 0.88729833462074169}, w3[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  constexpr double n5[] = {0.046910077030668004, 0.23076534494715845, 0.5, 0.76923465505284155, 0.95308992296933199};
  constexpr double w5[] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444, 0.23931433524968324, 0.11846344252809454};
  const double *at = three ? n3 : n5, *weight = three ? w3 : w5;
  double sum = 0.0;
  for (int k = 0; k < (three ? 3 : 5); ++k) sum += weight[k] * c(calcium * math::exp(-at[k] * x));
  return sum;
}

/// Integral of f over x = time / tau, from 0, where no mark lies between.
double integral(const Curve& c, double calcium, double x) {
  if (c.shape == Shape::linear) return x + calcium * math::expm1(-x) / c.eps;
  if (!varies(c, calcium, calcium * math::exp(-x))) return x * c(calcium);
  const double w = width(c);
  double sum = 0.0;
  while (x > 0.0) {
    if (calcium < 1e-17 * w) return sum + x * c(0.0);
    const double slow = w < calcium ? -math::log1p(-0.5 * w / calcium) : 0.5;  // half a width
    const double piece = std::min({x, slow, 0.5});
    const bool three = piece <= 0.0625 && calcium * piece <= 0.0625 * w;
    sum += piece * mean(c, calcium, piece, three);
    calcium *= math::exp(-piece);
    x -= piece;
  }
  return sum;
}

void check_finite(const char* name, double value) {
  if (!std::isfinite(value)) throw BadParameter(name, value, "a finite number");
}

}  // namespace

const std::vector<std::string>& shapes() {
  static const std::vector<std::string> names{"gaussian", "linear", "sigmoid"};
  return names;
}

Shape find_shape(const std::string& name) {
  const auto at = std::find(shapes().begin(), shapes().end(), name);
  if (at == shapes().end()) throw UnknownName("growth curve", name, shapes());
  return static_cast<Shape>(at - shapes().begin());
}

void Curve::check() const {
  check_finite("growth_rate", rate), check_finite("eta", eta), check_finite("eps", eps), check_finite("psi", psi);
  if (!(tau_vacant >= 0.0 && tau_vacant <= 1.0)) throw BadParameter("tau_vacant", tau_vacant, "from 0 to 1");
  if (shape == Shape::linear && eps == 0.0) throw BadParameter("eps", eps, "different from 0 for linear growth");
  if (shape == Shape::gaussian && eps == eta) throw BadParameter("eps", eps, "different from eta for gaussian growth");
  if (shape == Shape::sigmoid && psi <= 0.0) throw BadParameter("psi", psi, "positive for sigmoid growth");
}

double Curve::operator()(double calcium) const {
  if (shape == Shape::linear) return 1.0 - calcium / eps;
  if (shape == Shape::sigmoid) return 2.0 / (1.0 + math::exp((calcium - eps) / psi)) - 1.0;
  const double x = (calcium - xi(*this)) / zeta(*this);
  return 2.0 * math::exp(-x * x) - 1.0;
}

/// Piece by piece between the marks, as z stays at 0 where it would shrink further.
double grown(const Curve& curve, double z, double calcium, double tau, double ms) {
  if (ms <= 0.0 || curve.rate == 0.0) return z;
  double left = ms / tau;
  std::array<double, 4> at = marks(curve);
  std::sort(at.begin(), at.end());
  for (std::size_t k = at.size(); k-- > 0 && left > 0.0;) {
    if (!(at[k] > 0.0 && at[k] < calcium)) continue;
    const double until = std::min(left, math::log(calcium / at[k]));
    z = std::max(0.0, z + curve.rate * tau * integral(curve, calcium, until));
    left -= until;
    calcium = left > 0.0 ? at[k] : calcium;
  }
  return left > 0.0 ? std::max(0.0, z + curve.rate * tau * integral(curve, calcium, left)) : z;
}

}  // namespace npl::growth
