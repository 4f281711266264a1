// SPDX-License-Identifier: Apache-2.0
/// Construction of one slice: synapses per second, all phases.
#include <benchmark/benchmark.h>

#include "streams.hpp"
#include "tables.hpp"

namespace npl {
namespace {

void build_slice(benchmark::State& state, bool mixed) {
  const bench::Example example = bench::example(20000, 10000, 1000, mixed);
  for (auto _ : state) benchmark::DoNotOptimize(example.build());
  const auto payload = static_cast<double>(example.build()[0]->payload_bytes());
  bench::note(state, {{"synapses", "write", payload / (10000 * 1000), payload}});
  state.SetItemsProcessed(10000 * 1000 * state.iterations());
}
BENCHMARK_CAPTURE(build_slice, microcircuit, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(build_slice, one_delay, false)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace npl
