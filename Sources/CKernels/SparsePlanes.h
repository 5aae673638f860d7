// Pointwise convolutions of planes from those weights alone that are not 0.

/// Bytes of the first cache of the processors at hand, or less.
#define FIRST_CACHE 32768

/// One channel of some vectors of pixels, in the order of the weights.
INLINE void sparse_tile(const int vectors, const fg_planes p, ptrdiff_t channel, ptrdiff_t pixel) {
  Vector sum[8][8];
  UNROLL for (int v = 0; v < vectors; v++) sum[0][v] = splat(p.bias[channel]);
  const float *input = p.input + pixel;
  const fg_weight *weight = p.runs[channel].first, *end = weight + p.runs[channel].count;
  for (; weight < end; weight++) {
    const float *x = input + weight->offset;
    Vector w = splat(weight->value);
    UNROLL for (int v = 0; v < vectors; v++) sum[0][v] += load(x + v * LANES) * w;
  }
  finish_planes(1, vectors, 1, sum, p, channel, pixel);
}

INLINE void sparse_tiles(const int vectors, const fg_planes p, ptrdiff_t pixel) {
  for (ptrdiff_t channel = 0; channel < p.channels; channel++) sparse_tile(vectors, p, channel, pixel);
}

/// All channels of some vectors of pixels, then of the next ones: what they read stays in the first cache, unless
/// fewer than four vectors of all taps fit there, with which the loads of weights would take more.
INLINE void sparse_row(const fg_planes p) {
  ptrdiff_t left = p.pixels / LANES, pixel = 0, most = FIRST_CACHE / ((ptrdiff_t)sizeof(Vector) * p.depth);
  most = most < 4 ? 4 : most > 8 ? 8 : most;
  for (ptrdiff_t tiles = (left + most - 1) / most; tiles > 0; tiles--) {
    ptrdiff_t vectors = (left + tiles - 1) / tiles;
    switch (vectors) {
      case 8: sparse_tiles(8, p, pixel); break;
      case 7: sparse_tiles(7, p, pixel); break;
      case 6: sparse_tiles(6, p, pixel); break;
      case 5: sparse_tiles(5, p, pixel); break;
      case 4: sparse_tiles(4, p, pixel); break;
      case 3: sparse_tiles(3, p, pixel); break;
      case 2: sparse_tiles(2, p, pixel); break;
      default: sparse_tiles(1, p, pixel);
    }
    pixel += vectors * LANES;
    left -= vectors;
  }
}
