// SPDX-License-Identifier: Apache-2.0
/// Point-process neuron (Cardanobile & Rotter 2010, Deger et al. 2010): V_m jumps by the weights, spikes are drawn with a rate that depends
/// on V_m, as a Poisson process or with a dead time after each spike.
#include "model/propagators.hpp"
#include "model/spike_history.hpp"
#include "model/step.hpp"

namespace npl::model {

struct PpPscDelta {
  static constexpr const char* name = "pp_psc_delta";
  static constexpr const char* doc =
      "Point-process neuron with rate max(0, c_1 V' + c_2 exp(c_3 V')), V' = V_m - E_sfa; a weight is a jump of the potential.";
  static constexpr int receptors = 1;
  static constexpr SpikeInput input = SpikeInput::single;

  struct Params {
    double C_m, tau_m, I_e, c_1, c_2, c_3, dead_time, dead_time_random, dead_time_shape, with_reset, t_ref_remaining;
    History::Params sfa;
  };
  static constexpr auto parameters = joined(
      std::array{
          Field{"C_m", "pF", 250.0, "Membrane capacitance", Bound::positive},
          Field{"tau_m", "ms", 10.0, "Membrane time constant", Bound::positive},
          Field{"I_e", "pA", 0.0, "Constant current"},
          Field{"c_1", "1/(s mV)", 0.0, "Slope of the linear part of the rate"},
          Field{"c_2", "1/s", 1.238, "Factor of the exponential part of the rate", Bound::non_negative},
          Field{"c_3", "1/mV", 0.25, "Coefficient of the exponential part of the rate", Bound::non_negative},
          Field{"dead_time", "ms", 1.0, "Time after a spike in which there is no other; 0: several spikes in a step are possible",
                Bound::non_negative},
          Field{"dead_time_random", "0 or 1", 0.0, "Draw each dead time from a gamma distribution with this mean"},
          Field{"dead_time_shape", "", 1.0, "Shape of that distribution, a whole number", Bound::positive}.with(Mark::whole),
          Field{"with_reset", "0 or 1", 1.0, "Set V_m to 0 after a spike"},
          Field{"t_ref_remaining", "ms", 0.0, "Time from the beginning of the simulation in which there is no spike", Bound::non_negative},
      },
      with(sfa_fields(), Mark::number_for_one));

  struct State {
    double V_m, E_sfa;
    PerKernel sfa;
    double free_at;
  };
  static constexpr std::size_t advanced = 2 + kernels;
  static constexpr auto state = joined(std::array{Field{"V_m", "mV", 0.0, "Membrane potential, 0 at rest"},
                                                  Field{"E_sfa", "mV", 0.0, "What is taken from it by spikes before"}},
                                       per_kernel(NPL_KERNEL_NAMES("_sfa"), "mV", 0.0, "Part of E_sfa"),
                                       std::array{Field{"_free_at", "steps", 0.0, "First step in which there may be a spike"}});

  struct Derived {
    double V_inf, R, Q_m, c_1, c_2, c_3, dt, dead_time, dead_steps, shape, with_reset, first_step;
    History::Derived sfa;
  };

  static Forbidden check(const Params& p) {
    if (const Forbidden wrong = check_kernels("n_sfa", p.sfa.n)) return wrong;
    for (auto [name, value] : {std::pair{"dead_time_random", p.dead_time_random}, std::pair{"with_reset", p.with_reset}})
      if (value != 0.0 && value != 1.0) return {name, value, "0 or 1"};
    if (p.dead_time_shape != std::floor(p.dead_time_shape) || p.dead_time_shape > 1e3)
      return {"dead_time_shape", p.dead_time_shape, "a whole number from 1 to 1000"};
    return {};
  }
  static Derived derive(const Params& p, double h) {
    const double R = p.tau_m / p.C_m, steps = p.dead_time > 0.0 ? std::max(1.0, whole_steps(p.dead_time, h)) : 0.0;
    return {p.I_e * R,
            R,
            approach(h, p.tau_m),
            p.c_1 * 1e-3 * h,
            p.c_2 * 1e-3 * h,
            p.c_3,
            h,
            p.dead_time,
            steps,
            p.dead_time_random != 0.0 ? p.dead_time_shape : 0.0,
            p.with_reset,
            std::ceil(p.t_ref_remaining / h - 1e-9),
            History::derive(p.sfa, h)};
  }

  NPL_INLINE static void advance(State& s, const Derived& d, const Input<receptors>& in) {
    s.V_m += (d.V_inf + in.current * d.R - s.V_m) * d.Q_m + in.spikes[0];
    s.sfa = History::decayed(s.sfa, d.sfa);
    s.E_sfa = sum_of_kernels(s.sfa);
  }
  NPL_INLINE static bool crossed(const State&, const Derived&) { return true; }
  static constexpr std::uint64_t random_id = 0x70705f70u;  // "pp_p": no other use of Purpose::model has it
  /// There is a spike if u >= exp(-expected), so not if 1 - u is above `expected` and the rounding of exp.
  NPL_INLINE static bool may_fire(const State& s, const Derived& d, double now, double u) {
    return (now >= s.free_at) & (now >= d.first_step) & !(expected_spikes(s, d) * (1.0 + 0x1p-40) + 0x1p-50 < 1.0 - u);
  }

  NPL_STEP static double fire(State& s, const Derived& d, const Input<receptors>& in) {
    if (static_cast<double>(in.step) < std::max(s.free_at, d.first_step)) return 0.0;
    const double rate = expected_spikes(s, d);
    const double expected = rate < 1e300 ? rate : 1e300;  // infinity would count as one spike below
    if (!(expected > 0.0)) return 0.0;
    const double u = uniform_of_step(in.seed, random_id, in.gid, in.step);
    const double count = poisson_number(u, expected, d.dead_steps > 0.0 ? 1.0 : most_in_a_step);
    if (count == 0.0) return 0.0;
    if (d.dead_steps > 0.0) s.free_at = static_cast<double>(in.step + 1) + (d.shape > 0.0 ? drawn_dead_steps(d, in) : d.dead_steps);
    s.V_m = d.with_reset != 0.0 ? 0.0 : s.V_m;
    for (double k = 0.0; k < count; ++k) s.sfa = History::jumped(s.sfa, d.sfa, true);
    return count;
  }

 private:
  static constexpr double most_in_a_step = 1000.0;

  /// In one step, if V_m stayed as it is.
  NPL_INLINE static double expected_spikes(const State& s, const Derived& d) {
    const double V = s.V_m - s.E_sfa;
    return d.c_1 * V + (d.c_2 > 0.0 ? d.c_2 * math::exp(d.c_3 * V) : 0.0);  // 0 of infinity is 0
  }

  /// A gamma-distributed dead time of whole shape: the sum of as many exponential ones; rounded up to steps.
  NPL_STEP static double drawn_dead_steps(const Derived& d, const Input<receptors>& in) {
    constexpr std::uint64_t id = 0x70705f64u;  // "pp_d"
    double sum = 0.0;
    for (double k = 0.0; k < d.shape; ++k)
      sum -= math::log(uniform_of_step(in.seed, id + (static_cast<std::uint64_t>(k) << 32), in.gid, in.step));
    return std::max(1.0, std::ceil(sum / d.shape * d.dead_time / d.dt));
  }
};

}  // namespace npl::model

#include "nodes/update.hpp"

NPL_NEURON(pp_psc_delta, PpPscDelta)
