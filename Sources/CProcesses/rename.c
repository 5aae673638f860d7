#define _GNU_SOURCE
#include "CProcesses.h"

#include <fcntl.h>
#include <stdio.h>

#if defined(__APPLE__)

int facegauge_exchange(const char *one, const char *other) { return renamex_np(one, other, RENAME_SWAP); }

int facegauge_rename_to_new(const char *old, const char *new) { return renamex_np(old, new, RENAME_EXCL); }

#else

int facegauge_exchange(const char *one, const char *other) {
  return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}

int facegauge_rename_to_new(const char *old, const char *new) {
  return renameat2(AT_FDCWD, old, AT_FDCWD, new, RENAME_NOREPLACE);
}

#endif
