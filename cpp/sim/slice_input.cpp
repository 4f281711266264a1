// SPDX-License-Identifier: Apache-2.0
#include "sim/slice_input.hpp"

namespace npl::sim {
namespace {

// Sums have 63 bits, and the largest weight has 43 (FixedScale), so 2^20 events of it fit. A slice whose events of a step, of all of its
// neurons together and in units of the largest weight, are fewer than half of these cannot have an overflow: most steps need no look at the
// sums. After more events each sum is looked at once, when all have been added: what wraps on the way and comes back does no harm. A sum
// that has gone beyond 2^63 has wrapped to less than -2^62 unless it is beyond 1.5 * 2^63. So an overflow is seen unless a neuron gets more
// than 1.5 million of the largest weights in one step and no step before has had between a third and all of these. A count of events per
// neuron would find these, too, but costs as much as the sums. What one part of a device sends at once is limited (saturated_product).
constexpr double safe_load = 0x1p19;

/// Local indices from the first node of the groups whose model has(it) to the last one.
template <class F>
std::pair<Local, Local> span_of(const Groups& groups, Local nodes, F&& has) {
  Local first = nodes, last = 0;
  for (const auto& g : groups)
    if (has(g->model())) first = std::min(first, g->first_local()), last = std::max(last, g->first_local() + static_cast<Local>(g->size()));
  return {first, last};
}

}  // namespace

void SliceInput::hold(std::size_t receptors) {
  if (receptors <= scales_.size()) return;
  sums_.resize(receptors), sums_of_group_.resize(receptors), scales_of_group_.resize(receptors);
  for (Largest* values : {&scaled_for_, &most_, &largest_}) values->resize(receptors);
  scales_.resize(receptors);  // last: if memory runs out, the next call goes on
}

void SliceInput::shrink(std::size_t receptors) noexcept {
  sums_.resize(receptors), sums_of_group_.resize(receptors), scales_of_group_.resize(receptors), scales_.resize(receptors);
  for (Largest* values : {&scaled_for_, &most_, &largest_}) values->resize(receptors);
}

/// Receptors and ports that few groups have take room for the nodes of these only.
void SliceInput::make(const Groups& groups, const Room& room) {
  const std::size_t cells = room.rows * room.nodes, ports = static_cast<std::size_t>(room.ports);
  int receptors = 1, most_ports = 1;
  for (const auto& g : groups) {
    receptors = std::max(receptors, g->model().receptors), most_ports = std::max(most_ports, g->model().current_ports);
  }
  const auto make_one = [&](auto& input, bool whole, auto&& has) {
    if (whole || room.repeats) return input.hold(cells);
    const auto [first, last] = span_of(groups, room.nodes, has);
    input.cover(first, last);
  };
  for (int r = 0; r < receptors; ++r)
    make_one(sums_[static_cast<std::size_t>(r)], r < max_receptors, [&](const nodes::ModelInfo& m) { return r < m.receptors; });
  port_currents_.resize(ports), currents_of_group_.assign(static_cast<std::size_t>(most_ports - 1), nullptr);
  for (int k = 0; k < room.ports; ++k)
    make_one(port_currents_[static_cast<std::size_t>(k)], false, [&](const nodes::ModelInfo& m) { return k + 1 < m.current_ports; });
  has_current_ = room.current;
  if (has_current_ && current_.size() < cells) current_ = Buffer<double>(cells);
}

void SliceInput::rescale(const Largest& largest) {
  for (std::size_t r = 0; r < largest.size(); ++r)
    if (largest[r] > scaled_for_[r]) {
      scaled_for_[r] = largest[r];
      scales_[r] = FixedScale::for_largest(largest[r]);
    }
}

void SliceInput::begin(std::size_t row) {
  load_ = 0.0;
  if (has_current_) std::fill_n(current_.begin(), row, 0.0);
  for (auto& c : port_currents_) std::fill(c.cells.begin(), c.cells.end(), 0.0);
}

devices::PartInput SliceInput::of_part(int receptor, bool current, std::size_t row) {
  const auto r = current ? 0 : static_cast<std::size_t>(receptor);
  if (current && receptor > 0)
    return {sums_[r].data() + row, 1.0, port_currents_[static_cast<std::size_t>(receptor) - 1].data() + row, &precise_events_};
  return {sums_[r].data() + row, scales_[r].to_fixed, has_current_ ? current_.data() + row : nullptr, &precise_events_};
}

nodes::GroupInput SliceInput::of_group(const nodes::Group& g, std::size_t row) {
  const std::size_t begin = row + g.first_local();
  for (std::size_t r = 0; r < static_cast<std::size_t>(g.model().receptors); ++r) {
    sums_of_group_[r] = sums_[r].data() + begin;
    scales_of_group_[r] = g.model().input == nodes::SpikeInput::count ? 1.0 : scales_[r].to_double;
  }
  nodes::GroupInput in{sums_of_group_.data(), scales_of_group_.data(), has_current_ ? current_.data() + begin : nullptr, 0, 0, nullptr};
  if (g.model().current_ports > 1 && !port_currents_.empty()) {
    for (std::size_t k = 0; k < port_currents_.size(); ++k) currents_of_group_[k] = port_currents_[k].data() + begin;
    in.port_currents = currents_of_group_.data();
  }
  return in;
}

bool SliceInput::is_loaded() const { return load_ >= safe_load; }

std::size_t SliceInput::bytes() const {
  std::size_t n = current_.bytes();
  for (const auto& s : sums_) n += s.cells.bytes();
  for (const auto& c : port_currents_) n += c.cells.bytes();
  return n;
}

}  // namespace npl::sim
