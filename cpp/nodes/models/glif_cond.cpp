// SPDX-License-Identifier: Apache-2.0
/// Generalised leaky integrate-and-fire neuron of the Allen Institute (Teeter et al. 2018) with alpha-shaped conductances.
#include <cstddef>

#include "model/glif.hpp"
#include "model/port_conductances.hpp"
#include "model/step.hpp"

namespace npl::model {

struct GlifCond {
  static constexpr const char* name = "glif_cond";
  static constexpr const char* doc =
      "Generalised leaky integrate-and-fire neuron (GLIF 1 to 5) with alpha-shaped conductances, one per receptor.";
  static constexpr Face face{.keys = "asc_init=[0.0,0.0]"};
  static constexpr int receptors = max_receptors;
  static constexpr SpikeInput input = SpikeInput::ports;

  using Shape = AlphaPorts;

  struct Params {
    double E_L, C_m, g_m, n_receptors;
    Glif::Params glif;
  };
  static constexpr auto parameters = joined(
      std::array{
          Field{"E_L", "mV", -78.85, "Resting potential"},
          Field{"C_m", "pF", 58.72, "Membrane capacitance", Bound::positive},
          Field{"g_m", "nS", 9.43, "Leak conductance", Bound::positive},
          Field{"n_receptors", "", 2.0, "Receptors in use"}.with(Mark::hidden),
      },
      Glif::parameters);
  static constexpr std::size_t port_parameters_at = 4;
  static constexpr double first_ports[][2]{{0.0, -85.0}, {0.2, 2.0}};  ///< other defaults of the first two receptors

  struct State {
    double V_m;
    double I, V_before;
    Glif::State glif;
    double h;
  };
  static constexpr auto state = joined(
      std::array{Field{"V_m", "mV", -78.85, "Membrane potential"}, Field{"I", "pA", 0.0, "Current of devices"}.with(Mark::recorded_only),
                 Field{"_V_before", "mV", 0.0, "Potential at the beginning of the step"}},
      with_one(with_one(Glif::state, "threshold_spike", Mark::recorded_only), "threshold_voltage", Mark::recorded_only),
      std::array{Field{"_h", "ms", 0.0, "Next substep to try"}});

  struct Derived {
    double dt, E_L, g_m, per_C, R;
    Glif::Following following;
    Glif::Derived glif;
  };
  static constexpr std::size_t ports_at = 1, n_ode = 1;

  static Forbidden check(const Params& p) { return Glif::check(p.glif); }
  static Derived derive(const Params& p, double h) {
    return {h, p.E_L, p.g_m, 1.0 / p.C_m, 1.0 / p.g_m, Glif::Following::derive(p.glif, p.C_m / p.g_m, h), Glif::derive(p.glif, p.E_L, h)};
  }
  static auto derive_port(const Params&, const Shape::Params& port, double h) { return Shape::derive(port, h); }

  NPL_INLINE static double tolerance(const Derived&) { return 1e-5; }

  using Own = std::array<double, 1>;
  NPL_INLINE static double potential(const Own& y, const State&, const Derived&) { return y[0]; }
  /// After-spike currents act with their mean of the step before, as in NEST (glif_psc: of the same step).
  NPL_INLINE static Own slopes(const Own&, double V, double synaptic, const State& s, const Derived& d, double current) {
    return {(current + s.glif.ASCurrents_sum - d.g_m * (V - d.E_L) + synaptic) * d.per_C};
  }

  NPL_INLINE static void begin(State& s) { s.V_before = s.V_m; }

  /// For whole_step.hpp.
  struct Exactly : PotentialAlone<State, Derived>, PortChannels<Shape> {
    NPL_INLINE static Own slopes(const Own& y, double a, double b, const State& s, const Derived& d, double current, Start&) {
      return {(((current + a) + d.g_m * d.E_L + s.glif.ASCurrents_sum) - (d.g_m + b) * y[0]) * d.per_C};
    }
  };

  NPL_INLINE static double finish(State& s, const Derived& d, const Input<receptors>& in) {
    const double now = static_cast<double>(in.step);
    const bool free = now >= s.glif.free_at;
    Glif::advance(s.glif, d.glif, free);
    const double followed = d.following.next(s.glif.threshold_voltage, s.V_before - d.E_L, (in.current + s.glif.ASCurrents_sum) * d.R);
    s.glif.threshold_voltage = free ? followed : s.glif.threshold_voltage;
    s.V_m = free ? s.V_m : s.V_before;
    const bool fired = Glif::finish(s.glif, d.glif, free, s.V_m, s.V_before, d.E_L, now);
    s.I = in.current;
    return fired ? 1.0 : 0.0;
  }
};

}  // namespace npl::model

#include "nodes/port_model.hpp"

NPL_NEURON_RKF45_PORTS(glif_cond, GlifCond)
