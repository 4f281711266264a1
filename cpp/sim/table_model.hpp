// SPDX-License-Identifier: Apache-2.0
/// Memory model of synapse tables: expected size of a table in one slice, and expected number of distinct sources of several projections.
#pragma once
#include <vector>

#include "base/math.hpp"
#include "sim/planning.hpp"

namespace npl::sim {

/// Expected capacity of a vector that grew to n entries by push_back.
inline double grown(double n) { return math::power_of_two_from(n); }

/// The sources of several projections, divided into stretches of gids that are covered by the same projections.
class Stretches {
 public:
  explicit Stretches(const std::vector<const Outline::Edges*>& edges);
  /// Removes all added projections.
  void clear();
  /// Adds a projection; each of its sources has no edge with probability exp(log_none), independently of other projections.
  void add(const Outline::Edges& edges, double log_none);
  /// Expected number of sources with an edge.
  double reached() const;
  /// Gids from the first stretch to the last.
  double span() const { return ends_.empty() ? 0.0 : static_cast<double>(ends_.back() - ends_.front()); }

 private:
  /// Gids with gid % stride == phase.
  struct Class {
    Gid stride, phase;
    double log_none;
  };
  using Stretch = std::vector<Class>;
  static double share_reached(const Stretch& stretch);
  template <class F>
  void for_stretches(const connect::Range& range, F&& f);
  double width(std::size_t stretch) const { return static_cast<double>(ends_[stretch + 1] - ends_[stretch]); }

  std::vector<Gid> ends_;  ///< stretch i is [ends_[i], ends_[i + 1])
  std::vector<Stretch> stretches_;
};

struct TableSize {
  double synapses = 0, rows = 0, runs = 0;
  double span = 0;                ///< gids from the first source to the last
  bool sorted = false;            ///< built by sorting edges instead of counting per possible source
  double payload = 0, index = 0;  ///< expected EdgeTable::payload_bytes() and index_bytes()
  double sources = 0;             ///< part of index: bytes of the list of sources
  double draft = 0, writer = 0;   ///< bytes of the draft; additional bytes while the table is written from it
  double slots = 0;               ///< part of draft: bytes of the counters, which are there from the first pass on
};

/// Expected size of a table in one slice. @param table index of its spec; @param slices number of slices of all ranks
TableSize table_size(const Outline& outline, int table, double ranks, double slices, double scale);

/// Peak of additional bytes while a slice is built, besides its finished tables. @param tables of all specs of the outline
double slice_construction(const Outline& outline, const std::vector<TableSize>& tables);

/// Expected number of distinct sources of all edges that end in one of `parts` equal parts of the network (ranks or slices).
double sources_reached(const Outline& outline, double parts, double scale);

}  // namespace npl::sim
