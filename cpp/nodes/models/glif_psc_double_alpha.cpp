// SPDX-License-Identifier: Apache-2.0
#include "model/glif_psc.hpp"
#include "model/step.hpp"

namespace npl::model {

/// The sum of a fast alpha function and a slow one, whose peak is a share of the weight.
struct TwoAlphas {
  struct Params {
    double tau_fast, tau_slow, amp_slow;
  };
  static constexpr std::array parameters{
      Field{"tau_syn_fast", "ms", 2.0, "Time constant of the fast part of the current of this receptor", Bound::positive},
      Field{"tau_syn_slow", "ms", 6.0, "Time constant of its slow part", Bound::positive},
      Field{"amp_slow", "", 0.3, "Peak of its slow part, as a share of the weight", Bound::positive},
  };
  using One = AlphaShape::One;
  static constexpr std::array state{
      Field{"_I_fast", "pA", 0.0, "Fast part of the current"},
      Field{"_dI_fast", "pA/ms", 0.0, "Its rise"},
      Field{"_I_slow", "pA", 0.0, "Slow part of the current"},
      Field{"_dI_slow", "pA/ms", 0.0, "Its rise"},
  };
  using Factors = AlphaShape::Factors;
  static constexpr std::size_t parts = 2;
  static std::array<Factors, parts> derive(const Params& p, double tau_m, double C, double h) {
    std::array<Factors, parts> all{AlphaShape::factors(p.tau_fast, tau_m, C, h), AlphaShape::factors(p.tau_slow, tau_m, C, h)};
    all[1].jump *= p.amp_slow;
    return all;
  }
  NPL_INLINE static double onto_V(const One& y, const Factors& f) { return AlphaShape::onto_V(y, f); }
  NPL_INLINE static One decayed(const One& y, const Factors& f, double spikes) { return AlphaShape::decayed(y, f, spikes); }
};

struct GlifPscDoubleAlpha : GlifPsc<TwoAlphas> {
  static constexpr const char* name = "glif_psc_double_alpha";
  static constexpr const char* doc =
      "Generalised leaky integrate-and-fire neuron (GLIF 1 to 5) with currents that are the sum of a fast and a slow alpha function.";
};

}  // namespace npl::model

#include "nodes/port_model.hpp"

NPL_NEURON_PORTS(glif_psc_double_alpha, GlifPscDoubleAlpha)
