// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <queue>
#include <tuple>

#include "sim/distribution.hpp"

namespace npl::sim {
namespace {

/// Assigns consecutive ranks to each area so that the largest load per rank is minimal; with fewer ranks than areas, a rank has several
/// areas (largest area first, to the rank with the smallest load). Round robin within an area. Memory: O(areas + populations).
class ByArea final : public Distribution {
 public:
  ByArea(std::uint64_t, std::vector<std::int32_t>, const Areas& areas) : all_{0, areas.ranks}, area_(areas.shares.size()) {
    areas.ranks < static_cast<int>(area_.size()) ? share_ranks(areas) : deal_ranks(areas);
    for (const RankRange& r : area_) groups_.push_back(r);
    std::sort(groups_.begin(), groups_.end(), [](const RankRange& a, const RankRange& b) { return a.first < b.first; });
  }
  void place(Gid first, int area) override {
    if (placed_.empty() || placed_.back().first != first) placed_.emplace_back(first, 0);
    placed_.back().second = area;
  }
  int rank_of(Gid gid, Gid first, std::int64_t, int) const override {
    const RankRange home = home_of(first);
    return home.first + static_cast<int>((gid - 1) % home.size());
  }
  Members members(Gid first, std::int64_t n, const Place& at) const override {
    const RankRange home = home_of(first);
    if (!home.has(at.rank)) return {};
    const Gid last = first + n - 1, ranks = home.size();
    return in_slice(next(first, 1 + at.rank - home.first, ranks), last, ranks, at);
  }
  std::int64_t seat(Gid gid, Gid first, std::int64_t, int) const override { return (gid - first) / home_of(first).size(); }
  RankRange group(int rank, int) const override {
    const auto after = std::upper_bound(groups_.begin(), groups_.end(), rank, [](int r, const RankRange& g) { return r < g.first; });
    return after == groups_.begin() ? all_ : *(after - 1);
  }

 private:
  void deal_ranks(const Areas& areas) {
    using Load = std::tuple<double, int>;  // load per rank of an area, and minus the index of the area
    std::vector<int> sizes(area_.size(), 1);
    std::priority_queue<Load> loads;
    const auto load = [&](std::size_t a) { return Load{areas.shares[a].second / sizes[a], -static_cast<int>(a)}; };
    for (std::size_t a = 0; a < area_.size(); ++a) loads.push(load(a));
    for (int left = areas.ranks - static_cast<int>(area_.size()); left > 0; --left) {
      const auto a = static_cast<std::size_t>(-std::get<1>(loads.top()));
      loads.pop();
      ++sizes[a];
      loads.push(load(a));
    }
    for (std::size_t a = 0, first = 0; a < area_.size(); first += static_cast<std::size_t>(sizes[a++]))
      area_[a] = {static_cast<int>(first), static_cast<int>(first) + sizes[a]};
  }

  void share_ranks(const Areas& areas) {
    std::vector<std::size_t> order(area_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return areas.shares[a].second > areas.shares[b].second; });
    using Load = std::tuple<double, int>;
    std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
    for (int r = 0; r < areas.ranks; ++r) loads.emplace(0.0, r);
    for (std::size_t a : order) {
      const auto [load, rank] = loads.top();
      loads.pop();
      area_[a] = {rank, rank + 1};
      loads.emplace(load + areas.shares[a].second, rank);
    }
  }

  /// Ranks of the population with this first gid: those of its area, or all.
  RankRange home_of(Gid first) const {
    const auto found = std::lower_bound(placed_.begin(), placed_.end(), first, [](const auto& p, Gid gid) { return p.first < gid; });
    if (found == placed_.end() || found->first != first || found->second < 0) return all_;
    return area_[static_cast<std::size_t>(found->second)];
  }

  RankRange all_;
  std::vector<RankRange> area_, groups_;     ///< [areas] ranks of each area; the same sorted by rank
  std::vector<std::pair<Gid, int>> placed_;  ///< first gid and area of every population, ascending
};

}  // namespace
}  // namespace npl::sim

NPL_DISTRIBUTION(by_area, ByArea, false, "Each area has ranks of its own, which exchange among themselves more often than with others.")
