// SPDX-License-Identifier: Apache-2.0
#include "sim/distribution.hpp"

namespace npl::sim {
namespace {

/// Consecutive gids are on different ranks and slices, which spreads populations evenly (Jordan et al. 2018, section 2.4).
class RoundRobin final : public Distribution {
 public:
  RoundRobin(std::uint64_t, std::vector<std::int32_t>) {}
  int rank_of(Gid gid, Gid, std::int64_t, int ranks) const override { return static_cast<int>((gid - 1) % ranks); }
  Gid stride(int ranks) const override { return ranks; }
  Members members(Gid first, std::int64_t n, const Place& at) const override {
    return in_slice(next(first, 1 + at.rank, at.ranks), first + n - 1, at.ranks, at);
  }
  std::int64_t seat(Gid gid, Gid first, std::int64_t, int ranks) const override { return (gid - first) / ranks; }
};

}  // namespace
}  // namespace npl::sim

NPL_DISTRIBUTION(round_robin, RoundRobin, false, "In turn to all ranks: every population is spread evenly.")
