// SPDX-License-Identifier: Apache-2.0
/// Exponential synaptic currents with their propagators, as a part of exact models: two by the sign of the weight, or one per port.
#pragma once
#include "nodes/iaf_multisynapse.hpp"
#include "nodes/propagators.hpp"

namespace npl::nodes {

struct ExactExpBySign {
  static constexpr int receptors = 2;
  static constexpr SpikeInput input = SpikeInput::by_sign;
  struct Params {
    double tau_ex, tau_in;
  };
  static constexpr auto parameters =
      tau_fields("tau_syn_ex", "tau_syn_in", 2.0, 2.0, "Time constant of excitatory currents", "Time constant of inhibitory currents");
  struct Vars {
    double ex, in;
  };
  static constexpr std::array state{Field{"I_syn_ex", "pA", 0.0, "Excitatory synaptic current"},
                                    Field{"I_syn_in", "pA", 0.0, "Inhibitory synaptic current"}};
  struct Derived {
    double P_mex, P_min, P_ex, P_in;
  };
  static Derived derive(const Params& p, double tau_m, double C, double h) {
    return {exp_propagator(p.tau_ex, tau_m, C, h), exp_propagator(p.tau_in, tau_m, C, h), decay(h, p.tau_ex), decay(h, p.tau_in)};
  }
  NPL_INLINE static double onto_V(const Vars& y, const Derived& d) { return y.ex * d.P_mex + y.in * d.P_min; }
  NPL_INLINE static Vars decayed(const Vars& y, const Derived& d, const double* spikes) {
    return {y.ex * d.P_ex + spikes[0], y.in * d.P_in + spikes[1]};
  }
};

struct ExactExpPorts : ExpShape {
  static constexpr int receptors = max_receptors;
  static constexpr SpikeInput input = SpikeInput::ports;
  struct Params {
    double n;
    PerPort tau;
  };
  static constexpr auto parameters =
      joined(std::array{Field{"n_receptors", "", 1.0, "Receptors in use"}},
             per_port(NPL_PORT_NAMES("tau_syn"), "ms", 2.0, "Time constant of the current of this receptor", Bound::positive));
  static Forbidden check(const Params& p) { return check_ports("n_receptors", p.n); }
  static Derived derive(const Params& p, double tau_m, double C, double h) { return ExpShape::derive(p.tau, tau_m, C, h); }
};

}  // namespace npl::nodes
