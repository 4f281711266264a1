// SPDX-License-Identifier: Apache-2.0
/// Removal and addition of synapses between runs.
#include <algorithm>
#include <utility>

#include "sim/slice.hpp"

namespace npl::sim {

std::vector<pathways::InFlight> Slice::settle(std::size_t pathway, const std::vector<char>& out, std::span<const Step> sent, Step now) {
  pathways::Pathway& p = *pathways_[pathway];
  const tables::TableSpec& spec = *p.table().spec;
  const auto r = static_cast<std::size_t>(spec.receptor);
  std::vector<Fixed> sums(spec.plasticity ? nodes_.size() : 0);  // input of one spike at a time
  std::vector<pathways::InFlight> since;
  for (const pathways::InFlight& spike : p.in_flight(out, now)) {
    if (spike.stamp > sent[spike.synapse]) {
      since.push_back(spike);
      continue;
    }
    const Local target = p.table().target[spike.synapse];
    double value = p.table().weight(spike.synapse);
    if (spec.plasticity) {
      std::vector<PreciseEvent> events;
      p.bring(spike, {sums.data(), scales_[r].to_fixed, &largest_[r], &events});
      value = fixed_to_double(std::exchange(sums[target], 0)) * scales_[r].to_double;
      if (spec.off_grid && events.empty()) continue;
      if (spec.off_grid) value = events.front().weight;
      if (spec.counts() && value == 0.0) continue;  // no transmission
    }
    late_.push_back({spike.due, target, spec.receptor, spec.counts(), value, spec.off_grid, spike.offset});
  }
  std::stable_sort(late_.begin(), late_.end(), [](const Late& a, const Late& b) { return a.due > b.due; });
  return since;
}

std::size_t Slice::pathway_of(const tables::TableSpec& spec) const {
  return static_cast<std::size_t>(
      std::find_if(pathways_.begin(), pathways_.end(), [&](const auto& p) { return p->table().spec == &spec; }) - pathways_.begin());
}

pathways::Moved Slice::edit(std::size_t pathway, pathways::Edits edits, Step now) {
  if (pathway < pathways_.size()) {
    if (edits.added) edits.added->count_on(pathways_[pathway]->table(), edits.out);
    return pathways::apply(pathways_[pathway], std::move(edits), now);
  }
  const auto n = static_cast<std::uint32_t>(edits.added->n_synapses());
  const pathways::Surroundings around = surroundings(*edits.added->spec);
  std::shared_ptr<pathways::Pathway> made = pathways::make_pathway(std::move(edits.added), around);
  for (const pathways::Requeued& r : edits.requeued) made->requeue(r);
  pathways::Moved places{{}, tables::Places({{0, 0, n}})};
  pathways_.push_back(std::move(made));
  return places;
}

pathways::Pathway& Slice::adopt(std::unique_ptr<tables::EdgeTable> table, std::uint64_t seed) {
  pathways::Surroundings around = surroundings(*table->spec);
  around.seed = seed;
  pathways_.push_back(pathways::make_pathway(std::move(table), around));
  return *pathways_.back();
}

void Slice::adopt(std::vector<Late> late) {
  late_ = std::move(late);
  std::stable_sort(late_.begin(), late_.end(), [](const Late& a, const Late& b) { return a.due > b.due; });
}

void Slice::adopt(AttachedPart part) {
  parts_.push_back(std::move(part));
  wakes_.push_back(0);
  feeds_.clear();
}

void Slice::adopt(const Largest& scaled_for, const Largest& largest) {
  hold(std::max(scaled_for.size(), largest.size()));
  rescale(scaled_for);
  std::copy(largest.begin(), largest.end(), largest_.begin());
}

void Slice::unite_pathways(const pathways::Edits& how, Step now) {
  for (std::size_t p = 0; p < pathways_.size(); ++p)
    for (std::size_t q = pathways_.size(); q-- > p + 1;) {
      if (pathways_[q]->table().spec != pathways_[p]->table().spec) continue;
      pathways_[p] = pathways_[p]->united(*pathways_[q], how, now);
      pathways_.erase(pathways_.begin() + static_cast<std::ptrdiff_t>(q));
    }
}

Slice::Kept Slice::keep() const { return {pathways_, edited_, late_, largest_, parts_.size(), spike_tracks_.size(), state_tracks_.size()}; }

void Slice::restore(Kept& kept) noexcept {
  pathways_.swap(kept.pathways), edited_.swap(kept.edited), late_.swap(kept.late), largest_.swap(kept.largest);
  while (parts_.size() > kept.parts) parts_.pop_back();
  while (wakes_.size() > kept.parts) wakes_.pop_back();
  while (spike_tracks_.size() > kept.spike_tracks) spike_tracks_.pop_back();
  while (state_tracks_.size() > kept.state_tracks) state_tracks_.pop_back();
  track_index_.forget();
  feeds_.clear();
}

void Slice::drop_empty_pathways() {
  std::erase_if(pathways_, [](const auto& p) { return p->table().n_synapses() == 0 && (!p->log() || p->log()->events.empty()); });
}

}  // namespace npl::sim
