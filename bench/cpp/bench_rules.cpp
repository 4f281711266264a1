// SPDX-License-Identifier: Apache-2.0
/// Connection rules: time per edge with its two random words, before anything is stored. 10 000 sources, 2 000 targets, 1000 edges each.
#include <benchmark/benchmark.h>

#include "connect/rule.hpp"

namespace npl::connect {
namespace {

struct Count final : EdgeSink {
  void take(const EdgeBatch& b) override { benchmark::DoNotOptimize(total += b.n); }
  std::uint64_t total = 0;
};

void edges(benchmark::State& state, const char* name, std::int64_t n, bool autapses, bool multapses) {
  RuleParams p;
  for (const RuleParam& q : find_rule(name).parameters) {
    if (q.type == ParamType::count) p.set(q.name, n);
    if (q.type == ParamType::probability) p.set(q.name, 0.1);
    if (q.name == std::string("allow_autapses")) p.set(q.name, autapses);
    if (q.name == std::string("allow_multapses")) p.set(q.name, multapses);
  }
  const auto rule = find_rule(name).make({NodeSet({{1, 10000, 1}}), NodeSet({{1, 2000, 1}}), {1, 2}, p});
  EdgeBatch batch;
  batch.with_words = true;
  Count count;
  for (auto _ : state)
    for (std::int64_t t = 0; t < 2000; ++t) rule->edges(t, batch, count);
  state.SetItemsProcessed(static_cast<std::int64_t>(count.total));
}
BENCHMARK_CAPTURE(edges, all_to_all, "all_to_all", 0, true, true);
BENCHMARK_CAPTURE(edges, pairwise_bernoulli, "pairwise_bernoulli", 0, true, true);
BENCHMARK_CAPTURE(edges, fixed_indegree, "fixed_indegree", 1000, true, true);
BENCHMARK_CAPTURE(edges, fixed_indegree_no_autapses_no_multapses, "fixed_indegree", 1000, false, false);
BENCHMARK_CAPTURE(edges, fixed_total_number, "fixed_total_number", 2'000'000, true, true);
BENCHMARK_CAPTURE(edges, fixed_total_number_no_autapses_no_multapses, "fixed_total_number", 2'000'000, false, false);
BENCHMARK_CAPTURE(edges, fixed_outdegree, "fixed_outdegree", 200, true, true);
BENCHMARK_CAPTURE(edges, fixed_outdegree_no_autapses, "fixed_outdegree", 200, false, true);

/// The first pass, in which the index of distinct targets is made.
void distinct_outdegree(benchmark::State& state) {
  const RuleParams p{{"outdegree", 200}, {"allow_multapses", false}};
  EdgeBatch batch;
  batch.with_words = true;
  Count count;
  for (auto _ : state) {
    const auto rule = find_rule("fixed_outdegree").make({NodeSet({{1, 10000, 1}}), NodeSet({{1, 2000, 1}}), {1, 2}, p});
    for (std::int64_t t = 0; t < 2000; ++t) rule->edges(t, batch, count);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(count.total));
}
BENCHMARK(distinct_outdegree);

}  // namespace
}  // namespace npl::connect
