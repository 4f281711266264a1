// SPDX-License-Identifier: Apache-2.0
/// STDP as the FACETS wafer-scale hardware has it (Pfeil et al. 2012, doi:10.3389/fnins.2012.00090). A synapse adds up pairs of nearest
/// spikes in two accumulators, of causal pairs (post after pre) and acausal ones; its weight has 4 bits. A controller reads the synapses of
/// one driver after the other, each once in a cycle: two evaluations of the accumulators choose one of three look-up tables, which gives a
/// new weight, or none; then accumulators are reset. A synapse that is due is read when its source spikes next, as in NEST.
///
/// Evaluation with bits b1 to b4: (tl + b3 c + b2 a) / (1 + b3 + b2) > (th + b1 c + b4 a) / (1 + b1 + b4), c and a the accumulators.
#include <deque>
#include <string>

#include "base/error.hpp"
#include "base/math.hpp"
#include "synapses/rule_model.hpp"

namespace npl::synapses {
namespace {

constexpr int entries = 16, bits = 4;

/// Indices of parameters.
enum At {
  tau_plus,
  tau_minus_stdp,
  Wmax,
  per_entry,
  readout_time,
  per_driver,
  no_synapses,
  synapse_id,
  thresh_th,
  thresh_tl,
  a_causal,
  a_acausal,
  tables,
  config = tables + 3 * entries,
  reset = config + 2 * bits,
  shown_readout = reset + 6,
  n_parameters
};

/// State per synapse: both accumulators, time of the next readout [ms], 1 once it has begun.
struct Facets : RuleDefaults {
  static constexpr int synapse_values = 4;
  static constexpr std::size_t most_parameters = n_parameters;
  static constexpr bool meets_all = true;
  std::array<double, n_parameters> p;
  double dt, entry;

  Facets(const double* given, double dt_ms) : dt(dt_ms) {
    std::copy_n(given, p.size(), p.begin());
    entry = p[per_entry] > 0.0 ? p[per_entry] : p[Wmax] / (entries - 1);
    tau_minus = 20.0;  // any: spikes of the target are kept, not their trace
  }
  static void check_whole(const char* name, double x, double low, double high, const char* allowed) {
    if (!(x >= low && x <= high) || x != std::floor(x)) throw BadParameter(name, x, allowed);
  }
  static void check(const double* p) {
    check_whole("synapses_per_driver", p[per_driver], 1.0, 0x1p31, "a whole number from 1 on");
    check_whole("no_synapses", p[no_synapses], 0.0, 0x1p52, "a whole number from 0 on");
    check_whole("synapse_id", p[synapse_id], 0.0, 0x1p52, "a whole number from 0 on");
    for (int k = 0; k < 3 * entries; ++k) check_whole("lookuptable", p[tables + k], 0.0, entries - 1, "16 whole numbers from 0 to 15");
    for (int k = 0; k < 2 * bits; ++k) check_whole("configbit", p[config + k], 0.0, 1.0, "4 numbers, 0 or 1");
    for (int k = 0; k < 6; ++k) check_whole("reset_pattern", p[reset + k], 0.0, 1.0, "6 numbers, 0 or 1");
  }
  double largest_weight() const { return (entries - 1) * entry; }
  WeightBounds weight_bounds() const { return {0.0, std::max(largest_weight(), p[Wmax])}; }
  std::optional<double> state(std::string_view name, const double*, const double* own) const {
    const bool begun = own && own[3] != 0.0;
    if (name == "a_causal") return begun ? own[0] : p[a_causal];
    if (name == "a_acausal") return begun ? own[1] : p[a_acausal];
    if (name == "next_readout_time") return begun ? own[2] : p[shown_readout];
    if (name == "init_flag") return begun ? 1.0 : 0.0;
    return std::nullopt;
  }

  double first_readout() const { return std::floor(p[synapse_id] / p[per_driver]) * p[readout_time]; }
  double cycle() const { return std::floor((std::max(p[no_synapses], 1.0) - 1.0) / p[per_driver] + 1.0) * p[readout_time]; }
  bool exceeds(const double* values, int which) const {
    const double c = values[0], a = values[1], *b = &p[static_cast<std::size_t>(config + which * bits)];
    return (p[thresh_tl] + b[2] * c + b[1] * a) / (1.0 + b[2] + b[1]) > (p[thresh_th] + b[0] * c + b[3] * a) / (1.0 + b[0] + b[3]);
  }
  void read(double now, double& weight, double* values) const {
    const double at = std::min(std::floor(weight / entry + 0.5), entries - 1.0);
    const bool first = exceeds(values, 0), second = exceeds(values, 1);
    double found = at;
    if (first || second) {
      const int table = first && second ? 2 : second ? 1 : 0;
      found = p[static_cast<std::size_t>(tables + table * entries) + static_cast<std::size_t>(at)];
      for (int k = 0; k < 2; ++k)
        if (p[static_cast<std::size_t>(reset + 2 * table + k)] != 0.0) values[k] = 0.0;
    }
    weight = found * entry;
    values[2] += cycle() * std::max(1.0, std::ceil((now - values[2]) / cycle() - 1e-9));
  }
  double send(const EventAt<Step>& e, double& weight, double* values) const {
    if (values[3] == 0.0) values[0] = p[a_causal], values[1] = p[a_acausal], values[2] = first_readout(), values[3] = 1.0;
    const double now = static_cast<double>(e.stamp) * dt;
    if (now > values[2] + 1e-6 * dt) read(now, weight, values);
    Step first = -1, last = -1;
    e.for_post_spikes(e.last() - e.delay, e.stamp - e.delay, [&](Step post) { first = first < 0 ? post : first, last = post; });
    if (first >= 0) {
      values[0] += math::exp(static_cast<double>(e.last() - first - e.delay) * dt / p[tau_plus]);
      values[1] += math::exp(static_cast<double>(last + e.delay - e.stamp) * dt / p[tau_minus_stdp]);
    }
    return weight;
  }
};

/// New entries of the look-up tables, and bits of the evaluations.
constexpr double new_entries[3][entries] = {{2, 3, 4, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 14, 15},
                                            {0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 11, 12, 13},
                                            {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
constexpr double evaluations[2][bits] = {{0, 0, 1, 0}, {0, 1, 0, 0}};

/// A field whose name and text have numbers in them; they live as long as the program.
Field numbered(std::string name, double init, std::string doc) {
  static std::deque<std::string> texts;
  texts.push_back(std::move(name)), texts.push_back(std::move(doc));
  return {texts[texts.size() - 2].c_str(), "", init, texts.back().c_str()};
}

std::vector<Field> fields() {
  std::vector<Field> all{
      {"tau_plus", "ms", 20.0, "Time constant of causal pairs", Bound::positive},
      {"tau_minus_stdp", "ms", 20.0, "Time constant of acausal pairs", Bound::positive},
      {"Wmax", "", 100.0, "Weight of the last entry of a look-up table", Bound::positive},
      {"weight_per_lut_entry", "", 0.0, "Weight of one unit of an entry; 0: Wmax / 15", Bound::non_negative},
      {"driver_readout_time", "ms", 15.0, "Time in which the synapses of one driver are read", Bound::positive},
      Field{"synapses_per_driver", "", 50.0, "Synapses that are read at once"}.with(Mark::whole),
      Field{"no_synapses", "", 0.0, "Synapses that the controller reads in a cycle"}.with(Mark::whole),
      Field{"synapse_id", "", 0.0, "Number of a synapse in the cycle, from 0"}.with(Mark::of_connection),
      Field{"a_thresh_th", "", 21.835, "Threshold th of evaluations"}.with(Mark::of_connection),
      Field{"a_thresh_tl", "", 21.835, "Threshold tl of evaluations"}.with(Mark::of_connection),
      Field{"a_causal", "", 0.0, "Accumulator of causal pairs at the beginning"}.with(Mark::changes),
      Field{"a_acausal", "", 0.0, "Accumulator of acausal pairs at the beginning"}.with(Mark::changes),
  };
  const auto number = [](int k) { return std::to_string(k); };
  for (int t = 0; t < 3; ++t)
    for (int k = 0; k < entries; ++k)
      all.push_back(numbered("lookuptable_" + number(t) + "_" + number(k + 1), new_entries[t][k],
                             "New entry of entry " + number(k) + ", table " + number(t)));
  for (int e = 0; e < 2; ++e)
    for (int k = 0; k < bits; ++k)
      all.push_back(numbered("configbit_" + number(e) + "_" + number(k + 1), evaluations[e][k], "Bit of evaluation " + number(e)));
  for (int k = 0; k < 6; ++k)
    all.push_back(numbered("reset_pattern_" + number(k + 1), 1.0,
                           "Does look-up table " + number(k / 2) + " reset the " + (k % 2 ? "acausal" : "causal") + " accumulator"));
  all.push_back(
      Field{"next_readout_time", "ms", 0.0, "Time of the next readout that is shown until the first spike sets it"}.with(Mark::changes));
  return all;
}

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(
    stdp_facetshw_synapse,
    with_face<SynapseInfo>(
        rule_synapse<Facets>(
            "stdp_facetshw_synapse",
            "Spike-timing dependent plasticity of the FACETS hardware: nearest pairs, 4-bit weights from look-up tables, read in cycles.",
            fields()),
        {.fixed_keys = "init_flag=false", .common = true}))
