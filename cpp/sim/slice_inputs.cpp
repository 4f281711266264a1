// SPDX-License-Identifier: Apache-2.0
/// The part of Slice that collects the input of its groups: sums of weights, currents, what devices send.
#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/slice.hpp"

namespace npl::sim {
namespace {

// Sums have 63 bits, and the largest weight has 43 (FixedScale), so 2^20 events of it fit. A slice whose events of a step, of all of its
// neurons together and in units of the largest weight, are fewer than half of these cannot have an overflow: most steps need no look at the
// sums. After more events each sum is looked at once, when all have been added: what wraps on the way and comes back does no harm. A sum
// that has gone beyond 2^63 has wrapped to less than -2^62 unless it is beyond 1.5 * 2^63. So an overflow is seen unless a neuron gets more
// than 1.5 million of the largest weights in one step and no step before has had between a third and all of these.
constexpr double safe_load = 0x1p19;
constexpr double most_of_stretch = 0x1p16;  ///< spikes of a part with a stretch to one target

constexpr double most_growth = 0x1p10;  ///< of plastic weights until the scale follows: 2^10 of them may still add up in a step

}  // namespace

/// Local indices from the first node of the groups whose model has(it) to the last one.
template <class F>
std::pair<Local, Local> Slice::span_of(F&& has) const {
  Local first = nodes_.size(), last = 0;
  for (const auto& g : groups_)
    if (has(g->model())) first = std::min(first, g->first_local()), last = std::max(last, g->first_local() + static_cast<Local>(g->size()));
  return {first, last};
}

/// Receptors that few groups have take room for the nodes of these only.
void Slice::make_sums(std::size_t receptor, std::size_t cells) {
  if (receptor < static_cast<std::size_t>(max_receptors) || wave_rows_ > 0) return sums_[receptor].hold(cells);
  const auto [first, last] = span_of([&](const nodes::ModelInfo& m) { return receptor < static_cast<std::size_t>(m.receptors); });
  sums_[receptor].cover(first, last);
}

void Slice::make_port_currents(std::size_t cells) {
  std::size_t ports = 0;
  for (const AttachedPart& p : parts_)
    if (p.current) ports = std::max(ports, static_cast<std::size_t>(p.receptor));
  int most = 1;
  for (const auto& g : groups_) most = std::max(most, g->model().current_ports);
  port_currents_.resize(ports), currents_of_group_.assign(static_cast<std::size_t>(most - 1), nullptr);
  for (std::size_t k = 0; k < ports; ++k) {
    if (wave_rows_ > 0) {
      port_currents_[k].hold(cells);
      continue;
    }
    const auto [first, last] = span_of([&](const nodes::ModelInfo& m) { return k + 1 < static_cast<std::size_t>(m.current_ports); });
    port_currents_[k].cover(first, last);
  }
}

/// The input of steps [from, until), a row each.
void Slice::collect_input(Step from, Step until, RunClock& clock) {
  const std::size_t n = nodes_.size();
  const auto row = [&](Step step) { return static_cast<std::size_t>(step - from) * n; };
  const bool at_once = wave_rows_ > 0 || until - from > 1;  // else parts with a stretch add to the sums in update()
  load_ = 0.0;
  for (Step step = from; step < until; ++step) load_ += deliver(step, row(step));
  clock.lap(RunPhase::deliver);
  if (has_current_) std::fill_n(current_.begin(), row(until), 0.0);
  for (auto& c : port_currents_) std::fill(c.cells.begin(), c.cells.end(), 0.0);
  if (!wakes_.empty())
    for (Step step = from; step < until; ++step) load_ += apply_devices(step, row(step), at_once);
  if (is_loaded())
    for (std::size_t k = 0; k < groups_.size(); ++k)
      for (Step step = from; step < until && (at_once || feeds_[k].empty()); ++step)
        check_sums(*groups_[k], 0, groups_[k]->size(), step, row(step));
  clock.lap(RunPhase::devices);
}

/// Whether the sums of this step may have overflown.
bool Slice::is_loaded() const { return load_ >= safe_load; }

/// Looks for sums of neurons begin .. begin + n - 1 that have overflown. @param row where the input of the step begins
void Slice::check_sums(const nodes::Group& g, std::size_t begin, std::size_t n, Step step, std::size_t row) {
  for (int r = 0; r < g.model().receptors; ++r) {
    const Fixed* sums = sums_[static_cast<std::size_t>(r)].data() + row + g.first_local() + begin;
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < n; ++i) any |= overflow_bits(sums[i]);
    if (!(any >> 63)) continue;
    const auto i = static_cast<std::size_t>(std::find_if(sums, sums + n, [](Fixed x) { return overflow_bits(x) >> 63; }) - sums);
    const Gid gid = g.nodes()[static_cast<std::int64_t>(begin + i)];
    note({step + 1, gid, g.model().name, "", static_cast<double>(r), true});
  }
}

/// @param row where the input of the step begins @return the number of events, in units of the largest weight
double Slice::deliver(Step step, std::size_t row) {
  double load = 0.0;
  if (!histories_.all().empty()) record_early(step);
  for (auto& p : pathways_) {
    if (!p->due(step)) continue;
    const auto r = static_cast<std::size_t>(p->table().spec->receptor);
    const std::uint64_t events = p->deliver(step, {sums_[r].data() + row, scales_[r].to_fixed, &largest_[r], &precise_events_});
    events_ += events;
    load += static_cast<double>(events) * (largest_[r] > scaled_for_[r] && scaled_for_[r] > 0.0 ? largest_[r] / scaled_for_[r] : 1.0);
    if (largest_[r] > std::min(most_growth * scaled_for_[r], most_[r]) && p->table().spec->plasticity && !p->table().spec->counts())
      note_growth(*p, step);
  }
  return late_.empty() ? load : load + deliver_late(step, row);
}

/// Notes the first connection, by target and source, whose weight has grown beyond what sums can hold, or beyond all others so far that
/// these would no longer count. The run goes on until all ranks can end it.
void Slice::note_growth(const pathways::Pathway& pathway, Step step) {
  if (diverged_ && diverged_->stamp <= step) return;  // an earlier one
  const tables::EdgeTable& t = pathway.table();
  const auto r = static_cast<std::size_t>(t.spec->receptor);
  const double most = std::min(most_growth * scaled_for_[r], most_[r]);
  std::vector<std::uint32_t> grown;  // few
  for (std::uint32_t i = 0; i < t.n_synapses(); ++i)
    if (std::fabs(t.weight(i)) > most) grown.push_back(i);
  for (const std::uint32_t i : grown) {
    Gid source = 0;
    t.sources.for_each([&](std::uint32_t row, Gid gid) { source = t.rows[row].begin <= i && i < t.rows[row].end ? gid : source; });
    note({step + 1, nodes_.gid(t.target[i]), t.spec->synapse->name, "", t.weight(i), false, source});
  }
}

double Slice::deliver_late(Step step, std::size_t row) {
  const std::uint64_t before = events_;
  for (; !late_.empty() && late_.back().due <= step; late_.pop_back(), ++events_) {
    const Late& l = late_.back();
    const auto r = static_cast<std::size_t>(l.receptor);
    if (l.off_grid)
      precise_events_.push_back({l.target, l.receptor, l.offset, l.counts ? 1.0 : l.value});
    else
      sums_[r].data()[row + l.target] += l.counts ? 1 : round_to_fixed(l.value * scales_[r].to_fixed);
  }
  return static_cast<double>(events_ - before);
}

/// @param at_once parts with a stretch, too, add what they send @return the number of spikes sent, as deliver() counts events
double Slice::apply_devices(Step step, std::size_t row, bool at_once) {
  double sent = 0.0;
  for (std::size_t k = 0; k < wakes_.size(); ++k) {
    if (step < wakes_[k]) continue;
    AttachedPart& p = parts_[k];
    if (!p.stretch.empty()) {
      p.sends = step < p.until && p.part->begin(step);
      if (p.sends) sent += most_of_stretch;
      if (at_once && std::exchange(p.sends, false)) p.part->add(p.stretch, input_of(p, row));
    } else if (step < p.until) {
      devices::PartInput in = input_of(p, row);
      in.sent = &sent;
      p.part->apply(step, in);
      wakes_[k] = p.part->wakes();
    }
  }
  return sent;
}

devices::PartInput Slice::input_of(const AttachedPart& part, std::size_t row) {
  const auto r = part.current ? 0 : static_cast<std::size_t>(part.receptor);
  if (part.current && part.receptor > 0)
    return {sums_[r].data() + row, 1.0, port_currents_[static_cast<std::size_t>(part.receptor) - 1].data() + row, &precise_events_};
  return {sums_[r].data() + row, scales_[r].to_fixed, has_current_ ? current_.data() + row : nullptr, &precise_events_};
}

void Slice::add_part(AttachedPart part) {
  for (const AttachedPart& old : parts_)
    if (old.link == part.link && old.until != INT64_MAX) part.part->follow(*old.part);
  parts_.push_back(std::move(part));
  wakes_.push_back(0);
  feeds_.clear();
}

void Slice::end_parts(std::uint64_t link, Step now) {
  for (AttachedPart& p : parts_)
    if (p.link == link) p.until = std::min(p.until, now + p.lag);
  std::erase_if(parts_, [&](const AttachedPart& p) { return p.until <= now; });
  wakes_.assign(parts_.size(), 0);
  feeds_.clear();
}

/// @param row where the input of step `from` begins
nodes::GroupInput Slice::input_of(const nodes::Group& g, Step from, std::size_t row) {
  const std::size_t begin = row + g.first_local();
  for (std::size_t r = 0; r < static_cast<std::size_t>(g.model().receptors); ++r) {
    sums_of_group_[r] = sums_[r].data() + begin;
    scales_of_group_[r] = g.model().input == nodes::SpikeInput::count ? 1.0 : scales_[r].to_double;
  }
  nodes::GroupInput in{
      sums_of_group_.data(), scales_of_group_.data(), has_current_ ? current_.data() + begin : nullptr, from, seed_, &dropped_};
  if (g.model().current_ports > 1 && !port_currents_.empty()) {
    for (std::size_t k = 0; k < port_currents_.size(); ++k) currents_of_group_[k] = port_currents_[k].data() + begin;
    in.port_currents = currents_of_group_.data();
  }
  return in;
}

}  // namespace npl::sim
