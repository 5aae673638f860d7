// Included once per instruction set, with LANES, HALF_LANES, TILE_PIXELS, KERNELS and KERNELS_NAME defined.
//
// Channel counts that are no multiple of LANES are covered by a last vector that ends at the last channel and
// overlaps the one before it, and is a half vector where that is enough: every float is computed by the same
// operations either way.

#include "Vectors.h"

#include "Convolution.h"
#include "Depthwise.h"
#include "Elementwise.h"
#include "Planes.h"
#include "Resampling.h"
#include "Transposition.h"

const fg_kernels KERNELS = {
    .name = KERNELS_NAME,
    .lanes = LANES,
    .half_lanes = HALF_LANES,
    .packed_count = packed_count,
    .pack = pack,
    .narrow = narrow,
    .convolve = convolve,
    .mix = mix,
    .depthwise = depthwise,
    .convolve_planes = convolve_planes,
    .winograd_planes = winograd_planes,
    .filter_planes = filter_planes,
    .advance_planes = advance_planes,
    .max_pool = max_pool,
    .resize = resize,
    .finish = finish,
    .clamp = clamp,
    .binary = binary,
    .unary = unary,
    .sum = sum,
    .multiply_add = multiply_add,
    .normalize = normalize,
    .transpose = transpose,
};
