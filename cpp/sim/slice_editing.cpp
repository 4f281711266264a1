// SPDX-License-Identifier: Apache-2.0
/// Removal and addition of synapses between runs.
#include <algorithm>
#include <utility>

#include "sim/slice.hpp"

namespace npl::sim {

std::vector<pathways::Flight> Slice::settle(std::size_t pathway, const std::vector<char>& out, std::span<const Step> sent, Step now) {
  pathways::Pathway& p = *pathways_[pathway];
  const tables::TableSpec& spec = *p.table().spec;
  const auto r = static_cast<std::size_t>(spec.receptor);
  std::vector<Fixed> sums(spec.plasticity ? nodes_.size() : 0);  // input of one spike at a time
  LateInput& late = components_.get<LateInput>();
  std::vector<pathways::Flight> since;
  for (const pathways::Flight& spike : p.in_flight(out, now)) {
    if (spike.stamp() > sent[spike.at]) {
      since.push_back(spike);
      continue;
    }
    const Local target = p.table().target[spike.at];
    double value = p.table().weight(spike.at);
    if (spec.plasticity) {
      std::vector<PreciseEvent> events;
      p.bring(spike, {sums.data(), input_.scale(r).to_fixed, &input_.largest(r), &events});
      value = fixed_to_double(std::exchange(sums[target], 0)) * input_.scale(r).to_double;
      if (spec.off_grid && events.empty()) continue;
      if (spec.off_grid) value = events.front().weight;
      if (spec.counts() && value == 0.0) continue;  // no transmission
    }
    late.add({spike.due, target, spec.receptor, spec.counts(), value, spec.off_grid, spike.offset});
  }
  late.sort();
  components_.list();
  return since;
}

pathways::Surroundings Slice::surroundings(const tables::TableSpec& spec) {
  pathways::Surroundings around{nodes_, nullptr, nullptr, seed_};
  around.sources_on_grid = sources_on_grid_ && spec.plasticity && spec.plasticity->takes() == synapses::Takes::moments;
  components_.lend(spec, around);
  return around;
}

synapses::Volume* Slice::volume(const synapses::Hearing& of) {
  synapses::Volume* found = components_.get<ThirdFactors>().volume(of);
  components_.list();
  return found;
}

void Slice::follow_calcium(std::vector<growth::Cell*> by_local, const std::vector<growth::Kind>* kinds) {
  components_.get<Calcium>().follow(std::move(by_local), kinds);
  components_.list();
}

void Slice::keep_traces(const synapses::Plasticity& rule) {
  components_.get<PostTraces>().keep_for(rule);
  components_.list();
}

void Slice::carry_traces(double tau, const std::map<Local, double>& from, Undo& undo) {
  components_.get<PostTraces>().carry(tau, from, undo);
}

std::size_t Slice::pathway_of(const tables::TableSpec& spec) const {
  return static_cast<std::size_t>(
      std::find_if(pathways_.begin(), pathways_.end(), [&](const auto& p) { return p->table().spec == &spec; }) - pathways_.begin());
}

pathways::Moved Slice::edit(std::size_t pathway, pathways::Edits edits, Step now) {
  components_.get<PostTraces>().read_all();
  if (pathway < pathways_.size()) {
    if (edits.added) edits.added->count_on(pathways_[pathway]->table(), edits.out);
    return pathways::apply(pathways_[pathway], std::move(edits), now);
  }
  const auto n = static_cast<std::uint32_t>(edits.added->n_synapses());
  const pathways::Surroundings around = surroundings(*edits.added->spec);
  std::shared_ptr<pathways::Pathway> made = pathways::make_pathway(std::move(edits.added), around);
  for (const pathways::Flight& f : edits.requeued) made->requeue(f, now);
  pathways::Moved places{{}, tables::Places({{0, 0, n}})};
  pathways_.push_back(std::move(made));
  return places;
}

pathways::Pathway& Slice::adopt(std::unique_ptr<tables::EdgeTable> table, std::uint64_t seed) {
  components_.get<PostTraces>().read_all();
  pathways::Surroundings around = surroundings(*table->spec);
  around.seed = seed;
  pathways_.push_back(pathways::make_pathway(std::move(table), around));
  return *pathways_.back();
}

void Slice::adopt(const Largest& scaled_for, const Largest& largest) {
  hold(std::max(scaled_for.size(), largest.size()));
  rescale(scaled_for);
  input_.set_largest(largest);
}

void Slice::unite_pathways(const pathways::Edits& how, Step now) {
  for (std::size_t p = 0; p < pathways_.size(); ++p)
    for (std::size_t q = pathways_.size(); q-- > p + 1;) {
      if (pathways_[q]->table().spec != pathways_[p]->table().spec) continue;
      pathways_[p] = pathways_[p]->united(*pathways_[q], how, now);
      pathways_.erase(pathways_.begin() + static_cast<std::ptrdiff_t>(q));
    }
}

Slice::Kept Slice::keep() const { return {pathways_, edited_, components_.keep(), input_.largest()}; }

void Slice::restore(Kept& kept) noexcept {
  pathways_.swap(kept.pathways), edited_.swap(kept.edited), input_.swap_largest(kept.largest);
  components_.restore(kept.components);
}

std::vector<std::int32_t> Slice::drop_empty_pathways() {
  const auto empty = [](const auto& p) { return p->table().n_synapses() == 0 && (!p->log() || p->log()->size() == 0); };
  std::vector<std::int32_t> numbers;
  std::int32_t next = 0;
  for (const auto& p : pathways_) numbers.push_back(empty(p) ? -1 : next++);
  std::erase_if(pathways_, empty);
  return numbers;
}

}  // namespace npl::sim
