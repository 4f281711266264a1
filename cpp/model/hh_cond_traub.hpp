// SPDX-License-Identifier: Apache-2.0
/// Neuron of Traub & Miles (1991) as Brette et al. (2007) use it, with conductances.
#pragma once
#include <array>

#include "model/propagators.hpp"
#include "model/receptors.hpp"
#include "model/step.hpp"

namespace npl::model {

/// @tparam Synapses Vars, Derived, current, slopes, arrive as in receptors.hpp; Params, parameters; shift: default of V_T [mV]
template <class Synapses>
struct HhCondTraub {
  static constexpr int receptors = 2;
  static constexpr SpikeInput input = SpikeInput::by_sign;

  struct Params {
    double E_L, C_m, g_L, g_Na, g_K, E_Na, E_K, V_T, t_ref, I_e;
    typename Synapses::Params synapses;
  };
  static constexpr auto parameters = joined(
      std::array{
          Field{"E_L", "mV", -60.0, "Leak reversal potential"},
          Field{"C_m", "pF", 200.0, "Membrane capacitance", Bound::positive},
          Field{"g_L", "nS", 10.0, "Leak conductance", Bound::non_negative},
          Field{"g_Na", "nS", 20000.0, "Peak conductance of sodium", Bound::non_negative},
          Field{"g_K", "nS", 6000.0, "Peak conductance of potassium", Bound::non_negative},
          Field{"E_Na", "mV", 50.0, "Sodium reversal potential"},
          Field{"E_K", "mV", -90.0, "Potassium reversal potential"},
          Field{"V_T", "mV", Synapses::shift, "Shift of the rates along the potential; about 10 mV below threshold"},
          Field{"t_ref", "ms", 2.0, "Time after a spike in which no other is detected", Bound::non_negative},
          Field{"I_e", "pA", 0.0, "Constant current"},
      },
      Synapses::parameters);

  struct State {
    double V_m, Act_m, Inact_h, Act_n;
    typename Synapses::Vars synapses;
    double V_before, refractory, h;
  };
  static constexpr auto state = joined(
      std::array{
          Field{"V_m", "mV", -60.0, "Membrane potential"},
          Field{"Act_m", "", 9.895563096746586e-09, "Activation of sodium", Bound::non_negative},
          Field{"Inact_h", "", 0.999999999106396, "Inactivation of sodium", Bound::non_negative},
          Field{"Act_n", "", 2.551577051602551e-07, "Activation of potassium", Bound::non_negative},
      },
      Synapses::state,
      std::array{
          Field{"_V_before", "mV", 0.0, "Potential at the beginning of the step"},
          Field{"_refractory", "steps", 0.0, "Steps in which no spike is detected"},
          Field{"_h", "ms", 0.0, "Next substep to try"},
      });

  struct Derived {
    double dt, E_L, g_L, g_Na, g_K, E_Na, E_K, V_T, I_e, per_C, refractory_steps;
    typename Synapses::Derived synapses;
  };

  static Derived derive(const Params& p, double h) {
    return {
        h, p.E_L, p.g_L, p.g_Na, p.g_K, p.E_Na, p.E_K, p.V_T, p.I_e, 1.0 / p.C_m, whole_steps(p.t_ref, h), Synapses::derive(p.synapses)};
  }

  static constexpr std::size_t n_synaptic = std::tuple_size_v<typename Synapses::Vars>, n_ode = 4 + n_synaptic;
  using Vars = std::array<double, n_ode>;
  NPL_INLINE static double tolerance(const Derived&) { return 1e-4; }

  /// x / (exp(x) - 1).
  NPL_INLINE static double linear_rate(double x) {
    const bool near = math::detail::abs(x) < 1e-3;
    return math::choose(near, 1.0 - x * (0.5 - x * (1.0 / 12)), x / (math::exp(x) - 1.0));
  }

  NPL_INLINE static Vars rhs(const Vars& y, const State&, const Derived& d, double current) {
    const double V = y[0], m = y[1], h = y[2], n = y[3], u = V - d.V_T;
    const auto synapses = part_of<4, n_synaptic>(y);
    const double alpha_n = 0.16 * linear_rate((15.0 - u) * 0.2), beta_n = 0.5 * math::exp((10.0 - u) * (1.0 / 40));
    const double alpha_m = 1.28 * linear_rate((13.0 - u) * 0.25), beta_m = 1.4 * linear_rate((u - 40.0) * 0.2);
    const double alpha_h = 0.128 * math::exp((17.0 - u) * (1.0 / 18)), beta_h = 4.0 / (1.0 + math::exp((40.0 - u) * 0.2));
    const double I = (d.I_e + current) - d.g_L * (V - d.E_L) - d.g_Na * (m * m * m) * h * (V - d.E_Na) -
                     d.g_K * ((n * n) * (n * n)) * (V - d.E_K) + Synapses::current(synapses, d.synapses, V);
    const auto slopes = Synapses::slopes(synapses, d.synapses);
    return [&]<std::size_t... K>(std::index_sequence<K...>) NPL_INLINE_LAMBDA {
      return Vars{I * d.per_C, alpha_m * (1.0 - m) - beta_m * m, alpha_h * (1.0 - h) - beta_h * h, alpha_n * (1.0 - n) - beta_n * n,
                  slopes[K]...};
    }(std::make_index_sequence<n_synaptic>{});
  }

  NPL_INLINE static void begin(State& s) { s.V_before = s.V_m; }

  /// A spike is a maximum of V more than 30 mV above V_T: the first step in which V falls.
  NPL_INLINE static double finish(State& s, const Derived& d, const Input<receptors>& in) {
    const bool fired = (s.refractory <= 0.0) & (s.V_m >= d.V_T + 30.0) & (s.V_before > s.V_m);
    s.refractory = fired ? d.refractory_steps : (s.refractory > 0.0 ? s.refractory - 1.0 : 0.0);
    Synapses::arrive(s.synapses, d.synapses, in.spikes);
    return fired ? 1.0 : 0.0;
  }
};

}  // namespace npl::model
