// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "base/error.hpp"
#include "sim/distribution.hpp"

namespace npl::sim {
namespace {

/// Assignment by a map of the user, which every rank stores. Nodes beyond its end are assigned round robin.
class ByMap final : public Distribution {
 public:
  ByMap(std::uint64_t, std::vector<std::int32_t> map) : map_(std::move(map)) {}
  int rank_of(Gid gid, Gid, std::int64_t, int ranks) const override {
    const auto i = static_cast<std::size_t>(gid - 1);
    return static_cast<int>(i < map_.size() ? map_[i] : (gid - 1) % ranks);
  }
  Members members(Gid first, std::int64_t n, const Place& at) const override {
    std::vector<Gid> mine;
    std::int64_t k = 0;
    for (Gid gid = first; gid < first + n; ++gid)
      if (rank_of(gid, first, n, at.ranks) == at.rank && at.has(k++)) mine.push_back(gid);
    return Members(std::move(mine));
  }
  /// The exact index would need counting; the position in the population modulo the members of a rank serves as well.
  std::int64_t seat(Gid gid, Gid first, std::int64_t, int) const override { return gid - first; }

 private:
  std::vector<std::int32_t> map_;
};

}  // namespace
}  // namespace npl::sim

NPL_DISTRIBUTION(by_map, ByMap, true, "By a user's array with the rank of every node.")
