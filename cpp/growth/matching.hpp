// SPDX-License-Identifier: Apache-2.0
/// Which vacant elements form synapses, and which synapses go. Random numbers are keyed by the update and by what they are for, so the
/// pairs do not depend on which ranks find them.
#pragma once
#include <compare>
#include <cstdint>
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

/// A vacant element with a random number. In the order of these numbers the elements of an end are shuffled, on any number of ranks: the
/// k-th of one end forms a synapse with the k-th of the other, as far as the fewer go.
struct Lot {
  std::uint64_t number;
  Gid gid;
  auto operator<=>(const Lot&) const = default;
};
/// Adds the lots of the elements of a neuron.
void draw_lots(rng::Key key, const Vacant& of, std::vector<Lot>& out);
/// The rank that sorts a lot: each has an equal part of the numbers.
inline int sorter_of(std::uint64_t number, int ranks) { return static_cast<int>((number >> 32) * static_cast<std::uint64_t>(ranks) >> 32); }

/// Priority with which a synapse is removed, smallest first. @param nth among the synapses of source and target
std::uint64_t priority(rng::Key key, Gid source, Gid target, std::uint32_t nth);

}  // namespace npl::growth
