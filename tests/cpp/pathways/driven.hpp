// SPDX-License-Identifier: Apache-2.0
/// Drives pathways of explicitly made tables without a slice.
#pragma once
#include "../tables/made_tables.hpp"
#include "pathways/pathway.hpp"

namespace npl::pathways {

/// Nodes 1, 2, ... of one slice: local index + 1.
inline const Residents& some_nodes() {
  static const Residents nodes = [] {
    Residents n;
    n.add(1, Members(1, 1, 65536));
    return n;
  }();
  return nodes;
}

inline std::unique_ptr<Pathway> pathway_of(tables::EdgeTable table, const synapses::PostTrace* post = nullptr) {
  return make_pathway(std::make_unique<tables::EdgeTable>(std::move(table)), {some_nodes(), post, nullptr, 1});
}

inline void spike(Pathway& p, Gid source, Step step, double offset = 0.0) {
  Emitted emitted;
  emitted.spikes.push_back({source, step});
  if (offset > 0.0) emitted.offsets.push_back(offset);
  p.schedule(emitted);
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
