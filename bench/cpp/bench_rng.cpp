// SPDX-License-Identifier: Apache-2.0
/// Random words, weights, delays and counts: time per value.
#include <benchmark/benchmark.h>

#include <limits>

#include "rng/distribution.hpp"
#include "rng/philox_line.hpp"
#include "rng/poisson.hpp"

namespace npl::rng {
namespace {

constexpr std::size_t n = 4096;
constexpr double inf = std::numeric_limits<double>::infinity();

std::vector<std::uint32_t> words() {
  std::vector<std::uint32_t> w(n);
  for (std::size_t i = 0; i < n; ++i) w[i] = draw(Key{1, 2}, 3, i)[0];
  return w;
}

void items(benchmark::State& state) { state.SetItemsProcessed(static_cast<std::int64_t>(n) * state.iterations()); }

void philox_blocks(benchmark::State& state) {
  std::vector<std::uint32_t> w[4];
  for (auto& column : w) column.resize(n);
  for (auto _ : state) {
    draw_line(Key{1, 2}, {3, 0, 0, 1}, n, {w[0].data(), w[1].data(), w[2].data(), w[3].data()});
    benchmark::ClobberMemory();
  }
  items(state);
}
BENCHMARK(philox_blocks);

void weights(benchmark::State& state) {
  const Sampler sampler({Kind::normal, 87.8, 8.78, Limit::redraw, 0.0, inf, nullptr});
  const auto w = words();
  std::vector<float> out(n);
  for (auto _ : state) {
    sampler.draw(w, out.data());
    benchmark::ClobberMemory();
  }
  items(state);
}
BENCHMARK(weights);

void delays(benchmark::State& state) {
  const DelaySampler sampler({Kind::normal, 1.5, 0.75, Limit::redraw, 0.1, inf, nullptr}, 0.1);
  const auto w = words();
  std::vector<Delay> out(n);
  for (auto _ : state) {
    sampler.draw(w, out.data());
    benchmark::ClobberMemory();
  }
  items(state);
}
BENCHMARK(delays);

void poisson_counts(benchmark::State& state) {
  const PoissonTable table(static_cast<double>(state.range(0)) / 10);
  const auto w = words();
  std::vector<std::uint16_t> out(n);
  for (auto _ : state) {
    table.counts(w.data(), out.data(), n);
    benchmark::ClobberMemory();
  }
  items(state);
}
BENCHMARK(poisson_counts)->ArgName("tenths")->Arg(1)->Arg(13)->Arg(100)->Arg(1000);

void make_sampler(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Sampler({Kind::normal, 87.8, 8.78, Limit::redraw, 0.0, inf, nullptr}));
}
BENCHMARK(make_sampler)->Unit(benchmark::kMicrosecond);

void binomial_count(benchmark::State& state) {
  std::uint64_t i = 0;
  for (auto _ : state) {
    const Words w = draw(Key{1, 2}, 3, ++i);
    benchmark::DoNotOptimize(binomial(static_cast<std::uint64_t>(state.range(0)), 0.5, uniform52(w[0], w[1])));
  }
}
BENCHMARK(binomial_count)->Arg(100)->Arg(10000)->Arg(1'000'000'000);

}  // namespace
}  // namespace npl::rng
