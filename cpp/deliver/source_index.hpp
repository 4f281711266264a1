// SPDX-License-Identifier: Apache-2.0
/// From a source's gid to its row: a plain array where the sources are dense, a sorted list where they are sparse.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

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
    return at != sorted_.end() && *at == static_cast<std::uint64_t>(gid - first_) ? static_cast<std::uint32_t>(at - sorted_.begin()) : none;
  }
  /// Calls f(row, gid) in order of rows.
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t i = 0; i < sorted_.size(); ++i) f(static_cast<std::uint32_t>(i), first_ + static_cast<Gid>(sorted_[i]));
    for (std::size_t i = 0; i < direct_.size(); ++i)
      if (direct_[i] != none) f(direct_[i], first_ + static_cast<Gid>(i));
  }
  std::size_t bytes() const { return direct_.bytes() + sorted_.bytes(); }

 private:
  Gid first_ = 0, last_ = -1;
  Buffer<std::uint32_t> direct_;   ///< row of gid first_ + i, or none
  Buffer<std::uint64_t> sorted_;   ///< gid - first_ of row i
};

}  // namespace npl::deliver
