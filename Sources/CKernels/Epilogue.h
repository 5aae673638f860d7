// Included by BothWidths.h.

/// Residual, limits and slopes of `pixels` sums over one unit of channels, and their way to the output.
INLINE void VECTOR(finish_unit)(const int pixels, const fg_convolution *c, const VECTOR(Vector) *sums,
                                ptrdiff_t pixel, ptrdiff_t start) {
  VECTOR(Vector) low = VECTOR(splat)(c->low), high = VECTOR(splat)(c->high), sum[2 * TILE_PIXELS];
  UNROLL for (int m = 0; m < pixels; m++) sum[m] = sums[m];
  ptrdiff_t shared = c->residual_channels - start;
  const float *residual = c->residual + pixel * c->residual_channels + start;
  if (shared >= WIDTH) {
    UNROLL for (int m = 0; m < pixels; m++) sum[m] += VECTOR(load)(residual + m * c->residual_channels);
  } else if (shared > 0) {
    UNROLL for (int m = 0; m < pixels; m++)
      sum[m] += VECTOR(first_lanes)(VECTOR(load)(residual + m * c->residual_channels), shared);
  }
  UNROLL for (int m = 0; m < pixels; m++) sum[m] = VECTOR(limited)(sum[m], low, high);
  if (c->slopes) {
    VECTOR(Vector) slopes = VECTOR(load)(c->slopes + start);
    UNROLL for (int m = 0; m < pixels; m++) sum[m] = VECTOR(sloped)(sum[m], slopes);
  }
  float *output = c->output + pixel * c->channels + start;
  if (c->channels >= WIDTH) {
    UNROLL for (int m = 0; m < pixels; m++) VECTOR(store)(output + m * c->channels, sum[m]);
    return;
  }
  // Fewer channels than floats in a vector: what a store writes too much, the pixels after it overwrite.
  const float *end = c->output + c->rows * c->pixels * c->channels;
  UNROLL for (int m = 0; m < pixels; m++) {
    float *to = output + m * c->channels;
    if (end - to >= WIDTH) {
      VECTOR(store)(to, sum[m]);
    } else {
      // A copy: an accumulator whose address is taken would live in memory.
      VECTOR(Vector) result = sum[m];
      __builtin_memcpy(to, &result, (size_t)c->channels * sizeof(float));
    }
  }
}
