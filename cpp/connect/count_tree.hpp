// SPDX-License-Identifier: Apache-2.0
/// In-degrees of N random edges without communication: N is divided between the halves of the set of targets, recursively down a binary
/// tree. The split at each tree node is drawn from a counter of that node (cf. Funke et al. 2017, "Communication-free massively distributed
/// graph generation").
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "connect/subset.hpp"
#include "rng/philox.hpp"

namespace npl::connect {

/// Stores only its parameters. A query descends from the root; each thread caches its last path, so that positions in ascending order cost
/// O(log gap) splits each and any position O(log positions).
class CountTree {
 public:
  enum class Split { with_replacement, without_replacement };  ///< multinomial or multivariate hypergeometric counts
  struct Share {
    std::uint64_t offset, count;  ///< edges of all lower positions, and of this position
  };

  /// @param n number of edges, at most 2^52
  /// @param positions number of targets
  /// @param capacity weight of a position in the draw; also its largest count when drawing without replacement
  /// @param reduced positions with capacity - 1
  CountTree(rng::Key key, std::uint64_t n, Split split, std::uint64_t positions, std::uint64_t capacity,
            std::optional<Subset> reduced = {});

  /// Edges of one position. Thread safe.
  Share at(std::uint64_t position) const;
  /// Edges of several positions in ascending order, at most `most_at_once`: shares[i] = at(positions[i]), by one walk that splits each tree
  /// node once. Thread safe.
  void at_each(std::span<const std::int64_t> positions, Share* shares) const;
  static constexpr std::size_t most_at_once = 128;

 private:
  using Weight = unsigned __int128;
  struct Path;
  struct Visit;
  class Level;
  std::uint64_t root_end() const;
  std::uint64_t share_of(Weight left, Weight all, std::uint64_t n, double uniform) const;
  std::uint64_t left_share(std::uint64_t begin, std::uint64_t middle, std::uint64_t end, std::uint64_t n) const;
  Weight weight(std::uint64_t begin, std::uint64_t end) const;

  rng::Key key_;
  Split split_;
  std::uint64_t n_, positions_, capacity_, id_;
  std::optional<Subset> reduced_;
};

}  // namespace npl::connect
