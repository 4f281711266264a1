// SPDX-License-Identifier: Apache-2.0
#include "exchange/source_gids.hpp"

#include "comm/collect.hpp"
#include "exchange/wire.hpp"

namespace npl::exchange {

SourceGids SourceGids::gather(comm::Communicator& comm, const std::vector<Gid>& mine) {
  const auto counts = comm::gather(comm, std::vector<std::size_t>{mine.size()});
  const auto all = comm::gather(comm, mine);
  std::vector<std::vector<Gid>> gids;
  auto at = all.begin();
  for (std::size_t n : counts) gids.emplace_back(at, at + static_cast<std::ptrdiff_t>(n)), at += static_cast<std::ptrdiff_t>(n);
  return SourceGids(std::move(gids));
}

Gid SourceGids::gid(int rank, std::uint64_t number) const {
  const std::vector<Gid>& known = gids_[static_cast<std::size_t>(rank)];
  if (number >= known.size()) wire::refuse("number of a source", number, known.size());
  return known[number];
}

std::size_t SourceGids::bytes() const {
  std::size_t total = 0;
  for (const auto& gids : gids_) total += gids.capacity() * sizeof(Gid);
  return total;
}

}  // namespace npl::exchange
