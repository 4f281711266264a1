// SPDX-License-Identifier: Apache-2.0
/// Map from the names of sources used by other ranks (gid or index) to indices among the sources of this rank (nodes of slice 0, 1, ...).
#pragma once
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "sim/each_table.hpp"
#include "sim/emulated.hpp"
#include "sim/wanted_rows.hpp"

namespace npl::sim {

/// Slices and sources of this rank.
struct LocalSources {
  const Slices& slices;
  const Owners& owners;
  const std::vector<std::size_t>& first;  ///< [slices + 1] index of the first node of each slice
};

class SourceNumbers {
 public:
  /// @param emulated dry run: nodes of this rank emulate those of other ranks
  SourceNumbers(const LocalSources& here, comm::Communicator& comm, const EmulatedRanks& emulated);
  /// Converts names to indices; ends the job if a node is not on this rank. Any thread. @param numbers out [names]
  void find(std::span<const std::uint64_t> names, std::uint32_t* numbers) const;

 private:
  static constexpr std::uint32_t unknown = 0xffffffffu;
  std::uint32_t number(std::uint64_t name) const;
  std::uint32_t stand_in(std::uint64_t name) const;
  std::uint32_t search(Gid gid) const;

  const LocalSources here_;
  comm::Communicator& comm_;
  const EmulatedRanks& emulated_;
  std::vector<std::uint32_t> by_name_;  ///< used when names are indices instead of gids
};

}  // namespace npl::sim
