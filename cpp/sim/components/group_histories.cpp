// SPDX-License-Identifier: Apache-2.0
#include "sim/components/group_histories.hpp"

#include <algorithm>
#include <utility>

#include "base/learner.hpp"

namespace npl::sim {

std::deque<synapses::TargetHistory>& GroupHistories::all() {
  auto& all = all_.all();
  for (const auto& g : host_.groups) {
    if (!g->model().history || std::any_of(all.begin(), all.end(), [&](const auto& h) { return h.has(g->first_local()); })) continue;
    if (g->size() > 0) all.emplace_back(g->first_local(), g->size(), g->model().history->waits.size(), g->model().history->rows);
  }
  return all;
}

nodes::Group& GroupHistories::group_of(const synapses::TargetHistory& history) {
  return **std::find_if(host_.groups.begin(), host_.groups.end(),
                        [&](const auto& g) { return g->model().history && g->size() > 0 && g->first_local() == history.first(); });
}

void GroupHistories::lend(const tables::TableSpec& spec, pathways::Surroundings& around) {
  if (spec.plasticity && spec.plasticity->reads_history()) around.histories = &all_;
}

/// Lengths depend on nothing but the network: what a connection reads that is made later must not depend on its neighbours (law 1). Values
/// wait at the step in which they are due, so neither does what a neuron sees after its delay has changed.
void GroupHistories::prepare() {
  wait_.clear();
  for (auto& h : all()) {
    std::vector<double> steps(h.size());
    nodes::Group& g = group_of(h);
    g.wait_steps(steps.data());
    if (const std::size_t each = g.model().history->n_constants; each > 0)
      h.keep_constants(each, [&](double* constants) { g.history_constants(constants); });
    wait_.emplace_back(steps.begin(), steps.end());
    h.reserve(host_.looked_back + 1 + g.model().history->reach, *std::max_element(wait_.back().begin(), wait_.back().end()));
  }
}

std::uint64_t GroupHistories::before(Step step, std::size_t) {
  for (auto& h : all_.all()) {
    const nodes::Group& g = group_of(h);
    if (g.model().history->early < 0) continue;
    const auto k = static_cast<std::size_t>(
        std::find_if(host_.groups.begin(), host_.groups.end(), [&](const auto& o) { return o.get() == &g; }) - host_.groups.begin());
    const double* const* taken = host_.channels ? host_.channels->take(k, g, step) : nullptr;
    double* values = h.early_row(step + 1, static_cast<std::size_t>(g.model().history->early));
    taken ? std::copy_n(taken[0], h.size(), values) : std::fill_n(values, h.size(), 0.0);
  }
  return 0;
}

void GroupHistories::after(Step stamp, const SourcedSpikes&, std::size_t) {
  std::size_t k = 0;
  for (auto& h : all_.all()) record(h, wait_[k++], stamp);
  if (stamp % learning_stride == 0)
    for (auto& p : host_.pathways) p->catch_up(stamp);
}

/// @param wait [nodes] delays with which values are seen [steps]
void GroupHistories::record(synapses::TargetHistory& history, const std::vector<Step>& wait, Step stamp) {
  nodes::Group& g = group_of(history);
  const auto& columns = g.model().history->waits;
  std::vector<const double*> waited;
  history.begin(stamp);
  for (std::size_t q = 0; q < columns.size(); ++q) {
    const std::span<const double> values = std::as_const(g).state(columns[q]);
    for (std::size_t i = 0; i < history.size(); ++i) history.put(q, i, wait[i], values[i]);
    waited.push_back(history.waited(q));
  }
  contributed_.resize(history.size());
  g.record(waited.data(), contributed_.data(), history.level_row());
  if (g.model().history->contributes) history.add(contributed_);
  history.end();
}

void GroupHistories::end(const PartSteps& part, SourcedSpikes&) {
  std::size_t kept = 0;
  for (const auto& h : all_.all()) kept += h.kept();
  if (kept < forget_at_) return;
  Step oldest = part.settled - host_.looked_back;
  for (const auto& p : host_.pathways)
    oldest = std::min(oldest, p->oldest_needed(static_cast<const synapses::PostTrace*>(nullptr), part.settled));
  kept = 0;
  for (auto& h : all_.all()) h.forget(oldest), kept += h.kept();
  forget_at_ = std::max(forget_at_, 2 * kept);
}

}  // namespace npl::sim
