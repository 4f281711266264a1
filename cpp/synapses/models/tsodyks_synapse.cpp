// SPDX-License-Identifier: Apache-2.0
/// Short-term plasticity with recovered, active and inactive resources (Tsodyks, Uziel & Markram 2000, eqs. 3 and 4), integrated exactly
/// between spikes. State: x, y and u as differences from the initial values.
#include "synapses/rule_model.hpp"

namespace npl::synapses {
namespace {

struct Tsodyks {
  static constexpr int parameters = 7, values = 3;
  double U, tau_psc, tau_fac, tau_rec, x0, y0, u0;

  NPL_INLINE explicit Tsodyks(const double* p) : U(p[0]), tau_psc(p[1]), tau_fac(p[2]), tau_rec(p[3]), x0(p[4]), y0(p[5]), u0(p[6]) {}
  static void check(const double* p) {
    check_share("U", p[0]), check_share("u", p[6]);
    if (p[1] == p[3]) throw BadParameter("tau_psc", p[1], "different from tau_rec");
    if (p[4] + p[5] > 1.0) throw BadParameter("x", p[4], "at most 1 - y");
  }
  NPL_INLINE double release(double ms, bool, double* kept) const {
    double x = x0 + kept[0], y = y0 + kept[1], u = u0 + kept[2];
    const double z = 1.0 - x - y, y_left = left_after(ms, tau_psc), recovered = -math::expm1(-ms / tau_rec);
    u *= left_after(ms, tau_fac);
    if (tau_rec != tau_psc)
      x += y * (recovered * tau_rec - (1.0 - y_left) * tau_psc) / (tau_rec - tau_psc) + z * recovered;
    else  // drawn: a value within bounds that are allowed
      x += y * (recovered - ms / tau_rec * y_left) + z * recovered;
    y *= y_left;
    u += U * (1.0 - u);
    const double released = u * x;
    kept[0] = x - released - x0, kept[1] = y + released - y0, kept[2] = u - u0;
    return released;
  }
  std::optional<double> state(std::string_view name, const double* kept) const {
    return name == "x"   ? std::optional(x0 + kept[0])
           : name == "y" ? std::optional(y0 + kept[1])
           : name == "u" ? std::optional(u0 + kept[2])
                         : std::nullopt;
  }
};

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(tsodyks_synapse,
            with_face<SynapseInfo>(
                short_term_synapse<Tsodyks>("tsodyks_synapse",
                                            "Short-term depression and facilitation with recovered, active and inactive resources.",
                                            {{"U", "", 0.5, "Share of the recovered resources that a spike releases", Bound::non_negative},
                                             {"tau_psc", "ms", 3.0, "Time constant of the synaptic current", Bound::positive},
                                             {"tau_fac", "ms", 0.0, "Time constant of facilitation; 0: none", Bound::non_negative},
                                             {"tau_rec", "ms", 800.0, "Time constant of recovery", Bound::positive},
                                             Field{"x", "", 1.0, "Initial recovered share", Bound::non_negative}.with(Mark::changes),
                                             Field{"y", "", 0.0, "Initial active share", Bound::non_negative}.with(Mark::changes),
                                             Field{"u", "", 0.0, "Initial release probability", Bound::non_negative}.with(Mark::changes)}),
                {.scales = true}))
