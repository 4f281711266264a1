// SPDX-License-Identifier: Apache-2.0
/// The gids behind the numbers of the sources of every rank: the price of short records where all ranks get all spikes, 8 bytes per node of
/// the network on every rank.
#pragma once
#include <vector>

#include "base/ids.hpp"
#include "comm/communicator.hpp"

namespace npl::exchange {

class SourceGids {
 public:
  SourceGids() = default;
  /// @param gids [rank][number]
  explicit SourceGids(std::vector<std::vector<Gid>> gids) : gids_(std::move(gids)) {}
  /// Collective. @param mine gids of the sources of this rank, by number
  static SourceGids gather(comm::Communicator& comm, const std::vector<Gid>& mine);

  bool empty() const { return gids_.empty(); }
  /// Throws BadMessage for numbers that the rank does not have.
  Gid gid(int rank, std::uint64_t number) const;
  std::size_t bytes() const;

 private:
  std::vector<std::vector<Gid>> gids_;
};

}  // namespace npl::exchange
