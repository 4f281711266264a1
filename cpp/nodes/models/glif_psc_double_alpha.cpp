// SPDX-License-Identifier: Apache-2.0
#include "nodes/glif_psc.hpp"
#include "nodes/step.hpp"

namespace npl::nodes {

/// The sum of a fast alpha function and a slow one, whose peak is a share of the weight.
struct TwoAlphas {
  struct Params {
    PerPort tau_fast, tau_slow, amp_slow;
  };
  static constexpr auto parameters =
      joined(per_port(NPL_PORT_NAMES("tau_syn_fast"), "ms", 2.0, "Time constant of the fast part of the current of this receptor",
                      Bound::positive),
             per_port(NPL_PORT_NAMES("tau_syn_slow"), "ms", 6.0, "Time constant of its slow part", Bound::positive),
             per_port(NPL_PORT_NAMES("amp_slow"), "", 0.3, "Peak of its slow part, as a share of the weight", Bound::positive));
  struct Vars {
    AlphaShape::Vars fast, slow;
  };
  static constexpr auto state = joined(per_port(NPL_PORT_NAMES("_I_fast"), "pA", 0.0, "Fast part of the current"),
                                       per_port(NPL_PORT_NAMES("_dI_fast"), "pA/ms", 0.0, "Its rise"),
                                       per_port(NPL_PORT_NAMES("_I_slow"), "pA", 0.0, "Slow part of the current"),
                                       per_port(NPL_PORT_NAMES("_dI_slow"), "pA/ms", 0.0, "Its rise"));
  struct Derived {
    AlphaShape::Derived fast, slow;
  };
  static Derived derive(const Params& p, double tau_m, double C, double h) {
    Derived d{AlphaShape::derive(p.tau_fast, tau_m, C, h), AlphaShape::derive(p.tau_slow, tau_m, C, h)};
    for (std::size_t k = 0; k < ports; ++k) d.slow.jump[k] *= p.amp_slow[k];
    return d;
  }
  static constexpr std::size_t parts = 2;
  using One = AlphaShape::One;
  using Factors = AlphaShape::Factors;
  NPL_INLINE static double onto_V(const One& y, const Factors& f) { return AlphaShape::onto_V(y, f); }
  NPL_INLINE static One decayed(const One& y, const Factors& f, double spikes) { return AlphaShape::decayed(y, f, spikes); }
};

struct GlifPscDoubleAlpha : GlifPsc<TwoAlphas> {
  static constexpr const char* name = "glif_psc_double_alpha";
  static constexpr const char* doc =
      "Generalised leaky integrate-and-fire neuron (GLIF 1 to 5) with currents that are the sum of a fast and a slow alpha function.";
};

}  // namespace npl::nodes

#include "nodes/many_currents.hpp"

NPL_NEURON_PORTS(glif_psc_double_alpha, GlifPscDoubleAlpha)
