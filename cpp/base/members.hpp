// SPDX-License-Identifier: Apache-2.0
/// Partition of the nodes: the gids of a slice, ascending per population. Kept as (first, stride, n) where the gids are evenly spaced, else
/// as a list.
#pragma once
#include <algorithm>
#include <span>
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
  /// @param gids ascending; if they are evenly spaced no list is kept
  static Members spaced(std::vector<Gid> gids) {
    const auto n = static_cast<std::int64_t>(gids.size());
    if (n < 2) return n == 0 ? Members() : Members(gids[0], 1, 1);
    const Gid stride = gids[1] - gids[0];
    for (std::int64_t k = 2; k < n; ++k)
      if (gids[static_cast<std::size_t>(k)] != gids[0] + k * stride) return Members(std::move(gids));
    return Members(gids[0], stride, n);
  }

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

/// All nodes of one slice: one block per population, in order of creation. Local indices run through all blocks, in that order or another.
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
    by_local_.push_back(static_cast<std::uint32_t>(blocks_.size() - 1));
    n_ += static_cast<Local>(blocks_.back().members.size());
  }
  /// Removes the last population, if it has the last local indices; also one whose add() has failed.
  void drop_last() {
    n_ = blocks_.back().first_local;
    blocks_.pop_back();
    by_local_.resize(blocks_.size());
  }
  /// Gives the last populations new local indices. @param blocks their numbers in the new order
  void reorder(std::span<const std::size_t> blocks) {
    const std::size_t begin = blocks_.size() - blocks.size();
    Local next = begin < blocks_.size() ? blocks_[begin].first_local : n_;
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      by_local_[begin + k] = static_cast<std::uint32_t>(blocks[k]);
      blocks_[blocks[k]].first_local = next;
      next += static_cast<Local>(blocks_[blocks[k]].members.size());
    }
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
    const auto after =
        std::upper_bound(by_local_.begin(), by_local_.end(), local, [&](Local l, std::uint32_t b) { return l < blocks_[b].first_local; });
    const Block& b = blocks_[*(after - 1)];  // empty blocks share their first_local with the next one, which upper_bound passes
    return b.members[local - b.first_local];
  }

 private:
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> by_local_;  ///< blocks in order of their local indices
  Local n_ = 0;
};

}  // namespace npl
