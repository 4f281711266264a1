// SPDX-License-Identifier: Apache-2.0
#include "sim/emulated.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/math.hpp"

namespace npl::sim {

EmulatedRanks::EmulatedRanks(const Distribution& distribution, std::vector<EmulatedPopulation> populations,
                             const std::vector<std::unique_ptr<Slice>>& slices, int ranks)
    : distribution_(&distribution), ranks_(ranks), populations_(std::move(populations)), stand_ins_(populations_.size()) {
  std::size_t base = 0;
  for (const auto& slice : slices) {
    for (const Residents::Block& b : slice->nodes().blocks())
      for (std::int64_t k = 0; k < b.members.size(); ++k)
        stand_ins_[population_of(b.first)].push_back(base + b.first_local + static_cast<std::size_t>(k));
    base += slice->nodes().size();
  }
  std::vector<std::size_t> all(base);
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (auto& stand_ins : stand_ins_)
    if (stand_ins.empty()) stand_ins = all;
}

std::size_t EmulatedRanks::population_of(Gid gid) const {
  const auto after =
      std::upper_bound(populations_.begin(), populations_.end(), gid, [](Gid g, const EmulatedPopulation& p) { return g < p.first; });
  return static_cast<std::size_t>(after - populations_.begin()) - 1;
}

std::size_t EmulatedRanks::source(Gid gid) const {
  const std::size_t p = population_of(gid);
  const auto seat = static_cast<std::size_t>(distribution_->seat(gid, populations_[p].first, populations_[p].n, ranks_));
  return stand_ins_[p].empty() ? 0 : stand_ins_[p][seat % stand_ins_[p].size()];
}

Gid EmulatedRanks::gid_on(int rank, Gid mine) const {
  const EmulatedPopulation& p = populations_[population_of(mine)];
  return p.first + (distribution_->seat(mine, p.first, p.n, ranks_) * ranks_ + rank) % p.n;
}

/// The first random word gives the number of spikes by inversion; the following words give their steps, three per draw.
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

SourcedSpikes emulate_spikes(Slice& slice, const PoissonSpikes& process, const SourcedSpikes& emitted, Step from, Step until) {
  SourcedSpikes all;
  const auto& groups = slice.groups();
  for (const auto& g : groups)
    for (std::int64_t k = 0; k < g->nodes().size(); ++k) {
      process.draw(g->nodes()[k], from, until, all.spikes);
      all.sources.resize(all.spikes.size(), g->first_local() + static_cast<Local>(k));
    }
  const auto is_neuron = [&](Local source) {
    return std::any_of(groups.begin(), groups.end(),
                       [&](const auto& g) { return source >= g->first_local() && source < g->first_local() + g->size(); });
  };
  for (std::size_t i = 0; i < emitted.spikes.size(); ++i)
    if (!is_neuron(emitted.sources[i])) all.spikes.push_back(emitted.spikes[i]), all.sources.push_back(emitted.sources[i]);
  return all;
}

}  // namespace npl::sim
