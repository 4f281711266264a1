// SPDX-License-Identifier: Apache-2.0
/// Ways to add weight times value to each target in the order of its sources, in eight partial sums: from columns by target (as
/// continuous/plan.hpp), from the table row by row, and from the table in the order of targets. Arguments: neurons, inputs of each.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace npl::continuous {
namespace {

constexpr std::size_t lanes = 8;

struct Edges {
  std::size_t n, k;
  std::vector<std::uint32_t> row, target, source, place;  ///< by source: begin of rows, targets, sources; by target: places in the table
  std::vector<std::uint16_t> column;                      ///< by target: sources
  std::vector<float> weight, weight_in;                   ///< by source, by target
  std::vector<double> values, out;

  explicit Edges(const benchmark::State& state) : n(static_cast<std::size_t>(state.range(0))), k(static_cast<std::size_t>(state.range(1))) {
    std::mt19937 random(1);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> all;  // source, target
    for (std::uint32_t t = 0; t < n; ++t)
      for (std::size_t i = 0; i < k; ++i) all.emplace_back(random() % n, t);
    std::ranges::sort(all);
    std::vector<std::vector<std::uint32_t>> in(n);
    row.assign(n + 1, 0);
    for (const auto& [s, t] : all) {
      in[t].push_back(static_cast<std::uint32_t>(target.size()));
      target.push_back(t), source.push_back(s), weight.push_back(static_cast<float>(random() % 1000)), ++row[s + 1];
    }
    for (std::size_t s = 0; s < n; ++s) row[s + 1] += row[s];
    for (const auto& places : in)
      for (const std::uint32_t i : places)
        place.push_back(i), column.push_back(static_cast<std::uint16_t>(source[i])), weight_in.push_back(weight[i]);
    values.assign(n, 0.5), out.assign(n, 0.0);
  }
};

double sum_of(const double* s) { return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])); }

template <class Product>
void by_target(Edges& e, Product&& product) {
  for (std::size_t t = 0, at = 0; t < e.n; ++t, at += e.k) {
    double sum[lanes] = {};
    std::size_t i = 0;
    for (; i + lanes <= e.k; i += lanes)
      for (std::size_t j = 0; j < lanes; ++j) sum[j] += product(at + i + j);
    for (std::size_t j = 0; i + j < e.k; ++j) sum[j] += product(at + i + j);
    e.out[t] += sum_of(sum);
  }
}

void columns(Edges& e) {
  by_target(e, [w = e.weight_in.data(), c = e.column.data(), v = e.values.data()](std::size_t i) { return w[i] * v[c[i]]; });
}

void places(Edges& e) {
  by_target(e, [w = e.weight.data(), s = e.source.data(), p = e.place.data(), v = e.values.data()](std::size_t i) {
    return w[p[i]] * v[s[p[i]]];
  });
}

void rows(Edges& e) {
  static std::vector<double> sums;
  static std::vector<std::uint8_t> next;
  sums.assign(e.n * lanes, 0.0), next.assign(e.n, 0);
  for (std::size_t s = 0; s < e.n; ++s)
    for (std::uint32_t i = e.row[s]; i < e.row[s + 1]; ++i) {
      const std::uint32_t t = e.target[i];
      sums[t * lanes + (next[t]++ & 7)] += e.weight[i] * e.values[s];
    }
  for (std::size_t t = 0; t < e.n; ++t) e.out[t] += sum_of(&sums[t * lanes]);
}

template <void (*add)(Edges&)>
void sums_by_target(benchmark::State& state) {
  Edges e(state);
  for (auto _ : state) add(e), benchmark::ClobberMemory();
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * e.target.size()));
}
#define NPL_BENCH(way) \
  BENCHMARK(sums_by_target<way>)->Name("SumsByTarget/" #way)->Args({1000, 30})->Args({1000, 100})->Args({1000, 500})->Args({10000, 100})
NPL_BENCH(columns);
NPL_BENCH(places);
NPL_BENCH(rows);
#undef NPL_BENCH

}  // namespace
}  // namespace npl::continuous
