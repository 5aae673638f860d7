// Rows become columns in blocks that fit the registers.

INLINE void transpose_4x4(const float *from, ptrdiff_t row_step, float *to, ptrdiff_t result_step) {
  Quad w = load_quad(from), x = load_quad(from + row_step);
  Quad y = load_quad(from + 2 * row_step), z = load_quad(from + 3 * row_step);
  Quad wx = __builtin_shufflevector(w, x, 0, 4, 1, 5), yz = __builtin_shufflevector(y, z, 0, 4, 1, 5);
  Quad wx2 = __builtin_shufflevector(w, x, 2, 6, 3, 7), yz2 = __builtin_shufflevector(y, z, 2, 6, 3, 7);
  Quad out[4] = {
      __builtin_shufflevector(wx, yz, 0, 1, 4, 5), __builtin_shufflevector(wx, yz, 2, 3, 6, 7),
      __builtin_shufflevector(wx2, yz2, 0, 1, 4, 5), __builtin_shufflevector(wx2, yz2, 2, 3, 6, 7)};
  UNROLL for (int i = 0; i < 4; i++) __builtin_memcpy(to + i * result_step, &out[i], 16);
}

#if LANES >= 8
// Shuffles of neighbours and of pairs inside every 4 floats, and of fours inside every 8.
#if LANES == 16
#define SHUFFLE(A, B, I, J, K, L, M, N, O, P)                                                             \
  __builtin_shufflevector(A, B, I, J, K, L, M, N, O, P, (I) + 8, (J) + 8, (K) + 8, (L) + 8, (M) + 8, (N) + 8, \
                          (O) + 8, (P) + 8)
#else
#define SHUFFLE(A, B, I, J, K, L, M, N, O, P) __builtin_shufflevector(A, B, I, J, K, L, M, N, O, P)
#endif
#define LOW_ONES(A, B) SHUFFLE(A, B, 0, LANES, 1, LANES + 1, 4, LANES + 4, 5, LANES + 5)
#define HIGH_ONES(A, B) SHUFFLE(A, B, 2, LANES + 2, 3, LANES + 3, 6, LANES + 6, 7, LANES + 7)
#define LOW_PAIRS(A, B) SHUFFLE(A, B, 0, 1, LANES, LANES + 1, 4, 5, LANES + 4, LANES + 5)
#define HIGH_PAIRS(A, B) SHUFFLE(A, B, 2, 3, LANES + 2, LANES + 3, 6, 7, LANES + 6, LANES + 7)
#define LOW_FOURS(A, B) SHUFFLE(A, B, 0, 1, 2, 3, LANES, LANES + 1, LANES + 2, LANES + 3)
#define HIGH_FOURS(A, B) SHUFFLE(A, B, 4, 5, 6, 7, LANES + 4, LANES + 5, LANES + 6, LANES + 7)

/// Transposes the 8x8 matrices that every 8 floats of eight vectors are.
INLINE void transpose_eights(Vector v[8]) {
  Vector ones[8], pairs[8];
  UNROLL for (int i = 0; i < 8; i += 2) {
    ones[i] = LOW_ONES(v[i], v[i + 1]);
    ones[i + 1] = HIGH_ONES(v[i], v[i + 1]);
  }
  UNROLL for (int i = 0; i < 8; i += 4)
    UNROLL for (int j = 0; j < 2; j++) {
      pairs[i + 2 * j] = LOW_PAIRS(ones[i + j], ones[i + j + 2]);
      pairs[i + 2 * j + 1] = HIGH_PAIRS(ones[i + j], ones[i + j + 2]);
    }
  UNROLL for (int i = 0; i < 4; i++) {
    v[i] = LOW_FOURS(pairs[i], pairs[i + 4]);
    v[i + 4] = HIGH_FOURS(pairs[i], pairs[i + 4]);
  }
}

/// 8 rows of LANES columns.
INLINE void transpose_wide(const float *from, ptrdiff_t row_step, float *to, ptrdiff_t result_step) {
  Vector v[8];
  UNROLL for (int i = 0; i < 8; i++) v[i] = load(from + i * row_step);
  transpose_eights(v);
  UNROLL for (int i = 0; i < 8; i++)
    UNROLL for (int group = 0; group < LANES / 8; group++)
      __builtin_memcpy(to + (8 * group + i) * result_step, (const char *)&v[i] + 32 * group, 32);
}

/// LANES rows of 8 columns.
INLINE void transpose_tall(const float *from, ptrdiff_t row_step, float *to, ptrdiff_t result_step) {
  Vector v[8];
  UNROLL for (int i = 0; i < 8; i++)
    UNROLL for (int group = 0; group < LANES / 8; group++)
      __builtin_memcpy((char *)&v[i] + 32 * group, from + (8 * group + i) * row_step, 32);
  transpose_eights(v);
  UNROLL for (int i = 0; i < 8; i++) store(to + i * result_step, v[i]);
}
#endif

static void transpose(const float *values, ptrdiff_t row_step, ptrdiff_t rows, ptrdiff_t columns,
                      float *result, ptrdiff_t result_step) {
  ptrdiff_t c = 0;
  for (ptrdiff_t width = 1; c < columns; c += width) {
    const float *from = values + c;
    float *to = result + c * result_step;
    ptrdiff_t left = columns - c, r = 0;
    width = left >= LANES ? LANES : left >= 8 && LANES > 8 ? 8 : left >= 4 ? 4 : 1;
#if LANES >= 8
    if (width == LANES)
      for (; r + 8 <= rows; r += 8) transpose_wide(from + r * row_step, row_step, to + r, result_step);
    else if (width == 8)
      for (; r + LANES <= rows; r += LANES) transpose_tall(from + r * row_step, row_step, to + r, result_step);
#endif
    if (width >= 4)
      for (; r + 4 <= rows; r += 4)
        for (ptrdiff_t i = 0; i < width; i += 4)
          transpose_4x4(from + r * row_step + i, row_step, to + i * result_step + r, result_step);
    for (; r < rows; r++)
      for (ptrdiff_t i = 0; i < width; i++) to[i * result_step + r] = from[r * row_step + i];
  }
}
