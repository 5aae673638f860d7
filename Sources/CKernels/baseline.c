#include <math.h>

#include "CKernels.h"

#define LANES 4
#define HALF_LANES 4
#define TILE_PIXELS 4
#define KERNELS fg_kernels_baseline
#define KERNELS_NAME "baseline"
#include "KernelBodies.h"
