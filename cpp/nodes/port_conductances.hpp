// SPDX-License-Identifier: Apache-2.0
/// Conductances with a reversal potential and time constants per port, as a part of a neuron's differential equations.
#pragma once
#include "nodes/multisynapse.hpp"

namespace npl::nodes {

constexpr auto port_reversal_fields() {
  return joined(std::array{Field{"n_receptors", "", 1.0, "Receptors in use"}},
                per_port(NPL_PORT_NAMES("E_rev"), "mV", 0.0, "Reversal potential of this receptor"));
}

struct PortConductances {
  static constexpr int receptors = max_receptors;
  static constexpr SpikeInput input = SpikeInput::ports;
  static constexpr bool conductances = true;

 protected:
  /// Channel k has g at k and its rise, if there is one, `step` places later.
  static constexpr std::array<Channel, ports> channels_of(std::size_t step) {
    std::array<Channel, ports> all{};
    for (std::size_t k = 0; k < ports; ++k) all[k] = {k, step ? k + step : Channel::none};
    return all;
  }
  static Flows<ports> flows_of(const PerPort& E_rev, const PerPort& rate, const PerPort& rise, double h) {
    Flows<ports> all{{}, E_rev};
    for (std::size_t k = 0; k < ports; ++k) all.flow[k] = flow_of(rate[k], rise[k], h);
    return all;
  }
};

/// Exponentially decaying.
struct ExpPorts : PortConductances {
  struct Params {
    double n;
    PerPort E_rev, tau;
  };
  static constexpr auto parameters =
      joined(port_reversal_fields(), per_port(NPL_PORT_NAMES("tau_syn"), "ms", 2.0, "Time constant of this conductance", Bound::positive));
  using Vars = PerPort;
  static constexpr auto state = per_port(NPL_PORT_NAMES("g"), "nS", 0.0, "Conductance of this receptor", Bound::non_negative);
  struct Derived {
    PerPort E_rev, rate;
  };
  static constexpr bool rises = false;
  static constexpr auto channels = channels_of(0);
  static Flows<ports> flows(const Derived& d, double h) { return flows_of(d.E_rev, d.rate, d.rate, h); }
  static Forbidden check(const Params& p) { return check_ports("n_receptors", p.n); }
  static Derived derive(const Params& p) {
    return {p.E_rev, each_port([&](std::size_t k) { return 1.0 / p.tau[k]; })};
  }
  NPL_INLINE static double current(const Vars& y, const Derived& d, double V) {
    return sum_of_ports([&](std::size_t k) NPL_INLINE_LAMBDA { return y[k] * (d.E_rev[k] - V); });
  }
  NPL_INLINE static Vars slopes(const Vars& y, const Derived& d) {
    return each_port([&](std::size_t k) NPL_INLINE_LAMBDA { return -y[k] * d.rate[k]; });
  }
  NPL_INLINE static void arrive(Vars& y, const Derived&, const double* spikes) {
    y = each_port([&](std::size_t k) NPL_INLINE_LAMBDA { return y[k] + spikes[k]; });
  }
};

/// With a rise and a decay: first all conductances, then all their rises.
struct RisingPorts : PortConductances {
  using Vars = std::array<double, 2 * ports>;
  static constexpr auto state = joined(per_port(NPL_PORT_NAMES("g"), "nS", 0.0, "Conductance of this receptor", Bound::non_negative),
                                       per_port(NPL_PORT_NAMES("dg"), "nS/ms", 0.0, "Rise of the conductance of this receptor"));
  struct Derived {
    PerPort E_rev, rise, rate, jump;
  };
  static constexpr bool rises = true;
  static constexpr auto channels = channels_of(ports);
  static Flows<ports> flows(const Derived& d, double h) { return flows_of(d.E_rev, d.rate, d.rise, h); }
  NPL_INLINE static double current(const Vars& y, const Derived& d, double V) {
    return sum_of_ports([&](std::size_t k) NPL_INLINE_LAMBDA { return y[k] * (d.E_rev[k] - V); });
  }
  NPL_INLINE static Vars slopes(const Vars& y, const Derived& d) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) NPL_INLINE_LAMBDA {
      return Vars{(y[ports + K] - y[K] * d.rate[K])..., (-y[ports + K] * d.rise[K])...};
    }(std::make_index_sequence<ports>{});
  }
  NPL_INLINE static void arrive(Vars& y, const Derived& d, const double* spikes) {
    [&]<std::size_t... K>(std::index_sequence<K...>)
        NPL_INLINE_LAMBDA { ((y[ports + K] += spikes[K] * d.jump[K]), ...); }(std::make_index_sequence<ports>{});
  }
};

struct AlphaPorts : RisingPorts {
  using Params = ExpPorts::Params;
  static constexpr auto parameters =
      joined(port_reversal_fields(), per_port(NPL_PORT_NAMES("tau_syn"), "ms", 2.0, "Rise time of this conductance", Bound::positive));
  /// With n receptors in use, the first two of which have other defaults.
  static constexpr auto parameters_with(double n, std::array<double, 2> E_rev, std::array<double, 2> tau_syn) {
    auto fields = parameters;
    fields[0].init = n;
    for (std::size_t k = 0; k < 2; ++k) fields[1 + k].init = E_rev[k], fields[1 + ports + k].init = tau_syn[k];
    return fields;
  }
  static Forbidden check(const Params& p) { return check_ports("n_receptors", p.n); }
  static Derived derive(const Params& p) {
    const PerPort rate = each_port([&](std::size_t k) { return 1.0 / p.tau[k]; });
    return {p.E_rev, rate, rate, each_port([&](std::size_t k) { return beta_jump(p.tau[k], p.tau[k]); })};
  }
};

struct BetaPorts : RisingPorts {
  struct Params {
    double n;
    PerPort E_rev, rise, decay;
  };
  static constexpr auto parameters = joined(
      port_reversal_fields(), per_port(NPL_PORT_NAMES("tau_rise"), "ms", 2.0, "Rise time constant of this conductance", Bound::positive),
      per_port(NPL_PORT_NAMES("tau_decay"), "ms", 20.0, "Decay time constant of this conductance", Bound::positive));
  static Forbidden check(const Params& p) { return check_ports("n_receptors", p.n); }
  static Derived derive(const Params& p) {
    return {p.E_rev, each_port([&](std::size_t k) { return 1.0 / p.rise[k]; }), each_port([&](std::size_t k) { return 1.0 / p.decay[k]; }),
            each_port([&](std::size_t k) { return beta_jump(p.rise[k], p.decay[k]); })};
  }
};

}  // namespace npl::nodes
