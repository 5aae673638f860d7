// Included by BothWidths.h.

typedef float VECTOR(Vector) __attribute__((vector_size(WIDTH * sizeof(float))));
typedef int VECTOR(Mask) __attribute__((vector_size(WIDTH * sizeof(int))));

INLINE VECTOR(Vector) VECTOR(load)(const float *p) {
  VECTOR(Vector) v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

#if LANES >= 8
typedef _Float16 VECTOR(Narrow) __attribute__((vector_size(WIDTH * sizeof(_Float16))));

INLINE VECTOR(Vector) VECTOR(widen)(const _Float16 *p) {
  VECTOR(Narrow) v;
  __builtin_memcpy(&v, p, sizeof v);
  return __builtin_convertvector(v, VECTOR(Vector));
}
#endif

INLINE void VECTOR(store)(float *p, VECTOR(Vector) v) { __builtin_memcpy(p, &v, sizeof v); }

INLINE VECTOR(Vector) VECTOR(splat)(float x) { return x - (VECTOR(Vector)){}; }

INLINE VECTOR(Vector) VECTOR(larger)(VECTOR(Vector) a, VECTOR(Vector) b) {
  VECTOR(Mask) m = a > b;
  return (VECTOR(Vector))(((VECTOR(Mask))a & m) | ((VECTOR(Mask))b & ~m));
}

INLINE VECTOR(Vector) VECTOR(smaller)(VECTOR(Vector) a, VECTOR(Vector) b) {
  VECTOR(Mask) m = a < b;
  return (VECTOR(Vector))(((VECTOR(Mask))a & m) | ((VECTOR(Mask))b & ~m));
}

// What is not a number passes through the limits.
INLINE VECTOR(Vector) VECTOR(limited)(VECTOR(Vector) v, VECTOR(Vector) low, VECTOR(Vector) high) {
  return VECTOR(smaller)(high, VECTOR(larger)(low, v));
}

INLINE VECTOR(Vector) VECTOR(first_lanes)(VECTOR(Vector) v, ptrdiff_t count) {
  VECTOR(Mask) index;
  UNROLL for (int i = 0; i < WIDTH; i++) index[i] = i;
  return (VECTOR(Vector))((VECTOR(Mask))v & (index < (int)count));
}

/// x, or x * slope where x is negative; what is not a number stays so.
///
/// The parts are taken from the bits as whole numbers, for which processors have other units than for multiply-adds.
INLINE VECTOR(Vector) VECTOR(sloped)(VECTOR(Vector) x, VECTOR(Vector) slope) {
  VECTOR(Mask) zero = {}, bits = (VECTOR(Mask))x;
  return (VECTOR(Vector))__builtin_elementwise_max(bits, zero)
         + (VECTOR(Vector))__builtin_elementwise_min(bits, zero) * slope;
}
