// SPDX-License-Identifier: Apache-2.0
/// Growth of synaptic elements (axonal boutons, dendritic spines) by the calcium of their neuron (Butz & van Ooyen 2013, PLoS Comput Biol
/// 9:e1003259; Diaz-Pier et al. 2016, Front Neuroanat 10:57). The number z of elements follows
///   dz/dt = growth_rate f(Ca),  z >= 0,
///   linear:   f = 1 - Ca / eps
///   gaussian: f = 2 exp(-((Ca - xi) / zeta)^2) - 1, xi = (eta + eps) / 2, zeta = (eps - eta) / (2 sqrt(ln 2)): 0 at eta and at eps
///   sigmoid:  f = 2 / (1 + exp((Ca - eps) / psi)) - 1
#pragma once
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace npl::growth {

enum class Shape : std::uint8_t { gaussian, linear, sigmoid };
/// Names of the shapes, in their order.
const std::vector<std::string>& shapes();
/// The shape of this name. Throws UnknownName.
Shape find_shape(const std::string& name);

struct Curve {
  Shape shape = Shape::linear;
  double rate = 1.0;        ///< growth_rate [elements/ms]
  double eta = 0.1;         ///< (gaussian) calcium below which elements retract
  double eps = 0.7;         ///< calcium at which nothing grows
  double psi = 0.1;         ///< (sigmoid) width
  double tau_vacant = 0.1;  ///< part of the vacant elements that is lost at each update
  bool continuous = true;   ///< kept and shown: z is a real number, and whole elements connect
  bool operator<(const Curve& other) const { return values() < other.values(); }
  std::tuple<Shape, double, double, double, double, double, bool> values() const {
    return {shape, rate, eta, eps, psi, tau_vacant, continuous};
  }

  /// Throws BadParameter.
  void check() const;
  /// f(Ca)
  double operator()(double calcium) const;
};

/// z after a time [ms] without spikes, in which calcium decays from `calcium` as exp(-t / tau) [ms]. Linear: in closed form; others by
/// Gauss-Legendre quadrature, in pieces so short that its error is below 1e-9 of growth_rate x time.
double grown(const Curve& curve, double z, double calcium, double tau, double ms);

}  // namespace npl::growth
