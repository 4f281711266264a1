// SPDX-License-Identifier: Apache-2.0
/// Update of a group of neurons, without and with synaptic input in every step.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "nodes/group.hpp"

namespace npl {
namespace {

constexpr std::size_t n = 4096;

void update(benchmark::State& state, const char* model, bool with_input) {
  nodes::Group group(nodes::find_model(model), Members(1, 1, static_cast<std::int64_t>(n)), 0, 0.1);
  group.prepare();
  std::vector<Fixed> excitatory(n), inhibitory(n);
  Fixed* sums[] = {excitatory.data(), inhibitory.data()};
  const double scale[] = {0x1p-36, 0x1p-36};
  SourcedSpikes out;
  Step step = 0;
  for (auto _ : state) {
    if (with_input) {
      std::fill(excitatory.begin(), excitatory.end(), Fixed{1} << 36);
      std::fill(inhibitory.begin(), inhibitory.end(), -(Fixed{1} << 36));
    }
    group.update({sums, scale, nullptr, step++, 1, &out});
    out.clear();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(n) * state.iterations());
}
BENCHMARK_CAPTURE(update, iaf_psc_exp, "iaf_psc_exp", false);
BENCHMARK_CAPTURE(update, iaf_psc_exp_input, "iaf_psc_exp", true);
BENCHMARK_CAPTURE(update, iaf_psc_alpha, "iaf_psc_alpha", false);
BENCHMARK_CAPTURE(update, iaf_psc_delta, "iaf_psc_delta", false);
BENCHMARK_CAPTURE(update, izhikevich, "izhikevich", false);
BENCHMARK_CAPTURE(update, iaf_cond_exp, "iaf_cond_exp", false);
BENCHMARK_CAPTURE(update, aeif_cond_exp, "aeif_cond_exp", false);
BENCHMARK_CAPTURE(update, hh_psc_alpha, "hh_psc_alpha", false);

}  // namespace
}  // namespace npl
