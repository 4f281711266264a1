// SPDX-License-Identifier: Apache-2.0
/// Update of a group of neurons, without and with synaptic input in every step.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "nodes/group.hpp"
#include "streams.hpp"

namespace npl {
namespace {

constexpr std::size_t n = 4096;

/// State variables that a step with input changes.
std::size_t changing(nodes::Group& group, const nodes::GroupInput& in) {
  std::vector<std::vector<double>> before;
  for (std::size_t k = 0; k < group.model().state.size(); ++k) before.emplace_back(group.state(k).begin(), group.state(k).end());
  group.update(in);
  std::size_t found = 0;
  for (std::size_t k = 0; k < before.size(); ++k) found += !std::equal(before[k].begin(), before[k].end(), group.state(k).begin());
  return found;
}

void update(benchmark::State& state, const char* model, bool with_input) {
  nodes::Group group(nodes::find_model(model), Members(1, 1, static_cast<std::int64_t>(n)), 0, 0.1);
  group.prepare();
  std::vector<Fixed> excitatory(n), inhibitory(n);
  Fixed* sums[] = {excitatory.data(), inhibitory.data()};
  const double scale[] = {0x1p-36, 0x1p-36};
  SourcedSpikes out;
  Step step = 0;
  const auto give = [&] {
    std::fill(excitatory.begin(), excitatory.end(), Fixed{1} << 36);
    std::fill(inhibitory.begin(), inhibitory.end(), -(Fixed{1} << 35));
  };
  for (int k = 0; k < 2; ++k) give(), group.update({sums, scale, nullptr, step++, 1, &out});
  give();
  const double states = sizeof(double) * static_cast<double>(changing(group, {sums, scale, nullptr, step++, 1, &out})),
               input = sizeof(Fixed) * static_cast<double>(group.model().receptors);
  for (auto _ : state) {
    if (with_input) give();
    group.update({sums, scale, nullptr, step++, 1, &out});
    out.clear();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(n) * state.iterations());
  const double set = n * (states + input);
  bench::note(state, {{"state", "update", 2 * states, set}, {"sums", "update", 2 * input, set}});
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
