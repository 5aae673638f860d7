// Preloaded into a program: makes its n-th call of a kind on files below a folder fail as the system would.
//
// FAIL_CALL: write, read, open, rename or fsync. FAIL_PATH: the folder. FAIL_AT: the number from 1; 0 only counts.
// FAIL_ERRNO: the error. FAIL_ALWAYS: all calls from that one on fail. FAIL_COUNT: a file that gets a byte for each call.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static long calls;

static int fails(const char *kind, const char *path, int descriptor) {
  const char *call = getenv("FAIL_CALL"), *folder = getenv("FAIL_PATH"), *at = getenv("FAIL_AT");
  if (!call || !folder || !at || strcmp(call, kind)) return 0;
  char link[64], target[4096];
  if (!path) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, target, sizeof target - 1);
    if (length < 0) return 0;
    target[length] = 0;
    path = target;
  } else if (path[0] != '/' && getcwd(target, sizeof target)) {
    path = target;
  }
  if (strncmp(path, folder, strlen(folder))) return 0;
  long number = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST), chosen = atol(at);
  const char *count = getenv("FAIL_COUNT");
  if (count) {
    long file = syscall(SYS_openat, AT_FDCWD, count, O_WRONLY | O_CREAT | O_APPEND, 0644);
    syscall(SYS_write, file, "x", 1);
    syscall(SYS_close, file);
  }
  if (chosen <= 0 || (getenv("FAIL_ALWAYS") ? number < chosen : number != chosen)) return 0;
  errno = atoi(getenv("FAIL_ERRNO"));
  return 1;
}

#define WRAP(type, failure, name, parameters, arguments, kind, path, descriptor) \
  type name parameters {                                                        \
    static type(*next) parameters;                                              \
    if (!next) next = dlsym(RTLD_NEXT, #name);                                  \
    return fails(kind, path, descriptor) ? failure : next arguments;            \
  }
WRAP(ssize_t, -1, write, (int f, const void *b, size_t n), (f, b, n), "write", 0, f)
WRAP(ssize_t, -1, pwrite, (int f, const void *b, size_t n, off_t o), (f, b, n, o), "write", 0, f)
WRAP(ssize_t, -1, pwrite64, (int f, const void *b, size_t n, off_t o), (f, b, n, o), "write", 0, f)
WRAP(ssize_t, -1, read, (int f, void *b, size_t n), (f, b, n), "read", 0, f)
WRAP(ssize_t, -1, pread, (int f, void *b, size_t n, off_t o), (f, b, n, o), "read", 0, f)
WRAP(ssize_t, -1, pread64, (int f, void *b, size_t n, off_t o), (f, b, n, o), "read", 0, f)
WRAP(int, -1, rename, (const char *a, const char *b), (a, b), "rename", b, 0)
WRAP(int, -1, fsync, (int f), (f), "fsync", 0, f)
WRAP(FILE *, 0, fopen, (const char *p, const char *m), (p, m), "open", p, 0)
WRAP(FILE *, 0, fopen64, (const char *p, const char *m), (p, m), "open", p, 0)

#define WRAP_OPEN(name)                                  \
  int name(const char *path, int flags, ...) {           \
    static int (*next)(const char *, int, ...);          \
    if (!next) next = dlsym(RTLD_NEXT, #name);           \
    va_list rest;                                        \
    va_start(rest, flags);                               \
    mode_t mode = flags & O_CREAT ? va_arg(rest, int) : 0; \
    va_end(rest);                                        \
    return fails("open", path, 0) ? -1 : next(path, flags, mode); \
  }
WRAP_OPEN(open)
WRAP_OPEN(open64)
