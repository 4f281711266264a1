// SPDX-License-Identifier: Apache-2.0
/// Overlaps of presynaptic pieces with the indexed postsynaptic ones of this rank.
#pragma once
#include "circuit/boutons.hpp"
#include "circuit/tree.hpp"

namespace npl::circuit {

/// So many overlaps in a row are of one presynaptic section.
struct Group {
  Gid pre_gid;
  std::int32_t pre_section;
  std::uint32_t n;
};

struct Found {
  std::vector<Group> groups;
  std::vector<Overlap> overlaps;
};

struct SearchCounts {
  std::uint64_t boxes = 0;     ///< nodes of 8 boxes compared with a box
  std::uint64_t tested = 0;    ///< pairs of segments whose boxes meet
  std::uint64_t overlaps = 0;  ///< of these
};

/// The receiving side of one rank.
struct Index {
  Pieces pieces;
  Tree tree;  ///< leaf i holds the boxes of the segments of piece i
};

/// Of one thread.
class Search {
 public:
  /// @param rank of the index; @param autapses whether a cell may touch itself
  Search(const Index& index, std::uint32_t rank, bool autapses) : index_(index), rank_(rank), autapses_(autapses) {}

  /// Appends the overlaps of pieces [first, last), which are of one section, as one group; none where there are none.
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
