#if defined(__x86_64__)
#include <math.h>

#include "CKernels.h"

#define LANES 16
#define HALF_LANES 8
#define TILE_PIXELS 8
#define KERNELS fg_kernels_v4
#define KERNELS_NAME "x86-64-v4"
#pragma clang attribute push(__attribute__((target("arch=x86-64-v4"))), apply_to = function)
#include "KernelBodies.h"
#pragma clang attribute pop
#endif
