// SPDX-License-Identifier: Apache-2.0
/// Short-term plasticity with depression x and facilitation u, without a pool of active transmitter (Tsodyks, Pawelzik & Markram 1998;
/// Fuhrmann et al. 2002, eqs. 2 and 4). State: x and u as differences from the initial values.
#include "synapses/rule_model.hpp"

namespace npl::synapses {
namespace {

struct Tsodyks2 {
  static constexpr int parameters = 5, values = 2;
  double U, u0, x0, tau_rec, tau_fac;

  NPL_INLINE explicit Tsodyks2(const double* p) : U(p[0]), u0(p[1]), x0(p[2]), tau_rec(p[3]), tau_fac(p[4]) {}
  static void check(const double* p) { check_share("U", p[0]), check_share("u", p[1]), check_share("x", p[2]); }
  NPL_INLINE double release(double ms, bool first, double* kept) const {
    if (first) return x0 * u0;
    double x = x0 + kept[0], u = u0 + kept[1];
    x = 1.0 + (x - x * u - 1.0) * left_after(ms, tau_rec);
    u = U + u * (1.0 - U) * left_after(ms, tau_fac);
    kept[0] = x - x0, kept[1] = u - u0;
    return x * u;
  }
  std::optional<double> state(std::string_view name, const double* kept) const {
    return name == "x" ? std::optional(x0 + kept[0]) : name == "u" ? std::optional(u0 + kept[1]) : std::nullopt;
  }
};

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(tsodyks2_synapse, with_face<SynapseInfo>(
                                  short_term_synapse<Tsodyks2>(
                                      "tsodyks2_synapse", "Short-term depression and facilitation of what a source releases.",
                                      {{"U", "", 0.5, "Share released at rest", Bound::non_negative},
                                       Field{"u", "", 0.5, "Initial share that is released", Bound::non_negative}.with(Mark::changes),
                                       Field{"x", "", 1.0, "Initial share of resources there are", Bound::non_negative}.with(Mark::changes),
                                       {"tau_rec", "ms", 800.0, "Time constant of recovery", Bound::positive},
                                       {"tau_fac", "ms", 0.0, "Time constant of facilitation; 0: none", Bound::non_negative}}),
                                  {.scales = true}))
