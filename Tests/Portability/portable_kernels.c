// Runs the kernels of a level and the portable crop on small whole numbers, where every order of summing is exact, and
// compares each float with plain loops. Prints a line a kernel: name, floats compared, and a digest of them, which is the
// same on every processor and level. Ends with 1 at the first float that differs, and with 2 where the level is missing.

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CImaging.h"
#include "CKernels.h"

static const fg_kernels *k;

enum { ROOM = 64 };

static const char *name;
static long compared;
static uint64_t digest;

static void begin(const char *kernel) {
  name = kernel;
  compared = 0;
  digest = 14695981039346656037u;
}

static void end(void) { printf("%s %ld %016llx\n", name, compared, (unsigned long long)digest); }

static void same(float found, float expected, double tolerance) {
  compared++;
  if (!(fabs((double)found - expected) <= tolerance * (1 + fabs((double)expected)))) {
    printf("%s: float %ld is %.9g, expected %.9g\n", name, compared, found, expected);
    exit(1);
  }
  uint32_t bits;
  // What is not exact may differ in its last bits from processor to processor: only its first 18 bits count.
  float rounded = tolerance > 0 ? roundf(found * 1024) : found;
  if (rounded == 0) rounded = 0;
  memcpy(&bits, &rounded, sizeof bits);
  digest = (digest ^ bits) * 1099511628211u;
}

static float *whole(ptrdiff_t count, int seed) {
  float *values = calloc((size_t)count + ROOM, sizeof *values);
  for (ptrdiff_t i = 0; i < count; i++) values[i] = (float)((i * 7 + seed * 13) * (i + 3) % 11 - 5);
  return values;
}

static float limited(float x, float low, float high) { return x < low ? low : x > high ? high : x; }

static float *room(ptrdiff_t count) {
  float *values = malloc(((size_t)count + ROOM) * sizeof *values);
  for (ptrdiff_t i = 0; i < count + ROOM; i++) values[i] = 99;
  return values;
}

static void unchanged_beyond(const float *values, ptrdiff_t count) {
  for (int i = 0; i < ROOM; i++) same(values[count + i], 99, 0);
}

// One row of planes: a pointwise convolution, and one or two rows of a depthwise one, with zeros around its input.
static void planes(void) {
  static const int sizes[][3] = {{1, 1, 1}, {2, 3, 8}, {3, 16, 5}, {5, 8, 16}, {9, 4, 13}};
  begin("planes");
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    int n = sizes[s][0] * (int)k->lanes, depth = sizes[s][1], m = sizes[s][2], step = n + 2, others = m - m % 3;
    float *input = whole(depth * step, 1), *matrix = whole(depth * m, 2), *bias = whole(m, 3), *slopes = whole(m, 8);
    float *residual = whole(m * step, 4), *output = room(m * n);
    ptrdiff_t offsets[16];
    for (int d = 0; d < depth; d++) offsets[d] = d * step;
    fg_planes work = {
      .input = input + 1, .offsets = offsets, .depth = depth, .weights = matrix, .bias = bias, .residual = residual + 1,
      .residual_step = step, .residual_channels = others, .slopes = s % 2 ? slopes : NULL, .output = output,
      .output_step = n, .pixels = n, .channels = m, .low = s % 3 ? -20 : -INFINITY, .high = s % 3 ? 30 : INFINITY};
    k->convolve_planes(&work);
    for (int c = 0; c < m; c++)
      for (int x = 0; x < n; x++) {
        float sum = bias[c];
        for (int d = 0; d < depth; d++) sum += input[d * step + 1 + x] * matrix[d * m + c];
        if (c < others) sum += residual[c * step + 1 + x];
        sum = limited(sum, work.low, work.high);
        same(output[c * n + x], sum < 0 && work.slopes ? sum * slopes[c] : sum, 0);
      }
    unchanged_beyond(output, m * n);

    float *rows = whole(4 * m * step, 5), *filter = whole(9 * m, 6), *both = room(2 * m * n);
    for (int row = 0; row < 4 * m; row++) rows[row * step] = rows[row * step + n + 1] = 0;
    for (int made = 1; made <= 2; made++) {
      fg_plane_filter over = {
        .rows = {rows + 1, rows + 1 + m * step, rows + 1 + 2 * m * step, rows + 1 + 3 * m * step},
        .row_steps = {step, step, step, step}, .weights = filter, .bias = bias, .slopes = work.slopes,
        .outputs = {both, made == 2 ? both + m * n : NULL}, .output_step = n, .pixels = n, .channels = m,
        .low = work.low, .high = work.high};
      k->filter_planes(&over);
      for (int i = 0; i < made * m * n; i++) {
        int row = i / (m * n), c = i / n % m, x = i % n;
        float sum = bias[c];
        for (int t = 0; t < 9; t++) sum += rows[((t / 3 + row) * m + c) * step + x + t % 3] * filter[t * m + c];
        sum = limited(sum, over.low, over.high);
        same(both[i], sum < 0 && over.slopes ? sum * slopes[c] : sum, 0);
      }
      unchanged_beyond(both, made * m * n);
    }
    free(both);
    free(input), free(matrix), free(bias), free(slopes), free(residual), free(output), free(rows), free(filter);
  }
  end();
}

static void convolutions(void) {
  static const int pixels[] = {1, 3, 4, 7, 8, 9, 16, 31, 64, 65, 130};
  static const int channels[] = {1, 2, 4, 5, 8, 11, 16, 17, 24, 31, 36, 48, 50, 64, 97, 100};
  begin("convolve");
  for (size_t p = 0; p < sizeof pixels / sizeof *pixels; p++)
    for (size_t c = 0; c < sizeof channels / sizeof *channels; c++) {
      int n = pixels[p], m = channels[c], depth = 1 + (n + m) % 9, others = m % 3 ? m - m % 4 : 0;
      float *input = whole(n * depth, 1), *matrix = whole(depth * m, 2), *bias = whole(m, 3);
      float *residual = whole(n * others, 4), *slopes = whole(m, 8), *output = room(n * m);
      float *packed = calloc(k->packed_count(depth, m) + ROOM, sizeof *packed);
      k->pack(matrix, depth, m, packed);
      fg_convolution work = {
        .input = input, .row_step = n * depth, .pixel_step = depth, .segments = 1, .segment_length = depth,
        .segment_step = depth, .weights = packed, .bias = bias, .residual = others ? residual : NULL,
        .residual_channels = others, .slopes = m % 2 == n % 2 ? slopes : NULL, .output = output, .rows = 1,
        .pixels = n, .channels = m, .low = -20, .high = 30};
      k->convolve(&work);
      for (int x = 0; x < n; x++)
        for (int y = 0; y < m; y++) {
          float sum = bias[y];
          for (int d = 0; d < depth; d++) sum += input[x * depth + d] * matrix[d * m + y];
          if (y < others) sum += residual[x * others + y];
          sum = limited(sum, -20, 30);
          same(output[x * m + y], sum < 0 && work.slopes ? sum * slopes[y] : sum, 0);
        }
      unchanged_beyond(output, n * m);
      free(input), free(matrix), free(bias), free(residual), free(slopes), free(output), free(packed);
    }
  end();

  begin("mix");
  static const int sizes[][3] = {{1, 1, 16}, {2, 5, 17}, {9, 3, 40}, {13, 20, 64}, {8, 7, 5}, {25, 97, 24}, {97, 4, 1}};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    int rows = sizes[s][0], depth = sizes[s][1], columns = sizes[s][2];
    float *matrix = whole(rows * depth, 1), *values = whole(depth * columns, 2), *bias = whole(rows, 3);
    float *output = room(rows * columns);
    fg_convolution work = {
      .input = matrix, .row_step = rows * depth, .pixel_step = depth, .segments = 1, .segment_length = depth,
      .segment_step = depth, .weights = values, .bias = bias, .output = output, .rows = 1, .pixels = rows,
      .channels = columns, .low = -20, .high = 30};
    k->mix(&work);
    for (int r = 0; r < rows; r++)
      for (int c = 0; c < columns; c++) {
        float sum = bias[r];
        for (int d = 0; d < depth; d++) sum += matrix[r * depth + d] * values[d * columns + c];
        same(output[r * columns + c], limited(sum, -20, 30), 0);
      }
    unchanged_beyond(output, rows * columns);
    free(matrix), free(values), free(bias), free(output);
  }
  end();
}

static void windows(void) {
  static const int kernels[][2] = {{3, 3}, {2, 2}, {5, 4}, {9, 1}};
  static const int sizes[][3] = {{24, 1, 1}, {9, 2, 1}, {20, 3, 2}, {97, 8, 1}, {8, 9, 2}};
  const int height = 4;
  for (int pools = 0; pools < 2; pools++) {
    begin(pools ? "max_pool" : "depthwise");
    for (size_t f = 0; f < 4; f++)
      for (size_t s = 0; s < 5; s++) {
        int kh = kernels[f][0], kw = kernels[f][1], channels = sizes[s][0], width = sizes[s][1], stride = sizes[s][2];
        int oh = (height + stride - 1) / stride, ow = (width + stride - 1) / stride;
        int down = (oh - 1) * stride + kh - height, right = (ow - 1) * stride + kw - width;
        int top = down > 0 ? down / 2 : 0, left = right > 0 ? right / 2 : 0;
        float *input = whole(height * width * channels, 5), *weights = whole(kh * kw * channels, 6);
        float *bias = whole(channels, 7), *zeros = calloc((size_t)(width * channels) + ROOM, sizeof *zeros);
        float *output = room(oh * ow * channels);
        if (pools) {
          fg_pool work = {
            .input = input, .input_height = height, .input_width = width, .channels = channels, .output = output,
            .output_height = oh, .output_width = ow, .kernel_height = kh, .kernel_width = kw, .stride_height = stride,
            .stride_width = stride, .pad_top = top, .pad_left = left, .low = -3, .high = 4};
          k->max_pool(&work);
        } else {
          fg_depthwise work = {
            .input = input, .input_height = height, .input_width = width, .channels = channels, .weights = weights,
            .bias = bias, .zeros = zeros, .output = output, .rows = oh, .output_width = ow, .kernel_height = kh,
            .kernel_width = kw, .stride_height = stride, .stride_width = stride, .pad_top = top, .pad_left = left,
            .low = -40, .high = 50};
          k->depthwise(&work);
        }
        for (int y = 0; y < oh; y++)
          for (int x = 0; x < ow; x++)
            for (int c = 0; c < channels; c++) {
              float sum = bias[c], largest = -INFINITY;
              for (int i = 0; i < kh; i++)
                for (int j = 0; j < kw; j++) {
                  int row = y * stride - top + i, column = x * stride - left + j;
                  if (row < 0 || row >= height || column < 0 || column >= width) continue;
                  float value = input[(row * width + column) * channels + c];
                  sum += value * weights[(i * kw + j) * channels + c];
                  largest = value > largest ? value : largest;
                }
              float expected = pools ? limited(largest, -3, 4) : limited(sum, -40, 50);
              same(output[(y * ow + x) * channels + c], expected, 0);
            }
        unchanged_beyond(output, oh * ow * channels);
        free(input), free(weights), free(bias), free(zeros), free(output);
      }
    end();
  }
}

static void resizes(void) {
  begin("resize");
  for (int channels = 1; channels < 40; channels += 6) {
    enum { H = 3, W = 5, OH = 6, OW = 10 };
    float *input = whole(H * W * channels, 9), *residual = whole(OH * OW * channels, 4);
    float *output = room(OH * OW * channels);
    int adds = channels % 4 == 3;
    fg_tap rows[OH], columns[OW];
    for (int i = 0; i < OH; i++) rows[i] = (fg_tap){i / 2, i / 2 + 1 < H ? i / 2 + 1 : H - 1, (float)(i % 2) / 2};
    for (int i = 0; i < OW; i++) columns[i] = (fg_tap){i / 2, i / 2 + 1 < W ? i / 2 + 1 : W - 1, (float)(i % 2) / 2};
    fg_resize work = {
      .input = input, .residual = adds ? residual : NULL, .input_width = W, .channels = channels, .output = output, .output_height = OH,
      .output_width = OW, .rows = rows, .columns = columns};
    k->resize(&work);
    for (int y = 0; y < OH; y++)
      for (int x = 0; x < OW; x++)
        for (int c = 0; c < channels; c++) {
#define AT(ROW, COLUMN) input[((ROW) * W + (COLUMN)) * channels + c]
          float above = AT(rows[y].lower, columns[x].lower) * (1 - columns[x].fraction)
                        + AT(rows[y].lower, columns[x].upper) * columns[x].fraction;
          float below = AT(rows[y].upper, columns[x].lower) * (1 - columns[x].fraction)
                        + AT(rows[y].upper, columns[x].upper) * columns[x].fraction;
#undef AT
          int i = (y * OW + x) * channels + c;
          float sum = above * (1 - rows[y].fraction) + below * rows[y].fraction;
          same(output[i], adds ? sum + residual[i] : sum, 0);
        }
    unchanged_beyond(output, OH * OW * channels);
    free(input), free(residual), free(output);
  }
  end();
}

static float pair(fg_binary operation, float x, float y) {
  switch (operation) {
    case fg_add: return x + y;
    case fg_subtract: return x - y;
    case fg_multiply: return x * y;
    case fg_divide: return x / y;
    case fg_squared_difference: return (x - y) * (x - y);
    case fg_slope: return x < 0 ? x * y : x;
    case fg_maximum: return x > y ? x : y;
    case fg_minimum: return x < y ? x : y;
  }
  return NAN;
}

static void elements(void) {
  begin("finish");
  for (int channels = 1; channels < 40; channels += 5) {
    enum { N = 7 };
    int others = channels - channels % 3;
    float *values = room(N * channels), *bias = whole(channels, 2), *residual = whole(N * others, 3);
    float *slopes = whole(channels, 4), *before = whole(N * channels, 1);
    memcpy(values, before, (size_t)(N * channels) * sizeof *values);
    k->finish(values, N, channels, bias, residual, others, slopes, -8, 9);
    for (int i = 0; i < N * channels; i++) {
      int c = i % channels;
      float sum = limited(before[i] + bias[c] + (c < others ? residual[i / channels * others + c] : 0), -8, 9);
      same(values[i], sum < 0 ? sum * slopes[c] : sum, 0);
    }
    unchanged_beyond(values, N * channels);
    free(values), free(bias), free(residual), free(slopes), free(before);
  }
  end();

  begin("binary");
  for (int operation = fg_add; operation <= fg_minimum; operation++)
    for (int form = 0; form < 3; form++)
      for (int count = 1; count < 20; count += 3) {
        float *a = whole(count, 1), *b = whole(count, 2), *result = room(count);
        // Divisors of powers of two keep quotients exact.
        for (int i = 0; i < count && operation == fg_divide; i++) b[i] = (float)(1 << (i % 5)) * (i % 2 ? -1 : 1);
        k->binary((fg_binary)operation, a, form != 1, b, form != 2, result, count, -30, 30);
        for (int i = 0; i < count; i++)
          same(result[i], limited(pair((fg_binary)operation, a[form == 1 ? 0 : i], b[form == 2 ? 0 : i]), -30, 30), 0);
        unchanged_beyond(result, count);
        free(a), free(b), free(result);
      }
  end();

  begin("unary, sum and clamp");
  for (int count = 1; count < 50; count += 7) {
    float *values = whole(count, 3), *result = room(count);
    k->unary(fg_negate, values, result, count);
    for (int i = 0; i < count; i++) same(result[i], -values[i], 0);
    k->clamp(values, result, count, -2, 3);
    for (int i = 0; i < count; i++) same(result[i], limited(values[i], -2, 3), 0);
    float total = 0;
    for (int i = 0; i < count; i++) total += values[i];
    same(k->sum(values, count), total, 0);
    k->unary(fg_logistic, values, result, count);
    for (int i = 0; i < count; i++) same(result[i], (float)(1 / (1 + exp(-(double)values[i]))), 1e-6);
    k->unary(fg_exponential, values, result, count);
    for (int i = 0; i < count; i++) same(result[i], (float)exp((double)values[i]), 1e-6);
    k->unary(fg_hard_swish, values, result, count);
    for (int i = 0; i < count; i++) same(result[i], values[i] * limited(values[i] + 3, 0, 6) / 6, 1e-6);
    for (int i = 0; i < count; i++) values[i] = values[i] * values[i] + 1;
    k->unary(fg_square_root, values, result, count);
    for (int i = 0; i < count; i++) same(result[i], (float)sqrt((double)values[i]), 1e-6);
    k->unary(fg_reciprocal_square_root, values, result, count);
    for (int i = 0; i < count; i++) same(result[i], (float)(1 / sqrt((double)values[i])), 1e-6);
    unchanged_beyond(result, count);
    free(values), free(result);
  }
  end();

  begin("normalize and transpose");
  for (int channels = 1; channels < 70; channels += 9) {
    enum { ROWS = 5 };
    float *values = whole(ROWS * channels, 6), *scales = whole(channels, 7), *result = room(ROWS * channels);
    k->normalize(values, ROWS, channels, scales, 0.25f, result);
    for (int r = 0; r < ROWS; r++) {
      double mean = 0, variance = 0;
      for (int c = 0; c < channels; c++) mean += values[r * channels + c] / (double)channels;
      for (int c = 0; c < channels; c++) variance += pow(values[r * channels + c] - mean, 2) / channels;
      for (int c = 0; c < channels; c++)
        same(result[r * channels + c],
             (float)((values[r * channels + c] - mean) * scales[c] / sqrt(variance + 0.25)), 3e-6);
    }
    unchanged_beyond(result, ROWS * channels);
    float *turned = room(ROWS * channels);
    k->transpose(values, channels, ROWS, channels, turned, ROWS);
    for (int r = 0; r < ROWS; r++)
      for (int c = 0; c < channels; c++) same(turned[c * ROWS + r], values[r * channels + c], 0);
    unchanged_beyond(turned, ROWS * channels);
    free(values), free(scales), free(result), free(turned);
  }
  end();
}

// The crop has no plain loops here: the digest is compared between processors, and with OpenCV by other tests.
static void crops(void) {
  enum { W = 97, H = 61, SIDE = 48 };
  static uint8_t rgb[W * H * 3];
  for (int i = 0; i < W * H * 3; i++) rgb[i] = (uint8_t)((i * 31 + i / 97 * 17 + (i * i) % 251) % 256);
  static const double maps[][9] = {
    {1.5, 0.25, -3.0625, -0.25, 1.25, 2.5, 0, 0, 1},
    {0.5, 0, 10, 0, 0.5, 5, 0, 0, 1},
    {3, 1, -20, -1, 3, -30, 0, 0, 1},
  };
  begin("crop");
  for (int map = 0; map < 3; map++)
    for (int replicate = 0; replicate < 2; replicate++) {
      float *tensor = room(SIDE * SIDE * 3);
      fg_crop crop = {
        .rgb = rgb, .width = W, .height = H, .replicate = replicate, .tensor_width = SIDE, .tensor_height = SIDE,
        .scale = 2 / 255.0f, .offset = -1, .tensor = tensor};
      memcpy(crop.inverse, maps[map], sizeof crop.inverse);
      fg_crop_to_tensor_at(0, &crop);
      for (int i = 0; i < SIDE * SIDE * 3; i++) same(tensor[i], tensor[i], 0);
      unchanged_beyond(tensor, SIDE * SIDE * 3);
      free(tensor);
    }
  end();
}

/// The level's number as in `Kernels.Level`, 0 without one.
int main(int count, char **words) {
  k = fg_kernels_at(count > 1 ? atoi(words[1]) : 0);
  if (!k) return 2;
  convolutions();
  planes();
  windows();
  resizes();
  elements();
  crops();
  return 0;
}
