// Rows of planes: one image row as [channels][step] floats. Every vector is full however few channels there are.

/// Limits and slope of a vector of one channel.
INLINE Vector plane_result(const int has_limits, Vector sum, float low, float high, const float *slope) {
  if (has_limits) sum = limited(sum, splat(low), splat(high));
  return slope ? sloped(sum, splat(*slope)) : sum;
}

INLINE void planes_tile(const int channels, const int vectors, const int has_limits, const fg_planes *p,
                        ptrdiff_t channel, ptrdiff_t pixel) {
  Vector sum[8][2];
  UNROLL for (int c = 0; c < channels; c++)
    UNROLL for (int v = 0; v < vectors; v++) sum[c][v] = splat(p->bias[channel + c]);
  const float *weights = p->weights + channel, *input = p->input + pixel;
  for (ptrdiff_t k = 0; k < p->depth; k++) {
    Vector x[2];
    UNROLL for (int v = 0; v < vectors; v++) x[v] = load(input + p->offsets[k] + v * LANES);
    UNROLL for (int c = 0; c < channels; c++) {
      Vector w = splat(weights[c]);
      UNROLL for (int v = 0; v < vectors; v++) sum[c][v] += x[v] * w;
    }
    weights += p->channels;
  }
  UNROLL for (int c = 0; c < channels; c++) {
    const int adds = channel + c < p->residual_channels;
    const float *residual = p->residual + (channel + c) * p->residual_step + pixel;
    UNROLL for (int v = 0; v < vectors; v++) {
      Vector result = adds ? sum[c][v] + load(residual + v * LANES) : sum[c][v];
      store(p->output + (channel + c) * p->output_step + pixel + v * LANES,
            plane_result(has_limits, result, p->low, p->high, p->slopes ? p->slopes + channel + c : NULL));
    }
  }
}

INLINE void planes_row(const int channels, const int has_limits, const fg_planes *p, ptrdiff_t channel) {
  ptrdiff_t pixel = 0;
  for (; pixel + 2 * LANES <= p->pixels; pixel += 2 * LANES) planes_tile(channels, 2, has_limits, p, channel, pixel);
  if (pixel < p->pixels) planes_tile(channels, 1, has_limits, p, channel, pixel);
}

INLINE void planes_rows(const int has_limits, const fg_planes *p) {
  const int tile = LANES == 16 ? 8 : 4;
  ptrdiff_t channel = 0;
  for (; channel + tile <= p->channels; channel += tile) planes_row(tile, has_limits, p, channel);
  for (; channel < p->channels; channel++) planes_row(1, has_limits, p, channel);
}

static void convolve_planes(const fg_planes *p) {
  if (is_limited(p->low, p->high)) planes_rows(1, p);
  else planes_rows(0, p);
}

/// The vector that begins one float before `now`: a load would take two lines of the cache.
INLINE Vector one_before(const float *p, Vector before, Vector now) {
#if LANES == 16
  return __builtin_shufflevector(before, now, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
#else
  return load(p - 1);
#endif
}

INLINE void planes_filter(const int has_limits, const fg_plane_filter *p) {
  for (ptrdiff_t c = 0; c < p->channels; c++) {
    Vector taps[9], bias = splat(p->bias[c]), before[3];
    UNROLL for (int t = 0; t < 9; t++) taps[t] = splat(p->weights[t * p->channels + c]);
    const float *rows[3];
    UNROLL for (int y = 0; y < 3; y++) {
      rows[y] = p->rows[y] + c * p->row_steps[y];
      before[y] = (Vector){};
    }
    float *output = p->output + c * p->output_step;
    for (ptrdiff_t pixel = 0; pixel < p->pixels; pixel += LANES) {
      Vector sum = bias;
      UNROLL for (int y = 0; y < 3; y++) {
        const float *from = rows[y] + pixel;
        Vector now = load(from);
        sum += one_before(from, before[y], now) * taps[3 * y];
        sum += now * taps[3 * y + 1];
        sum += load(from + 1) * taps[3 * y + 2];
        before[y] = now;
      }
      store(output + pixel, plane_result(has_limits, sum, p->low, p->high, p->slopes ? p->slopes + c : NULL));
    }
  }
}

static void filter_planes(const fg_plane_filter *p) {
  if (is_limited(p->low, p->high)) planes_filter(1, p);
  else planes_filter(0, p);
}
