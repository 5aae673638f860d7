#define _GNU_SOURCE
#include "CAllocations.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_OWN_ALLOCATOR 1
#endif
#endif

#if defined(__GLIBC__) && !defined(HAS_OWN_ALLOCATOR)

// The program's own definitions come before those of every library, preloaded ones included. They hand over to the
// next definition, which is that of a preloaded allocator or profiler if there is one: its `free` gets the blocks.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

typedef struct {
  void *(*malloc)(size_t);
  void *(*calloc)(size_t, size_t);
  void *(*realloc)(void *, size_t);
  void *(*memalign)(size_t, size_t);
} allocator;

// Serves while the next definitions are looked up, if that allocates.
static const allocator c_library = {
    __libc_malloc, __libc_calloc, __libc_realloc, __libc_memalign};
static allocator found;
static const allocator *chosen;

static __thread fg_allocations counts __attribute__((tls_model("initial-exec")));
static __thread bool is_searching __attribute__((tls_model("initial-exec")));

static __attribute__((noinline, cold)) const allocator *search(void) {
  if (is_searching) {
    return &c_library;
  }
  is_searching = true;
  // Threads that search at once store the same addresses.
  *(void **)&found.malloc = dlsym(RTLD_NEXT, "malloc");
  *(void **)&found.calloc = dlsym(RTLD_NEXT, "calloc");
  *(void **)&found.realloc = dlsym(RTLD_NEXT, "realloc");
  *(void **)&found.memalign = dlsym(RTLD_NEXT, "memalign");
  is_searching = false;
  const allocator *next =
      found.malloc && found.calloc && found.realloc && found.memalign ? &found : &c_library;
  __atomic_store_n(&chosen, next, __ATOMIC_RELEASE);
  return next;
}

static inline const allocator *next(size_t size) {
  counts.calls += 1;
  counts.bytes += size;
  const allocator *known = __atomic_load_n(&chosen, __ATOMIC_ACQUIRE);
  return known ? known : search();
}

void *malloc(size_t size) { return next(size)->malloc(size); }

void *calloc(size_t number, size_t size) { return next(number * size)->calloc(number, size); }

void *realloc(void *block, size_t size) { return next(size)->realloc(block, size); }

void *memalign(size_t alignment, size_t size) { return next(size)->memalign(alignment, size); }

void *aligned_alloc(size_t alignment, size_t size) {
  return next(size)->memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) {
    return EINVAL;
  }
  void *made = next(size)->memalign(alignment, size);
  if (made == NULL) {
    return ENOMEM;
  }
  *block = made;
  return 0;
}

fg_allocations fg_allocations_of_thread(void) { return counts; }

bool fg_counts_allocations(void) {
  void *(*volatile allocate)(size_t) = malloc;
  uint64_t before = counts.calls;
  free(allocate(1));
  return counts.calls == before + 1;
}

#else

fg_allocations fg_allocations_of_thread(void) { return (fg_allocations){0, 0}; }

bool fg_counts_allocations(void) { return false; }

#endif
