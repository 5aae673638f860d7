INLINE ptrdiff_t clipped(ptrdiff_t position, ptrdiff_t limit) {
  return position < 0 ? 0 : position < limit ? position : limit;
}

/// The part of a pool's window that is inside the input.
typedef struct {
  ptrdiff_t first_row, end_row, first_column, end_column;
} Area;

INLINE Area area_under(const fg_pool *p, ptrdiff_t y, ptrdiff_t x) {
  ptrdiff_t top = y * p->stride_height - p->pad_top, left = x * p->stride_width - p->pad_left;
  return (Area){
      clipped(top, p->input_height), clipped(top + p->kernel_height, p->input_height),
      clipped(left, p->input_width), clipped(left + p->kernel_width, p->input_width)};
}

INLINE float pooled_one(const fg_pool *p, Area area, ptrdiff_t channel) {
  float largest = -__builtin_inff();
  for (ptrdiff_t row = area.first_row; row < area.end_row; row++)
    for (ptrdiff_t column = area.first_column; column < area.end_column; column++) {
      float value = p->input[(row * p->input_width + column) * p->channels + channel];
      largest = value > largest ? value : largest;
    }
  return limited_one(largest, p->low, p->high);
}

#define BODY "PoolPixel.h"
#include "BothWidths.h"

static void max_pool(const fg_pool *p) {
  ptrdiff_t n = p->channels, half = ends_in_half(n), whole = vector_count(n) - half;
  int is_few = n < (half ? HALF_LANES : LANES);
  for (ptrdiff_t y = 0; y < p->output_height; y++)
    for (ptrdiff_t x = 0; x < p->output_width; x++) {
      float *output = p->output + (y * p->output_width + x) * n;
      Area area = area_under(p, y, x);
      if (is_few) {
        for (ptrdiff_t c = 0; c < n; c++) output[c] = pooled_one(p, area, c);
        continue;
      }
      for (ptrdiff_t unit = 0; unit < whole; unit++) {
        ptrdiff_t channel = unit_start(unit, LANES, n);
        store(output + channel, pooled(p, area, channel));
      }
      if (half) {
        ptrdiff_t channel = unit_start(whole, HALF_LANES, n);
        half_store(output + channel, half_pooled(p, area, channel));
      }
    }
}

static void resize(const fg_resize *r) {
  ptrdiff_t n = r->channels, step = r->input_width * n;
  for (ptrdiff_t y = 0; y < r->output_height; y++)
    for (ptrdiff_t x = 0; x < r->output_width; x++) {
      fg_tap row = r->rows[y], column = r->columns[x];
      const float *a = r->input + row.lower * step + column.lower * n;
      const float *b = r->input + row.lower * step + column.upper * n;
      const float *c = r->input + row.upper * step + column.lower * n;
      const float *d = r->input + row.upper * step + column.upper * n;
      float fy = row.fraction, fx = column.fraction;
      float wa = (1 - fy) * (1 - fx), wb = (1 - fy) * fx, wc = fy * (1 - fx), wd = fy * fx;
      float *output = r->output + (y * r->output_width + x) * n;
      for (ptrdiff_t i = 0; i < n; i++) output[i] = a[i] * wa + c[i] * wc + b[i] * wb + d[i] * wd;
    }
}
