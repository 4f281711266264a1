// SPDX-License-Identifier: Apache-2.0
/// Partition of the gids of a batch for the placement of boutons: one contiguous range per rank, with about equally many segments.
#pragma once
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "comm/communicator.hpp"

namespace npl::circuit {

/// A cell of a batch, and the segments of its branches.
struct Turn {
  Gid gid;
  std::int64_t segments;
};

/// Memory grows with the own cells and with the ranks, not with the batch.
class Turns {
 public:
  /// Collective. @param mine cells of this rank, in any order; each is given by one rank
  Turns(comm::Communicator& comm, std::vector<Turn> mine);
  std::size_t rank_of(Gid gid) const;

 private:
  std::vector<Gid> first_;  ///< of ranks 1, 2, ..
};

}  // namespace npl::circuit
