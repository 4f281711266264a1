// SPDX-License-Identifier: Apache-2.0
#include "connect/subset.hpp"

#include <algorithm>

namespace npl::connect {

Subset::Subset(const NodeSet& set, const NodeSet& other) {
  std::int64_t base = 0;
  for (const Range& r : set.ranges()) {
    other.for_each_common(r, [&](const Range& c) {
      const std::int64_t first = base + (c.first - r.first) / r.stride, period = c.count > 1 ? c.stride / r.stride : 1;
      runs_.push_back({first, first + (c.count - 1) * period, period});
    });
    base += r.count;
  }
  std::sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) { return a.first < b.first; });
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const Run& r = runs_[i];
    if (groups_.empty() || r.first > groups_.back().last) groups_.push_back({r.first, r.last, size(), 0, i, i});
    Group& g = groups_.back();
    g.last = std::max(g.last, r.last);
    g.size += (r.last - r.first) / r.period + 1;
    g.last_run = i + 1;
  }
  gapless_ = groups_.size() == 1 && groups_[0].outsiders() == 0;
}

std::int64_t Subset::Run::below(std::int64_t position) const {
  if (position <= first) return 0;
  return (std::min(position - 1, last) - first) / period + 1;
}

std::int64_t Subset::below_in(const Group& g, std::int64_t position) const {
  std::int64_t n = 0;
  for (std::size_t i = g.first_run; i < g.last_run; ++i) n += runs_[i].below(position);
  return n;
}

std::int64_t Subset::before(std::int64_t position) const {
  const auto after =
      std::upper_bound(groups_.begin(), groups_.end(), position, [](std::int64_t p, const Group& g) { return p <= g.first; });
  return after == groups_.begin() ? 0 : (after - 1)->before + below_in(*(after - 1), position);
}

/// The lowest position of a group for which reached(position) holds, by bisection.
template <class Reached>
std::int64_t Subset::lowest(const Group& g, Reached&& reached) {
  std::int64_t low = g.first, high = g.last;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    reached(middle) ? high = middle : low = middle + 1;
  }
  return low;
}

std::int64_t Subset::search_member(std::int64_t k) const {
  const Group& g = *(std::upper_bound(groups_.begin(), groups_.end(), k, [](std::int64_t j, const Group& h) { return j < h.before; }) - 1);
  const std::int64_t j = k - g.before;
  if (g.last_run - g.first_run == 1) return g.first + j * runs_[g.first_run].period;
  return lowest(g, [&](std::int64_t p) { return below_in(g, p + 1) > j; });
}

std::int64_t Subset::search_outsider(std::int64_t k) const {
  const auto after =
      std::upper_bound(groups_.begin(), groups_.end(), k, [](std::int64_t j, const Group& h) { return j < h.outsiders_before(); });
  if (after == groups_.begin()) return k;
  const Group& g = *(after - 1);
  const std::int64_t j = k - g.outsiders_before(), inside = g.outsiders();
  if (j >= inside) return g.last + 1 + (j - inside);
  if (g.last_run - g.first_run > 1) return lowest(g, [&](std::int64_t p) { return p + 1 - g.first - below_in(g, p + 1) > j; });
  const std::int64_t between = runs_[g.first_run].period - 1;
  return g.first + j / between * (between + 1) + 1 + j % between;
}

}  // namespace npl::connect
