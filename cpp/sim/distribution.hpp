// SPDX-License-Identifier: Apache-2.0
/// How neurons are dealt to ranks and, within a rank, to slices (Hines et al. 2011, table 3). One file per distribution in
/// sim/distributions/. Results do not depend on it (law 1). Time and memory: O(nodes of the slice), but for by_map, whose map the user holds.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/members.hpp"

namespace npl::sim {

/// The slices of one rank among all ranks.
struct Place {
  int rank, ranks;
  SliceId slice, slices;  ///< of this rank
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
  /// Which of its rank's members a node is, in any order: from 0 to about n / ranks. O(1). Dry runs let it be played by their member of that number.
  virtual std::int64_t seat(Gid gid, Gid first, std::int64_t n, int ranks) const = 0;
};

/// Every stride-th one of first .. last, from the first whose (gid - origin) is k modulo stride.
inline Members every(Gid first, Gid last, Gid origin, Gid stride, Gid k) {
  const Gid offset = ((k + origin - first) % stride + stride) % stride;
  const Gid mine = first + offset;
  return mine > last ? Members() : Members(mine, stride, (last - mine) / stride + 1);
}

struct DistributionInfo {
  std::string name, doc;
  bool wants_map;
  /// @param map rank of gid i + 1, only where wanted
  std::unique_ptr<Distribution> (*make)(std::uint64_t seed, std::vector<std::int32_t> map);
};

const std::vector<const DistributionInfo*>& distributions();
/// Throws UnknownName with the nearest names.
const DistributionInfo& find_distribution(const std::string& name);

}  // namespace npl::sim

/// Registers a distribution; `id` must be the file's name without .cpp.
#define NPL_DISTRIBUTION(id, Type, with_map, documentation)                                                      \
  namespace npl::sim {                                                                                           \
  const DistributionInfo& distribution_##id() {                                                                  \
    static const DistributionInfo info{#id, documentation, with_map,                                             \
                                       [](std::uint64_t seed, std::vector<std::int32_t> map) -> std::unique_ptr<Distribution> { \
                                         return std::make_unique<Type>(seed, std::move(map));                    \
                                       }};                                                                       \
    return info;                                                                                                 \
  }                                                                                                              \
  }
