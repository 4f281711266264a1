// SPDX-License-Identifier: Apache-2.0
/// Builds the tables of one slice: count, place, fill, sort (law 5). Each slice is built by the thread that will use it; all edges come
/// from counters, so slices need nothing from one another (law 4). Two passes over the same generated edges, no list of edges in between.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/timers.hpp"
#include "connect/draft.hpp"

namespace npl::connect {

/// Phases after Ippen et al. (2017), figure 3, as they occur here.
enum class BuildPhase { count, place, fill, sort, count_ };

/// How tables are made; what is left out is chosen per table.
struct BuildOptions {
  std::optional<tables::Layout> layout = {};
  std::optional<bool> sorted = {};        ///< edges sorted instead of counted
  tables::SourceOrder order = {};        ///< of the rows of sorted tables
  SlabPool* pool = nullptr;               ///< of the thread, for edges that are being sorted
  bool last = true;                       ///< slice that the thread builds
  std::function<void()> watch = {};       ///< called now and then while edges are generated, by the thread that does so; must not throw
};

class SliceBuilder {
 public:
  /// @param nodes of the slice
  SliceBuilder(const Residents& nodes, std::span<const std::unique_ptr<Projection>> projections, std::span<const std::unique_ptr<tables::TableSpec>> specs,
               BuildOptions options = {})
      : nodes_(nodes), projections_(projections), specs_(specs), options_(options) {}

  /// One table per spec that has edges here, in order of specs. done counts generated edges (of both passes).
  std::vector<std::unique_ptr<tables::EdgeTable>> build(std::atomic<std::uint64_t>& done, PhaseTimer<BuildPhase>& timer);

 private:
  using Drafts = std::vector<std::unique_ptr<Draft>>;
  class CountSink;
  class FillSink;

  DraftShape shape_of(int table) const;
  Drafts make_drafts() const;
  static bool needs_count(const Projection& p, const Drafts& drafts);
  template <class Sink>
  void generate(bool fill, const Drafts& drafts, std::atomic<std::uint64_t>& done, Sink&& make_sink);

  const Residents& nodes_;
  std::span<const std::unique_ptr<Projection>> projections_;
  std::span<const std::unique_ptr<tables::TableSpec>> specs_;
  BuildOptions options_;
};

}  // namespace npl::connect
