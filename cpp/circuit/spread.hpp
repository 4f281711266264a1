// SPDX-License-Identifier: Apache-2.0
/// Distribution of the postsynaptic side over ranks: pieces are sorted along a space-filling curve and cut into parts with equally many
/// segments.
#pragma once
#include "circuit/mail.hpp"
#include "circuit/search.hpp"

namespace npl::circuit {

/// Redistributes pieces: every rank gives any pieces and gets those of its part of space, indexed. Touches do not depend on the partition.
/// Collective. Throws TooLarge.
Index spread(comm::Communicator& comm, Mail& mail, Pieces pieces);

/// Throws BadParameter on all ranks if a gid is given twice, by one rank or by two. Collective. Memory per rank: its share of the gids.
void check_unique(comm::Communicator& comm, std::span<const Gid> gids);

/// Finds the ranks whose part of space a box may touch. Every rank knows some boxes of all ranks.
class Router {
 public:
  static constexpr std::size_t boxes_per_rank = 64;  ///< at most: 1.5 KiB for each rank, on every rank

  /// @param mine tree of this rank. Collective.
  Router(comm::Communicator& comm, const Tree& mine);
  /// Writes the ranks with a box that meets this one to `ranks`, ascending.
  void find(const Box& box, std::vector<std::uint32_t>& ranks);
  std::size_t n_boxes() const { return n_boxes_; }

 private:
  Tree tree_;
  std::size_t n_boxes_ = 0;
  std::vector<std::uint32_t> leaves_, slots_;
};

}  // namespace npl::circuit
