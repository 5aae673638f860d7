#include "CAddressSpace.h"

#if defined(__linux__)

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static void require_address_space(void) {
  const rlim_t least = (rlim_t)1 << 30;
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= least) return;
  dprintf(
      STDERR_FILENO,
      "error: cannot run in an address space of %llu MiB: expected at least %llu MiB ('ulimit -v' shows the limit)\n",
      (unsigned long long)limit.rlim_cur >> 20, (unsigned long long)least >> 20);
  _exit(1);
}

// Constructors of libraries run after this, OpenBLAS's too.
__attribute__((section(".preinit_array"), used)) static void (*const before_libraries)(void) = require_address_space;

#endif
