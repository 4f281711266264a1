// SPDX-License-Identifier: Apache-2.0
/// Common properties of all synapses of a table. All slices of all ranks have the same list of specs.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "base/ids.hpp"
#include "synapses/model.hpp"
#include "tables/codebook.hpp"

namespace npl::tables {

enum class Weights : std::uint8_t { uniform, f32, f64, coded };  ///< 0, 4, 8, 2 bytes per synapse
enum class Layout : std::uint8_t {
  runs,   ///< one delay per run of equal delay (4 B per run)
  words,  ///< one delay per synapse (2 B)
  single  ///< one delay for the table
};  ///< encoding of delays

/// How the targets of a table process their spikes.
enum class TargetInput : std::uint8_t {
  weights,  ///< sum the weights at the receptor
  by_sign,  ///< sum the weights; the sign of the weight selected the receptor (0: >= 0, 1: < 0) and must not change
  counts,   ///< count spikes and ignore weights
  values,   ///< sum weights times values of their sources, which send no spikes
};

struct TableSpec {
  const synapses::SynapseInfo* synapse = nullptr;
  std::vector<double> parameters;                          ///< of the synapse model, in the order of SynapseInfo::parameters
  std::vector<int> varied;                                 ///< indices of those that differ from synapse to synapse, ascending
  std::shared_ptr<const synapses::Plasticity> plasticity;  ///< rule with these parameters; null: static
  int receptor = 0;
  TargetInput input = TargetInput::weights;
  Weights weights = Weights::uniform;
  double uniform = 0.0;                  ///< (Weights::uniform) weight of all synapses
  std::shared_ptr<const Codebook> book;  ///< (Weights::coded) values of the codes
  int order = 0;                         ///< index in the canonical order of connections
  int recorder = -1;                     ///< index of the weight recorder of these synapses; -1: none
  bool off_grid = false;                 ///< the targets take off-grid spikes, as a list of events
  double sub_step_delay = 0.0;           ///< [ms] subtracted from the delay in whole steps; excludes plasticity unless 0
  double resolution = 0.1;               ///< [ms]

  /// True when the table can store this weight; codes and drawn weights are rounded to float32.
  bool holds(double weight) const {
    if (weights == Weights::uniform) return weight == uniform;
    return weights != Weights::coded || book->find(static_cast<float>(weight));
  }
  /// True when weights beyond the range of a float32 cannot be set.
  bool rounds() const { return weights == Weights::f32 || weights == Weights::coded; }
  /// The same with a weight per synapse that can have any value.
  TableSpec widened() const {
    TableSpec wider = *this;
    wider.weights = weights == Weights::uniform ? Weights::f64 : weights == Weights::coded ? Weights::f32 : weights;
    wider.uniform = 0.0, wider.book = nullptr;
    return wider;
  }
  bool counts() const { return input == TargetInput::counts; }
  bool continuous() const { return input == TargetInput::values; }
  /// True when weights take part in the sums of spikes, whose scale follows them.
  bool scaled() const { return !counts() && !continuous(); }
  /// True when a rule updates single synapses.
  bool updates_synapses() const { return plasticity && plasticity->updates_synapses(); }
  /// True when the sub-step offsets of spikes matter.
  bool keeps_offsets() const { return off_grid || sub_step_delay > 0.0; }
};

}  // namespace npl::tables
