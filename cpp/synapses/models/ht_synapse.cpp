// SPDX-License-Identifier: Apache-2.0
/// Short-term depression by a pool of vesicles (Hill & Tononi 2005).
#include "synapses/rule_model.hpp"

namespace npl::synapses {
namespace {

struct Vesicles {
  static constexpr int parameters = 3, values = 1;
  double P0, tau_P, delta_P;

  NPL_INLINE explicit Vesicles(const double* p) : P0(p[0]), tau_P(p[1]), delta_P(p[2]) {}
  static void check(const double* p) { check_share("P", p[0]), check_share("delta_P", p[2]); }
  NPL_INLINE double release(double ms, bool, double* kept) const {
    const double P = 1.0 - (1.0 - (P0 + *kept)) * left_after(ms, tau_P);
    *kept = P * (1.0 - delta_P) - P0;
    return P;
  }
  std::optional<double> state(std::string_view name, const double* kept) const {
    return name == "P" ? std::optional(P0 + *kept) : std::nullopt;
  }
};

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(ht_synapse,
            with_face<SynapseInfo>(
                short_term_synapse<Vesicles>("ht_synapse", "Short-term depression: each spike uses up part of a pool that recovers.",
                                             {Field{"P", "", 1.0, "Initial size of the pool", Bound::non_negative}.with(Mark::changes),
                                              {"tau_P", "ms", 500.0, "Time constant of recovery", Bound::positive},
                                              {"delta_P", "", 0.125, "Part of the pool that a spike uses", Bound::non_negative}}),
                {.scales = true}))
