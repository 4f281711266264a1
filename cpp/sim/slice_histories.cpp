// SPDX-License-Identifier: Apache-2.0
/// What synapses read beside spikes of their sources: histories of their targets, spikes of transmitters.
#include <algorithm>

#include "base/learner.hpp"
#include "sim/slice.hpp"

namespace npl::sim {

std::deque<synapses::TargetHistory>& Slice::histories() {
  auto& all = histories_.all();
  for (const auto& g : groups_) {
    if (!g->model().history || std::any_of(all.begin(), all.end(), [&](const auto& h) { return h.has(g->first_local()); })) continue;
    if (g->size() > 0) all.emplace_back(g->first_local(), g->size(), g->model().history->waits.size(), g->model().history->rows);
  }
  return all;
}

nodes::Group& Slice::group_of(const synapses::TargetHistory& history) {
  return **std::find_if(groups_.begin(), groups_.end(),
                        [&](const auto& g) { return g->model().history && g->size() > 0 && g->first_local() == history.first(); });
}

/// Lengths depend on nothing but the network: what a connection reads that is made later must not depend on its neighbours (law 1). Values
/// wait at the step in which they are due, so neither does what a neuron sees after its delay has changed.
void Slice::prepare_histories(Delay max_delay) {
  looked_back_ = std::max<Step>(looked_back_, 2 * Step{max_delay} + 1);
  wait_.clear();
  for (auto& h : histories()) {
    std::vector<double> steps(h.size());
    nodes::Group& g = group_of(h);
    g.wait_steps(steps.data());
    if (const std::size_t each = g.model().history->n_constants; each > 0)
      h.keep_constants(each, [&](double* constants) { g.history_constants(constants); });
    wait_.emplace_back(steps.begin(), steps.end());
    h.reserve(looked_back_ + 1 + g.model().history->reach, *std::max_element(wait_.back().begin(), wait_.back().end()));
  }
}

/// What arrives along continuous connections is known before the spikes of the step are delivered.
void Slice::record_early(Step step) {
  for (auto& h : histories_.all()) {
    const nodes::Group& g = group_of(h);
    if (g.model().history->early < 0) continue;
    const auto k = static_cast<std::size_t>(std::find_if(groups_.begin(), groups_.end(), [&](const auto& o) { return o.get() == &g; }) -
                                            groups_.begin());
    const double* const* taken = channels_ ? channels_->take(k, g, step) : nullptr;
    double* row = h.early_row(step + 1, static_cast<std::size_t>(g.model().history->early));
    taken ? std::copy_n(taken[0], h.size(), row) : std::fill_n(row, h.size(), 0.0);
  }
}

/// After the update of the step that ends at `stamp`.
void Slice::record_histories(Step stamp) {
  std::size_t k = 0;
  for (auto& h : histories_.all()) {
    const std::vector<Step>& wait = wait_[k++];
    nodes::Group& g = group_of(h);
    const auto& columns = g.model().history->waits;
    std::vector<const double*> waited;
    h.begin(stamp);
    for (std::size_t q = 0; q < columns.size(); ++q) {
      const std::span<const double> values = std::as_const(g).state(columns[q]);
      for (std::size_t i = 0; i < h.size(); ++i) h.put(q, i, wait[i], values[i]);
      waited.push_back(h.waited(q));
    }
    contributed_.resize(h.size());
    g.record(waited.data(), contributed_.data(), h.level_row());
    if (g.model().history->contributes) h.add(contributed_);
    h.end();
  }
  if (stamp % learning_stride == 0)
    for (auto& p : pathways_) p->catch_up(stamp);
}

/// Drops contributions that no row needs any more, nor a connection made later would.
void Slice::forget_old_histories(Step settled) {
  std::size_t kept = 0;
  for (const auto& h : histories_.all()) kept += h.kept();
  if (kept < forget_histories_at_) return;
  Step oldest = settled - looked_back_;
  for (const auto& p : pathways_) oldest = std::min(oldest, p->oldest_needed(static_cast<const synapses::PostTrace*>(nullptr), settled));
  kept = 0;
  for (auto& h : histories_.all()) h.forget(oldest), kept += h.kept();
  forget_histories_at_ = std::max(forget_histories_at_, 2 * kept);
}

synapses::Volume* Slice::volume(const synapses::Hearing& of) {
  for (auto& v : volumes_)
    if (v->of() == of) return v.get();
  volumes_.push_back(std::make_unique<synapses::Volume>(of, dt_));
  return volumes_.back().get();
}

void Slice::hear(Gid transmitter, Step step) {
  for (auto& v : volumes_)
    if (v->of().transmitter == transmitter) v->hear(static_cast<std::int32_t>(step + 1));
}

/// Drops spikes of transmitters that no row needs any more, once there are many.
void Slice::forget_heard(Step settled) {
  std::size_t most = 0;
  for (const auto& v : volumes_) most = std::max(most, v->stamps().size());
  if (most < forget_heard_at_) return;
  Step oldest = settled;
  for (const auto& p : pathways_) oldest = std::min(oldest, p->oldest_heard(settled));
  most = 0;
  for (auto& v : volumes_) v->forget(oldest), most = std::max(most, v->stamps().size());
  forget_heard_at_ = std::max(forget_heard_at_, 2 * most);
}

}  // namespace npl::sim
