// SPDX-License-Identifier: Apache-2.0
/// Partition of the nodes: the gids of a slice, ascending per population. Kept as (first, stride, n) where the gids are evenly spaced, else
/// as a list.
#pragma once
#include <algorithm>
#include <vector>

#include "base/ids.hpp"

namespace npl {

/// Gids of one population in one slice, ascending.
class Members {
 public:
  Members() = default;
  /// first, first + stride, ... (n gids; stride >= 1)
  Members(Gid first, Gid stride, std::int64_t n) : first_(first), stride_(stride), n_(n) {}
  /// @param gids ascending
  explicit Members(std::vector<Gid> gids) : n_(static_cast<std::int64_t>(gids.size())), list_(std::move(gids)) {}

  std::int64_t size() const { return n_; }
  Gid operator[](std::int64_t k) const { return list_.empty() ? first_ + k * stride_ : list_[static_cast<std::size_t>(k)]; }
  Gid last() const { return (*this)[n_ - 1]; }
  /// Number of members with a smaller gid.
  std::int64_t below(Gid gid) const {
    if (!list_.empty()) return std::lower_bound(list_.begin(), list_.end(), gid) - list_.begin();
    return gid <= first_ ? 0 : std::min(n_, (gid - first_ + stride_ - 1) / stride_);
  }
  /// Index of a gid in this set, or -1.
  std::int64_t find(Gid gid) const {
    const std::int64_t k = below(gid);
    return k < n_ && (*this)[k] == gid ? k : -1;
  }

 private:
  Gid first_ = 0, stride_ = 1;
  std::int64_t n_ = 0;
  std::vector<Gid> list_;
};

/// All nodes of one slice: one block per population, in order of creation. Local indices run through all blocks.
class Residents {
 public:
  /// The members of one population.
  struct Block {
    Gid first;          ///< of the population
    Local first_local;  ///< of its first member here
    Members members;
  };

  /// Appends the members of a population, whose gids are above all earlier ones. `first`: first gid of the whole population.
  void add(Gid first, Members members) {
    blocks_.push_back({first, n_, std::move(members)});
    n_ += static_cast<Local>(blocks_.back().members.size());
  }
  /// Removes the last population.
  void drop_last() {
    n_ = blocks_.back().first_local;
    blocks_.pop_back();
  }
  Local size() const { return n_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  /// Index of the block of a gid's population; gids start at 1.
  std::size_t block_of(Gid gid) const {
    const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), gid, [](Gid g, const Block& b) { return g < b.first; });
    return static_cast<std::size_t>(after - blocks_.begin()) - 1;
  }
  static constexpr Local none = 0xffffffffu;
  /// Local index of a gid, or none.
  Local local(Gid gid) const {
    if (blocks_.empty() || gid < blocks_.front().first) return none;
    const Block& b = blocks_[block_of(gid)];
    const std::int64_t k = b.members.find(gid);
    return k < 0 ? none : b.first_local + static_cast<Local>(k);
  }
  /// Gid of a local index < size().
  Gid gid(Local local) const {
    const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), local, [](Local l, const Block& b) { return l < b.first_local; });
    const Block& b = *(after - 1);  // empty blocks share their first_local with the next one, which upper_bound passes
    return b.members[local - b.first_local];
  }

 private:
  std::vector<Block> blocks_;
  Local n_ = 0;
};

}  // namespace npl
