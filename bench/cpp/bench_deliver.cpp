// SPDX-License-Identifier: Apache-2.0
/// Static delivery of one slice: 25 spikes per step from random sources, tables larger than any cache.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>

#include "deliver/agenda.hpp"
#include "tables.hpp"

namespace npl {
namespace {

constexpr std::int64_t n_sources = 40000, n_targets = 38500;

void deliver_static(benchmark::State& state, bool mixed) {
  const bench::Example example = bench::example(n_sources, n_targets, 1200, mixed);
  const auto tables = example.build();
  deliver::EdgeTable& table = *tables[0];
  deliver::Agenda agenda(table, example.projections[0]->highest_delay);
  std::vector<Fixed> sums(n_targets);
  std::mt19937 random(1);
  std::int64_t events = 0;
  Step step = 0;
  const auto one_step = [&] {
    std::fill(sums.begin(), sums.end(), 0);
    events += static_cast<std::int64_t>(agenda.deliver(table, step, sums.data(), 0x1p36, nullptr, nullptr));
    for (int k = 0; k < 25; ++k) agenda.schedule(table, static_cast<std::uint32_t>(random() % table.n_rows()), step);
    ++step;
  };
  while (step < 100) one_step();
  events = 0;
  for (auto _ : state) one_step();
  state.SetItemsProcessed(events);
}
BENCHMARK_CAPTURE(deliver_static, microcircuit, true)->MinTime(1.0);
BENCHMARK_CAPTURE(deliver_static, one_delay, false)->MinTime(1.0);

}  // namespace
}  // namespace npl
