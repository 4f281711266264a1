// SPDX-License-Identifier: Apache-2.0
/// Arena for scratch data of construction: many small allocations, freed together. Memory comes in slabs of 1 MiB straight from the system,
/// so that it really returns there; the heap of the C library would keep it in fragments.
#pragma once
#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "base/buffer.hpp"

namespace npl {

/// Unused slabs for reuse: making fresh pages costs more than filling them. Not thread-safe: one pool per thread.
class SlabPool {
 public:
  static constexpr std::size_t slab_bytes = std::size_t{1} << 20;  ///< below 2 MiB, so without huge pages, which cannot be returned in part
  /// An unused slab, with its old content, or a new one of zeros. Throws std::bad_alloc.
  Buffer<std::byte> get() {
    if (free_.empty()) return Buffer<std::byte>(slab_bytes);
    Buffer<std::byte> slab = std::move(free_.back());
    free_.pop_back();
    return slab;
  }
  /// Takes a slab back; where there is no memory to note it, it is freed.
  void put(Buffer<std::byte> slab) noexcept {
    try {
      free_.push_back(std::move(slab));
    } catch (const std::bad_alloc&) {}
  }

 private:
  std::vector<Buffer<std::byte>> free_;
};

/// The arena: all its memory is freed, or returned to the pool, with the object.
class Slabs {
 public:
  /// @param pool source and destination of slabs; must outlive this object. null: the system
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
  /// Uninitialised memory, aligned to 16 bytes (to pages, if every request is a multiple of a page). It stays valid as long as this object.
  /// Throws std::bad_alloc.
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
  /// Bytes of all slabs in use.
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
