// SPDX-License-Identifier: Apache-2.0
/// A table under construction, by one of two methods. Dense sources (two passes over the edges): count edges per source, write them to
/// their rows, sort each row by delay. Sparse sources (fewer edges than possible sources; one pass): collect edges in piles by ranges of
/// sources, sort each pile by (source, delay). Both give the same rows: sorted by delay, then in order of generation.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "connect/buckets.hpp"
#include "connect/piles.hpp"
#include "connect/projection.hpp"
#include "tables/delay_column.hpp"

namespace npl::connect {

/// Known properties of a table before its edges are drawn.
struct DraftShape {
  Gid lowest = 0, highest = -1;               ///< sources
  Delay lowest_delay = 1, highest_delay = 1;  ///< [steps]
  double edges = 0;                           ///< expected number
  tables::SourceOrder order = {};             ///< order of rows of sorted tables

  /// True when sorting is the better method. With several ranks, most spikes carry the number of their row: rows of fewer than about 4
  /// synapses are sorted, which takes less memory and time. With one rank, every spike looks its row up: sorted only where an array over
  /// all possible sources would be larger than a list of sources.
  bool sparse() const { return sparse(static_cast<double>(highest - lowest + 1), edges, order.by_rank()); }
  static bool sparse(double span, double edges, bool by_rank) { return by_rank ? 4 * span > edges : span > 4 * edges; }
};

/// Calls in order: [count for every edge, place,] add for every edge, finish. The bracket applies unless sorted().
class Draft {
 public:
  /// @param spec format of the table; @param sorted use piles instead of counters; @param pool memory of the piles, must outlive the draft
  Draft(const tables::TableSpec& spec, const DraftShape& shape, bool sorted, SlabPool* pool = nullptr);

  bool sorted() const { return sorted_; }
  /// Pass 1: counts synapses of these sources.
  void count(std::span<const Gid> sources) {
    for (Gid source : sources) ++slots_[static_cast<std::size_t>(source - shape_.lowest)];
  }
  /// After pass 1: computes the row offsets and allocates the columns in their exact size. Throws BadParameter beyond 2^32 - 1 synapses.
  void place();
  /// Pass 2: adds edges. @tparam W the weight type of the table
  template <class W>
  void add(const EdgeColumns<W>& edges);
  /// After pass 2: the finished table, or null when it has no synapse.
  /// @param wanted encoding of delays; default: the smallest
  /// @param last true: the pool is not needed again, so its pages are freed as the table grows
  /// Throws BadParameter beyond 2^32 - 1 synapses.
  std::unique_ptr<tables::EdgeTable> finish(std::optional<tables::Layout> wanted = {}, bool last = true);

  /// True when parameters differ from synapse to synapse: then edges are added with keyed weights, and the finished table has the keys in
  /// the first values of its column of parameters, which the caller has to set.
  bool varied() const { return table_->spec->varied.size() > 0; }
  tables::Weights weights() const { return table_->spec->weights; }
  /// (coded) The weights by code.
  const float* book() const { return table_->spec->book->values(); }

 private:
  void allocate(std::uint64_t synapses);
  template <class W>
  void make_store(SlabPool* pool);
  template <class W>
  void put(std::uint32_t at, const Edge<W>& e);
  void finish_edges(std::monostate, bool) {}
  template <class W, class Key>
  void finish_edges(Buckets<W, Key>& buckets, bool last);
  template <class W>
  void finish_edges(Piles<W>& piles, bool last);
  void set_rows(Buffer<std::uint64_t> marks, tables::SourceList keys);

  DraftShape shape_;
  bool sorted_;
  std::uint64_t lowest_key_ = 0;
  std::unique_ptr<tables::EdgeTable> table_;
  Buffer<std::uint32_t> slots_;  ///< per possible source: pass 1: number of edges; pass 2: place of the next edge
  tables::DelayColumn delays_;
  RowColumns columns_;
  template <class W>
  using Stores = std::variant<std::monostate, Buckets<W, std::uint32_t>, Buckets<W, std::uint64_t>, Piles<W>>;
  std::variant<Stores<NoWeight>, Stores<float>, Stores<double>, Stores<tables::Code>, Stores<Keyed<float>>, Stores<Keyed<double>>> edges_;
};

}  // namespace npl::connect
