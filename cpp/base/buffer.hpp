// SPDX-License-Identifier: Apache-2.0
/// Plain arrays for large tables: zero-filled, page-aligned, in huge pages where the system allows. Nothing is written when an array is
/// made: the system makes a page when it is first written to, on the NUMA node of the thread that writes ("first touch"). So the thread
/// that will use an array must also be the one that fills it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace npl {

/// Zeroed memory: from the heap below 64 KiB (and then written to at once), else pages of the system; huge pages are asked for where
/// one is filled to seven eighths. Throws std::bad_alloc.
void* map_pages(std::size_t bytes);
/// Returns what map_pages gave; `bytes` as given there.
void unmap_pages(void* pages, std::size_t bytes) noexcept;
/// Returns the free memory of the C library's heap to the system (glibc only; elsewhere nothing happens).
void release_heap() noexcept;
/// Returns whole pages to the system but keeps their addresses: they read as zero again, and are made anew when written to. Only for memory
/// that map_pages took from the system (64 KiB and more). `pages` and `bytes`: multiples of page_bytes.
void forget_pages(void* pages, std::size_t bytes) noexcept;
inline constexpr std::size_t page_bytes = 4096;
/// Asks for huge pages where memory that was not written to yet has some whole ones.
void ask_for_huge_pages(void* memory, std::size_t bytes) noexcept;

/// True if a list is large enough for the C library to map its memory: pages beyond the last value then take no memory.
template <class T>
bool is_long(const std::vector<T>& list) noexcept {
  return list.capacity() * sizeof(T) >= (1u << 20);
}
/// Bytes of memory that a list takes. For lists that grow by make_room and are freed, not cleared.
template <class T>
std::size_t list_bytes(const std::vector<T>& list) noexcept {
  return sizeof(T) * (is_long(list) ? list.size() : list.capacity());
}

/// Capacity [bytes] that make_room gives a long list of `bytes`: at least 256 MB where unused capacity takes no memory, so that the list
/// is seldom copied; else twice as much as before.
std::size_t next_room(std::size_t bytes);

/// Makes room for `more` values at the end of a list. A long list gets huge pages, since making small pages took as long as filling them,
/// and much capacity, since each copy clears pages again. Throws std::bad_alloc; then nothing has changed.
template <class T>
void make_room(std::vector<T>& list, std::size_t more = 1) {
  const std::size_t n = list.size() + more, doubled = std::max(n, 2 * list.capacity());
  if (n <= list.capacity()) return;
  std::vector<T> larger;
  try {
    larger.reserve(is_long(list) ? std::max(n, next_room(list.capacity() * sizeof(T)) / sizeof(T)) : doubled);
  } catch (const std::bad_alloc&) {
    if (!is_long(list)) throw;
    larger.reserve(doubled);
  }
  ask_for_huge_pages(larger.data(), larger.capacity() * sizeof(T));
  larger.insert(larger.end(), list.begin(), list.end());
  list.swap(larger);
}

/// Capacity for n values of a list that is empty, in huge pages where it is long: making small pages took longer than filling them. Throws
/// std::bad_alloc.
template <class T>
void reserve_pages(std::vector<T>& list, std::size_t n) {
  list.reserve(n);
  ask_for_huge_pages(list.data(), list.capacity() * sizeof(T));
}
/// A list of n zeros in such memory.
template <class T>
std::vector<T> zeros_in_pages(std::size_t n) {
  std::vector<T> list;
  reserve_pages(list, n);
  list.resize(n);
  return list;
}

/// An array of n values, all zero bits at first. Movable, not copyable. Constructor and resize throw std::bad_alloc.
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

  /// Changes the length; values up to the shorter length stay, new ones are zero. Copies into new memory: pointers become invalid.
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
