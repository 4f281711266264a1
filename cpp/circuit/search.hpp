// SPDX-License-Identifier: Apache-2.0
/// Search for overlaps of presynaptic pieces with the indexed postsynaptic pieces of this rank.
#pragma once
#include "circuit/boutons.hpp"
#include "circuit/tree.hpp"

namespace npl::circuit {

/// n consecutive overlaps of one presynaptic section.
struct Group {
  Gid pre_gid;
  std::int32_t pre_section;
  std::uint32_t n;
};

/// Overlaps found by one thread, in groups.
struct Found {
  std::vector<Group> groups;
  std::vector<Overlap> overlaps;
};

/// Counters of a search.
struct SearchCounts {
  std::uint64_t boxes = 0;     ///< comparisons of a box with a node of 8 boxes
  std::uint64_t tested = 0;    ///< pairs of segments whose boxes meet
  std::uint64_t overlaps = 0;  ///< pairs of these that overlap
};

/// Postsynaptic pieces of one rank with their tree.
struct Index {
  Pieces pieces;
  Tree tree;  ///< leaf i holds the boxes of the segments of piece i
};

/// State of the search in one thread.
class Search {
 public:
  /// @param index must outlive this; @param rank that owns the index; @param autapses whether a cell may touch itself
  Search(const Index& index, std::uint32_t rank, bool autapses) : index_(index), rank_(rank), autapses_(autapses) {}

  /// Appends the overlaps of pieces [first, last) of one section as one group; no group if there are none.
  void section(const Pieces& pre, std::size_t first, std::size_t last, Found& found);
  const SearchCounts& counts() const { return counts_; }

 private:
  void piece(const Pieces& pre, std::size_t i, Found& found);
  void flush(const Pieces& pre, Found& found);

  const Index& index_;
  const std::uint32_t rank_;
  const bool autapses_;
  SearchCounts counts_;
  std::vector<std::uint32_t> leaves_, slots_;
  PairBlock block_;
  struct Pair {
    double arc, length;  ///< of the presynaptic segment
    std::uint32_t pre, post;
  };
  Pair pairs_[PairBlock::capacity];
};

}  // namespace npl::circuit
