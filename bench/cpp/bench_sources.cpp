// SPDX-License-Identifier: Apache-2.0
/// Time to find the row of a source in a table, for sources that have synapses in it and for others. Argument: mean distance of their gids.
#include <benchmark/benchmark.h>

#include <random>

#include "tables/source_index.hpp"

namespace npl::tables {
namespace {

constexpr std::size_t n_sources = 1 << 18, n_spikes = 1 << 16;

std::vector<Gid> sources_of(Gid gap, std::mt19937_64& generator) {
  std::vector<Gid> gids;
  Gid gid = 0;
  for (std::size_t i = 0; i < n_sources; ++i)
    gids.push_back(gid += 1 + static_cast<Gid>(generator() % static_cast<std::uint64_t>(2 * gap - 1)));
  return gids;
}

void look_up(benchmark::State& state, bool there) {
  std::mt19937_64 generator(1);
  const std::vector<Gid> gids = sources_of(state.range(0), generator);
  const SourceIndex index{std::span<const Gid>(gids)};
  std::vector<Gid> spikes(n_spikes);
  for (Gid& s : spikes) s = gids[generator() % gids.size()] + (there ? 0 : gids.back());
  for (auto _ : state)
    for (const Gid s : spikes) benchmark::DoNotOptimize(index.row(s));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * n_spikes));
  state.counters["bytes_per_source"] = static_cast<double>(index.bytes()) / static_cast<double>(gids.size());
}

void found(benchmark::State& state) { look_up(state, true); }
void of_other_tables(benchmark::State& state) { look_up(state, false); }
BENCHMARK(found)->Name("look_up_source/found")->Arg(1)->Arg(3)->Arg(10)->Arg(100)->Arg(1000);
BENCHMARK(of_other_tables)->Name("look_up_source/of_other_tables")->Arg(1)->Arg(100);

}  // namespace
}  // namespace npl::tables
