// SPDX-License-Identifier: Apache-2.0
/// Static delivery of one slice: 25 spikes per step from random sources, tables larger than any cache.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>

#include "pathways/pathway.hpp"
#include "streams.hpp"
#include "tables.hpp"

namespace npl {
namespace {

constexpr std::int64_t n_sources = 40000, n_targets = 38500;

void deliver_static(benchmark::State& state, bool mixed) {
  const bench::Example example = bench::example(n_sources, n_targets, 1200, mixed);
  auto tables = example.build();
  Residents nodes;
  const auto pathway = pathways::make_pathway(std::move(tables[0]), {nodes});
  std::vector<Fixed> sums(n_targets);
  std::mt19937 random(1);
  std::int64_t events = 0;
  Step step = 0;
  std::vector<RowSpike> spikes(25);
  const auto one_step = [&] {
    std::fill(sums.begin(), sums.end(), 0);
    events += static_cast<std::int64_t>(pathway->deliver(step, {sums.data(), 0x1p36, nullptr, nullptr}));
    for (auto& s : spikes) s = {static_cast<std::uint32_t>(random() % pathway->table().n_rows()), static_cast<std::int32_t>(step)};
    pathway->schedule(spikes, {});
    ++step;
  };
  while (step < 100) one_step();
  events = 0;
  for (auto _ : state) one_step();
  state.SetItemsProcessed(events);
  const auto payload = static_cast<double>(pathway->table().payload_bytes());
  bench::note(state, {{"synapses", "read", payload / static_cast<double>(pathway->table().n_synapses()), payload},
                      {"sums", "update", 2 * sizeof(Fixed), n_targets * sizeof(Fixed)}});
}
BENCHMARK_CAPTURE(deliver_static, microcircuit, true)->MinTime(1.0);
BENCHMARK_CAPTURE(deliver_static, one_delay, false)->MinTime(1.0);

}  // namespace
}  // namespace npl
