/* SPDX-License-Identifier: Apache-2.0
   Counts what a process asks of its allocator and of the system: LD_PRELOAD=count_allocations.so; npl_allocations() tells how often so far. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

static _Atomic unsigned long count;

unsigned long npl_allocations(void) { return atomic_load(&count); }

#define NEXT(name) \
  static __typeof__(name)* next; \
  if (!next) next = (__typeof__(name)*)dlsym(RTLD_NEXT, #name); \
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed)

void* malloc(size_t bytes) {
  NEXT(malloc);
  return next(bytes);
}
void* realloc(void* old, size_t bytes) {
  NEXT(realloc);
  return next(old, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
  NEXT(aligned_alloc);
  return next(alignment, bytes);
}
void* mmap(void* at, size_t bytes, int protection, int flags, int file, off_t offset) {
  NEXT(mmap);
  return next(at, bytes, protection, flags, file, offset);
}
/* calloc is left alone: dlsym itself may call it. */
