// SPDX-License-Identifier: Apache-2.0
/// Voltage-based plasticity (Clopath, Buesing, Vasilaki & Gerstner 2010): a presynaptic spike depresses by what its target gives as level,
/// and the presynaptic trace times what the target contributes in each step potentiates.
#include <cmath>

#include "base/error.hpp"
#include "base/math.hpp"
#include "synapses/rule_model.hpp"

namespace npl::synapses {
namespace {

/// State per source: the presynaptic trace x_bar just after its last spike.
template <class Decays>
struct Clopath : RuleDefaults {
  static constexpr int row_values = 1;
  static constexpr bool reads_history = true;
  double tau_x, Wmin, Wmax;
  Decays x;

  Clopath(const double* p, double dt) : tau_x(p[0]), Wmin(p[1]), Wmax(p[2]), x(tau_x, dt) {}
  static void check(const double* p) {
    if (!(p[1] <= p[2])) throw BadParameter("Wmin", p[1], "at most Wmax");
  }
  double largest_weight() const { return std::max(std::fabs(Wmin), std::fabs(Wmax)); }
  WeightBounds weight_bounds() const { return {Wmin, Wmax}; }

  std::array<double, PreValues::most> source(double ms, bool, double* kept) const {
    const double before = kept[0];
    kept[0] = before * math::exp(-ms / tau_x) + 1.0 / tau_x;
    return {before};
  }
  static std::optional<double> state(std::string_view name, const double* row, const double*) {
    return name == "x_bar" ? std::optional(row[0]) : std::nullopt;
  }
  double send(const EventAt<Step>& e, double& weight, double*) const {
    const Step last = e.before->last, until = e.stamp - e.delay, from = last - e.delay;
    const TargetHistory& target = e.histories->of(e.local);
    if (last > 0) potentiate(target.contributions(e.local), from, until, e.before->value[0], weight);
    weight = std::max(weight - target.level(e.local, until), Wmin);
    return weight;
  }

 private:
  /// By the contributions in (from, until], the latest first: those that are asked for are the latest ones.
  void potentiate(const Contributions& all, Step from, Step until, double trace, double& weight) const {
    const std::int32_t* stamp = all.stamp.data();
    std::size_t i = all.stamp.size();
    while (i > 0 && stamp[i - 1] > until) --i;
    if (i == 0 || stamp[i - 1] <= from) return;
    double sum = 0.0;
    for (; i > 0 && stamp[i - 1] > from; --i) sum += all.value[i - 1] * x(stamp[i - 1] - from);
    weight = std::min(weight + trace * sum, Wmax);
  }
};

SynapseInfo described() {
  SynapseInfo info = rule_synapse<Clopath>(
      "clopath_synapse",
      "Plasticity that depends on the potential of the target, which must be a neuron that keeps its history (names with _clopath).",
      {{"tau_x", "ms", 15.0, "Time constant of the presynaptic trace", Bound::positive},
       {"Wmin", "", 0.0, "Smallest weight"},
       {"Wmax", "", 100.0, "Largest weight"},
       axonal_field()});
  info.history = "potential";
  info.face.fixed_keys = "x_bar=0.0";
  return info;
}

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(clopath_synapse, described())
