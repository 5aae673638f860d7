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

/// A pool of 2 x 2 pixels in steps of 2 that never leaves the input.
INLINE void max_pool_2x2(const fg_pool p) {
  ptrdiff_t n = p.channels, half = ends_in_half(n), whole = vector_count(n) - half;
  ptrdiff_t last = half ? unit_start(whole, HALF_LANES, n) : 0;
  for (ptrdiff_t y = 0; y < p.output_height; y++) {
    const float *first = p.input + 2 * y * p.input_width * n, *second = first + p.input_width * n;
    float *output = p.output + y * p.output_width * n;
    for (ptrdiff_t x = 0; x < p.output_width; x++) {
      for (ptrdiff_t unit = 0; unit < whole; unit++) {
        ptrdiff_t channel = unit_start(unit, LANES, n);
        store(output + channel, pooled_2x2(first + channel, second + channel, n, p.low, p.high));
      }
      if (half) half_store(output + last, half_pooled_2x2(first + last, second + last, n, p.low, p.high));
      first += 2 * n;
      second += 2 * n;
      output += n;
    }
  }
}

static void max_pool(const fg_pool *p) {
  ptrdiff_t n = p->channels, half = ends_in_half(n), whole = vector_count(n) - half;
  int is_few = n < (half ? HALF_LANES : LANES);
  if (!is_few && p->kernel_height == 2 && p->kernel_width == 2 && p->stride_height == 2 && p->stride_width == 2
      && p->pad_top == 0 && p->pad_left == 0 && 2 * p->output_height <= p->input_height
      && 2 * p->output_width <= p->input_width)
    return max_pool_2x2(*p);
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

INLINE void resize_adding(const int adds, const fg_resize r) {
  ptrdiff_t n = r.channels, step = r.input_width * n;
  float *output = r.output;
  const float *residual = r.residual;
  for (ptrdiff_t y = 0; y < r.output_height; y++)
    for (ptrdiff_t x = 0; x < r.output_width; x++) {
      fg_tap row = r.rows[y], column = r.columns[x];
      const float *a = r.input + row.lower * step + column.lower * n;
      const float *b = r.input + row.lower * step + column.upper * n;
      const float *c = r.input + row.upper * step + column.lower * n;
      const float *d = r.input + row.upper * step + column.upper * n;
      float fy = row.fraction, fx = column.fraction;
      float wa = (1 - fy) * (1 - fx), wb = (1 - fy) * fx, wc = fy * (1 - fx), wd = fy * fx;
      ptrdiff_t i = 0;
      for (; i + LANES <= n; i += LANES) {
        Vector sum = load(a + i) * splat(wa) + load(c + i) * splat(wc) + load(b + i) * splat(wb)
                     + load(d + i) * splat(wd);
        store(output + i, adds ? sum + load(residual + i) : sum);
      }
      for (; i < n; i++) {
        float sum = a[i] * wa + c[i] * wc + b[i] * wb + d[i] * wd;
        output[i] = adds ? sum + residual[i] : sum;
      }
      output += n;
      if (adds) residual += n;
    }
}

static void resize(const fg_resize *r) {
  if (r->residual) resize_adding(1, *r);
  else resize_adding(0, *r);
}
