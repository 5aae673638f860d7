// Included by BothWidths.h.

/// One output pixel of one vector of channels, taps outside the input left out.
INLINE VECTOR(Vector) VECTOR(depthwise_pixel)(const fg_depthwise *d, ptrdiff_t y, ptrdiff_t x, ptrdiff_t channel) {
  VECTOR(Vector) sum = VECTOR(load)(d->bias + channel);
  ptrdiff_t left = x * d->stride_width - d->pad_left;
  for (ptrdiff_t ky = 0; ky < d->kernel_height; ky++) {
    const float *row = input_row(d, y, ky);
    for (ptrdiff_t kx = 0; kx < d->kernel_width; kx++) {
      ptrdiff_t column = left + kx;
      if (column < 0 || column >= d->input_width) continue;
      sum += VECTOR(load)(row + column * d->channels + channel)
             * VECTOR(load)(d->weights + (ky * d->kernel_width + kx) * d->channels + channel);
    }
  }
  return sum;
}

/// What a vector of channels is limited by and multiplied with.
typedef struct {
  VECTOR(Vector) low, high, slopes;
} VECTOR(Activation);

INLINE void VECTOR(store_activated)(const int has_slopes, float *output, VECTOR(Vector) v,
                                    const VECTOR(Activation) *activation) {
  v = VECTOR(limited)(v, activation->low, activation->high);
  VECTOR(store)(output, has_slopes ? VECTOR(sloped)(v, activation->slopes) : v);
}

/// `count` neighbouring output pixels of a 3x3 kernel, of whose columns first ..< end are inside the input.
INLINE void VECTOR(depthwise_3x3)(const int count, const int stride, const int first, const int end,
                                  const int has_slopes, const float *const rows[3], const VECTOR(Vector) taps[9],
                                  VECTOR(Vector) bias, const VECTOR(Activation) *activation, ptrdiff_t channels,
                                  float *output) {
  VECTOR(Vector) sum[4];
  UNROLL for (int i = 0; i < count; i++) sum[i] = bias;
  UNROLL for (int ky = 0; ky < 3; ky++) {
    UNROLL for (int column = first; column < (count - 1) * stride + end; column++) {
      VECTOR(Vector) x = VECTOR(load)(rows[ky] + column * channels);
      UNROLL for (int i = 0; i < count; i++) {
        int kx = column - i * stride;
        if (kx >= 0 && kx < 3) sum[i] += x * taps[ky * 3 + kx];
      }
    }
  }
  UNROLL for (int i = 0; i < count; i++)
    VECTOR(store_activated)(has_slopes, output + i * channels, sum[i], activation);
}

INLINE void VECTOR(depthwise_row_3x3)(const int stride, const int has_slopes, const fg_depthwise *d, ptrdiff_t y,
                                      ptrdiff_t channel, ptrdiff_t begin, ptrdiff_t end,
                                      const VECTOR(Activation) *activation, float *output) {
  VECTOR(Vector) taps[9], bias = VECTOR(load)(d->bias + channel);
  UNROLL for (int t = 0; t < 9; t++) taps[t] = VECTOR(load)(d->weights + t * d->channels + channel);
  const float *rows[3];
  UNROLL for (int ky = 0; ky < 3; ky++) rows[ky] = input_row(d, y, ky) - d->pad_left * d->channels + channel;
  ptrdiff_t step = stride * d->channels, width = d->output_width;
#define PIXELS(COUNT, FIRST, END)                                                                                   \
  {                                                                                                                 \
    const float *from[3] = {rows[0] + x * step, rows[1] + x * step, rows[2] + x * step};                            \
    VECTOR(depthwise_3x3)(COUNT, stride, FIRST, END, has_slopes, from, taps, bias, activation, d->channels,         \
                          output + x * d->channels);                                                                \
  }
  const int wide = stride == 1 ? 4 : 2;
  int left = begin == 1, right = end < width;
  ptrdiff_t x = 0;
  if (width < wide || (width == wide && left && right)) {
    if (width == 2 && left && right) {
      PIXELS(2, 1, 2)
      return;
    }
    if (width == wide) {
      PIXELS(wide, 1, 2)
      return;
    }
    if (left) { PIXELS(1, 1, 3) x++; }
    for (; x < end; x++) { PIXELS(1, 0, 3) }
    if (x < width) { PIXELS(1, 0, 2) }
    return;
  }
  if (left) { PIXELS(wide, 1, 3) x = wide; }
  for (; x < width - wide; x += wide) { PIXELS(wide, 0, 3) }
  // The last pixels overlap those before them.
  if (left && width == wide) return;
  x = width - wide;
  if (right) { PIXELS(wide, 0, 2) } else { PIXELS(wide, 0, 3) }
#undef PIXELS
}

/// Row `i` of the output, of whose pixels begin ..< end have every tap inside the input's columns.
INLINE void VECTOR(depthwise_row)(const int has_slopes, const fg_depthwise *d, ptrdiff_t i, ptrdiff_t channel,
                                  ptrdiff_t begin, ptrdiff_t end) {
  ptrdiff_t y = d->first_row + i;
  VECTOR(Activation) activation = {
      VECTOR(splat)(d->low), VECTOR(splat)(d->high),
      has_slopes ? VECTOR(load)(d->slopes + channel) : VECTOR(splat)(1)};
  float *output = d->output + i * d->output_width * d->channels + channel;
  // Of a 3x3 kernel at most one column is outside, on either side.
  int is3x3 = d->kernel_height == 3 && d->kernel_width == 3 && begin <= 1 && d->input_width >= 2
              && end >= d->output_width - 1 && d->pad_left <= 1
              && (d->output_width - 1) * d->stride_width - d->pad_left + 3 <= d->input_width + 1;
  if (is3x3 && d->stride_width == 1)
    VECTOR(depthwise_row_3x3)(1, has_slopes, d, y, channel, begin, end, &activation, output);
  else if (is3x3 && d->stride_width == 2)
    VECTOR(depthwise_row_3x3)(2, has_slopes, d, y, channel, begin, end, &activation, output);
  else
    for (ptrdiff_t x = 0; x < d->output_width; x++)
      VECTOR(store_activated)(has_slopes, output + x * d->channels, VECTOR(depthwise_pixel)(d, y, x, channel),
                              &activation);
}
