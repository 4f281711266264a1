// SPDX-License-Identifier: Apache-2.0
/// Builds the tables of one slice in two passes over the same generated edges, without storing a list of edges: count, place, fill, sort
/// (law 5). Tables are filled and sorted one after the other, the largest first: delays take more memory before they are sorted. Each
/// slice is built by the thread that will use it. Edges are drawn from counters, so slices are independent (law 4).
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/timers.hpp"
#include "connect/draft.hpp"
#include "connect/in_degrees.hpp"

namespace npl::connect {

/// Phases of construction after Ippen et al. (2017), figure 3.
enum class BuildPhase { count, place, fill, sort, count_ };

/// Options of construction; those without a value are chosen per table.
struct BuildOptions {
  std::optional<tables::Layout> layout = {};
  std::optional<bool> sorted = {};        ///< true: edges are sorted; false: edges are counted, then placed
  tables::SourceOrder order = {};         ///< order of the rows of sorted tables
  SlabPool* pool = nullptr;               ///< memory of the thread for edges that are being sorted
  const InDegrees* in_degrees = nullptr;  ///< of the projections; null: not drawn yet
  bool last = true;                       ///< this is the last slice that the thread builds: memory of the pool is freed early
  std::function<void()> watch = {};       ///< called about every 65536 generated edges by the building thread; must not throw
};

/// Builds the tables of one slice; used by one thread. Not collective.
class SliceBuilder {
 public:
  /// @param nodes nodes of the slice; @param projections what to draw; @param specs all table specs, indexed by Projection::table
  SliceBuilder(const Residents& nodes, std::span<const std::unique_ptr<Projection>> projections,
               std::span<const std::unique_ptr<tables::TableSpec>> specs, BuildOptions options = {})
      : nodes_(nodes), projections_(projections), specs_(specs), options_(options) {}

  /// Draws the edges and returns one table per spec with edges here, in order of specs.
  /// @param done is increased by the number of generated edges (of both passes); @param timer adds the time of the phases
  /// Throws BadParameter when a table has more than 2^32 - 1 synapses.
  std::vector<std::unique_ptr<tables::EdgeTable>> build(std::atomic<std::uint64_t>& done, PhaseTimer<BuildPhase>& timer);

 private:
  using Drafts = std::vector<std::unique_ptr<Draft>>;
  struct Scratch;
  class CountSink;
  class FillSink;

  static void include(const Projection& p, double edges, DraftShape& shape);
  std::vector<DraftShape> shapes() const;
  Drafts make_drafts(const std::vector<DraftShape>& shapes) const;
  /// Tables that are filled together, and the projections that fill them.
  struct Part {
    std::vector<int> tables;
    std::vector<const Projection*> projections;
    std::vector<const std::uint8_t*> in_degrees;  ///< of each, null: not drawn yet
  };
  std::vector<Part> parts(const std::vector<DraftShape>& shapes) const;
  std::unique_ptr<tables::EdgeTable> finish(Draft& draft, const Part& part) const;
  static bool needs_count(const Projection& p, const Drafts& drafts);
  template <class Sink>
  void generate(bool fill, const Part& part, const Drafts& drafts, std::atomic<std::uint64_t>& done, Sink&& make_sink);

  const Residents& nodes_;
  std::span<const std::unique_ptr<Projection>> projections_;
  std::span<const std::unique_ptr<tables::TableSpec>> specs_;
  BuildOptions options_;
};

}  // namespace npl::connect
