// SPDX-License-Identifier: Apache-2.0
/// The numbers of this rank's sources (nodes of slice 0, 1, ...), by the names that other ranks know them by.
#pragma once
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "sim/each_table.hpp"
#include "sim/emulated.hpp"
#include "sim/wanted_rows.hpp"

namespace npl::sim {

/// What belongs to a rank and stays while its routes are made.
struct LocalSources {
  const Slices& slices;
  const Owners& owners;
  const std::vector<std::size_t>& first;  ///< [slices + 1] number of the first node of each slice
};

class SourceNumbers {
 public:
  /// @param emulated of a dry run: nodes of this rank stand in for those of others
  SourceNumbers(const LocalSources& here, comm::Communicator& comm, const EmulatedRanks& emulated);
  /// Ends the job where another rank asks for a node that does not live here. Any thread.
  /// @param numbers [names]
  void find(std::span<const std::uint64_t> names, std::uint32_t* numbers) const;

 private:
  static constexpr std::uint32_t unknown = 0xffffffffu;
  std::uint32_t number(std::uint64_t name) const;
  std::uint32_t stand_in(std::uint64_t name) const;
  std::uint32_t search(Gid gid) const;

  const LocalSources here_;
  comm::Communicator& comm_;
  const EmulatedRanks& emulated_;
  std::vector<std::uint32_t> by_name_;  ///< where names are numbers, not gids
};

}  // namespace npl::sim
