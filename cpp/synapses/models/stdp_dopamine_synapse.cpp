// SPDX-License-Identifier: Apache-2.0
/// STDP modulated by a third factor (Izhikevich 2007; Potjans, Morrison & Diesmann 2010): pairs of spikes change an eligibility trace c.
/// The weight changes by dw/dt = c (n - b), with dc/dt = -c / tau_c and the concentration n of a neuromodulator (volume.hpp).
/// Between events all three are known in closed form, so a synapse is brought up to date when its source spikes. A weight at a bound stays
/// there while c (n - b) points outwards: n - b changes its sign at most once between two events, and there the interval is cut.
#include "base/error.hpp"
#include "base/math.hpp"
#include "synapses/rule_model.hpp"

namespace npl::synapses {
namespace {

/// State per source: K+ just after its last spike; per synapse: c at its last spike.
struct Dopamine : RuleDefaults {
  static constexpr int row_values = 1, synapse_values = 1;
  double A_plus, A_minus, tau_plus, tau_c, b, Wmin, Wmax, tau_s, trace0, c0, n0;
  bool meets_all;
  DecayTable plus, of_c, of_both;

  Dopamine(const double* p, double dt)
      : A_plus(p[0]),
        A_minus(p[1]),
        tau_plus(p[2]),
        tau_c(p[4]),
        b(p[6]),
        Wmin(p[7]),
        Wmax(p[8]),
        tau_s(p[4] * p[5] / (p[4] + p[5])),
        trace0(p[10]),
        c0(p[11]),
        n0(p[12]),
        meets_all(trace0 > 0.0 || c0 != 0.0),
        plus(tau_plus, dt),
        of_c(tau_c, dt),
        of_both(tau_s, dt) {
    tau_minus = p[3];
    hears = {static_cast<Gid>(p[9]), p[5], true};
  }
  static void check(const double* p) {
    if (p[7] > p[8]) throw BadParameter("Wmin", p[7], "at most Wmax");
    check_transmitter(p[9]);
  }
  double largest_weight() const { return std::max(std::fabs(Wmin), std::fabs(Wmax)); }
  WeightBounds weight_bounds() const { return {Wmin, Wmax}; }

  std::array<double, PreValues::most> source(double ms, bool first, double* kept) const {
    const double before = first ? trace0 : kept[0];
    kept[0] = before * math::exp(-Decay::exponent(ms, tau_plus)) + 1.0;
    return {before};
  }
  std::optional<double> state(std::string_view name, const double* row, const double* own) const {
    if (name == "c") return own[0];
    if (name == "Kplus") return row[0] > 0.0 ? row[0] : trace0;
    return name == "n" ? std::optional(n0) : std::nullopt;  // at time 0
  }

  /// A synapse between its events. All values are copies: what is stored would otherwise have to be read again.
  struct Course {
    const Dopamine& rule;
    const Volume& volume;
    double w, c, n;
    Step now;
    std::size_t next;  ///< spike of the transmitter

    Course(const Dopamine& of, const Volume& heard, double weight, double trace, Step from)
        : rule(of), volume(heard), w(weight), c(trace), now(from), next(heard.first_after(from)) {
      n = volume.before(next, from) + own(from);
    }
    /// What is left of the concentration that only this synapse has.
    NPL_INLINE double own(Step time) const { return rule.n0 == 0.0 ? 0.0 : rule.n0 * volume.decay()(time); }
    NPL_INLINE void change(double by) { w = std::min(std::max(w + by, rule.Wmin), rule.Wmax); }
    /// The change until n = b, where that lies between two events.
    [[gnu::noinline]] static double until_rest(const Dopamine& rule, double tau_n, double c, double n) {
      const double ms = tau_n * math::log(n / rule.b);
      return -c * (n * rule.tau_s * math::expm1(-ms / rule.tau_s) - rule.b * rule.tau_c * math::expm1(-ms / rule.tau_c));
    }
    /// Time in which no spike of the transmitter is heard.
    NPL_INLINE void pass(Step until) {
      const Step steps = until - now;
      now = until;
      if (steps == 0) return;
      const double fall_c = rule.of_c(steps), fall_both = rule.of_both(steps), after = n * volume.decay()(steps);
      const double all = c * (n * rule.tau_s * (1.0 - fall_both) - rule.b * rule.tau_c * (1.0 - fall_c));
      if ((n > rule.b && after < rule.b) || (n < rule.b && after > rule.b)) {  // the sign of dw/dt changes
        const double first = until_rest(rule, volume.of().tau, c, n);
        change(first), change(all - first);
      } else {
        change(all);
      }
      c *= fall_c, n = after;
    }
    NPL_INLINE void go(Step until) {
      for (; next < volume.stamps().size() && volume.stamps()[next] <= until; ++next) {
        pass(volume.stamps()[next]);
        n = volume.levels()[next] + own(now);
      }
      pass(until);
    }
  };

  /// From the last spike of the source to this time.
  void advance(const EventAt<Step>& e, double& weight, double* values) const {
    const Step last = e.last(), made = std::max<Step>(0, -e.before->last);
    const double trace = last == 0 ? trace0 : e.before->value[0];
    if (last == 0) values[0] = c0 * of_c(made);
    if (trace == 0.0 && values[0] == 0.0) return;  // c is still 0
    Course course(*this, *e.volume, weight, values[0], std::max(last, made));
    e.for_post_spikes(last - e.delay, e.stamp - e.delay, [&](Step post) {
      course.go(post + e.delay);
      course.c += A_plus * trace * plus(post + e.delay - last);
    });
    course.go(e.stamp);
    weight = course.w, values[0] = course.c;
  }
  double send(const EventAt<Step>& e, double& weight, double* values) const {
    advance(e, weight, values);
    values[0] -= A_minus * e.post->before(e.local, e.stamp - e.delay);
    return weight;
  }
};

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(
    stdp_dopamine_synapse,
    with_face<SynapseInfo>(
        {"stdp_dopamine_synapse",
         "Spike-timing dependent plasticity modulated by dopamine: pairs of spikes change an eligibility trace c, dw/dt = c (n - b).",
         {{"A_plus", "", 1.0, "Change of c by a presynaptic before a postsynaptic spike"},
          {"A_minus", "", 1.5, "Change of c by a postsynaptic before a presynaptic spike"},
          {"tau_plus", "ms", 20.0, "Time constant of the presynaptic trace", Bound::positive},
          Field{"tau_minus", "ms", 20.0, "Time constant of the postsynaptic trace", Bound::positive}.with(Mark::of_target),
          {"tau_c", "ms", 1000.0, "Time constant of the eligibility trace", Bound::positive},
          {"tau_n", "ms", 200.0, "Time constant of the concentration of dopamine", Bound::positive},
          {"b", "1/ms", 0.0, "Concentration at which weights rest"},
          {"Wmin", "", 0.0, "Least weight"},
          {"Wmax", "", 200.0, "Largest weight"},
          transmitter_field(),
          initial_trace_field(),
          Field{"c", "", 0.0, "Eligibility trace at time 0, of synapses whose source has not spiked before they are made"}.with(
              Mark::changes),
          Field{"n", "1/ms", 0.0, "Concentration at time 0 that only this synapse has, beside that of the transmitter"}.with(
              Mark::changes)},
         true,
         make_rule<Dopamine>},
        {.common = true}))
