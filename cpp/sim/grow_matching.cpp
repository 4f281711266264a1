// SPDX-License-Identifier: Apache-2.0
#include "sim/grow_matching.hpp"

#include <algorithm>
#include <array>

#include "comm/collect.hpp"

namespace npl::sim {
namespace {

constexpr std::size_t ends = 2;  ///< 0: sources, 1: targets

/// An element with its lot, or with its place in the order of all lots of its end.
struct Placed {
  std::uint64_t at;
  Gid gid;
  std::uint64_t end;
  auto operator<=>(const Placed&) const = default;
};

std::vector<Placed> drawn(const Vacancies& vacant) {
  std::vector<Placed> all;
  std::vector<growth::Lot> lots;
  for (std::uint64_t end = 0; end < ends; ++end) {
    lots.clear();
    for (const growth::Vacant& v : end ? vacant.targets : vacant.sources)
      growth::draw_lots(end ? vacant.of_targets : vacant.of_sources, v, lots);
    for (const growth::Lot& l : lots) all.push_back({l.number, l.gid, end});
  }
  return all;
}

/// Replaces lots by places in the order of all ranks, and drops elements that are left over. Collective. @return number of pairs
std::int64_t place(comm::Communicator& comm, std::vector<Placed>& elements) {
  std::sort(elements.begin(), elements.end());
  std::array<std::int64_t, ends> next{}, total{};
  for (const Placed& e : elements) ++total[e.end];
  next = total;
  comm::sum_before(comm, next);
  if (comm.size() > 1) comm.allreduce(std::span<std::int64_t>(total), comm::Op::sum);
  const std::int64_t n = std::min(total[0], total[1]);
  for (Placed& e : elements) e.at = static_cast<std::uint64_t>(next[e.end]++);
  std::erase_if(elements, [&](const Placed& e) { return e.at >= static_cast<std::uint64_t>(n); });
  return n;
}

/// The same in a dry run: the elements left over are those of this rank, not those of the last ranks.
std::int64_t place_mirrored(const comm::Communicator& comm, std::vector<Placed>& elements) {
  std::sort(elements.begin(), elements.end());
  const auto targets = std::ranges::count_if(elements, [](const Placed& e) { return e.end == 1; });
  const auto each = std::min(targets, static_cast<std::ptrdiff_t>(elements.size()) - targets), first = comm.rank() * each;
  std::array<std::ptrdiff_t, ends> next{first, first};
  for (Placed& e : elements) e.at = static_cast<std::uint64_t>(next[e.end]++);
  std::erase_if(elements, [&](const Placed& e) { return e.at >= static_cast<std::uint64_t>(first + each); });
  return each * comm.size();
}

/// The elements are those of some places, both of each.
std::vector<Pair> paired(std::vector<Placed> elements) {
  std::sort(elements.begin(), elements.end(),
            [](const Placed& a, const Placed& b) { return std::pair(a.at, a.end) < std::pair(b.at, b.end); });
  std::vector<Pair> pairs;
  for (std::size_t k = 0; k + 1 < elements.size(); k += ends)
    pairs.push_back({static_cast<std::int64_t>(elements[k].at), elements[k].gid, elements[k + 1].gid});
  return pairs;
}

}  // namespace

std::vector<Pair> matched(comm::Communicator& comm, exchange::Post& post, const Vacancies& vacant, const Ownership& owners) {
  const int ranks = comm.size();
  const auto sorter = [&](const Placed& e) { return growth::sorter_of(e.at, ranks); };
  const auto mirror = [&](Placed& e, int rank) {  // what this rank sorts is in its share of the lots
    e.gid = owners.mirrored(e.gid, rank);
    e.at += static_cast<std::uint64_t>(comm.rank() - rank) * (UINT64_MAX / static_cast<std::uint64_t>(ranks));
  };
  std::vector<Placed> elements = post.deal(drawn(vacant), sorter, mirror);
  const std::int64_t n = comm.mirrored() ? place_mirrored(comm, elements) : place(comm, elements);
  if (n == 0) return {};
  const auto pairer = [&](const Placed& e) {
    return static_cast<int>(e.at * static_cast<std::uint64_t>(ranks) / static_cast<std::uint64_t>(n));
  };
  std::vector<Pair> pairs = post.deal(
      paired(post.deal(std::move(elements), pairer)), [&](const Pair& p) { return owners.rank_of(p.target); },
      [&](Pair& p, int rank) { p.source = owners.mirrored(p.source, rank), p.target = owners.mirrored(p.target, rank); });
  std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.number < b.number; });
  return pairs;
}

}  // namespace npl::sim
