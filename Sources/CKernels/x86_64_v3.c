#if defined(__x86_64__)
#include <math.h>

#include "CKernels.h"

#define LANES 8
#define HALF_LANES 8
#define TILE_PIXELS 4
#define KERNELS fg_kernels_v3
#define KERNELS_NAME "x86-64-v3"
#pragma clang attribute push(__attribute__((target("arch=x86-64-v3"))), apply_to = function)
#include "KernelBodies.h"
#pragma clang attribute pop
#endif
