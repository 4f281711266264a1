// SPDX-License-Identifier: Apache-2.0
/// Synaptic conductances and currents as parts of a neuron's differential equations, for models with two receptors, chosen by the sign of
/// the weight. A part has Params, Derived, Vars (its variables), `current` into the membrane [pA], `slopes` of Vars, and `arrive` (spikes).
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include "base/math.hpp"
#include "model/propagators.hpp"
#include "model/step.hpp"

namespace npl::model {

/// Several lists of fields as one.
template <std::size_t... N>
constexpr auto joined(const std::array<Field, N>&... parts) {
  std::array<Field, (N + ...)> all{};
  auto* next = all.data();
  ((next = std::copy(parts.begin(), parts.end(), next)), ...);
  return all;
}

/// Field lists of the reversal potentials and of one time constant per sign, with a model's defaults.
constexpr std::array<Field, 2> reversal_fields(double E_ex, double E_in) {
  return {Field{"E_ex", "mV", E_ex, "Excitatory reversal potential"}, Field{"E_in", "mV", E_in, "Inhibitory reversal potential"}};
}
constexpr std::array<Field, 2> tau_fields(const char* name_ex, const char* name_in, double ex, double in, const char* doc_ex,
                                          const char* doc_in) {
  return {Field{name_ex, "ms", ex, doc_ex, Bound::positive}, Field{name_in, "ms", in, doc_in, Bound::positive}};
}

/// What a channel is made of: its places among the variables of the synapses (no `dg` in exponential ones: none), the sign of a current.
struct Channel {
  static constexpr std::size_t none = ~std::size_t{0};
  std::size_t g, dg = none;
  double sign = 0.0;  ///< of a current; 0 for a conductance
};

/// Flows and reversal potentials of N channels, a member `exact` of a model's Derived.
template <std::size_t N>
struct Flows {
  std::array<Flow, N> flow;
  std::array<double, N> reversal;  ///< [mV]; 0 for currents
};

/// Bases of `Exactly` (whole_step.hpp): for models in which only the potential V_m, the first variable, is not a linear synapse;
template <class State, class Derived>
struct PotentialAlone {
  static constexpr std::size_t n_own = 1;
  using Own = std::array<double, n_own>;
  struct Start {};

  NPL_INLINE static Own own(const State& s) { return {s.V_m}; }
  NPL_INLINE static void set_own(State& s, const Own& y) { s.V_m = y[0]; }
  NPL_INLINE static Start start(const State&, const Derived&) { return {}; }
  NPL_INLINE static bool near(const Start&) { return true; }
};
/// and for linear synapses by sign, whose variables follow V_m.
template <class Derived, class Synapses>
struct LinearChannels {
  static constexpr auto channels = Synapses::channels;
  static constexpr bool rises = Synapses::rises, conductances = Synapses::conductances;
  static constexpr std::size_t first = 1, n = std::tuple_size_v<typename Synapses::Vars>;
  static constexpr std::size_t flow = offsetof(Derived, exact) / sizeof(double), reversal = flow + n_flow * channels.size();
};

template <class State, class Derived, class Synapses>
struct PotentialOnly : PotentialAlone<State, Derived>, LinearChannels<Derived, Synapses> {};

/// Conductances that jump by the weight and decay.
struct ExpConductances {
  struct Params {
    double E_ex, E_in, tau_ex, tau_in;
  };
  static constexpr auto parameters(double E_ex, double E_in, double tau_ex, double tau_in) {
    return joined(reversal_fields(E_ex, E_in),
                  tau_fields("tau_syn_ex", "tau_syn_in", tau_ex, tau_in, "Time constant of the excitatory conductance",
                             "Time constant of the inhibitory conductance"));
  }
  using Vars = std::array<double, 2>;
  static constexpr std::array state{Field{"g_ex", "nS", 0.0, "Excitatory conductance", Bound::non_negative},
                                    Field{"g_in", "nS", 0.0, "Inhibitory conductance", Bound::non_negative}};
  struct Derived {
    double E_ex, E_in, rate_ex, rate_in;
  };
  static Derived derive(const Params& p) { return {p.E_ex, p.E_in, 1.0 / p.tau_ex, 1.0 / p.tau_in}; }
  static constexpr bool rises = false, conductances = true;
  static constexpr std::array channels{Channel{0}, Channel{1}};
  static Flows<2> flows(const Derived& d, double h) {
    return {{flow_of(d.rate_ex, d.rate_ex, h), flow_of(d.rate_in, d.rate_in, h)}, {d.E_ex, d.E_in}};
  }

  NPL_INLINE static double current(const Vars& y, const Derived& d, double V) { return y[0] * (d.E_ex - V) + y[1] * (d.E_in - V); }
  NPL_INLINE static Vars slopes(const Vars& y, const Derived& d) { return {-y[0] * d.rate_ex, -y[1] * d.rate_in}; }
  NPL_INLINE static void arrive(Vars& y, const Derived&, const double* spikes) { y[0] += spikes[0], y[1] -= spikes[1]; }
};

/// Conductances that rise and decay: beta functions, or alpha functions when the two time constants are equal.
struct RisingConductances {
  using Vars = std::array<double, 4>;
  static constexpr std::array state{Field{"g_ex", "nS", 0.0, "Excitatory conductance", Bound::non_negative},
                                    Field{"dg_ex", "nS/ms", 0.0, "Rise of the excitatory conductance"}.with(Mark::status_only),
                                    Field{"g_in", "nS", 0.0, "Inhibitory conductance", Bound::non_negative},
                                    Field{"dg_in", "nS/ms", 0.0, "Rise of the inhibitory conductance"}.with(Mark::status_only)};
  struct Derived {
    double E_ex, E_in;
    double dg_rate_ex, dg_rate_in, g_rate_ex, g_rate_in;  ///< rates [1/ms] with which dg, and g without dg, decay
    double jump_ex, jump_in;                              ///< of dg at a spike of weight 1 [1/ms]
  };
  static constexpr bool rises = true, conductances = true;
  static constexpr std::array channels{Channel{0, 1}, Channel{2, 3}};
  static Flows<2> flows(const Derived& d, double h) {
    return {{flow_of(d.g_rate_ex, d.dg_rate_ex, h), flow_of(d.g_rate_in, d.dg_rate_in, h)}, {d.E_ex, d.E_in}};
  }
  NPL_INLINE static double current(const Vars& y, const Derived& d, double V) { return y[0] * (d.E_ex - V) + y[2] * (d.E_in - V); }
  NPL_INLINE static Vars slopes(const Vars& y, const Derived& d) {
    return {y[1] - y[0] * d.g_rate_ex, -y[1] * d.dg_rate_ex, y[3] - y[2] * d.g_rate_in, -y[3] * d.dg_rate_in};
  }
  NPL_INLINE static void arrive(Vars& y, const Derived& d, const double* spikes) {
    y[1] += spikes[0] * d.jump_ex, y[3] -= spikes[1] * d.jump_in;
  }
};

struct AlphaConductances : RisingConductances {
  using Params = ExpConductances::Params;
  static constexpr auto parameters(double E_ex, double E_in, double tau_ex, double tau_in) {
    return joined(reversal_fields(E_ex, E_in),
                  tau_fields("tau_syn_ex", "tau_syn_in", tau_ex, tau_in, "Rise time of the excitatory conductance",
                             "Rise time of the inhibitory conductance"));
  }
  static Derived derive(const Params& p) {
    const double ex = 1.0 / p.tau_ex, in = 1.0 / p.tau_in;
    return {p.E_ex, p.E_in, ex, in, ex, in, beta_jump(p.tau_ex, p.tau_ex), beta_jump(p.tau_in, p.tau_in)};
  }
};

struct BetaConductances : RisingConductances {
  struct Params {
    double E_ex, E_in, rise_ex, rise_in, decay_ex, decay_in;
  };
  static constexpr auto parameters(double E_ex, double E_in, double tau_ex, double tau_in) {
    return joined(reversal_fields(E_ex, E_in),
                  tau_fields("tau_rise_ex", "tau_rise_in", tau_ex, tau_in, "Rise time constant of the excitatory conductance",
                             "Rise time constant of the inhibitory conductance"),
                  tau_fields("tau_decay_ex", "tau_decay_in", tau_ex, tau_in, "Decay time constant of the excitatory conductance",
                             "Decay time constant of the inhibitory conductance"));
  }
  /// dg' = -dg / tau_decay, g' = dg - g / tau_rise, as in NEST. A spike's response is the same with the two exchanged; g_ex or dg_ex
  /// that is set, and time constants that change during a run, show the difference.
  static Derived derive(const Params& p) {
    return {p.E_ex,
            p.E_in,
            1.0 / p.decay_ex,
            1.0 / p.decay_in,
            1.0 / p.rise_ex,
            1.0 / p.rise_in,
            beta_jump(p.rise_ex, p.decay_ex),
            beta_jump(p.rise_in, p.decay_in)};
  }
};

/// Currents that jump by the weight and decay; the inhibitory one is kept as its size.
struct ExpCurrents {
  struct Params {
    double tau_ex, tau_in;
  };
  static constexpr auto parameters(double tau_ex, double tau_in) {
    return tau_fields("tau_syn_ex", "tau_syn_in", tau_ex, tau_in, "Time constant of excitatory currents",
                      "Time constant of inhibitory currents");
  }
  using Vars = std::array<double, 2>;
  static constexpr std::array state{Field{"I_syn_ex", "pA", 0.0, "Excitatory synaptic current"},
                                    Field{"I_syn_in", "pA", 0.0, "Inhibitory synaptic current, positive"}};
  struct Derived {
    double rate_ex, rate_in;
  };
  static Derived derive(const Params& p) { return {1.0 / p.tau_ex, 1.0 / p.tau_in}; }
  static constexpr bool rises = false, conductances = false;
  static constexpr std::array channels{Channel{0, Channel::none, 1.0}, Channel{1, Channel::none, -1.0}};
  static Flows<2> flows(const Derived& d, double h) { return {{flow_of(d.rate_ex, d.rate_ex, h), flow_of(d.rate_in, d.rate_in, h)}, {}}; }

  NPL_INLINE static double current(const Vars& y, const Derived&, double) { return y[0] - y[1]; }
  NPL_INLINE static Vars slopes(const Vars& y, const Derived& d) { return {-y[0] * d.rate_ex, -y[1] * d.rate_in}; }
  NPL_INLINE static void arrive(Vars& y, const Derived&, const double* spikes) { y[0] += spikes[0], y[1] -= spikes[1]; }
};

/// Alpha-shaped currents; a weight is the peak.
struct AlphaCurrents {
  using Params = ExpCurrents::Params;
  static constexpr auto parameters(double tau_ex, double tau_in) {
    return tau_fields("tau_syn_ex", "tau_syn_in", tau_ex, tau_in, "Rise time of excitatory currents", "Rise time of inhibitory currents");
  }
  using Vars = std::array<double, 4>;
  static constexpr std::array state{Field{"I_syn_ex", "pA", 0.0, "Excitatory synaptic current"},
                                    Field{"dI_syn_ex", "pA/ms", 0.0, "Rise of the excitatory current"}.with(Mark::status_only),
                                    Field{"I_syn_in", "pA", 0.0, "Inhibitory synaptic current, positive"},
                                    Field{"dI_syn_in", "pA/ms", 0.0, "Rise of the inhibitory current"}.with(Mark::status_only)};
  struct Derived {
    double rate_ex, rate_in, jump_ex, jump_in;
  };
  static constexpr bool rises = true, conductances = false;
  static constexpr std::array channels{Channel{0, 1, 1.0}, Channel{2, 3, -1.0}};
  static Flows<2> flows(const Derived& d, double h) { return {{flow_of(d.rate_ex, d.rate_ex, h), flow_of(d.rate_in, d.rate_in, h)}, {}}; }
  static Derived derive(const Params& p) {
    return {1.0 / p.tau_ex, 1.0 / p.tau_in, beta_jump(p.tau_ex, p.tau_ex), beta_jump(p.tau_in, p.tau_in)};
  }

  NPL_INLINE static double current(const Vars& y, const Derived&, double) { return y[0] - y[2]; }
  NPL_INLINE static Vars slopes(const Vars& y, const Derived& d) {
    return {y[1] - y[0] * d.rate_ex, -y[1] * d.rate_ex, y[3] - y[2] * d.rate_in, -y[3] * d.rate_in};
  }
  NPL_INLINE static void arrive(Vars& y, const Derived& d, const double* spikes) {
    y[1] += spikes[0] * d.jump_ex, y[3] -= spikes[1] * d.jump_in;
  }
};

/// One of these parts with the defaults of its parameters: `Defaults::values`, an array.
template <class Part, class Defaults>
struct BySign : Part {
  static constexpr int receptors = 2;
  static constexpr SpikeInput input = SpikeInput::by_sign;
  static constexpr auto parameters = std::apply([](auto... value) { return Part::parameters(value...); }, Defaults::values);
};

/// Elements First .. First + Count of an array.
template <std::size_t First, std::size_t Count, class T, std::size_t N>
NPL_INLINE constexpr std::array<T, Count> part_of(const std::array<T, N>& y) {
  return [&]<std::size_t... K>(std::index_sequence<K...>)
             NPL_INLINE_LAMBDA { return std::array<T, Count>{y[First + K]...}; }(std::make_index_sequence<Count>{});
}
/// The slope of V, those of a part, then others.
template <std::size_t Count, class... Rest>
NPL_INLINE std::array<double, 1 + Count + sizeof...(Rest)> slopes_of(double V, const std::array<double, Count>& part, Rest... rest) {
  return [&]<std::size_t... K>(std::index_sequence<K...>) NPL_INLINE_LAMBDA {
    return std::array<double, 1 + Count + sizeof...(Rest)>{V, part[K]..., rest...};
  }(std::make_index_sequence<Count>{});
}

}  // namespace npl::model
