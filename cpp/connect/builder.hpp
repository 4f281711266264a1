// SPDX-License-Identifier: Apache-2.0
/// Builds the tables of one slice: count, place, fill, sort (law 5). Each slice is built by the thread that will use it; all edges come
/// from counters, so slices need nothing from one another (law 4). Two passes over the same generated edges, no list of edges in between.
#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/timers.hpp"
#include "connect/projection.hpp"

namespace npl::connect {

/// Phases after Ippen et al. (2017), figure 3, as they occur here.
enum class BuildPhase { count, place, fill, sort, count_ };

class SliceBuilder {
 public:
  /// @param nodes of the slice; @param layout of all tables; none: chosen per table
  SliceBuilder(const Residents& nodes, std::span<const std::unique_ptr<Projection>> projections, std::span<const std::unique_ptr<deliver::TableSpec>> specs,
               std::optional<deliver::Layout> layout = {})
      : nodes_(nodes), projections_(projections), specs_(specs), layout_(layout) {}

  /// One table per spec that has edges here, in order of specs. done counts generated edges (of both passes).
  std::vector<std::unique_ptr<deliver::EdgeTable>> build(std::atomic<std::uint64_t>& done, PhaseTimer<BuildPhase>& timer);

 private:
  class CountSink;
  class FillSink;

  template <class Sink>
  void generate(bool fill, std::atomic<std::uint64_t>& done, Sink&& make_sink);

  const Residents& nodes_;
  std::span<const std::unique_ptr<Projection>> projections_;
  std::span<const std::unique_ptr<deliver::TableSpec>> specs_;
  std::optional<deliver::Layout> layout_;
};

}  // namespace npl::connect
