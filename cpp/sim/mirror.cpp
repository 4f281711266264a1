// SPDX-License-Identifier: Apache-2.0
#include "sim/mirror.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/math.hpp"

namespace npl::sim {

Mirror::Mirror(const Distribution& distribution, std::vector<MirroredPopulation> populations, const std::vector<std::unique_ptr<Slice>>& slices, int ranks)
    : distribution_(&distribution), ranks_(ranks), populations_(std::move(populations)), players_(populations_.size()) {
  std::size_t base = 0;
  for (const auto& slice : slices) {
    for (const Residents::Block& b : slice->nodes().blocks())
      for (std::int64_t k = 0; k < b.members.size(); ++k) players_[population_of(b.first)].push_back(base + b.first_local + static_cast<std::size_t>(k));
    base += slice->nodes().size();
  }
  std::vector<std::size_t> all(base);
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (auto& players : players_)
    if (players.empty()) players = all;
}

std::size_t Mirror::population_of(Gid gid) const {
  const auto after = std::upper_bound(populations_.begin(), populations_.end(), gid, [](Gid g, const MirroredPopulation& p) { return g < p.first; });
  return static_cast<std::size_t>(after - populations_.begin()) - 1;
}

std::size_t Mirror::source(Gid gid) const {
  const std::size_t p = population_of(gid);
  const auto seat = static_cast<std::size_t>(distribution_->seat(gid, populations_[p].first, populations_[p].n, ranks_));
  return players_[p].empty() ? 0 : players_[p][seat % players_[p].size()];
}

Gid Mirror::gid_on(int rank, Gid mine) const {
  const MirroredPopulation& p = populations_[population_of(mine)];
  return p.first + (distribution_->seat(mine, p.first, p.n, ranks_) * ranks_ + rank) % p.n;
}

/// The number by inversion of the first word; the steps from the following ones, three per draw.
void PoissonSpikes::draw(Gid gid, Step from, Step until, std::vector<Spike>& out) const {
  const double mean = rate_ * static_cast<double>(until - from);
  rng::Words w = rng::draw(key_, static_cast<std::uint64_t>(gid), static_cast<std::uint64_t>(from));
  double probability = math::exp(-mean), u = rng::uniform(w[0]);
  for (std::uint64_t k = 1; u > probability && k < 65536; ++k) {
    u -= probability;
    probability *= mean / static_cast<double>(k);
    if (k % 3 == 1 && k > 3) w = rng::draw(key_, static_cast<std::uint64_t>(gid), static_cast<std::uint64_t>(from) | (k / 3) << 40);
    const auto offset = static_cast<std::uint64_t>(until - from) * w[1 + (k - 1) % 3] >> 32;
    out.push_back({gid, from + static_cast<Step>(offset)});
  }
}

}  // namespace npl::sim
