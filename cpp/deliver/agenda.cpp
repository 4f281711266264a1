// SPDX-License-Identifier: Apache-2.0
#include "deliver/agenda.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "deliver/runs.hpp"

namespace npl::deliver {
namespace {

constexpr std::size_t ahead = 4;  ///< rows prefetched ahead of the one in work: measured, see docs/concepts/deliver.md

NPL_INLINE void prefetch_lines(const void* begin, std::size_t bytes) {
  const auto* p = static_cast<const char*>(begin);
  for (std::size_t at = 0; at < bytes + 63; at += 64) __builtin_prefetch(p + at);
}

NPL_INLINE void prefetch_run(const EdgeTable& t, const Pending& p) {
  prefetch_lines(&t.target[p.position], p.length * sizeof(std::uint16_t));
  if (t.spec->weights == Weights::f32) prefetch_lines(&t.weight32[p.position], p.length * sizeof(float));
  if (t.spec->weights == Weights::f64) prefetch_lines(&t.weight64[p.position], p.length * sizeof(double));
}

}  // namespace

Agenda::Agenda(const EdgeTable& table, Delay longest_delay) {
  const std::size_t slots = std::bit_ceil(std::size_t{longest_delay} + 2);
  mask_ = slots - 1;
  if (table.spec->plasticity)
    plastic_.resize(slots);
  else if (table.spec->by_time())
    precise_.resize(slots);
  else
    slots_.resize(slots);
}

void Agenda::schedule(EdgeTable& table, std::uint32_t row, Step step) {
  Delay delay = 0;
  const Pending first = first_run(table, row, delay);
  if (!table.spec->plasticity) return put(slots_, step + delay, first);
  if (single_) return single_->schedule(table, row, step);
  double* values = &table.pre_values[std::size_t{row} * static_cast<std::size_t>(table.values_per_row)];
  put(plastic_, step + delay, PendingPlastic{first, step + 1, table.spec->plasticity->spike(step + 1, table.pre_last[row], values)});
}

template <Layout L, class Deliver>
std::uint64_t Agenda::deliver_static(EdgeTable& t, Step step, Deliver&& deliver) {
  auto& due = slots_[static_cast<std::size_t>(step) & mask_];
  std::uint64_t events = 0;
  for (std::size_t i = 0; i < std::min(ahead, due.size()); ++i) prefetch_run(t, due[i]);
  for (std::size_t i = 0; i < due.size(); ++i) {
    if (i + ahead < due.size()) prefetch_run(t, due[i + ahead]);
    Pending p = due[i];
    int gap = 0;
    do {
      deliver(p);
      events += p.length;
      gap = advance<L>(t, p);
    } while (gap == 0);
    if (gap > 0) put(slots_, step + gap, p);
  }
  due.clear();
  return events;
}

std::uint64_t Agenda::deliver(EdgeTable& t, Step step, Fixed* sums, double to_fixed, const synapses::PostTrace* post, double* largest) {
  if (t.spec->plasticity) return deliver_plastic(t, step, sums, to_fixed, post, largest);
  const std::uint16_t* target = t.target.data();
  const auto with_layout = [&](auto&& body) {
    switch (t.layout) {
      case Layout::runs: return deliver_static<Layout::runs>(t, step, body);
      case Layout::words: return deliver_static<Layout::words>(t, step, body);
      case Layout::single: break;
    }
    return deliver_static<Layout::single>(t, step, body);
  };
  const auto same_for_all = [&](Fixed each) {
    return with_layout([=](const Pending& p) {
      for (std::uint32_t k = p.position; k < p.position + p.length; ++k) sums[target[k]] += each;
    });
  };
  if (t.spec->counts) return same_for_all(1);
  if (t.spec->weights == Weights::f32 && to_fixed > std::numeric_limits<float>::max())  // weights below 10^-25
    return with_layout([=, weight = t.weight32.data()](const Pending& p) {
      for (std::uint32_t k = p.position; k < p.position + p.length; ++k) sums[target[k]] += round_to_fixed(static_cast<double>(weight[k]) * to_fixed);
    });
  if (t.spec->weights == Weights::f32)
    return with_layout([=, weight = t.weight32.data(), scale = static_cast<float>(to_fixed)](const Pending& p) {
      for (std::uint32_t k = p.position; k < p.position + p.length; ++k) sums[target[k]] += std::llrintf(weight[k] * scale);
    });
  if (t.spec->weights == Weights::f64)
    return with_layout([=, weight = t.weight64.data()](const Pending& p) {
      for (std::uint32_t k = p.position; k < p.position + p.length; ++k) sums[target[k]] += round_to_fixed(weight[k] * to_fixed);
    });
  return same_for_all(round_to_fixed(t.spec->uniform * to_fixed));
}

std::uint64_t Agenda::deliver_plastic(EdgeTable& t, Step step, Fixed* sums, double to_fixed, const synapses::PostTrace* post, double* largest) {
  if (single_) return single_->deliver(t, step, sums, to_fixed, post, largest);
  auto& due = plastic_[static_cast<std::size_t>(step) & mask_];
  const bool doubles = t.spec->weights == Weights::f64;
  const synapses::Plasticity& rule = *t.spec->plasticity;
  std::uint64_t events = 0;
  for (std::size_t i = 0; i < std::min(ahead, due.size()); ++i) prefetch_run(t, due[i].at);
  for (std::size_t i = 0; i < due.size(); ++i) {
    if (i + ahead < due.size()) prefetch_run(t, due[i + ahead].at);
    PendingPlastic p = due[i];
    int gap = 0;
    do {
      const std::uint32_t at = p.at.position;
      void* weight = doubles ? static_cast<void*>(&t.weight64[at]) : &t.weight32[at];
      const auto delay = static_cast<Delay>(step + 1 - p.stamp);
      rule.process({p.at.length, &t.target[at], weight, p.stamp, p.before, delay, post, sums, to_fixed, largest, t.spec->counts}, doubles);
      events += p.at.length;
      gap = advance_any(t, p.at);
    } while (gap == 0);
    if (gap > 0) put(plastic_, step + gap, p);
  }
  due.clear();
  return events;
}

void Agenda::schedule_precise(const EdgeTable& table, std::uint32_t row, Step step, double offset) {
  Delay delay = 0;
  const Pending first = first_run(table, row, delay);
  offset += table.spec->earlier;
  const bool step_before = offset >= table.spec->resolution;
  put(precise_, step + delay - step_before, PendingPrecise{first, step_before ? offset - table.spec->resolution : offset});
}

std::uint64_t Agenda::deliver_precise(const EdgeTable& t, Step step, std::vector<PreciseEvent>& events) {
  auto& due = precise_[static_cast<std::size_t>(step) & mask_];
  const std::size_t before = events.size();
  for (PendingPrecise p : due) {
    int gap = 0;
    do {
      for (std::uint32_t k = p.at.position; k < p.at.position + p.at.length; ++k)
        events.push_back({t.target[k], t.spec->receptor, p.offset, t.spec->counts ? 1.0 : t.weight(k)});
      gap = advance_any(t, p.at);
    } while (gap == 0);
    if (gap > 0) put(precise_, step + gap, p);
  }
  due.clear();
  return events.size() - before;
}

Step Agenda::oldest_needed(const EdgeTable& table, Step now) const {
  if (single_) return single_->oldest_needed(table, now);
  Step oldest = now;  // rules that ask for postsynaptic spikes keep one value per row
  const auto ask = [&](const synapses::PreTrace& pre, Step stamp) { oldest = std::min(oldest, pre.trace > 0.0 ? pre.last : stamp); };
  for (std::size_t row = 0; row < table.pre_last.size(); ++row) ask({table.pre_last[row], table.pre_values[row]}, now);
  for (const auto& slot : plastic_)
    for (const PendingPlastic& p : slot) ask(p.before, p.stamp);
  return oldest - static_cast<Step>(mask_);
}

std::size_t Agenda::bytes() const {
  std::size_t total = single_ ? single_->bytes() : 0;
  for (const auto& s : slots_) total += s.capacity() * sizeof(Pending);
  for (const auto& s : plastic_) total += s.capacity() * sizeof(PendingPlastic);
  for (const auto& s : precise_) total += s.capacity() * sizeof(PendingPrecise);
  return total;
}

}  // namespace npl::deliver
