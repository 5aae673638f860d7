#if defined(__aarch64__)
#include <math.h>

#include "CKernels.h"

// A vector is a pair of registers, so that sums are taken in the order of x86-64-v3; 24 of the 32 registers hold sums.
#define LANES 8
#define HALF_LANES 4
#define TILE_PIXELS 4
#define KERNELS fg_kernels_neon
#define KERNELS_NAME "neon"
#include "KernelBodies.h"
#endif
