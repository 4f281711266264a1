// SPDX-License-Identifier: Apache-2.0
#include "deliver/one_by_one.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace npl::deliver {

OneByOne::OneByOne(const EdgeTable& table, Delay longest_delay, const Residents& nodes, std::uint64_t seed)
    : nodes_(nodes),
      key_(rng::Key::of(seed, rng::Purpose::synapse, static_cast<std::uint64_t>(table.spec->order))),
      mask_(std::bit_ceil(std::size_t{longest_delay} + 2) - 1),
      slots_(mask_ + 1) {}

/// Spikes of the row with the same stamp that wait for the same step.
std::uint32_t OneByOne::repeats(Step due, const Entry& entry) const {
  const auto& slot = slots_[static_cast<std::size_t>(due) & mask_];
  return static_cast<std::uint32_t>(std::count_if(slot.begin(), slot.end(), [&](const Entry& e) { return e.row == entry.row && e.stamp == entry.stamp; }));
}

void OneByOne::schedule(EdgeTable& table, std::uint32_t row, Step step) {
  const synapses::Plasticity& rule = *table.spec->plasticity;
  double* kept = &table.pre_values[std::size_t{row} * static_cast<std::size_t>(table.values_per_row)];
  Delay delay = 0;
  Entry e{first_run(table, row, delay), step + 1, row, {}};
  if (const auto* single = rule.single()) {
    const bool again = table.pre_last[row] == e.stamp;
    e.before = single->source_spike(e.stamp, table.pre_last[row], kept);
    if (again) e.before.repeat = repeats(step + delay, e);
  } else {
    const synapses::PreTrace before = rule.spike(e.stamp, table.pre_last[row], kept);
    e.before = {before.last, {before.trace}};
  }
  put(step + delay, e);
}

std::uint64_t OneByOne::deliver(EdgeTable& t, Step step, Fixed* sums, double to_fixed, const synapses::PostTrace* post, double* largest) {
  auto& due = slots_[static_cast<std::size_t>(step) & mask_];
  std::uint64_t events = 0;
  for (std::size_t i = 0; i < due.size(); ++i) {
    Entry e = due[i];
    int gap = 0;
    do {
      const auto delay = static_cast<Delay>(step + 1 - e.stamp);
      const synapses::PreTrace before{e.before.last, e.before.value[0]};
      process(t, e, {e.at.length, &t.target[e.at.position], nullptr, e.stamp, before, delay, post, sums, to_fixed, largest, t.spec->counts});
      events += e.at.length;
      gap = advance_any(t, e.at);
    } while (gap == 0);
    if (gap > 0) put(step + gap, e);
  }
  due.clear();
  return events;
}

void OneByOne::process(EdgeTable& t, const Entry& e, synapses::PlasticRun run) {
  const std::uint32_t at = e.at.position;
  if (t.spec->weights == Weights::f32) run.weight = &t.weight32[at];
  if (t.spec->weights == Weights::f64) run.weight = &t.weight64[at];
  if (t.spec->weights == Weights::uniform) weight_.assign(run.n, t.spec->uniform), run.weight = weight_.data();
  sent_.resize(run.n);
  t.spec->plasticity->single() ? process_singly(t, e, run) : process_alike(t, e, run);
  if (t.spec->recorder >= 0 && log_.wants_row(e.row)) note(t, e, run.delay);
}

/// By the rule of all synapses together; what they have sent follows from their weights.
void OneByOne::process_alike(const EdgeTable& t, const Entry& e, synapses::PlasticRun& run) {
  const synapses::Plasticity& rule = *t.spec->plasticity;
  rule.process(run, t.spec->weights != Weights::f32);
  const double share = rule.share_sent(run.before);
  for (std::uint32_t k = 0; k < run.n; ++k) sent_[k] = share * t.weight(e.at.position + k);
}

void OneByOne::process_singly(EdgeTable& t, const Entry& e, const synapses::PlasticRun& run) {
  const std::uint32_t at = e.at.position;
  gid_.resize(run.n);
  for (std::uint32_t k = 0; k < run.n; ++k) gid_[k] = nodes_.gid(run.target[k]);
  double* values = t.synapse_values.data() + std::size_t{at} * static_cast<std::size_t>(t.values_per_synapse);
  const std::uint16_t* nth = t.nth.empty() ? nullptr : &t.nth[at];
  t.spec->plasticity->single()->process_each(
      {run, &e.before, post_triplet_, t.row_source[e.row], gid_.data(), nth, values, sent_.data(), key_}, t.spec->weights == Weights::f64);
}

void OneByOne::note(const EdgeTable& t, const Entry& e, Delay delay) {
  for (std::uint32_t k = 0; k < e.at.length; ++k) {
    const std::uint32_t i = e.at.position + k;
    if (std::isnan(sent_[k]) || !log_.wants_target(t.target[i])) continue;
    log_.events.push_back({sent_[k], t.row_source[e.row], nodes_.gid(t.target[i]), static_cast<std::int32_t>(e.stamp), i, delay});
  }
}

Step OneByOne::oldest_needed(const EdgeTable& table, Step now) const {
  Step oldest = now;
  const synapses::SinglePlasticity* rule = table.spec->plasticity->single();
  const bool all = rule && rule->meets_all();
  const auto ask = [&](Step last, Step stamp) { oldest = std::min(oldest, last > 0 || all ? last : stamp); };
  for (std::int32_t last : table.pre_last) ask(last, now);
  for (const auto& slot : slots_)
    for (const Entry& e : slot) ask(e.before.last, e.stamp);
  return oldest - static_cast<Step>(mask_);
}

std::size_t OneByOne::bytes() const {
  std::size_t total = 0;
  for (const auto& s : slots_) total += s.capacity() * sizeof(Entry);
  return total;
}

}  // namespace npl::deliver
