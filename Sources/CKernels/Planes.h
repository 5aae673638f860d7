// Rows of planes: one image row as [channels][step] floats. Every vector is full however few channels there are.

/// Residual, limits and slopes of the sums of some channels, and their way to the output.
INLINE void finish_planes(const int channels, const int vectors, const int has_limits, Vector sum[8][8],
                          const fg_planes p, ptrdiff_t channel, ptrdiff_t pixel) {
  if (channel < p.residual_channels) {
    const float *residual = p.residual + channel * p.residual_step + pixel;
    UNROLL for (int c = 0; c < channels; c++)
      if (channel + c < p.residual_channels) {
        UNROLL for (int v = 0; v < vectors; v++) sum[c][v] += load(residual + v * LANES);
        residual += p.residual_step;
      }
  }
  if (has_limits) {
    Vector low = splat(p.low), high = splat(p.high);
    UNROLL for (int c = 0; c < channels; c++)
      UNROLL for (int v = 0; v < vectors; v++) sum[c][v] = limited(sum[c][v], low, high);
  }
  if (p.slopes)
    UNROLL for (int c = 0; c < channels; c++)
      UNROLL for (int v = 0; v < vectors; v++) sum[c][v] = sloped(sum[c][v], splat(p.slopes[channel + c]));
  float *output = p.output + channel * p.output_step + pixel;
  UNROLL for (int c = 0; c < channels; c++) {
    UNROLL for (int v = 0; v < vectors; v++) store(output + v * LANES, sum[c][v]);
    output += p.output_step;
  }
}

/// Taps `first` up to `end`, multiplied and added.
INLINE void add_taps(const int channels, const int vectors, ptrdiff_t first, ptrdiff_t end, Vector sum[8][8],
                     const fg_planes p, ptrdiff_t channel, ptrdiff_t pixel) {
  const float *weights = p.weights + first * p.channels + channel, *input = p.input + pixel;
  for (ptrdiff_t k = first; k < end; k++) {
    Vector x[4];
    UNROLL for (int v = 0; v < vectors; v++) x[v] = load(input + p.offsets[k] + v * LANES);
    UNROLL for (int c = 0; c < channels; c++) {
      Vector w = splat(weights[c]);
      UNROLL for (int v = 0; v < vectors; v++) sum[c][v] += x[v] * w;
    }
    weights += p.channels;
  }
}

INLINE void planes_tile(const int channels, const int vectors, const int has_limits, const fg_planes p,
                        ptrdiff_t channel, ptrdiff_t pixel) {
  Vector sum[8][8];
  UNROLL for (int c = 0; c < channels; c++)
    UNROLL for (int v = 0; v < vectors; v++) sum[c][v] = splat(p.bias[channel + c]);
  add_taps(channels, vectors, 0, p.depth, sum, p, channel, pixel);
  finish_planes(channels, vectors, has_limits, sum, p, channel, pixel);
}

#include "WinogradPlanes.h"

INLINE void tile_of_rows(const int channels, const int vectors, const int has_limits, const int is_winograd,
                         const fg_winograd_planes p, ptrdiff_t channel, ptrdiff_t pixel) {
  if (is_winograd) winograd_tile(channels, vectors, has_limits, p, channel, pixel);
  else planes_tile(channels, vectors, has_limits, p.first, channel, pixel);
}

INLINE void planes_row(const int channels, const int vectors, const int has_limits, const int is_winograd,
                       const fg_winograd_planes p, ptrdiff_t channel) {
  ptrdiff_t pixel = 0, pixels = p.first.pixels;
#define TILE(VECTORS) tile_of_rows(channels, VECTORS, has_limits, is_winograd, p, channel, pixel)
  for (; pixel + vectors * LANES <= pixels; pixel += vectors * LANES) TILE(vectors);
  if (vectors > 2)
    for (; pixel + 2 * LANES <= pixels; pixel += 2 * LANES) TILE(2);
  for (; pixel < pixels; pixel += LANES) TILE(1);
#undef TILE
}

INLINE void planes_rows(const int has_limits, const int is_winograd, const fg_winograd_planes p) {
  const int tile = LANES == 16 ? 8 : 4;
  ptrdiff_t channel = 0, channels = p.first.channels;
#define ROW(CHANNELS, VECTORS) planes_row(CHANNELS, VECTORS, has_limits, is_winograd, p, channel)
  for (; channel + tile <= channels; channel += tile) ROW(tile, LANES == 16 ? 2 : 3);
  for (; LANES > 8 && channel + 4 <= channels; channel += 4) ROW(4, 4);
  for (; channel < channels; channel++) ROW(1, 4);
#undef ROW
}

#include "SparsePlanes.h"

static void convolve_planes(const fg_planes *p) {
  const fg_winograd_planes one = {.first = *p};
  if (p->runs) sparse_row(*p);
  else if (is_limited(p->low, p->high)) planes_rows(1, 0, one);
  else planes_rows(0, 0, one);
}

static void winograd_planes(const fg_winograd_planes *p) {
  if (is_limited(p->first.low, p->first.high)) planes_rows(1, 1, *p);
  else planes_rows(0, 1, *p);
}

/// The vector that begins one float before `now`: a load would take two lines of the cache.
INLINE Vector one_before(const float *p, Vector before, Vector now) {
#if LANES == 16
  return __builtin_shufflevector(before, now, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
#else
  return load(p - 1);
#endif
}

/// `count` rows of the output, which share what is loaded from the rows that both of them read.
INLINE void planes_filter(const int count, const int has_limits, const int has_slopes, const int is_unaligned,
                          const fg_plane_filter p) {
  for (ptrdiff_t c = 0; c < p.channels; c++) {
    Vector taps[9], bias = splat(p.bias[c]), before[4], slope = splat(has_slopes ? p.slopes[c] : 1);
    UNROLL for (int t = 0; t < 9; t++) taps[t] = splat(p.weights[t * p.channels + c]);
    const float *rows[4];
    UNROLL for (int y = 0; y < count + 2; y++) {
      rows[y] = p.rows[y] + c * p.row_steps[y];
      before[y] = (Vector){};
    }
    for (ptrdiff_t pixel = 0; pixel < p.pixels; pixel += LANES) {
      Vector sum[2] = {bias, bias};
      UNROLL for (int y = 0; y < count + 2; y++) {
        const float *from = rows[y] + pixel;
        Vector now = load(from), right = load(from + 1);
        Vector left = is_unaligned ? load(from - 1) : one_before(from, before[y], now);
        UNROLL for (int i = 0; i < count; i++) {
          int ky = y - i;
          if (ky < 0 || ky > 2) continue;
          sum[i] += left * taps[3 * ky];
          sum[i] += now * taps[3 * ky + 1];
          sum[i] += right * taps[3 * ky + 2];
        }
        before[y] = now;
      }
      UNROLL for (int i = 0; i < count; i++) {
        if (has_limits) sum[i] = limited(sum[i], splat(p.low), splat(p.high));
        store(p.outputs[i] + c * p.output_step + pixel, has_slopes ? sloped(sum[i], slope) : sum[i]);
      }
    }
  }
}

INLINE void planes_filter_rows(const int count, const int is_unaligned, const fg_plane_filter p) {
  if (is_limited(p.low, p.high)) {
    if (p.slopes) planes_filter(count, 1, 1, is_unaligned, p);
    else planes_filter(count, 1, 0, is_unaligned, p);
  } else {
    if (p.slopes) planes_filter(count, 0, 1, is_unaligned, p);
    else planes_filter(count, 0, 0, is_unaligned, p);
  }
}

static void filter_planes(const fg_plane_filter *p) {
  if (p->is_unaligned) planes_filter_rows(1, 1, *p);
  else if (p->outputs[1]) planes_filter_rows(2, 0, *p);
  else planes_filter_rows(1, 0, *p);
}

/// Line `y` of some rows of a chain; zeros outside the image.
INLINE float *plane_line(const fg_plane_chain *chain, float *memory, ptrdiff_t index, ptrdiff_t y) {
  const fg_plane_rows *rows = chain->rows + index;
  if (y < 0 || y >= chain->height) return memory + chain->margin;
  return memory + rows->offset + (y & (rows->count - 1)) * rows->channels * chain->step + chain->margin;
}

/// Zeros after each row of a line that is a whole image, and after the last one.
INLINE void end_rows(const fg_plane_chain *chain, float *line, ptrdiff_t channels) {
  ptrdiff_t end = chain->line_rows * (chain->row_width + 1);
  for (ptrdiff_t c = 0; c < channels; c++, line += chain->step) {
    for (ptrdiff_t i = chain->row_width; i < end; i += chain->row_width + 1) line[i] = 0;
    for (ptrdiff_t i = end; i < chain->width; i++) line[i] = 0;
  }
}

static void advance_planes(const fg_plane_chain *chain, float *memory, ptrdiff_t time) {
  for (ptrdiff_t i = 0; i < chain->layer_count; i++) {
    const fg_plane_layer *layer = chain->layers + i;
    ptrdiff_t channels = chain->rows[i + 1].channels, y = time - chain->rows[i + 1].delay, step = chain->step;
    if (y < 0 || y >= chain->height) continue;
    float *output = plane_line(chain, memory, i + 1, y);
    if (layer->is_depthwise) {
      // An odd line is made with the one before it.
      if (y % 2) continue;
      int is_whole = chain->line_rows > 0;
      fg_plane_filter p = {
          .weights = layer->weights, .bias = layer->bias, .slopes = layer->slopes,
          .outputs = {output, y + 1 < chain->height ? plane_line(chain, memory, i + 1, y + 1) : NULL},
          .output_step = step, .pixels = chain->width, .channels = channels, .low = layer->low, .high = layer->high,
          .is_unaligned = is_whole};
      for (int row = 0; row < 3 && is_whole; row++) {
        p.rows[row] = plane_line(chain, memory, layer->source, y) + (row - 1) * (chain->row_width + 1);
        p.row_steps[row] = step;
      }
      for (int row = 0; row < 4 && !is_whole; row++) {
        ptrdiff_t line = y - 1 + row;
        p.rows[row] = plane_line(chain, memory, layer->source, line);
        p.row_steps[row] = line < 0 || line >= chain->height ? 0 : step;
      }
      filter_planes(&p);
      continue;
    }
    const fg_planes p = {
        .input = plane_line(chain, memory, layer->source, y), .offsets = chain->offsets, .depth = layer->depth,
        .weights = layer->weights, .runs = layer->runs, .bias = layer->bias,
        .residual = layer->residual < 0 ? NULL : plane_line(chain, memory, layer->residual, y), .residual_step = step,
        .residual_channels = layer->residual_channels, .slopes = layer->slopes, .output = output, .output_step = step,
        .pixels = chain->width, .channels = channels, .low = layer->low, .high = layer->high};
    convolve_planes(&p);
    if (chain->line_rows) end_rows(chain, output, channels);
  }
}
