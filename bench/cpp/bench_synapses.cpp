// SPDX-License-Identifier: Apache-2.0
/// Plastic delivery: rows of one delay, postsynaptic spikes at the rate of the presynaptic ones, as in the hpc_benchmark.
#include <benchmark/benchmark.h>

#include <random>

#include "synapses/model.hpp"

namespace npl {
namespace {

constexpr std::size_t n_nodes = 5632, row = 1500, n_rows = 4000;

void stdp_row(benchmark::State& state, const char* name) {
  const auto& info = synapses::find_synapse(name);
  std::vector<double> parameters;
  for (const Field& f : info.parameters) parameters.push_back(f.init);
  const auto rule = info.prepare(parameters.data(), 0.1);
  synapses::PostTrace post(n_nodes, 20.0, 0.1);
  std::mt19937 random(1);
  for (std::int32_t step = 1; step < 6000; ++step)
    for (std::size_t k = 0; k < n_nodes; ++k)
      if (random() % 1000 == 0) post.add(static_cast<Local>(k), step);
  std::vector<std::uint16_t> target(row * n_rows);
  for (auto& t : target) t = static_cast<std::uint16_t>(random() % n_nodes);
  std::vector<float> weight(row * n_rows, 50.0f);
  std::vector<Fixed> sums(n_nodes);
  double largest = 0;
  std::size_t at = 0;
  for (auto _ : state) {
    const Step last = 4000 + random() % 900;
    rule->process({row, &target[at], &weight[at], 5990, {last, 1.3}, 15, &post, sums.data(), 0x1p30, &largest}, false);
    at = (at + row) % (row * n_rows);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(row) * state.iterations());
}
BENCHMARK_CAPTURE(stdp_row, power_law, "stdp_pl_synapse_hom");
BENCHMARK_CAPTURE(stdp_row, exponents, "stdp_synapse");

}  // namespace
}  // namespace npl
