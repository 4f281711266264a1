// SPDX-License-Identifier: Apache-2.0
/// Edges that several threads found, put together.
#pragma once
#include <algorithm>
#include <atomic>
#include <vector>

#include "base/team.hpp"
#include "connect/space/pairs.hpp"

namespace npl::connect::space {

/// Concatenates lists without common centres, by ascending centre.
Edges joined(const std::vector<Edges>& parts, bool keyed, Team&);

/// Key of a pair and the periodic image of the other: no two have the same.
inline std::int64_t pair_key(const Sides& sides, std::int64_t centre, std::int64_t other, std::int64_t image) {
  const std::int64_t target = sides.centre_is_target ? centre : other, source = sides.centre_is_target ? other : centre;
  return (target * sides.n_sources + source) * sides.n_images + image;
}

/// Calls work(part, thread) for each part in several threads; each takes the next one.
template <class Work>
void in_parts(std::size_t parts, Team& team, Work&& work) {
  std::atomic<std::size_t> next{0};
  team.run([&](int thread) {
    for (std::size_t part; (part = next++) < parts;) work(part, thread);
  });
}

/// Threads for so many parts.
inline int team_size(std::size_t parts, int threads) {
  return static_cast<int>(std::clamp<std::size_t>(parts, 1, static_cast<std::size_t>(std::max(threads, 1))));
}

inline constexpr std::size_t few_others = 2048;  ///< among fewer, all are looked at: the edges are those of earlier versions
inline constexpr std::size_t at_once = 256;      ///< centres of a part: their runs stay in the caches

/// Centres sorted by their cells: consecutive centres then find their others in the caches.
std::vector<std::int64_t> by_cell(const Sides&, const Nearby&, Numbers centres);
/// Throws BadParameter for 2^32 others or more.
void check_others(const Sides&);

/// Calls work(runs, edges, thread) for groups of centres in several threads and concatenates the edges.
template <class Work>
Edges in_threads(const Candidates& c, Numbers some, bool keyed, int threads, Work&& work) {
  check_others(c.sides);
  const std::vector<std::int64_t> centres = by_cell(c.sides, c.nearby, some);
  const std::size_t n = centres.size(), parts = (n + at_once - 1) / at_once;
  std::vector<Edges> found(parts);
  Team team(team_size(parts, threads));
  in_parts(parts, team, [&](std::size_t part, int thread) {
    Search search(c.nearby.strips, c.nearby.reach, c.sides.centre_at);
    Runs runs;
    for (std::size_t i = part * at_once; i < std::min(n, (part + 1) * at_once); ++i) search.around(centres[i], runs);
    work(static_cast<const Runs&>(runs), found[part], thread);
  });
  return joined(found, keyed, team);
}

}  // namespace npl::connect::space
