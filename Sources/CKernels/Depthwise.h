INLINE const float *input_row(const fg_depthwise *d, ptrdiff_t y, ptrdiff_t ky) {
  ptrdiff_t from = y * d->stride_height - d->pad_top + ky;
  return from < 0 || from >= d->input_height ? d->zeros : d->input + from * d->input_width * d->channels;
}

#define BODY "DepthwiseRow.h"
#include "BothWidths.h"

static void depthwise_few_channels(const fg_depthwise *work) {
  const fg_depthwise copy = *work, *d = &copy;
  for (ptrdiff_t y = 0; y < d->rows; y++)
    for (ptrdiff_t x = 0; x < d->output_width; x++) {
      ptrdiff_t c = 0;
      // Four channels at a time.
      for (; c + 4 <= d->channels; c += 4) {
        Quad sum = load_quad(d->bias + c);
        for (ptrdiff_t ky = 0; ky < d->kernel_height; ky++) {
          const float *row = input_row(d, d->first_row + y, ky);
          for (ptrdiff_t kx = 0; kx < d->kernel_width; kx++) {
            ptrdiff_t column = x * d->stride_width - d->pad_left + kx;
            if (column < 0 || column >= d->input_width) continue;
            sum += load_quad(row + column * d->channels + c)
                   * load_quad(d->weights + (ky * d->kernel_width + kx) * d->channels + c);
          }
        }
        float *output = d->output + (y * d->output_width + x) * d->channels + c;
        UNROLL for (int i = 0; i < 4; i++) {
          float result = limited_one(sum[i], d->low, d->high);
          output[i] = result < 0 && d->slopes ? result * d->slopes[c + i] : result;
        }
      }
      for (; c < d->channels; c++) {
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
}

INLINE void depthwise_many_channels(const int has_slopes, const fg_depthwise *d) {
  // Output pixels begin ..< end have every tap inside the input's columns.
  ptrdiff_t begin = (d->pad_left + d->stride_width - 1) / d->stride_width;
  if (begin > d->output_width) begin = d->output_width;
  ptrdiff_t room = d->input_width + d->pad_left - d->kernel_width;
  ptrdiff_t end = room < 0 ? 0 : room / d->stride_width + 1;
  if (end > d->output_width) end = d->output_width;
  if (end < begin) end = begin;
  ptrdiff_t half = ends_in_half(d->channels), whole = vector_count(d->channels) - half;
  for (ptrdiff_t i = 0; i < d->rows; i++) {
    for (ptrdiff_t unit = 0; unit < whole; unit++)
      depthwise_row(has_slopes, d, i, unit_start(unit, LANES, d->channels), begin, end);
    if (half) half_depthwise_row(has_slopes, d, i, unit_start(whole, HALF_LANES, d->channels), begin, end);
  }
}

static void depthwise(const fg_depthwise *d) {
  if (d->channels < (ends_in_half(d->channels) ? HALF_LANES : LANES)) depthwise_few_channels(d);
  else if (d->slopes) depthwise_many_channels(1, d);
  else depthwise_many_channels(0, d);
}
