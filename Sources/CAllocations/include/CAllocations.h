#pragma once
#include <stdbool.h>
#include <stdint.h>

/// What one thread has asked of the allocator so far.
typedef struct {
  /// Calls of malloc, calloc, realloc, memalign, aligned_alloc and posix_memalign.
  uint64_t calls;
  /// Bytes that they asked for.
  uint64_t bytes;
} fg_allocations;

/// The counts of the calling thread; all 0 where calls are not counted.
fg_allocations fg_allocations_of_thread(void);

/// Whether this program's calls are counted: with glibc, and without a sanitizer that has its own allocator.
bool fg_counts_allocations(void);
