// SPDX-License-Identifier: Apache-2.0
/// Memory taken bit by bit and given back all at once, in pages of the system: what many small pieces held for a while is really free afterwards.
#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/buffer.hpp"

namespace npl {

/// Slabs that nobody uses at the moment: fresh pages cost more than what is done with them. One thread at a time.
class SlabPool {
 public:
  static constexpr std::size_t slab_bytes = std::size_t{1} << 20;  ///< too small for huge pages, which could not be given back in part
  Buffer<std::byte> get() {
    if (free_.empty()) return Buffer<std::byte>(slab_bytes);
    Buffer<std::byte> slab = std::move(free_.back());
    free_.pop_back();
    return slab;
  }
  void put(Buffer<std::byte> slab) { free_.push_back(std::move(slab)); }

 private:
  std::vector<Buffer<std::byte>> free_;
};

class Slabs {
 public:
  /// @param pool where slabs come from and go to, outlives this; null: the system
  explicit Slabs(SlabPool* pool = nullptr) : pool_(pool) {}
  Slabs(Slabs&&) = default;
  Slabs& operator=(Slabs&& o) noexcept {
    std::swap(pool_, o.pool_), std::swap(slabs_, o.slabs_), std::swap(used_, o.used_);
    return *this;
  }
  ~Slabs() {
    for (auto& s : slabs_)
      if (pool_ && s.size() == SlabPool::slab_bytes) pool_->put(std::move(s));
  }
  /// Bytes, aligned to 16 (and to whole pages, if all that is taken is whole pages), that stay where they are; what is in them is left over from others.
  std::byte* take(std::size_t bytes) {
    const std::size_t size = (bytes + 15) / 16 * 16;
    if (slabs_.empty() || used_ + size > slabs_.back().size()) {
      slabs_.push_back(size > SlabPool::slab_bytes || !pool_ ? Buffer<std::byte>(std::max(size, SlabPool::slab_bytes)) : pool_->get());
      used_ = 0;
    }
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
  SlabPool* pool_;
  std::vector<Buffer<std::byte>> slabs_;
  std::size_t used_ = 0;
};

}  // namespace npl
