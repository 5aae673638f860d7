import Foundation
import TestSupport
import Testing

/// An allocator as `LD_PRELOAD` brings one: it ends the program where it is to free what it has not made.
private let allocator = """
  #include <errno.h>
  #include <stdint.h>
  #include <stdlib.h>
  #include <string.h>
  #include <unistd.h>
  extern void *__libc_malloc(size_t);
  extern void __libc_free(void *);
  struct head { void *block; size_t size; uint64_t mark[2]; };
  static const uint64_t mark = 0x5ca1ab1e0ddba11;
  void *memalign(size_t alignment, size_t size) {
    alignment = alignment < 16 ? 16 : alignment;
    char *block = __libc_malloc(size + alignment + sizeof(struct head));
    uintptr_t end = (uintptr_t)block + sizeof(struct head) + alignment - 1;
    struct head *head = (struct head *)(end & ~(alignment - 1)) - 1;
    *head = (struct head){block, size, {mark, ~mark}};
    return head + 1;
  }
  void *malloc(size_t size) { return memalign(16, size); }
  void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }
  void *calloc(size_t count, size_t size) { return memset(malloc(count * size), 0, count * size); }
  int posix_memalign(void **block, size_t alignment, size_t size) {
    *block = memalign(alignment, size);
    return 0;
  }
  static struct head *own(void *block) {
    struct head *head = (struct head *)block - 1;
    if (head->mark[0] == mark && head->mark[1] == ~mark) return head;
    write(2, "foreign block\\n", 14);
    abort();
  }
  void free(void *block) {
    if (block) __libc_free(own(block)->block);
  }
  size_t malloc_usable_size(void *block) { return block ? own(block)->size : 0; }
  void *realloc(void *block, size_t size) {
    if (!block) return malloc(size);
    struct head *head = own(block);
    void *made = memcpy(malloc(size), block, head->size < size ? head->size : size);
    free(block);
    return made;
  }
  """

@Suite struct PreloadedAllocatorTests {
  @Test func `the program runs with another allocator, and gives the same output`() throws {
    let bench = try Workbench()
    try bench.write(allocator, to: "allocator.c")
    let library = bench.url("allocator.so").path
    let compiled = try ProcessResult(
      running: "/bin/sh",
      [
        "-c", "\"$(command -v clang || command -v cc)\" -O1 -fno-builtin -shared -fPIC \"$@\"",
        "sh", bench.url("allocator.c").path, "-o", library,
      ])
    try #require(compiled.status == 0, "\(compiled.errors)")
    try Material.dataset(bench.url("d.h5"), frames: 2)
    let result = try ProcessResult(
      running: ProcessResult.path(ofBuilt: "facegauge"), ["inspect", bench.url("d.h5").path],
      environment: ["LD_PRELOAD": library])
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    #expect(try result.output == bench.facegauge(["inspect", bench.url("d.h5").path]).output)
  }
}
