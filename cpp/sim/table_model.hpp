// SPDX-License-Identifier: Apache-2.0
/// What one table of synapses will hold in one slice, by expectation; and how many different sources several projections reach together.
#pragma once
#include <vector>

#include "sim/planning.hpp"

namespace npl::sim {

/// The sources of several projections, cut into stretches of gids in which all are covered by the same projections.
class Stretches {
 public:
  explicit Stretches(const std::vector<const Outline::Edges*>& edges);
  /// Begins anew: nobody has reached any source.
  void clear();
  /// A projection that leaves each of its sources without an edge with the probability exp(log_none), whatever the others do.
  void add(const Outline::Edges& edges, double log_none);
  /// Expected number of sources that are reached.
  double reached() const;
  /// Bytes of the differences between their numbers, in groups of 7 bits, where the nodes of each of the ranks have numbers of their own.
  /// @param nodes of the whole network
  double difference_bytes(double ranks, double nodes) const;
  /// Gids from the first stretch to the last.
  double span() const { return ends_.empty() ? 0.0 : static_cast<double>(ends_.back() - ends_.front()); }

 private:
  /// Every stride-th gid, from one with this remainder.
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
  bool sorted = false;            ///< made by sorting edges, not by counting for every possible source
  double payload = 0, index = 0;  ///< bytes as EdgeTable tells them
  double sources = 0;             ///< of these: the list of sources
  double draft = 0, writer = 0;   ///< bytes before the table is made from its edges, and besides while it is
};

/// @param table index of the table; @param slices of all ranks together
TableSize table_size(const Outline& outline, int table, double ranks, double slices, double scale);

/// Most bytes at any time while a slice is built, less those of its finished tables.
double slice_construction(const std::vector<TableSize>& tables);

/// Expected number of different sources of all edges that end on a rank, or on a slice.
double sources_reached(const Outline& outline, double parts, double scale);

}  // namespace npl::sim
