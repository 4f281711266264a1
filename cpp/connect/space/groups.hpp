// SPDX-License-Identifier: Apache-2.0
/// Work on groups of centres in several threads.
#pragma once
#include "connect/space/cover.hpp"
#include "connect/space/parts.hpp"

namespace npl::connect::space {

/// For parts of about 256 centres: make(edges) gives a worker, whose set_group(box) is called for each group with wanted centres, then
/// draw(centre) for each of these, and finish() at the end. Concatenates the edges.
template <class Make>
Edges in_groups(const CellSides& in, std::size_t all, Numbers centres, bool keyed, int threads, Make&& make) {
  std::vector<char> wanted(all, 0);
  for (const std::int64_t centre : centres) wanted[static_cast<std::size_t>(centre)] = 1;
  const std::size_t groups = in.groups.size(), step = std::max<std::size_t>(1, at_once * groups / all), parts = (groups + step - 1) / step;
  std::vector<Edges> found(parts);
  Team team(team_size(parts, threads));
  in_parts(parts, team, [&](std::size_t part, int) {
    auto worker = make(found[part]);
    for (std::size_t g = part * step; g < std::min(groups, (part + 1) * step); ++g) {
      const Cell& group = in.centres.cells[in.groups[g]];
      const std::uint32_t *first = in.centres.nodes.data() + group.begin, *last = in.centres.nodes.data() + group.end;
      if (std::none_of(first, last, [&](std::uint32_t i) { return wanted[i]; })) continue;
      worker.set_group(group.box);
      for (const std::uint32_t* i = first; i != last; ++i)
        if (wanted[*i]) worker.draw(*i);
    }
    worker.finish();
  });
  return joined(found, keyed, team);
}

}  // namespace npl::connect::space
