// SPDX-License-Identifier: Apache-2.0
#include "growth/matching.hpp"

#include <algorithm>

namespace npl::growth {
namespace {

/// The gids of all elements, those of the first n drawn at random without replacement.
std::vector<Gid> drawn(const std::vector<Vacant>& all, std::size_t n, rng::Key key) {
  std::vector<Gid> elements;
  for (const Vacant& v : all) elements.insert(elements.end(), static_cast<std::size_t>(v.n), v.gid);
  for (std::size_t k = 0; k < n; ++k) {
    const rng::Words w = rng::draw(key, k, 0);
    std::swap(elements[k], elements[k + rng::below(elements.size() - k, w[0], w[1])]);
  }
  elements.resize(n);
  return elements;
}

std::size_t total(const std::vector<Vacant>& all) {
  std::size_t n = 0;
  for (const Vacant& v : all) n += static_cast<std::size_t>(v.n);
  return n;
}

}  // namespace

rng::Key key_of(std::uint64_t seed, Step update, Draw what, int rule) {
  const rng::Key update_key = rng::Key::of(seed, rng::Purpose::growth, static_cast<std::uint64_t>(update));
  const rng::Words w = rng::draw(update_key, static_cast<std::uint64_t>(what), static_cast<std::uint64_t>(rule));
  return {w[0], w[1]};
}

std::vector<std::pair<Gid, Gid>> match(const std::vector<Vacant>& sources, const std::vector<Vacant>& targets, rng::Key of_sources,
                                       rng::Key of_targets) {
  const std::size_t n = std::min(total(sources), total(targets));
  const std::vector<Gid> from = drawn(sources, n, of_sources), to = drawn(targets, n, of_targets);
  std::vector<std::pair<Gid, Gid>> pairs(n);
  for (std::size_t k = 0; k < n; ++k) pairs[k] = {from[k], to[k]};
  return pairs;
}

std::uint64_t priority(rng::Key key, Gid source, Gid target, std::uint32_t nth) {
  const rng::Words pair = rng::draw(key, static_cast<std::uint64_t>(source), static_cast<std::uint64_t>(target));
  const rng::Words w = rng::draw({pair[0], pair[1]}, nth, 0);
  return std::uint64_t{w[0]} << 32 | w[1];
}

}  // namespace npl::growth
