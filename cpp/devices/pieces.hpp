// SPDX-License-Identifier: Apache-2.0
/// Targets whose gids are evenly spaced: such counters are drawn several times faster (rng::draw_line).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.hpp"

namespace npl::devices {

inline constexpr std::size_t piece_size = 256;  ///< at most so many targets in a piece: their words stay in the L1 cache

/// Targets begin .. begin + n - 1 have gids first, first + stride, ...
struct Piece {
  std::size_t begin, n;
  std::uint64_t first, stride;
};

inline std::vector<Piece> pieces_of(const std::vector<Gid>& gid) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < gid.size(); ++i) {
    if (!pieces.empty() && pieces.back().n < piece_size) {
      Piece& p = pieces.back();
      const auto stride = static_cast<std::uint64_t>(gid[i] - gid[i - 1]);
      if (p.n == 1) p.stride = stride;
      if (p.stride == stride) {
        ++p.n;
        continue;
      }
    }
    pieces.push_back({i, 1, static_cast<std::uint64_t>(gid[i]), 0});
  }
  return pieces;
}

}  // namespace npl::devices
