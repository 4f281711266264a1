// SPDX-License-Identifier: Apache-2.0
/// How many of N edges end on each target, without communication: the number is split by halves down a tree over the post positions, each
/// split drawn from the counter of its tree node (cf. Funke et al. 2017, "Communication-free massively distributed graph generation").
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "rng/philox.hpp"

namespace npl::connect {

class CountTree {
 public:
  enum class Split { with_replacement, without_replacement };  ///< multinomial or multivariate hypergeometric counts

  /// @param capacity capacity of one position (weight, and with `without_replacement` the most it can get); positions in `reduced`
  ///                 (sorted) have one less.
  CountTree(rng::Key key, std::uint64_t n, Split split, std::uint64_t positions, std::uint64_t capacity,
            std::vector<std::uint32_t> reduced);

  /// Edges of a position, and of all before it. Thread safe; the first call in a block of positions fills it.
  std::uint32_t count(std::uint64_t position) const;
  std::uint64_t offset(std::uint64_t position) const;

 private:
  static constexpr std::uint64_t block = 256;
  void divide(std::uint64_t begin, std::uint64_t end, std::uint64_t n, bool to_blocks) const;
  std::uint64_t left_share(std::uint64_t begin, std::uint64_t middle, std::uint64_t end, std::uint64_t n) const;
  std::uint64_t weight(std::uint64_t begin, std::uint64_t end) const;
  void fill_block(std::uint64_t index) const;

  rng::Key key_;
  Split split_;
  std::uint64_t positions_, capacity_;
  std::vector<std::uint32_t> reduced_;
  mutable std::vector<std::uint64_t> block_offsets_;  ///< edges before each block; one more at the end
  mutable std::vector<std::uint32_t> counts_;
  std::unique_ptr<std::once_flag[]> filled_;
};

}  // namespace npl::connect
