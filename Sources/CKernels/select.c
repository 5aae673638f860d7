#include "CKernels.h"

extern const fg_kernels fg_kernels_baseline;
#if defined(__x86_64__)
#include <cpuid.h>
#include <stdbool.h>

extern const fg_kernels fg_kernels_v3;
extern const fg_kernels fg_kernels_v4;

// What x86-64-v3 and -v4 have; the compiler's own names of these levels are newer than the compiler of Debian 13. The
// builtin also asks whether the system keeps the wide registers.
static bool has_v3(void) {
  unsigned a, b, c, d, extended;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !__get_cpuid(0x80000001, &a, &b, &extended, &d)) return false;
  return (c & bit_MOVBE) && (c & bit_F16C) && (extended & bit_LZCNT) && __builtin_cpu_supports("avx2") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("popcnt");
}

static bool has_v4(void) {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#elif defined(__aarch64__)
extern const fg_kernels fg_kernels_neon;
#endif

const fg_kernels *fg_kernels_at(int level) {
  if (level == 0) return &fg_kernels_baseline;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (level == 1 && has_v3()) return &fg_kernels_v3;
  if (level == 2 && has_v4()) return &fg_kernels_v4;
#elif defined(__aarch64__)
  // Every processor of the architecture has NEON.
  if (level == 3) return &fg_kernels_neon;
#endif
  return NULL;
}

const char *fg_compiler(void) { return __VERSION__; }
