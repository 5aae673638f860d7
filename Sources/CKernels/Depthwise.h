INLINE const float *input_row(const fg_depthwise *d, ptrdiff_t y, ptrdiff_t ky) {
  ptrdiff_t from = y * d->stride_height - d->pad_top + ky;
  return from < 0 || from >= d->input_height ? d->zeros : d->input + from * d->input_width * d->channels;
}

/// One output pixel of one vector of channels, taps outside the input left out.
INLINE Vector depthwise_pixel(const fg_depthwise *d, ptrdiff_t y, ptrdiff_t x, ptrdiff_t channel) {
  Vector sum = load(d->bias + channel);
  ptrdiff_t left = x * d->stride_width - d->pad_left;
  for (ptrdiff_t ky = 0; ky < d->kernel_height; ky++) {
    const float *row = input_row(d, y, ky);
    for (ptrdiff_t kx = 0; kx < d->kernel_width; kx++) {
      ptrdiff_t column = left + kx;
      if (column < 0 || column >= d->input_width) continue;
      sum += load(row + column * d->channels + channel)
             * load(d->weights + (ky * d->kernel_width + kx) * d->channels + channel);
    }
  }
  return sum;
}

INLINE Vector activated(const int has_slopes, Vector v, Vector low, Vector high, Vector slopes) {
  v = limited(v, low, high);
  return has_slopes ? sloped(v, slopes) : v;
}

/// `count` neighbouring output pixels of a 3x3 kernel, all taps inside the input's columns.
INLINE void depthwise_3x3(const int count, const int stride, const int has_slopes, const float *const rows[3],
                          const Vector taps[9], Vector bias, Vector low, Vector high, Vector slopes,
                          ptrdiff_t channels, float *output) {
  Vector sum[4];
  UNROLL for (int i = 0; i < count; i++) sum[i] = bias;
  UNROLL for (int ky = 0; ky < 3; ky++) {
    UNROLL for (int column = 0; column < (count - 1) * stride + 3; column++) {
      Vector x = load(rows[ky] + column * channels);
      UNROLL for (int i = 0; i < count; i++) {
        int kx = column - i * stride;
        if (kx >= 0 && kx < 3) sum[i] += x * taps[ky * 3 + kx];
      }
    }
  }
  UNROLL for (int i = 0; i < count; i++)
    store(output + i * channels, activated(has_slopes, sum[i], low, high, slopes));
}

INLINE void depthwise_row_3x3(const int stride, const int has_slopes, const fg_depthwise *d, ptrdiff_t y, ptrdiff_t channel,
                              ptrdiff_t begin, ptrdiff_t end, Vector low, Vector high, Vector slopes,
                              float *output) {
  Vector taps[9], bias = load(d->bias + channel);
  UNROLL for (int t = 0; t < 9; t++) taps[t] = load(d->weights + t * d->channels + channel);
  const float *rows[3];
  UNROLL for (int ky = 0; ky < 3; ky++)
    rows[ky] = input_row(d, y, ky) + (begin * stride - d->pad_left) * d->channels + channel;
  const int wide = stride == 1 ? 4 : 2;
  ptrdiff_t x = begin;
  for (; x + wide <= end; x += wide) {
    depthwise_3x3(wide, stride, has_slopes, rows, taps, bias, low, high, slopes, d->channels, output + x * d->channels);
    UNROLL for (int ky = 0; ky < 3; ky++) rows[ky] += wide * stride * d->channels;
  }
  for (; x < end; x++) {
    depthwise_3x3(1, stride, has_slopes, rows, taps, bias, low, high, slopes, d->channels, output + x * d->channels);
    UNROLL for (int ky = 0; ky < 3; ky++) rows[ky] += stride * d->channels;
  }
}

static void depthwise_few_channels(const fg_depthwise *d) {
  for (ptrdiff_t y = 0; y < d->rows; y++)
    for (ptrdiff_t x = 0; x < d->output_width; x++)
      for (ptrdiff_t c = 0; c < d->channels; c++) {
        float sum = d->bias[c];
        for (ptrdiff_t ky = 0; ky < d->kernel_height; ky++) {
          const float *row = input_row(d, d->first_row + y, ky);
          for (ptrdiff_t kx = 0; kx < d->kernel_width; kx++) {
            ptrdiff_t column = x * d->stride_width - d->pad_left + kx;
            if (column < 0 || column >= d->input_width) continue;
            sum += row[column * d->channels + c] * d->weights[(ky * d->kernel_width + kx) * d->channels + c];
          }
        }
        sum = limited_one(sum, d->low, d->high);
        if (sum < 0 && d->slopes) sum *= d->slopes[c];
        d->output[(y * d->output_width + x) * d->channels + c] = sum;
      }
}

INLINE void depthwise_many_channels(const int has_slopes, const fg_depthwise *d) {
  Vector low = splat(d->low), high = splat(d->high);
  // Output pixels begin ..< end have every tap inside the input's columns.
  ptrdiff_t begin = (d->pad_left + d->stride_width - 1) / d->stride_width;
  if (begin > d->output_width) begin = d->output_width;
  ptrdiff_t room = d->input_width + d->pad_left - d->kernel_width;
  ptrdiff_t end = room < 0 ? 0 : room / d->stride_width + 1;
  if (end > d->output_width) end = d->output_width;
  if (end < begin) end = begin;
  int is3x3 = d->kernel_height == 3 && d->kernel_width == 3 && d->stride_width <= 2;
  ptrdiff_t vectors = vector_count(d->channels);
  for (ptrdiff_t i = 0; i < d->rows; i++) {
    ptrdiff_t y = d->first_row + i;
    for (ptrdiff_t v = 0; v < vectors; v++) {
      ptrdiff_t channel = vector_start(v, d->channels);
      Vector slopes = has_slopes ? load(d->slopes + channel) : splat(1);
      float *output = d->output + i * d->output_width * d->channels + channel;
      for (ptrdiff_t x = 0; x < begin; x++)
        store(output + x * d->channels, activated(has_slopes, depthwise_pixel(d, y, x, channel), low, high, slopes));
      if (is3x3 && d->stride_width == 1)
        depthwise_row_3x3(1, has_slopes, d, y, channel, begin, end, low, high, slopes, output);
      else if (is3x3)
        depthwise_row_3x3(2, has_slopes, d, y, channel, begin, end, low, high, slopes, output);
      else
        for (ptrdiff_t x = begin; x < end; x++)
          store(output + x * d->channels, activated(has_slopes, depthwise_pixel(d, y, x, channel), low, high, slopes));
      for (ptrdiff_t x = end; x < d->output_width; x++)
        store(output + x * d->channels, activated(has_slopes, depthwise_pixel(d, y, x, channel), low, high, slopes));
    }
  }
}

static void depthwise(const fg_depthwise *d) {
  if (d->channels < LANES) depthwise_few_channels(d);
  else if (d->slopes) depthwise_many_channels(1, d);
  else depthwise_many_channels(0, d);
}
