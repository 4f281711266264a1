// SPDX-License-Identifier: Apache-2.0
// Touch detection: the closed form of overlaps alone, and the search of axons through indexed dendrites.
#include <benchmark/benchmark.h>

#include <random>

#include "circuit/spread.hpp"

namespace {

using namespace npl;
using namespace npl::circuit;

struct Maker {
  std::mt19937 random{1};
  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); }
  Vec vec(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }

  /// Wandering branches of segments of about 1.5 um, as thick as dendrites, in a cube; `per_um3` segments per cubic um.
  Pieces branches(double side, double per_um3, double spine) {
    Pieces pieces(Mode::tapered);
    Point line[lanes + 1];
    for (Gid gid = 0; static_cast<double>(pieces.n_segments()) < per_um3 * side * side * side; ++gid) {
      line[0] = {vec(side / 2), 0.3};
      Vec heading = vec(1);
      for (std::int32_t piece = 0; piece < 8; ++piece) {
        for (std::size_t k = 0; k < lanes; ++k) {
          heading = heading + vec(0.3);
          line[k + 1] = {line[k].at + 1.5 / norm(heading) * heading, 0.3};
        }
        const auto first = static_cast<std::int32_t>(lanes) * piece;
        pieces.add({.gid = gid,
                    .section = 1,
                    .first_segment = first,
                    .first_point = 0,
                    .spine = spine,
                    .arc = 1.5 * first,
                    .section_length = 96,
                    .path = 0,
                    .segments = lanes,
                    .type = basal},
                   line);
        line[0] = line[lanes];
      }
    }
    return pieces;
  }
};

/// items: pairs of segments.
void overlap_of_pairs(benchmark::State& state) {
  const Isa before = isa();
  if (!set_isa(static_cast<Isa>(state.range(0)))) return state.SkipWithError("not on this machine");
  Maker make;
  PairBlock block;
  while (!block.full()) block.add({make.vec(2), make.vec(1), 0.3, 0.1}, {make.vec(2), make.vec(1), 2.8, -0.1});
  for (auto _ : state) {
    block.evaluate();
    benchmark::DoNotOptimize(block.lo[0]);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(block.size));
  set_isa(before);
}
BENCHMARK(overlap_of_pairs)->ArgName("simd")->Arg(0)->Arg(1)->Arg(2);

/// items: overlaps found; arg: spine length in tenths of a um.
void search_for_overlaps(benchmark::State& state) {
  const auto alone = comm::single();
  const auto mail = make_mail(*alone, "alltoallv");
  Maker make;
  const Index index = spread(*alone, *mail, make.branches(100, 0.06, static_cast<double>(state.range(0)) / 10));
  const Pieces axons = make.branches(100, 0.02, 0);
  SearchCounts counts;
  for (auto _ : state) {
    Search search(index, 0, true);
    Found found;
    for (std::size_t i = 0; i < axons.size(); i += lanes) search.section(axons, i, i + lanes, found);
    benchmark::DoNotOptimize(found.overlaps.data());
    counts = search.counts();
  }
  const auto n = static_cast<double>(counts.overlaps);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(counts.overlaps));
  state.counters["tested_per_overlap"] = static_cast<double>(counts.tested) / n;
  state.counters["box_tests_per_overlap"] = static_cast<double>(counts.boxes) / n;
}
BENCHMARK(search_for_overlaps)->ArgName("spine")->Arg(0)->Arg(25)->Unit(benchmark::kMillisecond);

/// items: segments.
void index_of_branches(benchmark::State& state) {
  const auto alone = comm::single();
  const auto mail = make_mail(*alone, "alltoallv");
  Maker make;
  const Pieces branches = make.branches(100, 0.06, 2.5);
  for (auto _ : state) benchmark::DoNotOptimize(spread(*alone, *mail, branches).tree.bytes());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(branches.n_segments()));
}
BENCHMARK(index_of_branches)->Unit(benchmark::kMillisecond);

}  // namespace
