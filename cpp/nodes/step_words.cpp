// SPDX-License-Identifier: Apache-2.0
#include "nodes/step_words.hpp"

#include <algorithm>

#include "rng/philox_line.hpp"

namespace npl::nodes {

void StepWords::draw(const Use& use, const Members& nodes, std::size_t begin, std::size_t n) {
  const rng::Key key = rng::Key::of(use.seed, rng::Purpose::model, use.id);
  const rng::WordColumns out{words_[0], words_[1], words_[2], words_[3]};
  const auto gid = [&](std::size_t k) { return static_cast<std::uint64_t>(nodes[static_cast<std::int64_t>(begin + k)]); };
  const auto step = static_cast<std::uint64_t>(use.step);
  const std::uint64_t first = gid(0);
  if (gid(n - 1) - first == n - 1) return rng::draw_line(key, {first, step, 1, 0}, n, out);
  std::uint64_t gids[chunk], steps[chunk];
  const std::size_t padded = n < 4 ? n : (n + 15) / 16 * 16;  // to whole vectors, of which the rest is not read
  for (std::size_t k = 0; k < n; ++k) gids[k] = gid(k);
  std::fill(gids + n, gids + padded, 0);
  std::fill_n(steps, padded, step);
  rng::draw_listed(key, gids, steps, padded, out);
}

}  // namespace npl::nodes
