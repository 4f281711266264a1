// SPDX-License-Identifier: Apache-2.0
#include "rng/philox.hpp"
#include "sim/distribution.hpp"

namespace npl::sim {
namespace {

/// Keyed permutation of 0 .. n - 1 without a table: a Feistel network on the next even number of bits, with cycle walking to below n.
class Permutation {
 public:
  Permutation(rng::Key key, std::int64_t n) : key_(key), n_(static_cast<std::uint64_t>(n)) {
    while ((std::uint64_t{1} << (2 * half_)) < n_) ++half_;
    mask_ = (std::uint64_t{1} << half_) - 1;
  }
  std::int64_t forward(std::int64_t i) const {
    auto x = static_cast<std::uint64_t>(i);
    do
      for (unsigned round = 0; round < rounds; ++round) x = (x & mask_) << half_ | ((x >> half_) ^ mix(round, x & mask_));
    while (x >= n_);
    return static_cast<std::int64_t>(x);
  }
  std::int64_t backward(std::int64_t i) const {
    auto x = static_cast<std::uint64_t>(i);
    do
      for (unsigned round = rounds; round-- > 0;) x = ((x & mask_) ^ mix(round, x >> half_)) << half_ | x >> half_;
    while (x >= n_);
    return static_cast<std::int64_t>(x);
  }

 private:
  static constexpr unsigned rounds = 4;
  std::uint64_t mix(unsigned round, std::uint64_t right) const { return rng::draw(key_, right, round)[0] & mask_; }

  rng::Key key_;
  std::uint64_t n_, mask_ = 0;
  unsigned half_ = 1;
};

/// Random assignment: separates neurons that burst together or are connected (the baseline of Hines et al. 2011).
class Shuffled final : public Distribution {
 public:
  Shuffled(std::uint64_t seed, std::vector<std::int32_t>) : seed_(seed) {}
  int rank_of(Gid gid, Gid first, std::int64_t n, int ranks) const override {
    return static_cast<int>((permutation(first, n).forward(gid - first) + first - 1) % ranks);
  }
  Members members(Gid first, std::int64_t n, const Place& at) const override {
    const Members seats = in_slice(next(first, 1 + at.rank, at.ranks), first + n - 1, at.ranks, at);
    const Permutation order = permutation(first, n);
    std::vector<Gid> mine;
    mine.reserve(static_cast<std::size_t>(seats.size()));
    for (std::int64_t k = 0; k < seats.size(); ++k) mine.push_back(first + order.backward(seats[k] - first));
    std::sort(mine.begin(), mine.end());
    return Members(std::move(mine));
  }
  std::int64_t seat(Gid gid, Gid first, std::int64_t n, int ranks) const override {
    return permutation(first, n).forward(gid - first) / ranks;
  }

 private:
  Permutation permutation(Gid first, std::int64_t n) const {
    return {rng::Key::of(seed_, rng::Purpose::distribution, static_cast<std::uint64_t>(first)), n};
  }
  std::uint64_t seed_;
};

}  // namespace
}  // namespace npl::sim

NPL_DISTRIBUTION(shuffled, Shuffled, false, "At random, each population evenly over the ranks.")
