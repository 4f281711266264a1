// SPDX-License-Identifier: Apache-2.0
/// Conductances with a reversal potential and time constants per port, for models with any number of ports (port_substeps.hpp). Such a
/// model says `Shape`, one of these; `derive_port`, `port_parameters_at` and `ports_at` as ports.hpp says; and
///   `Exactly` (whole_step.hpp), without places of channels;
///   `potential(own, State, Derived)`: that of the synaptic current sum g (E_rev - V);
///   `slopes(own, V, synaptic current, State, Derived, current) -> own` of the variables of the neuron itself.
#pragma once
#include <array>
#include <cstddef>

#include "model/ports.hpp"
#include "model/propagators.hpp"

namespace npl::model {

/// Derived values of a port.
struct PortConductance {
  double E_rev, rate, rise, jump;
  Flow flow;  ///< of a time step
};

/// Exponentially decaying.
struct ExpPorts {
  struct Params {
    double E_rev, tau;
  };
  static constexpr std::array parameters{Field{"E_rev", "mV", 0.0, "Reversal potential of this receptor"},
                                         Field{"tau_syn", "ms", 2.0, "Time constant of this conductance", Bound::positive}};
  struct One {
    double g;
  };
  static constexpr std::array state{Field{"g", "nS", 0.0, "Conductance of this receptor", Bound::non_negative}};
  using Factors = PortConductance;
  static constexpr std::size_t parts = 1;
  static std::array<Factors, parts> derive(const Params& p, double h) {
    const double rate = 1.0 / p.tau;
    return {Factors{p.E_rev, rate, rate, 1.0, flow_of(rate, rate, h)}};
  }
  NPL_INLINE static std::array<double, 1> slopes(const std::array<double, 1>& y, double rate, double) { return {-y[0] * rate}; }
};

/// With a rise and a decay.
struct RisingPorts {
  struct One {
    double g, dg;
  };
  static constexpr std::array state{Field{"g", "nS", 0.0, "Conductance of this receptor", Bound::non_negative},
                                    Field{"dg", "nS/ms", 0.0, "Rise of the conductance of this receptor"}.with(Mark::status_only)};
  using Factors = PortConductance;
  static constexpr std::size_t parts = 1;
  static std::array<Factors, parts> derive(double E_rev, double rise, double rate, double jump, double h) {
    return {Factors{E_rev, rate, rise, jump, flow_of(rate, rise, h)}};
  }
  NPL_INLINE static std::array<double, 2> slopes(const std::array<double, 2>& y, double rate, double rise) {
    return {y[1] - y[0] * rate, -y[1] * rise};
  }
};

struct AlphaPorts : RisingPorts {
  using Params = ExpPorts::Params;
  static constexpr std::array parameters{Field{"E_rev", "mV", 0.0, "Reversal potential of this receptor"},
                                         Field{"tau_syn", "ms", 2.0, "Rise time of this conductance", Bound::positive}};
  static std::array<Factors, parts> derive(const Params& p, double h) {
    return RisingPorts::derive(p.E_rev, 1.0 / p.tau, 1.0 / p.tau, beta_jump(p.tau, p.tau), h);
  }
};

struct BetaPorts : RisingPorts {
  struct Params {
    double E_rev, rise, decay;
  };
  static constexpr std::array parameters{Field{"E_rev", "mV", 0.0, "Reversal potential of this receptor"},
                                         Field{"tau_rise", "ms", 2.0, "Rise time constant of this conductance", Bound::positive},
                                         Field{"tau_decay", "ms", 20.0, "Decay time constant of this conductance", Bound::positive}};
  static std::array<Factors, parts> derive(const Params& p, double h) {
    return RisingPorts::derive(p.E_rev, 1.0 / p.rise, 1.0 / p.decay, beta_jump(p.rise, p.decay), h);
  }
};

/// The channels of a model with ports, for whole_step.hpp: none of its own.
template <class Shape>
struct PortChannels {
  static constexpr bool rises = n_fields<typename Shape::One> == 2, conductances = true;
  static constexpr std::size_t first = 1, n = 0;
};

inline constexpr std::array port_count{Field{"n_receptors", "", 1.0, "Receptors in use"}.with(Mark::whole)};

}  // namespace npl::model
