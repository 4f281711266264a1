// SPDX-License-Identifier: Apache-2.0
/// Dry run: who plays the nodes of other ranks, and with what rate. All ranks are taken to be statistically alike: a node of another rank is
/// played by a member of the same population here (of all nodes here where the population has none), with the same seat modulo their number.
#pragma once
#include <memory>
#include <vector>

#include "rng/philox.hpp"
#include "sim/distribution.hpp"
#include "sim/slice.hpp"

namespace npl::sim {

/// What the mirror has to know of a population.
struct MirroredPopulation {
  Gid first;
  std::int64_t n;
};

class Mirror {
 public:
  Mirror() = default;
  /// Time and memory: O(nodes of this rank). Populations ascend and cover all gids.
  Mirror(const Distribution& distribution, std::vector<MirroredPopulation> populations, const std::vector<std::unique_ptr<Slice>>& slices, int ranks);

  /// Number among the sources of this rank (nodes of slice 0, 1, ...) of who plays a node. There must be a node here. O(log populations).
  std::size_t source(Gid gid) const;
  /// A node of the population of `mine`, another one for every rank and every node here: who has a spike of `mine` that came from that rank.
  Gid gid_on(int rank, Gid mine) const;

 private:
  std::size_t population_of(Gid gid) const;
  const Distribution* distribution_ = nullptr;
  int ranks_ = 1;
  std::vector<MirroredPopulation> populations_;
  std::vector<std::vector<std::size_t>> players_;  ///< [population] numbers of its members here, of all nodes where there are none
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

}  // namespace npl::sim
