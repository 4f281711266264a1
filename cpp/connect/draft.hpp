// SPDX-License-Identifier: Apache-2.0
/// A table while it is being made. Where sources are dense: counters per source, then cursors into rows, then rows sorted by delay (two
/// passes over the edges). Where there are more possible sources than edges: edges piled up in one pass, each pile sorted by (source, delay).
/// Either way a row's synapses are sorted by delay, in order of generation among equal ones.
#pragma once
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "connect/buckets.hpp"
#include "connect/piles.hpp"
#include "connect/projection.hpp"
#include "tables/delay_column.hpp"

namespace npl::connect {

/// What is known of a table before its edges are drawn.
struct DraftShape {
  Gid lowest = 0, highest = -1;               ///< sources
  Delay lowest_delay = 1, highest_delay = 1;  ///< [steps]
  double edges = 0;                           ///< expected
  tables::SourceOrder order = {};             ///< of rows, where edges are sorted

  /// Rows of few synapses. With several ranks, where most spikes come with the number of their row: fewer than about 4, as sorting takes less
  /// memory and time. With one rank every spike looks for its row: only where an array for all possible sources would be larger than a list.
  bool sparse() const { return sparse(static_cast<double>(highest - lowest + 1), edges, order.by_rank()); }
  static bool sparse(double span, double edges, bool by_rank) { return by_rank ? 4 * span > edges : span > 4 * edges; }
};

class Draft {
 public:
  /// @param sorted piles instead of counters, in memory of the pool, which outlives this
  Draft(const tables::TableSpec& spec, const DraftShape& shape, bool sorted, SlabPool* pool = nullptr);

  bool sorted() const { return sorted_; }
  /// Pass 1, unless sorted: source has one more synapse.
  NPL_INLINE void count(Gid source) { ++slots_[static_cast<std::size_t>(source - shape_.lowest)]; }
  /// After pass 1: rows get their places and the columns their exact size. Throws BadParameter beyond 2^32 - 1 synapses.
  void place();
  /// Pass 2: one edge; its weight in the precision of the table.
  template <class W>
  NPL_INLINE void add(Gid source, Local target, Delay delay, W weight) {
    if (sorted_)
      return std::get<Piles<W>>(edges_).add(shape_.order.key(source) - lowest_key_, static_cast<std::uint16_t>(target), delay, weight);
    const Edge<W> edge{static_cast<std::uint32_t>(source - shape_.lowest), static_cast<std::uint16_t>(target), delay, weight};
    std::get<Buckets<W>>(edges_).add(edge, [this](const Edge<W>* edges, std::uint32_t n) { write(edges, n); });
  }
  /// After pass 2: the finished table, or null when it has no synapse. Delays are encoded as it takes least space or as wanted.
  /// @param last memory for edges is not needed again: it is given back as the table grows
  std::unique_ptr<tables::EdgeTable> finish(std::optional<tables::Layout> wanted = {}, bool last = true);

  tables::Weights weights() const { return table_->spec->weights; }

 private:
  void allocate(std::uint64_t synapses);
  template <class W>
  void make_store(SlabPool* pool);
  NPL_INLINE void put(std::uint32_t at, const Edge<NoWeight>& e) { put_all(at, e); }
  NPL_INLINE void put(std::uint32_t at, const Edge<float>& e) { put_all(at, e), weight32_[at] = e.weight; }
  NPL_INLINE void put(std::uint32_t at, const Edge<double>& e) { put_all(at, e), weight64_[at] = e.weight; }
  template <class W>
  NPL_INLINE void put_all(std::uint32_t at, const Edge<W>& e) {
    target_[at] = e.target;
    delays_.put(at, e.delay);
  }
  /// Edges to their rows.
  template <class W>
  void write(const Edge<W>* edges, std::uint32_t n) {
    for (std::uint32_t i = 0; i < n; ++i) put(slots_[edges[i].slot]++, edges[i]);
  }
  template <class W>
  void finish_edges(Buckets<W>& buckets, bool last);
  template <class W>
  void finish_edges(Piles<W>& piles, bool last);
  void set_rows(Buffer<std::uint64_t> marks, tables::SourceList keys);

  DraftShape shape_;
  bool sorted_;
  std::uint64_t lowest_key_ = 0;
  std::unique_ptr<tables::EdgeTable> table_;
  Buffer<std::uint32_t> slots_;  ///< per possible source: its count, then its cursor
  tables::DelayColumn delays_;
  std::uint16_t* target_ = nullptr;
  float* weight32_ = nullptr;
  double* weight64_ = nullptr;
  std::variant<Buckets<NoWeight>, Buckets<float>, Buckets<double>, Piles<NoWeight>, Piles<float>, Piles<double>> edges_;
};

}  // namespace npl::connect
