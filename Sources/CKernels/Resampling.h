INLINE ptrdiff_t clipped(ptrdiff_t position, ptrdiff_t limit) {
  return position < 0 ? 0 : position < limit ? position : limit;
}

static void max_pool(const fg_pool *p) {
  ptrdiff_t n = p->channels, vectors = n < LANES ? 0 : vector_count(n);
  Vector low = splat(p->low), high = splat(p->high);
  for (ptrdiff_t y = 0; y < p->output_height; y++)
    for (ptrdiff_t x = 0; x < p->output_width; x++) {
      float *output = p->output + (y * p->output_width + x) * n;
      ptrdiff_t top = y * p->stride_height - p->pad_top, left = x * p->stride_width - p->pad_left;
      ptrdiff_t first_row = clipped(top, p->input_height);
      ptrdiff_t end_row = clipped(top + p->kernel_height, p->input_height);
      ptrdiff_t first_column = clipped(left, p->input_width);
      ptrdiff_t end_column = clipped(left + p->kernel_width, p->input_width);
      for (ptrdiff_t v = 0; v < vectors; v++) {
        ptrdiff_t channel = vector_start(v, n);
        Vector largest = splat(-__builtin_inff());
        for (ptrdiff_t row = first_row; row < end_row; row++)
          for (ptrdiff_t column = first_column; column < end_column; column++)
            largest =
                larger(load(p->input + (row * p->input_width + column) * n + channel), largest);
        store(output + channel, limited(largest, low, high));
      }
      for (ptrdiff_t c = vectors ? n : 0; c < n; c++) {
        float largest = -__builtin_inff();
        for (ptrdiff_t row = first_row; row < end_row; row++)
          for (ptrdiff_t column = first_column; column < end_column; column++) {
            float value = p->input[(row * p->input_width + column) * n + c];
            largest = value > largest ? value : largest;
          }
        output[c] = limited_one(largest, p->low, p->high);
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
