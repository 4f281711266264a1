// SPDX-License-Identifier: Apache-2.0
#include "growth/matching.hpp"

namespace npl::growth {

rng::Key key_of(std::uint64_t seed, Step update, Draw what, int rule) {
  const rng::Key update_key = rng::Key::of(seed, rng::Purpose::growth, static_cast<std::uint64_t>(update));
  const rng::Words w = rng::draw(update_key, static_cast<std::uint64_t>(what), static_cast<std::uint64_t>(rule));
  return {w[0], w[1]};
}

void draw_lots(rng::Key key, const Vacant& of, std::vector<Lot>& out) {
  for (std::int64_t k = 0; k < of.n; k += 2) {
    const rng::Words w = rng::draw(key, static_cast<std::uint64_t>(of.gid), static_cast<std::uint64_t>(k / 2));
    out.push_back({std::uint64_t{w[0]} << 32 | w[1], of.gid});
    if (k + 1 < of.n) out.push_back({std::uint64_t{w[2]} << 32 | w[3], of.gid});
  }
}

std::uint64_t priority(rng::Key key, Gid source, Gid target, std::uint32_t nth) {
  const rng::Words pair = rng::draw(key, static_cast<std::uint64_t>(source), static_cast<std::uint64_t>(target));
  const rng::Words w = rng::draw({pair[0], pair[1]}, nth, 0);
  return std::uint64_t{w[0]} << 32 | w[1];
}

}  // namespace npl::growth
