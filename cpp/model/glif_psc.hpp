// SPDX-License-Identifier: Apache-2.0
/// Generalised leaky integrate-and-fire neurons of the Allen Institute (Teeter et al. 2018) with currents; exact.
#pragma once
#include "model/glif.hpp"
#include "model/iaf_multisynapse.hpp"
#include "model/propagators.hpp"

namespace npl::model {

/// @tparam Shape_ of the currents: what ports.hpp says, and derive(Params, tau_m, C_m, h)
template <class Shape_>
struct GlifPsc {
  using Shape = Shape_;
  static constexpr auto port_state = with(Shape::state, Mark::hidden);
  static constexpr Face face{.keys = "asc_init=[0.0,0.0]"};
  static constexpr bool uniform_loop = true;
  static constexpr int receptors = max_receptors;
  static constexpr SpikeInput input = SpikeInput::ports;

  struct Params {
    double E_L, C_m, g, n_receptors;
    Glif::Params glif;
  };
  static constexpr auto parameters = joined(
      std::array{
          Field{"E_L", "mV", -78.85, "Resting potential"},
          Field{"C_m", "pF", 58.72, "Membrane capacitance", Bound::positive},
          Field{"g", "nS", 9.43, "Leak conductance", Bound::positive},
          Field{"n_receptors", "", 1.0, "Receptors in use"}.with(Mark::hidden),
      },
      Glif::parameters);
  static constexpr std::size_t port_parameters_at = 4;

  struct State {
    double V_m, I, I_syn;
    Glif::State glif;
  };
  static constexpr auto state = joined(
      std::array{
          Field{"V_m", "mV", -78.85, "Membrane potential"},
          Field{"I", "pA", 0.0, "Current of devices"}.with(Mark::recorded_only),
          Field{"I_syn", "pA", 0.0, "Sum of the synaptic currents at the beginning of the last step that was not refractory"}.with(
              Mark::recorded_only),
      },
      Glif::state);

  static constexpr std::size_t ports_at = 3;

  struct Derived {
    double E_L, Q_m, R;
    Glif::Following following;
    Glif::Derived glif;
  };
  static constexpr TotalAt total_at = TotalAt::begin;

  static Forbidden check(const Params& p) { return Glif::check(p.glif); }
  static Derived derive(const Params& p, double h) {
    const double tau_m = p.C_m / p.g;
    return {p.E_L, approach(h, tau_m), 1.0 / p.g, Glif::Following::derive(p.glif, tau_m, h), Glif::derive(p.glif, p.E_L, h)};
  }
  static auto derive_port(const Params& p, const typename Shape::Params& port, double h) {
    return Shape::derive(port, p.C_m / p.g, p.C_m, h);
  }

  NPL_INLINE static double step(State& s, const Derived& d, const Input<receptors>& in, const PortSums& sums) {
    const double now = static_cast<double>(in.step), before = s.V_m;
    const bool free = now >= s.glif.free_at;
    Glif::advance(s.glif, d.glif, free);
    const double V_inf = (in.current + s.glif.ASCurrents_sum) * d.R, away = before - d.E_L - V_inf;
    const double followed = d.following.next(s.glif.threshold_voltage, before - d.E_L, V_inf);
    s.glif.threshold_voltage = math::choose(free, followed, s.glif.threshold_voltage);
    s.V_m = math::choose(free, before + (sums.onto_V - away * d.Q_m), before);
    const bool fired = Glif::finish(s.glif, d.glif, free, s.V_m, before, d.E_L, now);
    s.I_syn = math::choose(free, sums.total, s.I_syn);
    s.I = in.current;
    return fired ? 1.0 : 0.0;
  }
};

}  // namespace npl::model
