// SPDX-License-Identifier: Apache-2.0
#include "connect/space/parts.hpp"

#include "base/error.hpp"

namespace npl::connect::space {
namespace {

/// Location of the edges of a centre: list number and index there.
struct Found {
  std::int64_t centre;
  std::uint32_t part, place;
  bool operator<(const Found& other) const { return centre < other.centre; }
};

std::vector<Found> by_centre(const std::vector<Edges>& parts) {
  std::vector<Found> found;
  for (std::uint32_t p = 0; p < parts.size(); ++p)
    for (std::uint32_t i = 0; i < parts[p].list.target.size(); ++i) found.push_back({parts[p].list.target[i], p, i});
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

Edges joined(const std::vector<Edges>& parts, bool keyed, Team& team) {
  const std::vector<Found> found = by_centre(parts);
  Edges all;
  EdgeList& list = all.list;
  for (const Found& f : found) {
    const auto& begin = parts[f.part].list.begin;
    list.target.push_back(f.centre);
    list.begin.push_back(list.begin.back() + begin[f.place + 1] - begin[f.place]);
  }
  list.source.resize(list.begin.back());
  all.key.resize(keyed ? list.size() : 0);
  const auto threads = static_cast<std::size_t>(team.size());
  team.run([&](int thread) {
    const std::size_t t = static_cast<std::size_t>(thread), end = found.size() * (t + 1) / threads;
    for (std::size_t i = found.size() * t / threads; i < end; ++i) {
      const Edges& part = parts[found[i].part];
      const std::uint64_t from = part.list.begin[found[i].place], n = list.begin[i + 1] - list.begin[i];
      std::copy_n(part.list.source.data() + from, n, list.source.data() + list.begin[i]);
      if (keyed) std::copy_n(part.key.data() + from, n, all.key.data() + list.begin[i]);
    }
  });
  return all;
}

std::vector<std::int64_t> by_cell(const Sides& sides, const Nearby& nearby, Numbers centres) {
  const Search search(nearby.strips, nearby.reach, sides.centre_at);
  std::vector<std::pair<std::int64_t, std::int64_t>> placed;
  placed.reserve(centres.size());
  for (std::int64_t centre : centres) placed.emplace_back(search.cell_of(centre), centre);
  std::sort(placed.begin(), placed.end());
  std::vector<std::int64_t> sorted;
  sorted.reserve(placed.size());
  for (const auto& [cell, centre] : placed) sorted.push_back(centre);
  return sorted;
}

void check_others(const Sides& sides) {
  if (sides.order.size() >> 32) throw BadParameter("nodes to connect with", static_cast<double>(sides.order.size()), "less than 2^32");
}

}  // namespace npl::connect::space
