// SPDX-License-Identifier: Apache-2.0
#include "circuit/turns.hpp"

#include <algorithm>
#include <limits>

namespace npl::circuit {
namespace {

/// Segments of the own cells before a gid.
class Before {
 public:
  explicit Before(std::vector<Turn> turns) : turns_(std::move(turns)), sum_(turns_.size() + 1) {
    std::sort(turns_.begin(), turns_.end(), [](const Turn& a, const Turn& b) { return a.gid < b.gid; });
    for (std::size_t i = 0; i < turns_.size(); ++i) sum_[i + 1] = sum_[i] + turns_[i].segments;
  }
  std::int64_t operator()(Gid gid) const {
    const auto at = std::lower_bound(turns_.begin(), turns_.end(), gid, [](const Turn& t, Gid g) { return t.gid < g; });
    return sum_[static_cast<std::size_t>(at - turns_.begin())];
  }
  std::int64_t all() const { return sum_.back(); }
  Gid largest() const { return turns_.empty() ? -1 : turns_.back().gid; }

 private:
  std::vector<Turn> turns_;
  std::vector<std::int64_t> sum_;
};

}  // namespace

/// Rank r begins with the smallest number that has at least r shares of the segments before it. All of these are found by bisection at
/// once: a sum over ranks per bit of the largest gid.
Turns::Turns(comm::Communicator& comm, std::vector<Turn> mine) {
  const Before before(std::move(mine));
  std::int64_t total = before.all(), largest = before.largest();
  comm.allreduce({&total, 1}, comm::Op::sum);
  comm.allreduce({&largest, 1}, comm::Op::max);
  const auto n = static_cast<std::size_t>(comm.size() - 1);
  if (n == 0) return;
  std::vector<Gid> last(n, largest + 1);  // has enough before it
  std::vector<std::int64_t> sums(n);
  first_.assign(n, 0);
  const auto middle = [&](std::size_t r) { return first_[r] + (last[r] - first_[r]) / 2; };
  for (std::int64_t width = largest + 1; width > 0; width /= 2) {
    for (std::size_t r = 0; r < n; ++r) sums[r] = before(middle(r));
    comm.allreduce(std::span<std::int64_t>(sums), comm::Op::sum);
    for (std::size_t r = 0; r < n; ++r) {
      if (first_[r] == last[r]) continue;
      const bool enough = sums[r] * comm.size() >= total * static_cast<std::int64_t>(r + 1);
      (enough ? last : first_)[r] = middle(r) + !enough;
    }
  }
}

std::size_t Turns::rank_of(Gid gid) const {
  return static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), gid) - first_.begin());
}

}  // namespace npl::circuit
