// SPDX-License-Identifier: Apache-2.0
/// Interface of synapse models. One file per model in synapses/models/, named like the model. The synapses of a projection share its
/// parameters, except those with a value per synapse (rule_model.hpp). State is stored where it is the same: the weight per synapse, the
/// presynaptic trace per source row, the postsynaptic trace per neuron (law 2).
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/field_checks.hpp"
#include "base/ids.hpp"
#include "synapses/volume.hpp"

namespace npl::synapses {

/// Part of the delays of synapses that is axonal: a spike at t reaches the synapse at t + axonal, a postsynaptic one at t_post + dendritic.
/// So a presynaptic spike pairs with postsynaptic ones up to t - (dendritic - axonal), and acts on the neuron at t + axonal + dendritic.
struct Axonal {
  static constexpr const char* name = "axonal_delay";  ///< of the parameter of synapse models
  Step common = 0;                                     ///< [steps]
  int column = -1;                                     ///< among the parameters that differ from synapse to synapse; -1: it does not
  double resolution = 0.1;                             ///< [ms]

  static Step steps(double ms, double resolution) { return static_cast<Step>(std::llround(ms / resolution)); }
  bool varies() const { return column >= 0; }
  Step of(const double* varied) const { return varies() ? steps(varied[column], resolution) : common; }
};
/// Its field; to be the last parameter of a model.
inline Field axonal_field() {
  return {Axonal::name, "ms", 0.0, "Part of the delay that is axonal; the rest is dendritic", Bound::non_negative};
}

/// Field of the presynaptic trace at time 0; after all others of a model, as it came last (older checkpoints do without).
inline Field initial_trace_field(const char* name = "Kplus") {
  return Field{name, "", 0.0, "Presynaptic trace at time 0", Bound::non_negative}.with(Mark::changes);
}

/// Least and largest weight of a plastic synapse.
struct WeightBounds {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();

  /// From 0 to a bound of either sign.
  static WeightBounds up_to(double bound) { return bound < 0.0 ? WeightBounds{bound, 0.0} : WeightBounds{0.0, bound}; }
};

/// A name as a model that was compiled by itself reads it, whose std::string_view may have another layout.
struct Name {
  const char* begin;
  std::size_t size;

  explicit Name(std::string_view name) : begin(name.data()), size(name.size()) {}
  operator std::string_view() const { return {begin, size}; }
};

/// How a rule is called, and so by which pathway.
enum class Takes {
  rows,    ///< RowRule: state per row and per target only, so whole rows at once
  steps,   ///< RuleOver<Step>: synapses have state or random numbers of their own
  moments  ///< RuleOver<Moment>: the same at times between grid points
};

/// What all plasticity rules tell: a rule has the parameters of one projection and its precomputed tables. Immutable: threads share it.
class Plasticity {
 public:
  virtual ~Plasticity() = default;
  virtual Takes takes() const = 0;
  /// The rule as the class that takes() says.
  template <class Rule>
  const Rule& as() const {
    return static_cast<const Rule&>(*this);
  }
  bool updates_synapses() const { return takes() != Takes::rows; }

  /// Number of state values per source row, at least 1; all are 0 before the first spike.
  virtual int row_values() const { return 1; }
  /// Number of state values per synapse; all start at 0.
  virtual int synapse_values() const { return 0; }
  /// True: the rule draws random numbers.
  virtual bool draws() const { return false; }
  /// True: the rule reads the histories of its targets.
  virtual bool reads_history() const { return false; }
  /// True: synapses that have heard nothing for long must learn from what their targets have recorded before it is dropped.
  virtual bool catches_up() const { return false; }
  /// Third factor of the rule.
  virtual Hearing hears() const { return {}; }
  /// Time constant of the postsynaptic trace [ms]; 0: the rule uses no postsynaptic spikes, and gets no trace.
  virtual double tau_minus() const = 0;
  /// Time constant of a second postsynaptic trace [ms]; 0: none.
  virtual double tau_minus_triplet() const { return 0.0; }
  /// True: a presynaptic spike pairs with all postsynaptic ones before, so it needs their trace and not only the last one.
  virtual bool all_pairs() const { return false; }
  /// True: the first spike of a source pairs with all postsynaptic spikes since time 0, or since its synapses were made, so older
  /// postsynaptic spikes must be kept.
  virtual bool meets_all() const { return false; }
  /// True: what a synapse sends may be larger than its weight.
  virtual bool amplifies() const { return false; }
  /// Upper bound of |weight|, 0 for none.
  virtual double largest_weight() const = 0;
  /// Weights that the rule can work with: from 0 to Wmax, say. Others would jump at the first spike. Unbounded where it knows no bounds.
  virtual WeightBounds weight_bounds() const { return {}; }
  /// The same for a synapse with these values of the parameters that differ from synapse to synapse; null: there are none.
  virtual WeightBounds bounds_of(const double* varied) const { return static_cast<void>(varied), weight_bounds(); }
  /// State variable of a synapse by the name that users know, after the spikes so far; no value when the rule has no such name.
  /// @param row [row_values()] state of the source row; @param own [synapse_values()] state of the synapse
  /// @param varied its values of the parameters that differ from synapse to synapse; null: none
  std::optional<double> state(std::string_view name, const double* row, const double* own, const double* varied) const {
    double found = 0.0;
    return state(Name(name), row, own, varied, found) ? std::optional(found) : std::nullopt;
  }
  /// The same; false when the rule has no such name. Standard libraries return an optional in different registers.
  virtual bool state(Name name, const double* row, const double* own, const double* varied, double& to) const {
    static_cast<void>(name), static_cast<void>(row), static_cast<void>(own), static_cast<void>(varied), static_cast<void>(to);
    return false;
  }
  Axonal axonal = {};  ///< set by who makes the rule

 protected:
  static bool put(std::optional<double> found, double& to) {
    if (found) to = *found;
    return found.has_value();
  }
};

/// Connections along which a value of the source goes in every step, in place of spikes.
struct Continuous {
  const char* what;      ///< that sources send and targets take (nodes::Sent, nodes::Taken)
  bool delayed = false;  ///< else the value of now arrives now
  bool factors = false;  ///< receptor k of the target gets weight times parameter k; else one receptor gets weight, and there are none
};

/// A synapse model: name, documentation, parameters with units and defaults, and its factory.
struct SynapseInfo {
  std::string name, doc;
  std::vector<Field> parameters;
  bool plastic;
  /// Checks relations between parameters (throws BadParameter) and makes the rule; null when not plastic.
  std::unique_ptr<Plasticity> (*prepare)(const double* parameters, double dt_ms);
  /// [ms], below dt_ms: subtracted from the delay in whole steps. Null: 0.
  double (*sub_step_delay)(const double* parameters) = nullptr;
  /// Throws BadParameter for relations between parameters that are not allowed. Null: no parameter may differ from synapse to synapse.
  void (*check)(const double* parameters) = nullptr;
  /// The rule where parameters differ from synapse to synapse. @param varied their indices, ascending; `parameters` of these are not read
  std::unique_ptr<Plasticity> (*prepare_varied)(const std::vector<double>& parameters, const std::vector<int>& varied,
                                                double dt_ms) = nullptr;
  /// The rule for targets that spike between grid points; `varied` as above, may be empty. Null: there is none.
  std::unique_ptr<Plasticity> (*prepare_exact)(const std::vector<double>& parameters, const std::vector<int>& varied,
                                               double dt_ms) = nullptr;
  const char* history = nullptr;  ///< what its synapses read of their targets (nodes::HistoryInfo::what); null: nothing but spikes
  std::optional<Continuous> continuous = {};  ///< none: its synapses transmit spikes
  std::vector<std::string> common = {};       ///< parameters that all synapses share nevertheless, as those of postsynaptic traces
  Forbidden (*forbids)(const double* parameters) = nullptr;  ///< of a model that was loaded: `check` and `prepare` do not throw
  std::string digest = {};                                   ///< of its source; "": the model is built in
  std::vector<Field> state = {};                             ///< of a model that was loaded: variables that users ask for by name
  Face face = {};

  /// As `check`.
  void check_relations(const double* parameters) const;
  /// As `prepare`.
  std::unique_ptr<Plasticity> rule(const double* parameters, double dt_ms) const {
    if (forbids) check_relations(parameters);
    return prepare(parameters, dt_ms);
  }
  bool may_vary(const std::string& parameter) const {
    return prepare_varied && std::find(common.begin(), common.end(), parameter) == common.end();
  }
};

/// All synapse models: built-in ones, sorted by name, then loaded ones in the order in which their names came.
std::vector<const SynapseInfo*> synapses();
/// The model of this name. Throws UnknownName with the nearest names.
const SynapseInfo& find_synapse(const std::string& name);

}  // namespace npl::synapses

#ifndef NPL_LOADED_MODEL
/// Registers a synapse model; `id` must be the file's name without .cpp.
#define NPL_SYNAPSE(id, ...)                     \
  namespace npl::synapses {                      \
  const SynapseInfo& synapse_##id() {            \
    static const SynapseInfo info = __VA_ARGS__; \
    return info;                                 \
  }                                              \
  }
#endif
