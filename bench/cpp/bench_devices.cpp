// SPDX-License-Identifier: Apache-2.0
/// Poisson input per target and step, as the microcircuit has it.
#include <benchmark/benchmark.h>

#include "devices/device.hpp"
#include "rng/poisson.hpp"
#include "streams.hpp"

namespace npl {
namespace {

devices::Device poisson_device(double rate) {
  const devices::DeviceInfo& info = devices::find_device("poisson_generator");
  return {&info, 1, 0, 0.1, {{0, {0.0, 1e300, 0.0, rate}, {}}}};
}

void poisson_part(benchmark::State& state) {
  const std::size_t n = 4096;
  const devices::Device device = poisson_device(static_cast<double>(state.range(0)));
  devices::Targets targets;
  for (std::size_t i = 0; i < n; ++i) targets.local.push_back(static_cast<Local>(i)), targets.gid.push_back(static_cast<Gid>(2 * i + 1));
  targets.weight = {87.81};
  targets.delay = 15;
  targets.seed = 1;
  auto part = device.info->make_part(device, targets);
  std::vector<Fixed> sums(n);
  Step step = 100;
  for (auto _ : state) part->apply(step++, {sums.data(), 0x1p36, nullptr});
  state.SetItemsProcessed(static_cast<std::int64_t>(n) * state.iterations());
  bench::note(state, {{"sums", "update", 2 * sizeof(Fixed), n * sizeof(Fixed)}});
}
BENCHMARK(poisson_part)->Arg(12800)->Arg(23200)->Arg(200000)->Arg(500000)->Arg(2000000);

void poisson_counts(benchmark::State& state) {
  const rng::PoissonTable table(static_cast<double>(state.range(0)) / 100.0);
  std::vector<std::uint32_t> words(256);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(i * 2654435761u);
  std::vector<std::uint16_t> counts(256);
  for (auto _ : state) {
    table.counts(words.data(), counts.data(), 256);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(256 * state.iterations());
}
BENCHMARK(poisson_counts)->Arg(128)->Arg(232)->Arg(2000);

}  // namespace
}  // namespace npl
