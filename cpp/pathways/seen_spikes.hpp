// SPDX-License-Identifier: Apache-2.0
/// What the synapses of a table see of the postsynaptic spikes in a step, see synapses/post_arrivals.hpp.
#pragma once
#include "pathways/calendar.hpp"
#include "synapses/post_trace.hpp"
#include "tables/edge_table.hpp"

namespace npl::pathways {

/// Null: so little is due that following the postsynaptic spikes would take longer, or the synapses have several dendritic delays.
/// @param due entries of the calendar in this step
template <class Entry>
const synapses::PostArrivals* seen_spikes(const synapses::PostTrace* post, const tables::EdgeTable& table, const DueEntries<Entry>& due,
                                          Step step) {
  constexpr std::size_t few = 16;
  const synapses::Axonal& axonal = table.spec->plasticity->axonal;
  if (!post || due.empty() || table.layout != tables::Layout::single || axonal.varies()) return nullptr;
  const auto delay = static_cast<Delay>(table.one_delay - axonal.common);  // dendritic
  const auto until = static_cast<std::int32_t>(step + 1 - 2 * Step{delay});
  std::size_t events = 0;
  for (const Entry& e : due) events += e.at.length;
  if (few * events < post->nodes()) return nullptr;
  if (!table.spec->plasticity->all_pairs()) return &post->arrivals(delay, until);
  return events > post->nodes() ? &post->arrivals_with_traces(delay, until) : &post->arrivals(delay, until);
}

}  // namespace npl::pathways
