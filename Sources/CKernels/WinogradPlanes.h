// Two rows of planes at once from four sums of taps: minimal filtering, F(2, n), down the rows of an image.

INLINE void winograd_tile(const int channels, const int vectors, const int has_limits, const fg_winograd_planes w,
                          ptrdiff_t channel, ptrdiff_t pixel) {
  fg_planes p = w.first;
  Vector sum[8][8], other[8][8];
  UNROLL for (int c = 0; c < channels; c++)
    UNROLL for (int v = 0; v < vectors; v++) {
      sum[c][v] = splat(p.bias[channel + c]);
      other[c][v] = (Vector){};
    }
  add_taps(channels, vectors, 0, w.ends[0], sum, p, channel, pixel);
  add_taps(channels, vectors, w.ends[0], w.ends[1], other, p, channel, pixel);
  UNROLL for (int c = 0; c < channels; c++)
    UNROLL for (int v = 0; v < vectors; v++) {
      Vector a = sum[c][v], b = other[c][v];
      sum[c][v] = a + b;
      other[c][v] = a - b;
    }
  add_taps(channels, vectors, w.ends[1], w.ends[2], sum, p, channel, pixel);
  finish_planes(channels, vectors, has_limits, sum, p, channel, pixel);
  add_taps(channels, vectors, w.ends[2], p.depth, other, p, channel, pixel);
  p.output = w.second;
  finish_planes(channels, vectors, has_limits, other, p, channel, pixel);
}
