// Channels are covered by units: whole vectors, and a half vector last where no more than half a vector is
// left over. Groups of up to three units share the loads of a tile's pixels.

INLINE ptrdiff_t group_size(ptrdiff_t units_left) {
  return units_left == 4 ? 2 : units_left < 3 ? units_left : 3;
}

static size_t packed_count(ptrdiff_t depth, ptrdiff_t channels) {
  ptrdiff_t unused = ends_in_half(channels) ? LANES - HALF_LANES : 0;
  return (size_t)(depth * (vector_count(channels) * LANES - unused));
}

static void pack(const float *matrix, ptrdiff_t depth, ptrdiff_t channels, float *packed) {
  ptrdiff_t units = vector_count(channels), whole = units - ends_in_half(channels);
  for (ptrdiff_t first = 0; first < units;) {
    ptrdiff_t size = group_size(units - first);
    for (ptrdiff_t k = 0; k < depth; k++)
      for (ptrdiff_t unit = first; unit < first + size; unit++) {
        ptrdiff_t width = unit < whole ? LANES : HALF_LANES;
        for (ptrdiff_t lane = 0; lane < width; lane++) {
          ptrdiff_t channel = unit_start(unit, width, channels) + lane;
          *packed++ = channel < channels ? matrix[k * channels + channel] : 0;
        }
      }
    first += size;
  }
}

/// Packed weights as 16-bit floats; whether each of them is still the same number.
static int narrow(const float *packed, size_t count, void *result) {
#if LANES >= 8
  for (size_t i = 0; i < count; i += HALF_LANES) {
    half_Narrow narrow = __builtin_convertvector(half_load(packed + i), half_Narrow);
    __builtin_memcpy((char *)result + 2 * i, &narrow, sizeof narrow);
    half_Mask same = half_load(packed + i) == __builtin_convertvector(narrow, half_Vector);
    for (int lane = 0; lane < HALF_LANES; lane++)
      if (!same[lane]) return 0;
  }
  return 1;
#else
  (void)packed, (void)count, (void)result;
  return 0;
#endif
}

/// A group of units, over whose channels tiles of pixels run.
typedef struct {
  const float *weights;
  /// Floats from one row of the weights to the next.
  ptrdiff_t step;
  /// First channel of each unit.
  ptrdiff_t starts[3];
} Group;

#define BODY "Epilogue.h"
#include "BothWidths.h"

#if LANES >= 8
#define LOAD_WEIGHTS(KIND, P) (widens ? KIND##widen((const _Float16 *)c->weights + ((P) - c->weights)) : KIND##load(P))
#else
#define LOAD_WEIGHTS(KIND, P) KIND##load(P)
#endif

INLINE void tile(const int pixels, const int units, const int half, const int mixes, const int widens,
                 const fg_convolution *c, const float *input, const Group *group, ptrdiff_t pixel) {
  const int whole = units - half;
  Vector sum[3][2 * TILE_PIXELS];
  half_Vector last[2 * TILE_PIXELS];
  UNROLL for (int j = 0; j < whole; j++)
    UNROLL for (int m = 0; m < pixels; m++)
      sum[j][m] = mixes ? splat(c->bias[pixel + m]) : load(c->bias + group->starts[j]);
  if (half)
    UNROLL for (int m = 0; m < pixels; m++)
      last[m] = mixes ? half_splat(c->bias[pixel + m]) : half_load(c->bias + group->starts[whole]);
  const float *weights = group->weights;
  for (ptrdiff_t s = 0; s < c->segments; s++) {
    const float *from[2 * TILE_PIXELS];
    UNROLL for (int m = 0; m < pixels; m++)
      from[m] = input + s * c->segment_step + m * c->pixel_step;
    for (ptrdiff_t k = 0; k < c->segment_length; k++) {
      Vector w[3];
      half_Vector h;
      UNROLL for (int j = 0; j < whole; j++)
        w[j] = LOAD_WEIGHTS(, weights + (mixes ? group->starts[j] : j * LANES));
      if (half) h = LOAD_WEIGHTS(half_, weights + (mixes ? group->starts[whole] : whole * LANES));
      weights += mixes ? group->step : whole * LANES + half * HALF_LANES;
      UNROLL for (int m = 0; m < pixels; m++) {
        UNROLL for (int j = 0; j < whole; j++) sum[j][m] += splat(from[m][k]) * w[j];
        if (half) last[m] += half_splat(from[m][k]) * h;
      }
    }
  }
  UNROLL for (int j = 0; j < whole; j++) finish_unit(pixels, c, sum[j], pixel, group->starts[j]);
  if (half) half_finish_unit(pixels, c, last, pixel, group->starts[whole]);
}
#undef LOAD_WEIGHTS

INLINE void tiles(const int pixels, const int units, const int half, const int mixes, const fg_convolution *c,
                  const float *row, const Group *group, ptrdiff_t first_pixel, ptrdiff_t begin, ptrdiff_t end) {
  for (ptrdiff_t x = begin; x < end; x += pixels) {
    // A single pixel that would be left goes with these where the registers hold it, and alone elsewhere.
    if (LANES == 16 && units > 1 && pixels >= 8 && x + pixels + 1 == end) {
      tile(pixels + 1, units, half, mixes, 0, c, row + x * c->pixel_step, group, first_pixel + x);
      return;
    }
    if (x + 1 == end) {
      tile(1, units, half, mixes, 0, c, row + x * c->pixel_step, group, first_pixel + x);
      return;
    }
    // Of more pixels than one, the last tile overlaps the one before it.
    if (x + pixels > end) x = end - pixels;
    tile(pixels, units, half, mixes, 0, c, row + x * c->pixel_step, group, first_pixel + x);
  }
}

INLINE void group_tiles(const int units, const int half, const int mixes, const fg_convolution *c, const float *row,
                        const Group *group, ptrdiff_t first_pixel, ptrdiff_t begin, ptrdiff_t end) {
#define TILES(PIXELS) tiles(PIXELS, units, half, mixes, c, row, group, first_pixel, begin, end)
  if (units == 1 && c->pixels >= 2 * TILE_PIXELS) TILES(2 * TILE_PIXELS);
  else if (units == 2 && c->pixels >= TILE_PIXELS * 3 / 2 && mixes && LANES == 16) TILES(TILE_PIXELS * 3 / 2);
  else if (c->pixels >= TILE_PIXELS) TILES(TILE_PIXELS);
  else if (c->pixels >= 4) TILES(4);
  else if (c->pixels >= 2) TILES(2);
  else if (!mixes && c->has_float16_weights) tile(1, units, half, 0, 1, c, row, group, first_pixel);
  else TILES(1);
#undef TILES
}

INLINE void convolve_with(const int mixes, const fg_convolution *c) {
  const ptrdiff_t block = mixes ? c->pixels : 64;
  ptrdiff_t depth = c->segments * c->segment_length, units = vector_count(c->channels);
  ptrdiff_t whole = units - ends_in_half(c->channels);
  for (ptrdiff_t y = 0; y < c->rows; y++) {
    const float *row = c->input + y * c->row_step;
    for (ptrdiff_t begin = 0; begin < c->pixels; begin += block) {
      ptrdiff_t end = begin + block < c->pixels ? begin + block : c->pixels;
      for (ptrdiff_t first = 0; first < units;) {
        ptrdiff_t size = group_size(units - first);
        int half = first + size > whole;
        Group group = {.weights = mixes ? c->weights : c->weights + first * depth * LANES, .step = c->channels};
        for (ptrdiff_t j = 0; j < size; j++) {
          ptrdiff_t width = first + j < whole ? LANES : HALF_LANES;
          group.starts[j] = unit_start(first + j, width, c->channels);
        }
#define GROUP(UNITS, HALF) group_tiles(UNITS, HALF, mixes, c, row, &group, y * c->pixels, begin, end)
        if (HALF_LANES < LANES && half) {
          if (size == 3) GROUP(3, 1);
          else if (size == 2) GROUP(2, 1);
          else GROUP(1, 1);
        } else {
          if (size == 3) GROUP(3, 0);
          else if (size == 2) GROUP(2, 0);
          else GROUP(1, 0);
        }
#undef GROUP
        first += size;
      }
    }
  }
}

static void convolve(const fg_convolution *c) { convolve_with(0, c); }
static void mix(const fg_convolution *c) { convolve_with(1, c); }

static void finish(float *values, ptrdiff_t pixels, ptrdiff_t channels, const float *bias,
                   const float *residual, ptrdiff_t residual_channels, const float *slopes, float low,
                   float high) {
  Vector lows = splat(low), highs = splat(high);
  for (ptrdiff_t p = 0; p < pixels; p++) {
    float *row = values + p * channels;
    const float *other = residual + p * residual_channels;
    for (ptrdiff_t c = 0; c < residual_channels; c++) row[c] += other[c];
    ptrdiff_t c = 0;
    for (; c + LANES <= channels; c += LANES) {
      Vector result = limited(load(row + c) + load(bias + c), lows, highs);
      store(row + c, slopes ? sloped(result, load(slopes + c)) : result);
    }
    for (; c < channels; c++) {
      float result = limited_one(row[c] + bias[c], low, high);
      row[c] = slopes && result < 0 ? result * slopes[c] : result;
    }
  }
}
