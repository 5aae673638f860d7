typedef float Vector __attribute__((vector_size(LANES * sizeof(float))));
typedef int Mask __attribute__((vector_size(LANES * sizeof(int))));

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("clang loop unroll(full)")

INLINE Vector load(const float *p) {
  Vector v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

INLINE void store(float *p, Vector v) { __builtin_memcpy(p, &v, sizeof v); }

INLINE Vector splat(float x) { return x - (Vector){}; }

INLINE Vector larger(Vector a, Vector b) {
  Mask m = a > b;
  return (Vector)(((Mask)a & m) | ((Mask)b & ~m));
}

INLINE Vector smaller(Vector a, Vector b) {
  Mask m = a < b;
  return (Vector)(((Mask)a & m) | ((Mask)b & ~m));
}

// What is not a number passes through the limits.
INLINE Vector limited(Vector v, Vector low, Vector high) { return smaller(high, larger(low, v)); }

INLINE float limited_one(float x, float low, float high) {
  x = low > x ? low : x;
  return high < x ? high : x;
}

INLINE Vector first_lanes(Vector v, ptrdiff_t count) {
  Mask index;
  UNROLL for (int i = 0; i < LANES; i++) index[i] = i;
  return (Vector)((Mask)v & (index < (int)count));
}

INLINE Vector sloped(Vector x, Vector slope) {
  Mask negative = x < 0;
  return (Vector)(((Mask)(x * slope) & negative) | ((Mask)x & ~negative));
}

INLINE ptrdiff_t vector_count(ptrdiff_t channels) { return (channels + LANES - 1) / LANES; }

INLINE ptrdiff_t vector_start(ptrdiff_t index, ptrdiff_t channels) {
  ptrdiff_t start = index * LANES, last = channels - LANES;
  return start <= last ? start : last < 0 ? 0 : last;
}
