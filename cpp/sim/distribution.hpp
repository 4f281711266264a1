// SPDX-License-Identifier: Apache-2.0
/// Distributions of neurons over ranks and, within a rank, over slices (Hines et al. 2011, table 3). One file per distribution in
/// sim/distributions/. Results do not depend on the distribution (law 1). Time and memory: O(nodes of the slice), except by_map: O(nodes).
#pragma once
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/members.hpp"

namespace npl::sim {

/// A slice of a rank.
struct Place {
  int rank, ranks;
  SliceId slice, slices;    ///< of this rank
  std::int64_t before = 0;  ///< nodes that these slices have already: the next ones go on in turn
  /// Whether the k-th new node of the rank is in this slice.
  bool has(std::int64_t k) const { return (before + k) % slices == slice; }
};

/// Ranks first .. last - 1.
struct RankRange {
  int first = 0, last = 0;
  bool has(int rank) const { return rank >= first && rank < last; }
  int size() const { return last - first; }
};

/// Areas of by_area: names, shares of the ranks (any unit, > 0), and the number of ranks.
struct Areas {
  std::vector<std::pair<std::string, double>> shares;
  int ranks = 1;
};

/// A partition of the nodes. The same on all ranks; not collective.
class Distribution {
 public:
  virtual ~Distribution() = default;
  /// Rank of a node of the population with gids first .. first + n - 1.
  virtual int rank_of(Gid gid, Gid first, std::int64_t n, int ranks) const = 0;
  /// stride > 1: gid is on rank (gid - 1) % stride; 1: no such order.
  virtual Gid stride(int /*ranks*/) const { return 1; }
  /// The members of that population in a slice, ascending. Slices take the members of a rank in turn.
  virtual Members members(Gid first, std::int64_t n, const Place& at) const = 0;
  /// Index of a node among the members of its rank, in any order: 0 to about n / ranks. O(1). In a dry run the member with the same index
  /// emulates the node.
  virtual std::int64_t seat(Gid gid, Gid first, std::int64_t n, int ranks) const = 0;
  /// Assigns the population that starts with this gid to an area (-1: none). Called before members().
  virtual void place(Gid, int) {}
  /// Group of a rank: ranks that exchange spikes more often among each other than with others. The same for all members of the group.
  virtual RankRange group(int, int ranks) const { return {0, ranks}; }
};

/// The first of origin, origin + stride, ... that is at least `from`.
inline Gid next(Gid from, Gid origin, Gid stride) { return from + ((origin - from) % stride + stride) % stride; }

/// Those of the members of a rank, first, first + stride, ..., at most last, that are in a slice.
inline Members in_slice(Gid first, Gid last, Gid stride, const Place& at) {
  const Gid turn = ((at.slice - at.before) % at.slices + at.slices) % at.slices;
  first += turn * stride, stride *= at.slices;
  return first > last ? Members() : Members(first, stride, (last - first) / stride + 1);
}

/// A distribution: name, documentation, inputs and factory.
struct DistributionInfo {
  std::string name, doc;
  bool wants_map, wants_areas;
  /// @param map [nodes] rank of gid i + 1, if wants_map; @param areas if wants_areas
  std::unique_ptr<Distribution> (*make)(std::uint64_t seed, std::vector<std::int32_t> map, const Areas& areas);
};

template <class T>
concept TakesAreas = std::is_constructible_v<T, std::uint64_t, std::vector<std::int32_t>, const Areas&>;

template <class T>
std::unique_ptr<Distribution> make_distribution(std::uint64_t seed, std::vector<std::int32_t> map, const Areas& areas) {
  if constexpr (TakesAreas<T>)
    return std::make_unique<T>(seed, std::move(map), areas);
  else
    return std::make_unique<T>(seed, std::move(map));
}

/// All distributions, sorted by name.
const std::vector<const DistributionInfo*>& distributions();
/// The distribution of this name. Throws UnknownName with the nearest names.
const DistributionInfo& find_distribution(const std::string& name);

}  // namespace npl::sim

/// Registers a distribution; `id` must be the file's name without .cpp.
#define NPL_DISTRIBUTION(id, Type, with_map, documentation)                                                       \
  namespace npl::sim {                                                                                            \
  const DistributionInfo& distribution_##id() {                                                                   \
    static const DistributionInfo info{#id, documentation, with_map, TakesAreas<Type>, &make_distribution<Type>}; \
    return info;                                                                                                  \
  }                                                                                                               \
  }
