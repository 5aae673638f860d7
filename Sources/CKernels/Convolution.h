INLINE ptrdiff_t group_size(ptrdiff_t vectors_left) {
  return vectors_left == 4 ? 2 : vectors_left < 3 ? vectors_left : 3;
}

static size_t packed_count(ptrdiff_t depth, ptrdiff_t channels) {
  return (size_t)(depth * vector_count(channels) * LANES);
}

static void pack(const float *matrix, ptrdiff_t depth, ptrdiff_t channels, float *packed) {
  ptrdiff_t vectors = vector_count(channels);
  for (ptrdiff_t first = 0; first < vectors;) {
    ptrdiff_t size = group_size(vectors - first);
    for (ptrdiff_t k = 0; k < depth; k++)
      for (ptrdiff_t j = first; j < first + size; j++)
        for (ptrdiff_t lane = 0; lane < LANES; lane++) {
          ptrdiff_t channel = vector_start(j, channels) + lane;
          *packed++ = channel < channels ? matrix[k * channels + channel] : 0;
        }
    first += size;
  }
}

INLINE void tile(const int pixels, const int vectors, const fg_convolution *c, const float *input,
                 const float *weights, const ptrdiff_t *starts, ptrdiff_t pixel) {
  Vector sum[2 * TILE_PIXELS][3];
  UNROLL for (int j = 0; j < vectors; j++) {
    Vector bias = load(c->bias + starts[j]);
    UNROLL for (int m = 0; m < pixels; m++) sum[m][j] = bias;
  }
  for (ptrdiff_t s = 0; s < c->segments; s++) {
    const float *from[2 * TILE_PIXELS];
    UNROLL for (int m = 0; m < pixels; m++)
      from[m] = input + s * c->segment_step + m * c->pixel_step;
    for (ptrdiff_t k = 0; k < c->segment_length; k++) {
      Vector w[3];
      UNROLL for (int j = 0; j < vectors; j++) w[j] = load(weights + j * LANES);
      weights += vectors * LANES;
      UNROLL for (int m = 0; m < pixels; m++) {
        Vector x = splat(from[m][k]);
        UNROLL for (int j = 0; j < vectors; j++) sum[m][j] += x * w[j];
      }
    }
  }
  Vector low = splat(c->low), high = splat(c->high);
  UNROLL for (int j = 0; j < vectors; j++) {
    ptrdiff_t shared = c->residual_channels - starts[j];
    const float *residual = c->residual + pixel * c->residual_channels + starts[j];
    float *output = c->output + pixel * c->channels + starts[j];
    if (shared >= LANES) {
      UNROLL for (int m = 0; m < pixels; m++) sum[m][j] += load(residual + m * c->residual_channels);
    } else if (shared > 0) {
      UNROLL for (int m = 0; m < pixels; m++)
        sum[m][j] += first_lanes(load(residual + m * c->residual_channels), shared);
    }
    UNROLL for (int m = 0; m < pixels; m++) sum[m][j] = limited(sum[m][j], low, high);
    if (c->slopes) {
      Vector slopes = load(c->slopes + starts[j]);
      UNROLL for (int m = 0; m < pixels; m++) sum[m][j] = sloped(sum[m][j], slopes);
    }
    UNROLL for (int m = 0; m < pixels; m++) {
      // A copy: an accumulator whose address is taken would live in memory.
      Vector result = sum[m][j];
      if (c->channels >= LANES)
        store(output + m * c->channels, result);
      else
        __builtin_memcpy(output + m * c->channels, &result, (size_t)c->channels * sizeof(float));
    }
  }
}

INLINE void tiles(const int pixels, const int vectors, const fg_convolution *c, const float *row,
                  const float *weights, const ptrdiff_t *starts, ptrdiff_t first_pixel,
                  ptrdiff_t begin, ptrdiff_t end) {
  ptrdiff_t x = begin;
  for (; x + pixels <= end; x += pixels)
    tile(pixels, vectors, c, row + x * c->pixel_step, weights, starts, first_pixel + x);
  if (x == end) return;
  // The last tile overlaps the one before it, unless a single pixel is left.
  if (x + 1 == end) {
    tile(1, vectors, c, row + x * c->pixel_step, weights, starts, first_pixel + x);
  } else {
    x = end - pixels;
    tile(pixels, vectors, c, row + x * c->pixel_step, weights, starts, first_pixel + x);
  }
}

static void convolve(const fg_convolution *c) {
  const ptrdiff_t block = 64;
  ptrdiff_t depth = c->segments * c->segment_length, vectors = vector_count(c->channels);
  for (ptrdiff_t y = 0; y < c->rows; y++) {
    const float *row = c->input + y * c->row_step;
    for (ptrdiff_t begin = 0; begin < c->pixels; begin += block) {
      ptrdiff_t end = begin + block < c->pixels ? begin + block : c->pixels;
      for (ptrdiff_t first = 0; first < vectors;) {
        ptrdiff_t size = group_size(vectors - first);
        const float *weights = c->weights + first * depth * LANES;
        ptrdiff_t starts[3];
        for (ptrdiff_t j = 0; j < size; j++) starts[j] = vector_start(first + j, c->channels);
#define TILES(PIXELS, VECTORS) \
  tiles(PIXELS, VECTORS, c, row, weights, starts, y * c->pixels, begin, end)
#define ROW(PIXELS)                       \
  if (size == 3) TILES(PIXELS, 3);        \
  else if (size == 2) TILES(PIXELS, 2);   \
  else TILES(PIXELS, 1);
        if (size == 1 && c->pixels >= 2 * TILE_PIXELS) TILES(2 * TILE_PIXELS, 1);
        else if (c->pixels >= TILE_PIXELS) { ROW(TILE_PIXELS) }
        else if (c->pixels >= 4) { ROW(4) }
        else if (c->pixels >= 2) { ROW(2) }
        else { ROW(1) }
#undef ROW
#undef TILES
        first += size;
      }
    }
  }
}

static void finish(float *values, ptrdiff_t pixels, ptrdiff_t channels, const float *bias,
                   const float *residual, ptrdiff_t residual_channels, const float *slopes, float low,
                   float high) {
  for (ptrdiff_t p = 0; p < pixels; p++) {
    float *row = values + p * channels;
    const float *other = residual + p * residual_channels;
    for (ptrdiff_t c = 0; c < residual_channels; c++) row[c] += other[c];
    if (slopes)
      for (ptrdiff_t c = 0; c < channels; c++) {
        float result = limited_one(row[c] + bias[c], low, high);
        row[c] = result < 0 ? result * slopes[c] : result;
      }
    else
      for (ptrdiff_t c = 0; c < channels; c++) row[c] = limited_one(row[c] + bias[c], low, high);
  }
}
