// Vectors of LANES floats, and of HALF_LANES for the channels that would leave half a vector unused.

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("clang loop unroll(full)")

#define BODY "VectorOperations.h"
#include "BothWidths.h"

typedef float Quad __attribute__((vector_size(16)));

INLINE Quad load_quad(const float *p) {
  Quad q;
  __builtin_memcpy(&q, p, sizeof q);
  return q;
}

/// The sum of all lanes: the upper half is added to the lower one until a single lane is left.
INLINE float lane_sum(Vector v) {
#if LANES == 16
  half_Vector half = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7)
                     + __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
#else
  Vector half = v;
#endif
#if LANES >= 8
  Quad quad = __builtin_shufflevector(half, half, 0, 1, 2, 3) + __builtin_shufflevector(half, half, 4, 5, 6, 7);
#else
  Quad quad = half;
#endif
  quad += __builtin_shufflevector(quad, quad, 2, 3, 0, 1);
  return quad[0] + quad[1];
}

INLINE float limited_one(float x, float low, float high) {
  x = low > x ? low : x;
  return high < x ? high : x;
}

/// Whether limits change anything: without an activation they are infinite.
INLINE int is_limited(float low, float high) { return low > -__builtin_inff() || high < __builtin_inff(); }

INLINE ptrdiff_t vector_count(ptrdiff_t channels) { return (channels + LANES - 1) / LANES; }

/// Whether the last of the vectors over the channels need only be half a vector.
INLINE int ends_in_half(ptrdiff_t channels) {
  ptrdiff_t left = channels % LANES;
  return HALF_LANES < LANES && left > 0 && left <= HALF_LANES;
}

/// First channel of a unit of `width` floats; the last unit ends at the last channel.
INLINE ptrdiff_t unit_start(ptrdiff_t unit, ptrdiff_t width, ptrdiff_t channels) {
  ptrdiff_t start = unit * LANES, last = channels - width;
  return start <= last ? start : last < 0 ? 0 : last;
}
