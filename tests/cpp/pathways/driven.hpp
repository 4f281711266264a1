// SPDX-License-Identifier: Apache-2.0
/// Drives pathways of explicitly made tables without a slice.
#pragma once
#include <map>
#include <optional>
#include <random>

#include "../tables/made_tables.hpp"
#include "pathways/pathway.hpp"

namespace npl::pathways {

/// Nodes 1, 2, ... of one slice: local index + 1.
inline Residents nodes_of_slice(std::int64_t n) {
  Residents nodes;
  nodes.add(1, Members(1, 1, n));
  return nodes;
}
inline const Residents& some_nodes() {
  static const Residents nodes = nodes_of_slice(65536);
  return nodes;
}

inline std::unique_ptr<Pathway> pathway_of(tables::EdgeTable table, const synapses::PostTrace* post = nullptr,
                                           const synapses::PostTrace* post_triplet = nullptr) {
  return make_pathway(std::make_unique<tables::EdgeTable>(std::move(table)), {some_nodes(), post, post_triplet, 1});
}

/// A spec with the default parameters of a model, but for those named.
inline tables::TableSpec spec_with(tables::Weights weights, const char* model, const std::map<std::string, double>& changed = {}) {
  std::vector<double> parameters;
  for (const Field& f : synapses::find_synapse(model).parameters)
    parameters.push_back(changed.contains(f.name) ? changed.at(f.name) : f.init);
  return tables::spec_of(weights, model, parameters);
}

/// The postsynaptic traces that a spec asks for, and random spikes for them.
class Posts {
 public:
  Posts(const tables::TableSpec& spec, Local targets) : targets_(targets), random_(3) {
    if (spec.plasticity && spec.plasticity->tau_minus() > 0) pair_.emplace(targets, spec.plasticity->tau_minus(), 0.1);
    if (spec.plasticity && spec.plasticity->tau_minus_triplet() > 0) triplet_.emplace(targets, spec.plasticity->tau_minus_triplet(), 0.1);
  }
  const synapses::PostTrace* pair() const { return pair_ ? &*pair_ : nullptr; }
  const synapses::PostTrace* triplet() const { return triplet_ ? &*triplet_ : nullptr; }
  /// Some targets spike in this step.
  void spike(Step step) {
    for (Local n = 0; n < targets_; ++n)
      if (random_() % 5 == 0)
        for (auto* trace : {&pair_, &triplet_})
          if (*trace) (*trace)->add(n, static_cast<std::int32_t>(step + 1));
  }

 private:
  Local targets_;
  std::mt19937 random_;
  std::optional<synapses::PostTrace> pair_, triplet_;
};

inline void spike(Pathway& p, Gid source, Step step, double offset = 0.0) {
  Emitted emitted;
  emitted.spikes.push_back({source, step});
  if (offset > 0.0) emitted.offsets.push_back(offset);
  p.schedule(emitted);
}

/// What has been noted so far.
inline std::vector<WeightEvent> events_of(const Pathway& p) {
  std::vector<WeightEvent> all;
  p.log()->for_each(p.table(), some_nodes(), [&](const WeightEvent& e) { all.push_back(e); });
  return all;
}

/// Sums by target of what is due in a step, at scale `to_fixed`.
inline std::vector<Fixed> due(Pathway& p, Step step, std::size_t targets, double to_fixed, std::uint64_t* events = nullptr) {
  std::vector<Fixed> sums(targets);
  double largest = 0.0;
  std::vector<PreciseEvent> offset_events;
  const std::uint64_t n = p.deliver(step, {sums.data(), to_fixed, &largest, &offset_events});
  if (events) *events += n;
  return sums;
}

}  // namespace npl::pathways
