// SPDX-License-Identifier: Apache-2.0
/// Exchange on two levels, where the distribution makes groups of ranks (areas with short delays inside and long ones between them): ranks
/// of a group exchange after every smallest delay inside the group, all ranks only after the smallest delay between groups. Spikes for
/// other groups are kept until then. They come in time: a window of all ranks is no longer than any delay between groups, so a spike
/// emitted in [begin, begin + window) is due at begin + window or later, and it is scheduled before that step is computed.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sim/distribution.hpp"
#include "sim/router.hpp"

namespace npl::sim {

class Levels {
 public:
  Levels(std::shared_ptr<comm::Communicator> comm, const ExchangeSettings& settings);

  /// Collective; after tables changed. Measures delays and builds the routes of all ranks (`all`); where two levels need fewer exchanges of
  /// all ranks than one, also those inside the group.
  /// @param owners with stride 1 where there are groups; @param group of this rank; @param making most_lag: of one level
  void build(const Slices& slices, const Owners& owners, RankRange group, const Router::Making& making, Router& all);
  /// Are there two levels? The same on all ranks.
  bool two() const { return window_ > 0; }
  Step window() const { return window_; }                              ///< steps between exchanges of all ranks
  Step local_interval() const { return two() ? local_interval_ : 0; }  ///< steps between exchanges of this group
  Step end_of_part(Step from) const;
  bool ends_window(Step to) const { return to % window_ == 0; }

  /// Keeps the spikes of outbox(parity) for the end of the window. Any thread, slices of its own.
  void keep(Slice& slice, int parity);
  /// Spikes of the window, [slices].
  const std::vector<SourcedSpikes>& kept() const { return kept_; }
  void forget(const Slice& slice) { kept_[slice.id()].clear(); }

  /// Collective in the group. Sends the spikes of outboxes(parity), emitted in steps [from, until), and receives those of the group.
  void exchange(const Slices& slices, int parity, Step from, Step until);
  /// Schedules what the last exchange brought for the rows of a slice. Any thread.
  void schedule(Slice& slice) const;

  const Router* local() const { return talks_ ? &*local_ : nullptr; }
  std::size_t bytes() const;

 private:
  std::int64_t measure(const Slices& slices, const Owners& owners, RankRange group);

  std::shared_ptr<comm::Communicator> world_, group_;  ///< group_: made once, since a distribution never changes
  ExchangeSettings settings_;                          ///< of the exchange in the group
  std::optional<Router> local_;
  bool talks_ = false;  ///< does this group exchange spikes: has it several ranks, and synapses between its neurons?
  Step window_ = 0, local_interval_ = 0;
  std::vector<SourcedSpikes> kept_;
};

/// The settings of the exchange inside groups. If it has a strategy of its own, that has its default options.
ExchangeSettings inside_groups(const ExchangeSettings& settings);

}  // namespace npl::sim
