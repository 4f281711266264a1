// SPDX-License-Identifier: Apache-2.0
/// Exchange on two levels, for distributions with groups of ranks (areas with short delays inside and long delays between them): the ranks
/// of a group exchange after each minimal delay inside the group, all ranks only after each minimal delay between groups (a window). Spikes
/// for other groups are kept until the end of the window. They arrive in time: a spike emitted in [begin, begin + window) is due at begin +
/// window or later, because the window is at most the minimal delay between groups.
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

  /// Collective; call after tables have changed. Measures delays and builds the routes of all ranks (`all`), and also those inside the
  /// group if two levels need fewer exchanges of all ranks.
  /// @param owners with stride 1 if there are groups; @param group of this rank; @param making its most_lag is that of one level
  void build(const Slices& slices, const Owners& owners, RankRange group, const Router::Making& making, Router& all);
  /// True for two levels. The same on all ranks.
  bool two() const { return window_ > 0; }
  Step window() const { return window_; }                              ///< steps between exchanges of all ranks
  Step local_interval() const { return two() ? local_interval_ : 0; }  ///< steps between exchanges of this group
  Step end_of_part(Step from) const;
  bool ends_window(Step to) const { return to % window_ == 0; }

  /// Keeps the spikes of outbox(parity) for the end of the window. Any thread, slices of its own.
  void keep(Slice& slice, int parity);
  /// [slices] spikes of the window so far.
  const std::vector<SourcedSpikes>& kept() const { return kept_; }
  void forget(const Slice& slice) { kept_[slice.id()].clear(); }

  /// Collective in the group. Sends the spikes of outboxes(parity), emitted in steps [from, until), and receives those of the group.
  void exchange(const Slices& slices, int parity, Step from, Step until);
  /// Queues the spikes received by the last exchange for the rows of a slice. Any thread.
  void schedule(Slice& slice) const;

  const Router* local() const { return talks_ ? &*local_ : nullptr; }
  std::size_t bytes() const;

 private:
  void build_local(const Slices& slices, const Owners& owners, const Router::Making& making);
  std::int64_t measure(const Slices& slices, const Owners& owners, RankRange group);

  std::shared_ptr<comm::Communicator> world_, group_;  ///< group_: made once, since a distribution never changes
  ExchangeSettings settings_;                          ///< of the exchange in the group
  std::optional<Router> local_;
  bool talks_ = false;  ///< this group exchanges spikes: it has several ranks, and synapses between its neurons
  Step window_ = 0, local_interval_ = 0;
  std::vector<SourcedSpikes> kept_;
};

/// Settings of the exchange inside groups: `local` with default options, or else the settings between groups.
ExchangeSettings inside_groups(const ExchangeSettings& settings);

}  // namespace npl::sim
