// SPDX-License-Identifier: Apache-2.0
/// Memory taken bit by bit and given back all at once, in pages of the system: what many small pieces held for a while is really free afterwards.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/buffer.hpp"

namespace npl {

class Slabs {
 public:
  /// Zeroed bytes, aligned to 16, that stay where they are.
  std::byte* take(std::size_t bytes) {
    const std::size_t size = (bytes + 15) / 16 * 16;
    if (slabs_.empty() || used_ + size > slabs_.back().size()) slabs_.emplace_back(std::max(size, slab_bytes)), used_ = 0;
    std::byte* at = slabs_.back().data() + used_;
    used_ += size;
    return at;
  }
  std::size_t bytes() const {
    std::size_t total = 0;
    for (const auto& s : slabs_) total += s.bytes();
    return total;
  }

 private:
  static constexpr std::size_t slab_bytes = std::size_t{4} << 20;
  std::vector<Buffer<std::byte>> slabs_;
  std::size_t used_ = 0;
};

}  // namespace npl
