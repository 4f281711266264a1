// SPDX-License-Identifier: Apache-2.0
/// How neurons are dealt to ranks and, within a rank, to slices (Hines et al. 2011, table 3). One file per distribution in
/// sim/distributions/. Results do not depend on it (law 1). Time and memory: O(nodes of the slice), but for by_map, whose map the user
/// holds.
#pragma once
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/members.hpp"

namespace npl::sim {

/// The slices of one rank among all ranks.
struct Place {
  int rank, ranks;
  SliceId slice, slices;  ///< of this rank
};

/// Ranks first .. last - 1.
struct RankRange {
  int first = 0, last = 0;
  bool has(int rank) const { return rank >= first && rank < last; }
  int size() const { return last - first; }
};

/// For by_area: names of areas with their shares of the ranks (any unit, above 0), and the number of ranks.
struct Areas {
  std::vector<std::pair<std::string, double>> shares;
  int ranks = 1;
};

class Distribution {
 public:
  virtual ~Distribution() = default;
  /// Rank of a node of the population with gids first .. first + n - 1.
  virtual int rank_of(Gid gid, Gid first, std::int64_t n, int ranks) const = 0;
  /// Nodes gid, gid + stride, gid + 2 stride, ... are on one rank, and gid - 1 below stride is its number; 1: no such order.
  virtual Gid stride(int /*ranks*/) const { return 1; }
  /// The members of that population at a place, ascending.
  virtual Members members(Gid first, std::int64_t n, const Place& at) const = 0;
  /// Which of its rank's members a node is, in any order: from 0 to about n / ranks. O(1). Dry runs let it be played by their member of
  /// that number.
  virtual std::int64_t seat(Gid gid, Gid first, std::int64_t n, int ranks) const = 0;
  /// The population that begins with this gid belongs to an area (-1: to none); told before its members are asked for.
  virtual void place(Gid, int) {}
  /// The ranks that a rank exchanges spikes with more often than with others; the same ones for all of them.
  virtual RankRange group(int, int ranks) const { return {0, ranks}; }
};

/// Every stride-th one of first .. last, from the first whose (gid - origin) is k modulo stride.
inline Members every(Gid first, Gid last, Gid origin, Gid stride, Gid k) {
  const Gid offset = ((k + origin - first) % stride + stride) % stride;
  const Gid mine = first + offset;
  return mine > last ? Members() : Members(mine, stride, (last - mine) / stride + 1);
}

struct DistributionInfo {
  std::string name, doc;
  bool wants_map, wants_areas;
  /// @param map rank of gid i + 1, only where wanted; @param areas likewise
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

const std::vector<const DistributionInfo*>& distributions();
/// Throws UnknownName with the nearest names.
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
