// SPDX-License-Identifier: Apache-2.0
/// Which vacant elements form synapses, and which synapses go. Random numbers are keyed by the update and by what they are for, so every
/// rank finds the same pairs.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "rng/philox.hpp"

namespace npl::growth {

/// Neurons with vacant elements, each once, by gid.
struct Vacant {
  Gid gid;
  std::int64_t n;
};

/// Random numbers of one update. @param rule number of the pair of elements @param update the step in which it happens
enum class Draw : std::uint32_t { sources, targets, axons, dendrites };
rng::Key key_of(std::uint64_t seed, Step update, Draw what, int rule);

/// Pairs of vacant elements: of as many as the fewer of both, drawn at random (Fisher-Yates). @return (source, target)
std::vector<std::pair<Gid, Gid>> match(const std::vector<Vacant>& sources, const std::vector<Vacant>& targets, rng::Key of_sources,
                                       rng::Key of_targets);

/// Priority with which a synapse is removed, smallest first. @param nth among the synapses of source and target
std::uint64_t priority(rng::Key key, Gid source, Gid target, std::uint32_t nth);

}  // namespace npl::growth
