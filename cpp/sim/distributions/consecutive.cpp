// SPDX-License-Identifier: Apache-2.0
#include "sim/distribution.hpp"

namespace npl::sim {
namespace {

/// Consecutive gids are on the same rank: good if they are connected to one another (Hines et al. 2011, table 3), bad if they burst
/// together.
class Consecutive final : public Distribution {
 public:
  Consecutive(std::uint64_t, std::vector<std::int32_t>) {}
  int rank_of(Gid gid, Gid first, std::int64_t n, int ranks) const override { return static_cast<int>((gid - first) / share(n, ranks)); }
  Members members(Gid first, std::int64_t n, const Place& at) const override {
    const Gid begin = first + at.rank * share(n, at.ranks), last = std::min(begin + share(n, at.ranks), first + n) - 1;
    return in_slice(begin, last, 1, at);
  }
  std::int64_t seat(Gid gid, Gid first, std::int64_t n, int ranks) const override { return (gid - first) % share(n, ranks); }

 private:
  static std::int64_t share(std::int64_t n, int ranks) { return (n + ranks - 1) / ranks; }
};

}  // namespace
}  // namespace npl::sim

NPL_DISTRIBUTION(consecutive, Consecutive, false, "Each population is cut into one piece of neighbours per rank.")
