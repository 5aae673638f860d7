// Preloaded into a program: ends it with SIGKILL at the n-th call that changes something below a folder.
//
// KILL_ROOT   the folder; relative paths count as below it
// KILL_AT     n, counted from 1; a write at which the program ends has written half of its bytes
// KILL_COUNT  a file that gets the number of calls when the program ends by itself
// KILL_WITHOUT  "flock" or "renameat2" or both: calls that fail as on file systems that do not have them
//
// Only the process itself is counted, not its children.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *root, *count_file, *without;
static long kill_at, calls;
static pid_t own;
// Whether a descriptor was opened below the root; 2 where it can be written to.
static unsigned char below[1 << 16];

__attribute__((constructor)) static void begin(void) {
  const char *at = getenv("KILL_AT");
  root = getenv("KILL_ROOT");
  count_file = getenv("KILL_COUNT");
  without = getenv("KILL_WITHOUT");
  kill_at = at ? atol(at) : 0;
  own = getpid();
  unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void) {
  if (!count_file || getpid() != own) return;
  char text[32];
  int length = snprintf(text, sizeof text, "%ld\n", calls);
  int file = (int)syscall(SYS_openat, AT_FDCWD, count_file, O_CREAT | O_TRUNC | O_WRONLY, 0644);
  syscall(SYS_write, file, text, length);
  syscall(SYS_close, file);
}

static int is_below(int folder, const char *path) {
  if (!root || !path) return 0;
  if (path[0] == '/') {
    size_t length = strlen(root);
    return strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == 0);
  }
  return folder == AT_FDCWD || (folder >= 0 && folder < 1 << 16 && below[folder]);
}

static int is_written(int file) { return file >= 0 && file < 1 << 16 && below[file] == 2; }

static void note(int file, int is_in, int flags) {
  if (file >= 0 && file < 1 << 16)
    below[file] = !is_in ? 0 : (flags & O_ACCMODE) == O_RDONLY ? 1 : 2;
}

/// Counts a call; true where the program is to end now.
static int is_last(int counts) {
  if (!counts || getpid() != own) return 0;
  return __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) == kill_at;
}

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

static int lacks(const char *call) { return without && strstr(without, call) != NULL; }

#define NEXT(name) \
  static __typeof__(name) *next; \
  if (!next) next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define COUNT(counts) \
  do { \
    if (is_last(counts)) die(); \
  } while (0)

#define CHANGES(flags) (((flags) & (O_CREAT | O_TRUNC)) || ((flags) & O_ACCMODE) != O_RDONLY)

#define MODE(flags) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | __O_TMPFILE)) { \
    va_list list; \
    va_start(list, flags); \
    mode = va_arg(list, mode_t); \
    va_end(list); \
  }

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    NEXT(name); \
    MODE(flags) \
    int is_in = is_below(AT_FDCWD, path); \
    COUNT(is_in && CHANGES(flags)); \
    int file = next(path, flags, mode); \
    note(file, is_in, flags); \
    return file; \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
  int name(int folder, const char *path, int flags, ...) { \
    NEXT(name); \
    MODE(flags) \
    int is_in = is_below(folder, path); \
    COUNT(is_in && CHANGES(flags)); \
    int file = next(folder, path, flags, mode); \
    note(file, is_in, flags); \
    return file; \
  }
OPENAT(openat)
OPENAT(openat64)

int creat(const char *path, mode_t mode) {
  return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

int close(int file) {
  NEXT(close);
  COUNT(is_written(file));
  note(file, 0, 0);
  return next(file);
}

ssize_t write(int file, const void *bytes, size_t count) {
  NEXT(write);
  if (is_last(is_written(file))) {
    next(file, bytes, count / 2);
    die();
  }
  return next(file, bytes, count);
}

#define PWRITE(name, offset_type) \
  ssize_t name(int file, const void *bytes, size_t count, offset_type at) { \
    NEXT(name); \
    if (is_last(is_written(file))) { \
      next(file, bytes, count / 2, at); \
      die(); \
    } \
    return next(file, bytes, count, at); \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define CALL(result, name, parameters, arguments, counts) \
  result name parameters { \
    NEXT(name); \
    COUNT(counts); \
    return next arguments; \
  }

struct iovec;
ssize_t writev(int file, const struct iovec *parts, int count);
CALL(ssize_t, writev, (int file, const struct iovec *parts, int count), (file, parts, count),
     is_written(file))
CALL(ssize_t, copy_file_range,
     (int from, off64_t *start, int to, off64_t *at, size_t count, unsigned flags),
     (from, start, to, at, count, flags), is_written(to))
CALL(ssize_t, sendfile, (int to, int from, off_t *at, size_t count), (to, from, at, count),
     is_written(to))
CALL(ssize_t, sendfile64, (int to, int from, off64_t *at, size_t count), (to, from, at, count),
     is_written(to))
CALL(int, ftruncate, (int file, off_t size), (file, size), is_written(file))
CALL(int, ftruncate64, (int file, off64_t size), (file, size), is_written(file))
CALL(int, posix_fallocate, (int file, off_t from, off_t size), (file, from, size),
     is_written(file))
CALL(int, fsync, (int file), (file), is_written(file))
CALL(int, fdatasync, (int file), (file), is_written(file))
CALL(int, rename, (const char *old, const char *new), (old, new), is_below(AT_FDCWD, new))
CALL(int, renameat, (int one, const char *old, int other, const char *new),
     (one, old, other, new), is_below(other, new))
CALL(int, link, (const char *old, const char *new), (old, new), is_below(AT_FDCWD, new))
CALL(int, linkat, (int one, const char *old, int other, const char *new, int flags),
     (one, old, other, new, flags), is_below(other, new))
CALL(int, symlink, (const char *to, const char *path), (to, path), is_below(AT_FDCWD, path))
CALL(int, mkdir, (const char *path, mode_t mode), (path, mode), is_below(AT_FDCWD, path))
CALL(int, mkdirat, (int folder, const char *path, mode_t mode), (folder, path, mode),
     is_below(folder, path))
CALL(int, unlink, (const char *path), (path), is_below(AT_FDCWD, path))
CALL(int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags),
     is_below(folder, path))
CALL(int, rmdir, (const char *path), (path), is_below(AT_FDCWD, path))
CALL(int, remove, (const char *path), (path), is_below(AT_FDCWD, path))

int renameat2(int one, const char *old, int other, const char *new, unsigned flags) {
  NEXT(renameat2);
  COUNT(is_below(other, new));
  if (flags && lacks("renameat2")) {
    errno = EINVAL;
    return -1;
  }
  return next(one, old, other, new, flags);
}

int flock(int file, int operation) {
  NEXT(flock);
  COUNT(file >= 0 && file < 1 << 16 && below[file]);
  if (lacks("flock")) {
    errno = ENOLCK;
    return -1;
  }
  return next(file, operation);
}
