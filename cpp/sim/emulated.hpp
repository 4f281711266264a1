// SPDX-License-Identifier: Apache-2.0
/// Dry run: the ranks that do not exist are emulated by this one. All ranks are taken to be statistically alike: a node of another rank is
/// emulated by a member of the same population here (of all nodes here where the population has none), with the same seat modulo their
/// number; its spikes are those of that member, or of a Poisson process.
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

  /// Number among the sources of this rank (nodes of slice 0, 1, ...) of the node that emulates another one. There must be a node here.
  /// O(log populations).
  std::size_t source(Gid gid) const;
  /// A node of the population of `mine`, another one for every rank and every node here: the source of a spike of `mine` that came from
  /// that rank.
  Gid gid_on(int rank, Gid mine) const;

 private:
  std::size_t population_of(Gid gid) const;
  const Distribution* distribution_ = nullptr;
  int ranks_ = 1;
  std::vector<EmulatedPopulation> populations_;
  std::vector<std::vector<std::size_t>> stand_ins_;  ///< [population] numbers of its members here, of all nodes where there are none
};

/// Spikes of a Poisson process per node, keyed by (seed, node, interval): a dry run gives the same spikes every time.
class PoissonSpikes {
 public:
  PoissonSpikes(std::uint64_t seed, double rate_per_step) : key_(rng::Key::of(seed, rng::Purpose::dry_run, 0)), rate_(rate_per_step) {}
  /// Appends the spikes of one node in steps [from, until), which are at most 65535.
  void draw(Gid gid, Step from, Step until, std::vector<Spike>& out) const;

 private:
  rng::Key key_;
  double rate_;
};

/// Replaces the spikes of neurons of a slice in steps [from, until) by drawn ones; those of devices stay.
/// @param emitted spikes of these steps @return without offsets
SourcedSpikes emulate_spikes(Slice& slice, const PoissonSpikes& process, const SourcedSpikes& emitted, Step from, Step until);

}  // namespace npl::sim
