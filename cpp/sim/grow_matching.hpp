// SPDX-License-Identifier: Apache-2.0
/// Which vacant elements form synapses, found by all ranks together: none holds more than its share of the elements.
#pragma once
#include <functional>
#include <vector>

#include "exchange/post.hpp"
#include "growth/matching.hpp"

namespace npl::sim {

/// A synapse to be: the `number`-th pair of elements of all ranks.
struct Pair {
  std::int64_t number;
  Gid source, target;
};

/// Vacant elements of this rank, and the random numbers of both ends.
struct Vacancies {
  std::vector<growth::Vacant> sources, targets;
  rng::Key of_sources, of_targets;
};

/// Where neurons are.
struct Ownership {
  std::function<int(Gid)> rank_of;
  std::function<Gid(Gid, int)> mirrored;  ///< see Populations::mirrored()
};

/// As many pairs of elements of all ranks as the fewer of both ends, drawn at random: those onto targets of this rank, by number. The same
/// for any ranks. Three exchanges: elements to the ranks that sort their lots, in order to those that pair them, pairs to the ranks of the
/// targets. Collective.
std::vector<Pair> matched(comm::Communicator& comm, exchange::Post& post, const Vacancies& vacant, const Ownership& owners);

}  // namespace npl::sim
