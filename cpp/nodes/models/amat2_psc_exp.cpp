// SPDX-License-Identifier: Apache-2.0
/// mat2_psc_exp with a threshold that also follows the potential (Yamauchi, Kim & Shinomoto 2011): beta times the convolution of dV/dt with
/// s exp(-s / tau_v). Exact, by the matrix exponential of (V, I_ex, I_in, I, x, y), x' = V' - x / tau_v, y' = x - y / tau_v.
#include "model/adaptive_threshold.hpp"
#include "model/matrix_exponential.hpp"
#include "model/propagators.hpp"
#include "model/step.hpp"

namespace npl::model {

struct Amat2PscExp {
  static constexpr const char* name = "amat2_psc_exp";
  static constexpr const char* doc = "Leaky integrator without reset whose threshold jumps at each spike and follows the potential.";
  static constexpr int receptors = 2;
  static constexpr bool uniform_loop = true;
  static constexpr SpikeInput input = SpikeInput::by_sign;

  struct Params {
    double E_L, C_m, tau_m, t_ref, tau_syn_ex, tau_syn_in, I_e, beta, tau_v;
    AdaptiveThreshold::Params threshold;
  };
  static constexpr auto parameters = joined(
      std::array{
          Field{"E_L", "mV", -70.0, "Resting potential"},
          Field{"C_m", "pF", 200.0, "Membrane capacitance", Bound::positive},
          Field{"tau_m", "ms", 10.0, "Membrane time constant", Bound::positive},
          Field{"t_ref", "ms", 2.0, "Time after a spike in which there is no other", Bound::positive},
          Field{"tau_syn_ex", "ms", 1.0, "Time constant of excitatory currents", Bound::positive},
          Field{"tau_syn_in", "ms", 3.0, "Time constant of inhibitory currents", Bound::positive},
          Field{"I_e", "pA", 0.0, "Constant current"},
          Field{"beta", "1/ms", 0.0, "How strongly the threshold follows the potential"},
          Field{"tau_v", "ms", 5.0, "Time constant with which it follows", Bound::positive},
      },
      AdaptiveThreshold::parameters(-65.0, 10.0, 0.0));

  struct State {
    double V_m, I_syn_ex, I_syn_in, V_th_v, slope;
    AdaptiveThreshold::State threshold;
  };
  static constexpr auto state = joined(
      std::array{
          Field{"V_m", "mV", -70.0, "Membrane potential"},
          Field{"I_syn_ex", "pA", 0.0, "Excitatory synaptic current"}.with(Mark::recorded_only),
          Field{"I_syn_in", "pA", 0.0, "Inhibitory synaptic current"}.with(Mark::recorded_only),
          Field{"V_th_v", "mV", 0.0, "Part of the threshold that follows the potential"},
          Field{"_slope", "mV/ms", 0.0, "beta times the change of the potential, forgotten with tau_v"},
      },
      AdaptiveThreshold::state(-65.0));

  struct Derived {
    double V_inf, Q_m, R, P_mex, P_min, P_ex, P_in;
    double slope_V, slope_ex, slope_in, slope_slope, v_V, v_ex, v_in,
        v_slope;  ///< on slope and V_th_v: of V - V_inf, the currents and slope
    AdaptiveThreshold::Derived threshold;
  };

  static Derived derive(const Params& p, double h) {
    enum : std::size_t { v, ex, in, x, y };
    Matrix<5> A{};
    A[v][v] = -1.0 / p.tau_m, A[v][ex] = A[v][in] = 1.0 / p.C_m;
    A[ex][ex] = -1.0 / p.tau_syn_ex, A[in][in] = -1.0 / p.tau_syn_in;
    for (std::size_t k : {v, ex, in}) A[x][k] = p.beta * A[v][k];
    A[x][x] = A[y][y] = -1.0 / p.tau_v, A[y][x] = 1.0;
    const auto P = exponential(A, h);
    const double R = p.tau_m / p.C_m;
    return {p.E_L + p.I_e * R,
            approach(h, p.tau_m),
            R,
            exp_propagator(p.tau_syn_ex, p.tau_m, p.C_m, h),
            exp_propagator(p.tau_syn_in, p.tau_m, p.C_m, h),
            decay(h, p.tau_syn_ex),
            decay(h, p.tau_syn_in),
            P[x][v],
            P[x][ex],
            P[x][in],
            P[x][x],
            P[y][v],
            P[y][ex],
            P[y][in],
            P[y][x],
            AdaptiveThreshold::derive(p.threshold, p.t_ref, h)};
  }

  static void settle(const Params& p, State& s) { AdaptiveThreshold::settle(s.threshold, p.threshold, s.V_th_v); }

  NPL_INLINE static double step(State& s, const Derived& d, const Input<receptors>& in) {
    const double away = s.V_m - (d.V_inf + in.current * d.R), ex = s.I_syn_ex, inh = s.I_syn_in;
    s.V_th_v = away * d.v_V + ex * d.v_ex + inh * d.v_in + s.slope * d.v_slope + s.V_th_v * d.slope_slope;  // x and y decay alike
    s.slope = away * d.slope_V + ex * d.slope_ex + inh * d.slope_in + s.slope * d.slope_slope;
    s.V_m += (ex * d.P_mex + inh * d.P_min) - away * d.Q_m;
    s.I_syn_ex = ex * d.P_ex + in.spikes[0];
    s.I_syn_in = inh * d.P_in + in.spikes[1];
    return AdaptiveThreshold::step(s.threshold, d.threshold, s.V_m, s.V_th_v, static_cast<double>(in.step)) ? 1.0 : 0.0;
  }
};

}  // namespace npl::model

#include "nodes/update.hpp"

NPL_NEURON(amat2_psc_exp, Amat2PscExp)
