// SPDX-License-Identifier: Apache-2.0
/// How many of N edges end on each target, without communication: the number is split by halves down a tree over the post positions, each
/// split drawn from the counter of its tree node (cf. Funke et al. 2017, "Communication-free massively distributed graph generation").
#pragma once
#include <cstdint>
#include <optional>

#include "connect/subset.hpp"
#include "rng/philox.hpp"

namespace npl::connect {

/// Keeps nothing but its parameters: a position is found by descending from the root, and each thread remembers the last way down. Positions
/// in ascending order cost O(log gap) splits each, any position O(log positions).
class CountTree {
 public:
  enum class Split { with_replacement, without_replacement };  ///< multinomial or multivariate hypergeometric counts
  struct Share {
    std::uint64_t offset, count;  ///< edges of all positions before, and of this one
  };

  /// @param n at most 2^52
  /// @param capacity capacity of one position (weight, and with `without_replacement` the most it can get); positions in `reduced` have
  ///                 one less.
  CountTree(rng::Key key, std::uint64_t n, Split split, std::uint64_t positions, std::uint64_t capacity,
            std::optional<Subset> reduced = {});

  /// Thread safe.
  Share at(std::uint64_t position) const;

 private:
  using Weight = unsigned __int128;
  struct Path;
  std::uint64_t left_share(std::uint64_t begin, std::uint64_t middle, std::uint64_t end, std::uint64_t n) const;
  Weight weight(std::uint64_t begin, std::uint64_t end) const;

  rng::Key key_;
  Split split_;
  std::uint64_t n_, positions_, capacity_, id_;
  std::optional<Subset> reduced_;
};

}  // namespace npl::connect
