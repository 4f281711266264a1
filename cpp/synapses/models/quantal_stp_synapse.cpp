// SPDX-License-Identifier: Apache-2.0
/// Quantal short-term plasticity: n release sites that release and recover stochastically (Fuhrmann et al. 2002; Loebel et al. 2009).
#include <string>

#include "synapses/rule_model.hpp"

namespace npl::synapses {
namespace {

/// State per source: release probability u. State per synapse: number of sites ready to release. Both are stored as differences from the
/// initial values.
struct Quantal : RuleDefaults {
  static constexpr int row_values = 1, synapse_values = 1;
  static constexpr bool random = true;
  double U, u0, tau_rec, tau_fac, n, a0;

  Quantal(const double* p, double) : U(p[0]), u0(p[1]), tau_rec(p[2]), tau_fac(p[3]), n(p[4]), a0(p[5]) {}
  static void check(const double* p) {
    check_share("U", p[0]), check_share("u", p[1]);
    check_whole("n", p[4]), check_whole("a", p[5]);
  }
  static void check_whole(const char* name, double value) {
    if (value != std::floor(value) || value > 1e6) throw BadParameter(name, value, "a whole number up to 1000000");
  }

  /// Release probability of a ready site at this spike; probability that an empty site has recovered since the last spike.
  std::array<double, PreValues::most> source(double ms, bool first, double* kept) const {
    if (first) return {u0, 0.0};
    const double u = U + (u0 + *kept) * (1.0 - U) * left_after(ms, tau_fac);
    *kept = u - u0;
    return {u, -math::expm1(-ms / tau_rec)};
  }
  std::optional<double> state(std::string_view name, const double* row, const double* own) const {
    return name == "u" ? std::optional(u0 + *row) : name == "a" ? std::optional(a0 + *own) : std::nullopt;
  }
  template <class Event>
  double send(const Event& e, double& weight, double* ready) const {
    const rng::Key own = e.own_key();
    std::uint32_t index = 0;
    const auto successes = [&](double among, double p) {
      double found = 0.0;
      for (double k = 0.0; p > 0.0 && k < among; k += 1.0) found += e.uniform(own, index++) < p ? 1.0 : 0.0;
      return found;
    };
    double a = a0 + *ready;
    a += successes(n - a, e.before->value[1]);
    const double released = successes(a, e.before->value[0]);
    *ready = a - released - a0;
    return released > 0.0 ? released * weight : nothing_sent;
  }
};

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(quantal_stp_synapse,
            with_face<SynapseInfo>(
                rule_synapse<Quantal>(
                    "quantal_stp_synapse", "Short-term depression and facilitation by release sites, at random.",
                    {{"U", "", 0.5, "Probability of release at rest", Bound::non_negative},
                     Field{"u", "", 0.5, "Initial probability of release", Bound::non_negative}.with(Mark::changes),
                     {"tau_rec", "ms", 800.0, "Time constant of recovery", Bound::positive},
                     {"tau_fac", "ms", 0.0, "Time constant of facilitation; 0: none", Bound::non_negative},
                     Field{"n", "", 1.0, "Number of release sites", Bound::non_negative}.with(Mark::whole),
                     Field{"a", "", 1.0, "Initial number of sites that are ready", Bound::non_negative}.with(Mark::changes, Mark::whole)}),
                {.draws = true}))
