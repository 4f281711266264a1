// SPDX-License-Identifier: Apache-2.0
#include "base/buffer.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <new>

namespace npl {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

// Small arrays come from the heap: a page each would waste memory.
constexpr std::size_t smallest_map = std::size_t{64} << 10;
constexpr std::align_val_t alignment{64};

/// Whole pages; a whole huge page at the end where that adds no more than an eighth of it.
std::size_t rounded(std::size_t bytes) {
  const std::size_t unit = (bytes - 1) % huge_page >= huge_page / 8 * 7 ? huge_page : page_bytes;
  return (bytes + unit - 1) / unit * unit;
}

/// True if unused capacity takes no memory: the system counts pages when they are written to, and the process has no limit of addresses.
bool addresses_are_free() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return false;
  std::ifstream file("/proc/sys/vm/overcommit_memory");
  int policy = 2;
  return file >> policy && policy != 2;
}

void* map(std::size_t bytes) {
  void* pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  return pages;
}

/// From the start of a huge page: none is shared with a neighbour, whose use would make this array's pages resident.
void* map_huge(std::size_t bytes) {
  auto* const all = static_cast<std::byte*>(map(bytes + huge_page));
  const std::size_t before = (huge_page - reinterpret_cast<std::uintptr_t>(all) % huge_page) % huge_page;
  if (before) ::munmap(all, before);
  if (before < huge_page) ::munmap(all + before + bytes, huge_page - before);
  ::madvise(all + before, bytes, MADV_HUGEPAGE);
  return all + before;
}

}  // namespace

void* map_pages(std::size_t bytes) {
  if (bytes < smallest_map) return std::memset(::operator new(bytes, alignment), 0, bytes);
  const std::size_t whole = rounded(bytes);
  return whole >= huge_page ? map_huge(whole) : map(whole);
}

void release_heap() noexcept {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

void forget_pages(void* pages, std::size_t bytes) noexcept { ::madvise(pages, bytes, MADV_DONTNEED); }

void ask_for_huge_pages(void* memory, std::size_t bytes) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory), first = (begin + huge_page - 1) / huge_page * huge_page;
  const std::uintptr_t end = (begin + bytes) / huge_page * huge_page;
  if (first < end) ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

std::size_t next_room(std::size_t bytes) {
  static const bool are_free = addresses_are_free();
  return are_free ? std::max(std::size_t{1} << 28, 8 * bytes) : 2 * bytes;
}

void unmap_pages(void* pages, std::size_t bytes) noexcept {
  if (bytes < smallest_map)
    ::operator delete(pages, alignment);
  else
    ::munmap(pages, rounded(bytes));
}

}  // namespace npl
