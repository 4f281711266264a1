// SPDX-License-Identifier: Apache-2.0
/// Plain arrays for the big tables: page aligned, zero filled, huge pages where the system allows, touched first by their user.
#pragma once
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace npl {

/// Zeroed pages from the system; at least 2 MiB ones ask for huge pages. Throws std::bad_alloc.
void* map_pages(std::size_t bytes);
void unmap_pages(void* pages, std::size_t bytes) noexcept;
/// What was freed but is still held for later by the C library goes back to the system, where it can.
void release_heap() noexcept;
/// Gives whole pages back while their addresses stay: they read as zero again. At least 64 KiB were mapped together.
void forget_pages(void* pages, std::size_t bytes) noexcept;
inline constexpr std::size_t page_bytes = 4096;

template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t n) : data_(n ? static_cast<T*>(map_pages(n * sizeof(T))) : nullptr), size_(n) {}
  Buffer(Buffer&& o) noexcept : data_(std::exchange(o.data_, nullptr)), size_(std::exchange(o.size_, 0)) {}
  Buffer& operator=(Buffer&& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(size_, o.size_);
    return *this;
  }
  ~Buffer() {
    if (data_) unmap_pages(data_, size_ * sizeof(T));
  }

  /// A buffer of another length with the same beginning.
  void resize(std::size_t n) {
    Buffer larger(n);
    const std::size_t kept = n < size_ ? n : size_;
    if (kept) std::memcpy(larger.data_, data_, kept * sizeof(T));
    *this = std::move(larger);
  }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t bytes() const noexcept { return size_ * sizeof(T); }
  bool empty() const noexcept { return size_ == 0; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + size_; }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }
  operator std::span<const T>() const noexcept { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace npl
