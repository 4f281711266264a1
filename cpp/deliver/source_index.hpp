// SPDX-License-Identifier: Apache-2.0
/// From a source's gid to its row: a plain array where the sources are dense, a sorted list where they are sparse or only some are kept.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/buffer.hpp"
#include "base/ids.hpp"

namespace npl::deliver {

class SourceIndex {
 public:
  static constexpr std::uint32_t none = 0xffffffffu;

  SourceIndex() = default;
  /// @param gids of rows 0, 1, ..., ascending.
  explicit SourceIndex(std::span<const Gid> gids);

  std::uint32_t row(Gid gid) const {
    if (gid < first_ || gid > last_) return none;
    if (!direct_.empty()) return direct_[static_cast<std::size_t>(gid - first_)];
    const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), static_cast<std::uint64_t>(gid - first_));
    return at != sorted_.end() && *at == static_cast<std::uint64_t>(gid - first_) ? row_at(static_cast<std::size_t>(at - sorted_.begin())) : none;
  }
  /// Calls f(row, gid) in order of rows.
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t i = 0; i < n_slots(); ++i) at_slot(i, f);
  }
  /// For those who go through the sources bit by bit: calls f(row, gid) if slot i holds one.
  std::size_t n_slots() const { return sorted_.size() + direct_.size(); }
  template <class F>
  void at_slot(std::size_t i, F&& f) const {
    if (!sorted_.empty())
      f(row_at(i), first_ + static_cast<Gid>(sorted_[i]));
    else if (direct_[i] != none)
      f(direct_[i], first_ + static_cast<Gid>(i));
  }
  /// Forgets the sources for which keep(gid) is false; their rows stay as they are.
  template <class F>
  void keep_only(F&& keep) {
    std::vector<std::pair<std::uint32_t, Gid>> kept;
    for_each([&](std::uint32_t row, Gid gid) {
      if (keep(gid)) kept.emplace_back(row, gid);
    });
    *this = SourceIndex(kept);
  }
  std::size_t bytes() const { return direct_.bytes() + sorted_.bytes() + row_.bytes(); }

 private:
  /// @param some (row, gid), ascending by gid
  explicit SourceIndex(const std::vector<std::pair<std::uint32_t, Gid>>& some);
  std::uint32_t row_at(std::size_t i) const { return row_.empty() ? static_cast<std::uint32_t>(i) : row_[i]; }

  Gid first_ = 0, last_ = -1;
  Buffer<std::uint32_t> direct_;   ///< row of gid first_ + i, or none
  Buffer<std::uint64_t> sorted_;   ///< gid - first_ of row i, or of row_[i]
  Buffer<std::uint32_t> row_;      ///< where only some are kept
};

}  // namespace npl::deliver
