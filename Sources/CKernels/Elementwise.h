static void clamp(const float *values, float *clamped, ptrdiff_t count, float low, float high) {
  for (ptrdiff_t i = 0; i < count; i++) clamped[i] = limited_one(values[i], low, high);
}

#define BINARY(NAME, EXPRESSION)                                                                     \
  INLINE void NAME(const float *a, ptrdiff_t a_step, const float *b, ptrdiff_t b_step, float *result, \
                   ptrdiff_t count, float low, float high) {                                         \
    ptrdiff_t i = 0;                                                                                 \
    Vector lows = splat(low), highs = splat(high);                                                   \
    for (; i + LANES <= count; i += LANES) {                                                         \
      Vector x = a_step ? load(a + i) : splat(*a), y = b_step ? load(b + i) : splat(*b);             \
      store(result + i, limited(EXPRESSION, lows, highs));                                           \
    }                                                                                                \
    Vector x = splat(*a), y = splat(*b);                                                             \
    for (; i < count; i++) {                                                                         \
      x[0] = a[i * a_step];                                                                          \
      y[0] = b[i * b_step];                                                                          \
      result[i] = limited_one((EXPRESSION)[0], low, high);                                           \
    }                                                                                                \
  }

BINARY(add, x + y)
BINARY(subtract, x - y)
BINARY(multiply, x * y)
BINARY(divide, x / y)
BINARY(squared_difference, (x - y) * (x - y))
BINARY(slope, sloped(x, y))
BINARY(maximum, larger(x, y))
BINARY(minimum, smaller(x, y))

static void binary(fg_binary operation, const float *a, ptrdiff_t a_step, const float *b,
                   ptrdiff_t b_step, float *result, ptrdiff_t count, float low, float high) {
#define CASE(NAME)                                                                  \
  case fg_##NAME:                                                                   \
    if (!b_step) NAME(a, a_step, b, 0, result, count, low, high);                   \
    else if (!a_step) NAME(a, 0, b, 1, result, count, low, high);                   \
    else NAME(a, 1, b, 1, result, count, low, high);                                \
    break;
  switch (operation) {
    CASE(add)
    CASE(subtract)
    CASE(multiply)
    CASE(divide)
    CASE(squared_difference)
    CASE(slope)
    CASE(maximum)
    CASE(minimum)
  }
#undef CASE
}

// Both forms are accurate, and neither overflows.
INLINE float logistic(float x) {
  float e = expf(-fabsf(x));
  return (x < 0 ? e : 1) / (1 + e);
}

static void unary(fg_unary operation, const float *values, float *result, ptrdiff_t count) {
  switch (operation) {
    case fg_negate:
      for (ptrdiff_t i = 0; i < count; i++) result[i] = -values[i];
      break;
    case fg_square_root:
      for (ptrdiff_t i = 0; i < count; i++) result[i] = sqrtf(values[i]);
      break;
    case fg_reciprocal_square_root:
      for (ptrdiff_t i = 0; i < count; i++) result[i] = 1 / sqrtf(values[i]);
      break;
    case fg_logistic:
      for (ptrdiff_t i = 0; i < count; i++) result[i] = logistic(values[i]);
      break;
    case fg_exponential:
      for (ptrdiff_t i = 0; i < count; i++) result[i] = expf(values[i]);
      break;
    case fg_hard_swish:
      for (ptrdiff_t i = 0; i < count; i++) result[i] = values[i] * limited_one(values[i] + 3, 0, 6) / 6;
      break;
  }
}

static float sum(const float *values, ptrdiff_t count) {
  Vector parts = {};
  ptrdiff_t i = 0;
  for (; i + LANES <= count; i += LANES) parts += load(values + i);
  float total = lane_sum(parts);
  for (; i < count; i++) total += values[i];
  return total;
}

static float multiply_add(ptrdiff_t rounds) {
  Vector sums[FG_CHAINS], factor = splat(0.999f), term = splat(0.001f);
  UNROLL for (int i = 0; i < FG_CHAINS; i++) sums[i] = splat((float)i);
  for (ptrdiff_t round = 0; round < rounds; round++)
    UNROLL for (int i = 0; i < FG_CHAINS; i++) sums[i] = sums[i] * factor + term;
  Vector total = {};
  UNROLL for (int i = 0; i < FG_CHAINS; i++) total += sums[i];
  return total[0];
}

// MARK: rows and columns

/// 1 / √(variance of a row + epsilon).
INLINE float inverse_deviation(const float *row, ptrdiff_t channels, float mean, float epsilon) {
  Vector squares = {};
  ptrdiff_t i = 0;
  for (; i + LANES <= channels; i += LANES) {
    Vector d = load(row + i) - mean;
    squares += d * d;
  }
  float total = lane_sum(squares);
  for (; i < channels; i++) total += (row[i] - mean) * (row[i] - mean);
  return 1 / sqrtf(total / (float)channels + epsilon);
}

INLINE void normalize_row(const float *row, ptrdiff_t channels, const float *scales, float mean, float inverse,
                          float *output) {
  ptrdiff_t i = 0;
  for (; i + LANES <= channels; i += LANES) {
    Vector gain = load(scales + i) * inverse;
    store(output + i, load(row + i) * gain - mean * gain);
  }
  for (; i < channels; i++) {
    float gain = scales[i] * inverse;
    output[i] = row[i] * gain - mean * gain;
  }
}

static void normalize(const float *values, ptrdiff_t rows, ptrdiff_t channels, const float *scales,
                      float epsilon, float *result) {
  // Some rows at a time: while one waits for its sum or its root, the others go on.
  enum { GROUP = 16 };
  for (ptrdiff_t first = 0; first < rows; first += GROUP) {
    ptrdiff_t count = rows - first < GROUP ? rows - first : GROUP;
    const float *row = values + first * channels;
    float means[GROUP], inverses[GROUP];
    for (ptrdiff_t r = 0; r < count; r++) means[r] = sum(row + r * channels, channels) / (float)channels;
    for (ptrdiff_t r = 0; r < count; r++)
      inverses[r] = inverse_deviation(row + r * channels, channels, means[r], epsilon);
    for (ptrdiff_t r = 0; r < count; r++)
      normalize_row(row + r * channels, channels, scales, means[r], inverses[r], result + (first + r) * channels);
  }
}
