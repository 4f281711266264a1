// SPDX-License-Identifier: Apache-2.0
/// Dry run: this rank emulates the ranks that do not exist, assuming that all ranks are statistically alike. A node of another rank is
/// emulated by the local member of its population with the same index (modulo their number), or by any local node if the population has no
/// member here. Its spikes are those of that node, or of a Poisson process.
#pragma once
#include <memory>
#include <vector>

#include "rng/philox.hpp"
#include "sim/distribution.hpp"
#include "sim/slice.hpp"

namespace npl::sim {

/// A population of the network: gids first .. first + n - 1.
struct EmulatedPopulation {
  Gid first;
  std::int64_t n;
};

class EmulatedRanks {
 public:
  EmulatedRanks() = default;
  /// Time and memory: O(nodes of this rank). Populations ascend and cover all gids.
  EmulatedRanks(const Distribution& distribution, std::vector<EmulatedPopulation> populations,
                const std::vector<std::unique_ptr<Slice>>& slices, int ranks);

  /// Index of the node that emulates `gid` among the sources of this rank (nodes of slice 0, 1, ...). Requires a local node.
  /// O(log populations).
  std::size_t source(Gid gid) const;
  /// The source to use for a spike of local node `mine` when it is received from `rank`: a node of the same population, distinct for every
  /// rank and every local node.
  Gid gid_on(int rank, Gid mine) const;

 private:
  std::size_t population_of(Gid gid) const;
  const Distribution* distribution_ = nullptr;
  int ranks_ = 1;
  std::vector<EmulatedPopulation> populations_;
  std::vector<std::vector<std::size_t>> stand_ins_;  ///< [population] indices of its local members, or of all local nodes if there are none
};

/// Poisson spike trains, one per node, keyed by (seed, node, interval), so that dry runs are reproducible.
class PoissonSpikes {
 public:
  PoissonSpikes(std::uint64_t seed, double rate_per_step) : key_(rng::Key::of(seed, rng::Purpose::dry_run, 0)), rate_(rate_per_step) {}
  /// Appends the spikes of one node in steps [from, until), which are at most 65535.
  void draw(Gid gid, Step from, Step until, std::vector<Spike>& out) const;

 private:
  rng::Key key_;
  double rate_;
};

/// Spikes of a slice in steps [from, until) with those of neurons replaced by drawn ones; spikes of devices stay.
/// @param emitted spikes of these steps; @return spikes without sub-step offsets
SourcedSpikes emulate_spikes(Slice& slice, const PoissonSpikes& process, const SourcedSpikes& emitted, Step from, Step until);

}  // namespace npl::sim
