// SPDX-License-Identifier: Apache-2.0
/// STDP as the FACETS wafer-scale hardware has it (Pfeil et al. 2012, doi:10.3389/fnins.2012.00090). A synapse adds up pairs of nearest
/// spikes in two accumulators, of causal pairs (post after pre) and acausal ones; its weight has 4 bits. A controller reads the synapses of
/// one driver after the other, each once in a cycle: two evaluations of the accumulators choose one of three look-up tables, which gives a
/// new weight, or none; then accumulators are reset. A synapse that is due is read when its source spikes next, as in NEST.
///
/// Evaluation with bits b1 to b4: (tl + b3 c + b2 a) / (1 + b3 + b2) > (th + b1 c + b4 a) / (1 + b1 + b4), c and a the accumulators.
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

Field numbered(const char* name, double init, const char* doc) { return {name, "", init, doc}; }

}  // namespace
}  // namespace npl::synapses

NPL_SYNAPSE(
    stdp_facetshw_synapse,
    rule_synapse<Facets>(
        "stdp_facetshw_synapse",
        "Spike-timing dependent plasticity of the FACETS hardware: nearest pairs, 4-bit weights from look-up tables, read in cycles.",
        {{"tau_plus", "ms", 20.0, "Time constant of causal pairs", Bound::positive},
         {"tau_minus_stdp", "ms", 20.0, "Time constant of acausal pairs", Bound::positive},
         {"Wmax", "", 100.0, "Weight of the last entry of a look-up table", Bound::positive},
         {"weight_per_lut_entry", "", 0.0, "Weight of one unit of an entry; 0: Wmax / 15", Bound::non_negative},
         {"driver_readout_time", "ms", 15.0, "Time in which the synapses of one driver are read", Bound::positive},
         {"synapses_per_driver", "", 50.0, "Synapses that are read at once"},
         {"no_synapses", "", 0.0, "Synapses that the controller reads in a cycle"},
         {"synapse_id", "", 0.0, "Number of a synapse in the cycle, from 0"},
         {"a_thresh_th", "", 21.835, "Threshold th of evaluations"},
         {"a_thresh_tl", "", 21.835, "Threshold tl of evaluations"},
         {"a_causal", "", 0.0, "Accumulator of causal pairs at the beginning"},
         {"a_acausal", "", 0.0, "Accumulator of acausal pairs at the beginning"},
         numbered("lookuptable_0_1", 2.0, "New entry of entry 0, table 0"),
         numbered("lookuptable_0_2", 3.0, "New entry of entry 1, table 0"),
         numbered("lookuptable_0_3", 4.0, "New entry of entry 2, table 0"),
         numbered("lookuptable_0_4", 4.0, "New entry of entry 3, table 0"),
         numbered("lookuptable_0_5", 5.0, "New entry of entry 4, table 0"),
         numbered("lookuptable_0_6", 6.0, "New entry of entry 5, table 0"),
         numbered("lookuptable_0_7", 7.0, "New entry of entry 6, table 0"),
         numbered("lookuptable_0_8", 8.0, "New entry of entry 7, table 0"),
         numbered("lookuptable_0_9", 9.0, "New entry of entry 8, table 0"),
         numbered("lookuptable_0_10", 10.0, "New entry of entry 9, table 0"),
         numbered("lookuptable_0_11", 11.0, "New entry of entry 10, table 0"),
         numbered("lookuptable_0_12", 12.0, "New entry of entry 11, table 0"),
         numbered("lookuptable_0_13", 13.0, "New entry of entry 12, table 0"),
         numbered("lookuptable_0_14", 14.0, "New entry of entry 13, table 0"),
         numbered("lookuptable_0_15", 14.0, "New entry of entry 14, table 0"),
         numbered("lookuptable_0_16", 15.0, "New entry of entry 15, table 0"),
         numbered("lookuptable_1_1", 0.0, "New entry of entry 0, table 1"),
         numbered("lookuptable_1_2", 0.0, "New entry of entry 1, table 1"),
         numbered("lookuptable_1_3", 1.0, "New entry of entry 2, table 1"),
         numbered("lookuptable_1_4", 2.0, "New entry of entry 3, table 1"),
         numbered("lookuptable_1_5", 3.0, "New entry of entry 4, table 1"),
         numbered("lookuptable_1_6", 4.0, "New entry of entry 5, table 1"),
         numbered("lookuptable_1_7", 5.0, "New entry of entry 6, table 1"),
         numbered("lookuptable_1_8", 6.0, "New entry of entry 7, table 1"),
         numbered("lookuptable_1_9", 7.0, "New entry of entry 8, table 1"),
         numbered("lookuptable_1_10", 8.0, "New entry of entry 9, table 1"),
         numbered("lookuptable_1_11", 9.0, "New entry of entry 10, table 1"),
         numbered("lookuptable_1_12", 10.0, "New entry of entry 11, table 1"),
         numbered("lookuptable_1_13", 10.0, "New entry of entry 12, table 1"),
         numbered("lookuptable_1_14", 11.0, "New entry of entry 13, table 1"),
         numbered("lookuptable_1_15", 12.0, "New entry of entry 14, table 1"),
         numbered("lookuptable_1_16", 13.0, "New entry of entry 15, table 1"),
         numbered("lookuptable_2_1", 0.0, "New entry of entry 0, table 2"),
         numbered("lookuptable_2_2", 1.0, "New entry of entry 1, table 2"),
         numbered("lookuptable_2_3", 2.0, "New entry of entry 2, table 2"),
         numbered("lookuptable_2_4", 3.0, "New entry of entry 3, table 2"),
         numbered("lookuptable_2_5", 4.0, "New entry of entry 4, table 2"),
         numbered("lookuptable_2_6", 5.0, "New entry of entry 5, table 2"),
         numbered("lookuptable_2_7", 6.0, "New entry of entry 6, table 2"),
         numbered("lookuptable_2_8", 7.0, "New entry of entry 7, table 2"),
         numbered("lookuptable_2_9", 8.0, "New entry of entry 8, table 2"),
         numbered("lookuptable_2_10", 9.0, "New entry of entry 9, table 2"),
         numbered("lookuptable_2_11", 10.0, "New entry of entry 10, table 2"),
         numbered("lookuptable_2_12", 11.0, "New entry of entry 11, table 2"),
         numbered("lookuptable_2_13", 12.0, "New entry of entry 12, table 2"),
         numbered("lookuptable_2_14", 13.0, "New entry of entry 13, table 2"),
         numbered("lookuptable_2_15", 14.0, "New entry of entry 14, table 2"),
         numbered("lookuptable_2_16", 15.0, "New entry of entry 15, table 2"),
         numbered("configbit_0_1", 0.0, "Bit of evaluation 0"),
         numbered("configbit_0_2", 0.0, "Bit of evaluation 0"),
         numbered("configbit_0_3", 1.0, "Bit of evaluation 0"),
         numbered("configbit_0_4", 0.0, "Bit of evaluation 0"),
         numbered("configbit_1_1", 0.0, "Bit of evaluation 1"),
         numbered("configbit_1_2", 1.0, "Bit of evaluation 1"),
         numbered("configbit_1_3", 0.0, "Bit of evaluation 1"),
         numbered("configbit_1_4", 0.0, "Bit of evaluation 1"),
         numbered("reset_pattern_1", 1.0, "Does look-up table 0 reset the causal accumulator"),
         numbered("reset_pattern_2", 1.0, "Does look-up table 0 reset the acausal accumulator"),
         numbered("reset_pattern_3", 1.0, "Does look-up table 1 reset the causal accumulator"),
         numbered("reset_pattern_4", 1.0, "Does look-up table 1 reset the acausal accumulator"),
         numbered("reset_pattern_5", 1.0, "Does look-up table 2 reset the causal accumulator"),
         numbered("reset_pattern_6", 1.0, "Does look-up table 2 reset the acausal accumulator"),
         {"next_readout_time", "ms", 0.0, "Time of the next readout that is shown until the first spike sets it"}}))
