#include "CKernels.h"

extern const fg_kernels fg_kernels_baseline;
#if defined(__x86_64__)
extern const fg_kernels fg_kernels_v3;
extern const fg_kernels fg_kernels_v4;
#endif

const fg_kernels *fg_kernels_at(int level) {
  if (level == 0) return &fg_kernels_baseline;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (level == 1 && __builtin_cpu_supports("x86-64-v3")) return &fg_kernels_v3;
  if (level == 2 && __builtin_cpu_supports("x86-64-v4")) return &fg_kernels_v4;
#endif
  return NULL;
}

const char *fg_compiler(void) { return __VERSION__; }
