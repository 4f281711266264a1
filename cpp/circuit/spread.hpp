// SPDX-License-Identifier: Apache-2.0
/// The receiving side over ranks: pieces sorted along a space-filling curve and cut into parts of equally many segments, and who has what.
#pragma once
#include "circuit/mail.hpp"
#include "circuit/search.hpp"

namespace npl::circuit {

/// Collective. Every rank brings any pieces and keeps those of its part of space, indexed. Results do not depend on which part that is.
Index spread(comm::Communicator& comm, Mail& mail, Pieces pieces);

/// Collective. Throws BadParameter on all ranks where a gid is given twice, by one rank or by two. Memory: a share of the gids.
void check_unique(comm::Communicator& comm, std::span<const Gid> gids);

/// Which ranks have something near a box: some boxes of every rank, known to all.
class Router {
 public:
  static constexpr std::size_t boxes_per_rank = 64;  ///< at most; 1.5 KiB per rank on every rank

  /// Collective.
  Router(comm::Communicator& comm, const Tree& mine);
  /// Ranks one of whose boxes meets the box, ascending, into `ranks`.
  void find(const Box& box, std::vector<std::uint32_t>& ranks);
  std::size_t n_boxes() const { return n_boxes_; }

 private:
  Tree tree_;
  std::size_t n_boxes_ = 0;
  std::vector<std::uint32_t> leaves_, slots_;
};

}  // namespace npl::circuit
