// SPDX-License-Identifier: Apache-2.0
/// Common base of the pathways whose rules update synapses one by one (synapses/single.hpp), on the grid and between grid points.
#pragma once
#include <algorithm>

#include "pathways/queued.hpp"

namespace npl::pathways {

/// @tparam Self, Entry as for Queued
template <class Self, class Entry>
class QueuedSingle : public Queued<Self, Entry> {
 public:
  QueuedSingle(std::unique_ptr<tables::EdgeTable> table, const Surroundings& slice)
      : Queued<Self, Entry>(std::move(table), slice),
        key_(rng::Key::of(slice.seed, rng::Purpose::synapse, static_cast<std::uint64_t>(this->table_->spec->order))) {}

 protected:
  const synapses::SinglePlasticity& rule() const { return *this->table_->spec->single(); }

  /// The oldest spike that a synapse goes on from with the next one. @param now where a row has none yet
  Step oldest_spike(Step now) const {
    Step oldest = now;
    const bool all = rule().meets_all();
    const auto ask = [&](Step last, Step stamp) { oldest = std::min(oldest, last > 0 || all ? std::abs(last) : stamp); };
    for (std::int32_t last : this->table_->pre_last) ask(last, now);
    this->calendar_.for_each(0, [&](Step, const Entry& e) { ask(e.before.last, e.stamp); });
    return oldest;
  }
  /// Number of queued spikes of the row with the same stamp.
  std::uint32_t repeats(Step step, const Entry& entry) const {
    const auto& slot = this->calendar_.at(step + tables::next_delay(*this->table_, entry.at));
    return static_cast<std::uint32_t>(
        std::count_if(slot.begin(), slot.end(), [&](const Entry& e) { return e.row == entry.row && e.stamp == entry.stamp; }));
  }
  /// Queues a row whose spike has no state before it yet. @param again the row has had a spike with this stamp
  void put_counted(Step step, Entry e, bool again) {
    if (again) e.before.repeat = repeats(step, e);
    this->put(step, e);
  }

  /// Calls f({begin, end}, dendritic less axonal delay) for the parts of a due run with one axonal delay each.
  template <class F>
  void for_parts(const Entry& e, Step due, F&& f) {
    const tables::EdgeTable& t = *this->table_;
    const std::uint32_t i = e.at.position, n = e.at.length;
    sent_.resize(n), gid_.resize(n);
    for (std::uint32_t k = 0; !t.nth.empty() && k < n; ++k) gid_[k] = this->slice_.nodes.gid(t.target[i + k]);
    const synapses::Axonal& axonal = rule().axonal;
    for (std::uint32_t begin = 0, end = n; begin < n; begin = end) {
      const Step first = axonal.of(t.varied(i + begin));
      for (end = axonal.varies() ? begin + 1 : n; end < n && axonal.of(t.varied(i + end)) == first;) ++end;
      f(std::pair(begin, end), due + 1 - e.stamp - 2 * first);
    }
  }
  synapses::StoredWeights weights_of(std::uint32_t i, std::uint32_t n) {
    tables::EdgeTable& t = *this->table_;
    if (t.spec->weights != tables::Weights::uniform) return t.stored_weights(i);
    uniform_.assign(n, t.spec->uniform);  // a copy: only rules that do not change weights have uniform ones
    return uniform_.data();
  }
  /// State of synapse i and on.
  double* values_of(std::uint32_t i) {
    tables::EdgeTable& t = *this->table_;
    return t.synapse_values.data() + std::size_t{i} * tables::Columns::values_per_synapse(*t.spec);
  }

  rng::Key key_;
  std::vector<double> sent_;  ///< of the current run
  std::vector<Gid> gid_;

 private:
  std::vector<double> uniform_;
};

}  // namespace npl::pathways
