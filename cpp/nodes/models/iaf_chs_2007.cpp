// SPDX-License-Identifier: Apache-2.0
/// Spike-response neuron of Carandini, Horton & Sincich (2007) without its noise: EPSPs of a fixed shape, and a hyperpolarisation after
/// each spike.
#include <array>

#include "base/math.hpp"
#include "model/propagators.hpp"
#include "model/step.hpp"

namespace npl::model {

struct IafChs2007 {
  static constexpr const char* name = "iaf_chs_2007";
  static constexpr const char* doc =
      "Spike-response neuron of a thalamic relay cell, in units of its threshold (rest 0, threshold 1); a weight multiplies V_epsp.";
  static constexpr Face face{.fixed_keys = "noise=[] V_noise=0.0", .no_currents = true};
  static constexpr int receptors = 2;
  static constexpr SpikeInput input = SpikeInput::by_sign;

  struct Params {
    double tau_epsp, tau_reset, V_epsp, V_reset;
  };
  static constexpr std::array parameters{
      Field{"tau_epsp", "ms", 8.5, "Time from onset to peak of an EPSP", Bound::positive},
      Field{"tau_reset", "ms", 15.4, "Time constant of the hyperpolarisation after a spike", Bound::positive},
      Field{"V_epsp", "", 0.77, "Peak of an EPSP of weight 1", Bound::non_negative},
      Field{"V_reset", "", 2.31, "Hyperpolarisation by a spike", Bound::non_negative},
  };

  struct State {
    double V_m, rise, epsp, after;
  };
  static constexpr std::array state{
      Field{"V_m", "", 0.0, "Membrane potential, 1 at threshold"},
      Field{"_rise", "", 0.0, "Drive of the EPSPs"},
      Field{"_epsp", "", 0.0, "Sum of the EPSPs"},
      Field{"_after", "", 0.0, "Sum of the hyperpolarisations"},
  };

  struct Derived {
    double P_epsp, P_rise, P_after, jump, V_reset;
  };

  static Derived derive(const Params& p, double h) {
    const double P = decay(h, p.tau_epsp);
    return {P, h * P, decay(h, p.tau_reset), 2.718281828459045235 * p.V_epsp / p.tau_epsp, p.V_reset};
  }

  /// Inhibitory input has no effect.
  NPL_INLINE static double step(State& s, const Derived& d, const Input<receptors>& in) {
    s.epsp = s.epsp * d.P_epsp + s.rise * d.P_rise;
    s.rise = s.rise * d.P_epsp + in.spikes[0] * d.jump;
    s.after *= d.P_after;
    s.V_m = s.epsp + s.after;
    const bool fired = s.V_m >= 1.0;
    s.after -= fired ? d.V_reset : 0.0;
    s.V_m = s.epsp + s.after;
    return fired ? 1.0 : 0.0;
  }
};

}  // namespace npl::model

#include "nodes/update.hpp"

NPL_NEURON(iaf_chs_2007, IafChs2007)
