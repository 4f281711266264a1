// SPDX-License-Identifier: Apache-2.0
/// The part of Slice that collects the input of its groups: sums of weights, currents, what devices send.
#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/slice.hpp"

namespace npl::sim {

/// The input of steps [from, until), a row each.
void Slice::collect_input(Step from, Step until, RunClock& clock) {
  const std::size_t n = nodes_.size();
  const auto row = [&](Step step) { return static_cast<std::size_t>(step - from) * n; };
  const bool at_once = wave_rows_ > 0 || until - from > 1;  // else parts with a stretch add to the sums in update()
  input_.begin(row(until));
  for (Step step = from; step < until; ++step) deliver(step, row(step));
  clock.lap(RunPhase::deliver);
  DeviceParts& devices = components_.get<DeviceParts>();
  if (devices.is_present())
    for (Step step = from; step < until; ++step) devices.apply(step, row(step), at_once);
  if (input_.is_loaded())
    for (std::size_t k = 0; k < groups_.size(); ++k)
      for (Step step = from; step < until && (at_once || devices.feeds(k).empty()); ++step)
        check_sums(*groups_[k], 0, groups_[k]->size(), step, row(step));
  clock.lap(RunPhase::devices);
}

/// Looks for sums of neurons begin .. begin + n - 1 that have overflown. @param row where the input of the step begins
void Slice::check_sums(const nodes::Group& g, std::size_t begin, std::size_t n, Step step, std::size_t row) {
  input_.for_overflows(g, begin, n, row, [&](std::size_t i, int receptor) {
    checks_.note({step + 1, g.nodes()[static_cast<std::int64_t>(i)], g.model().name, "", static_cast<double>(receptor), true});
  });
}

/// @param row where the input of the step begins
void Slice::deliver(Step step, std::size_t row) {
  for (Component* c : components_.in(before_step)) {
    const std::uint64_t events = c->before(step, row);
    events_ += events, input_.load(static_cast<double>(events));
  }
  for (auto& p : pathways_) {
    if (!p->due(step)) continue;
    const auto r = static_cast<std::size_t>(p->table().spec->receptor);
    const synapses::Plasticity* rule = p->table().spec->plasticity.get();
    double& largest = input_.largest(r);
    // Each pathway is checked by itself, so that an error does not depend on the other pathways of its slice.
    const double before = rule && rule->amplifies() ? std::exchange(largest, 0.0) : 0.0;
    const std::uint64_t events = p->deliver(step, input_.of(r, row));
    events_ += events, input_.load(r, events);
    if (largest > input_.most(r) && rule && !p->table().spec->counts()) note_growth(*p, step);
    largest = std::max(largest, before);
  }
}

/// Notes the first connection, by target and source, whose weight has grown beyond what sums can hold, or beyond all others so far that
/// these would no longer count. The run goes on until all ranks can end it.
void Slice::note_growth(const pathways::Pathway& pathway, Step step) {
  if (checks_.found() && checks_.found()->stamp <= step) return;  // an earlier one
  const tables::EdgeTable& t = pathway.table();
  if (t.spec->plasticity->amplifies())
    return checks_.note({step + 1, 0, t.spec->synapse->name, "", 0.0, false, Gid{0}});  // of some synapse
  const double most = input_.most(static_cast<std::size_t>(t.spec->receptor));
  std::vector<std::uint32_t> grown;  // few
  for (std::uint32_t i = 0; i < t.n_synapses(); ++i)
    if (std::fabs(t.weight(i)) > most) grown.push_back(i);
  for (const std::uint32_t i : grown) {
    Gid source = 0;
    t.sources.for_each([&](std::uint32_t row, Gid gid) { source = t.rows[row].begin <= i && i < t.rows[row].end ? gid : source; });
    checks_.note({step + 1, nodes_.gid(t.target[i]), t.spec->synapse->name, "", t.weight(i), false, source});
  }
}

/// @param row where the input of step `from` begins
nodes::GroupInput Slice::input_of(const nodes::Group& g, Step from, std::size_t row) {
  nodes::GroupInput in = input_.of_group(g, row);
  in.step = from, in.seed = seed_, in.spikes = &iteration_.dropped;
  return in;
}

}  // namespace npl::sim
