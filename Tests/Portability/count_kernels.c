// Runs one kernel over one layer: NAME LEVEL ROUNDS. What a round costs is the difference of two numbers of rounds.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CImaging.h"
#include "CKernels.h"

static const fg_kernels *k;
static long rounds;

static float *filled(ptrdiff_t count) {
  float *values = calloc((size_t)count + 4096, sizeof *values);
  for (ptrdiff_t i = 0; i < count; i++) values[i] = (float)(i * 7 % 11 - 5);
  return values;
}

static void convolve(int side, int kernel, int depth, int channels) {
  int segment = kernel * depth, row = (side + kernel - 1) * depth;
  float *packed = filled((ptrdiff_t)k->packed_count(kernel * segment, channels));
  k->pack(filled(kernel * segment * channels), kernel * segment, channels, packed);
  fg_convolution work = {
    .input = filled((side + kernel) * row), .row_step = row, .pixel_step = depth, .segments = kernel,
    .segment_length = segment, .segment_step = row, .weights = packed, .bias = filled(channels),
    .slopes = filled(channels), .output = filled(side * side * channels), .rows = side, .pixels = side,
    .channels = channels, .low = -INFINITY, .high = INFINITY};
  for (long i = 0; i < rounds; i++) k->convolve(&work);
}

static void mix(int rows, int depth, int columns) {
  fg_convolution work = {
    .input = filled(rows * depth), .row_step = rows * depth, .pixel_step = depth, .segments = 1,
    .segment_length = depth, .segment_step = depth, .weights = filled(depth * columns), .bias = filled(rows),
    .output = filled(rows * columns), .rows = 1, .pixels = rows, .channels = columns, .low = -INFINITY,
    .high = INFINITY};
  for (long i = 0; i < rounds; i++) k->mix(&work);
}

static void depthwise(int side, int channels) {
  fg_depthwise work = {
    .input = filled(side * side * channels), .input_height = side, .input_width = side, .channels = channels,
    .weights = filled(9 * channels), .bias = filled(channels), .zeros = calloc((size_t)(side * channels), sizeof(float)),
    .slopes = filled(channels), .output = filled(side * side * channels), .rows = side, .output_width = side,
    .kernel_height = 3, .kernel_width = 3, .stride_height = 1, .stride_width = 1, .pad_top = 1, .pad_left = 1,
    .low = -INFINITY, .high = INFINITY};
  for (long i = 0; i < rounds; i++) k->depthwise(&work);
}

static void planes(int pixels, int depth, int channels) {
  ptrdiff_t offsets[128];
  for (int d = 0; d < depth; d++) offsets[d] = d * pixels;
  fg_planes work = {
    .input = filled(depth * pixels), .offsets = offsets, .depth = depth, .weights = filled(depth * channels),
    .bias = filled(channels), .slopes = filled(channels), .output = filled(channels * pixels), .output_step = pixels,
    .pixels = pixels, .channels = channels, .low = -INFINITY, .high = INFINITY};
  for (long i = 0; i < rounds; i++) k->convolve_planes(&work);
}

static void plane_filter(int pixels, int channels) {
  int step = pixels + 16;
  float *rows = filled(4 * channels * step) + 8, *output = filled(2 * channels * pixels);
  fg_plane_filter work = {
    .row_steps = {step, step, step, step}, .weights = filled(9 * channels), .bias = filled(channels),
    .slopes = filled(channels), .outputs = {output, output + channels * pixels}, .output_step = pixels,
    .pixels = pixels, .channels = channels, .low = -INFINITY, .high = INFINITY};
  for (int row = 0; row < 4; row++) work.rows[row] = rows + row * channels * step;
  for (long i = 0; i < rounds; i++) k->filter_planes(&work);
}

static void max_pool(int side, int channels) {
  fg_pool work = {
    .input = filled(side * side * channels), .input_height = side, .input_width = side, .channels = channels,
    .output = filled(side * side * channels / 4), .output_height = side / 2, .output_width = side / 2,
    .kernel_height = 2, .kernel_width = 2, .stride_height = 2, .stride_width = 2, .low = -INFINITY, .high = INFINITY};
  for (long i = 0; i < rounds; i++) k->max_pool(&work);
}

/// To twice the size.
static void resize(int side, int channels) {
  fg_tap taps[64];
  for (int i = 0; i < 2 * side; i++) taps[i] = (fg_tap){i / 2, i / 2 + 1 < side ? i / 2 + 1 : side - 1, (float)(i % 2) / 2};
  fg_resize work = {
    .input = filled(side * side * channels), .input_width = side, .channels = channels,
    .output = filled(4 * side * side * channels), .output_height = 2 * side, .output_width = 2 * side, .rows = taps,
    .columns = taps};
  for (long i = 0; i < rounds; i++) k->resize(&work);
}

static void crop(int side) {
  static uint8_t rgb[640 * 480 * 3];
  fg_crop work = {
    .rgb = rgb, .width = 640, .height = 480, .tensor_width = side, .tensor_height = side, .scale = 1 / 255.0f,
    .tensor = filled(side * side * 3), .inverse = {1.2, 0.2, 40, -0.2, 1.2, 60, 0, 0, 1}};
  for (long i = 0; i < rounds; i++) fg_crop_to_tensor(&work);
}

int main(int count, char **words) {
  k = count == 4 ? fg_kernels_at(atoi(words[2])) : NULL;
  if (!k) return 2;
  rounds = atol(words[3]);
  enum { PIXELS = 32 * 32, CHANNELS = 64 };
  if (!strcmp(words[1], "convolve-1x1")) {
    convolve(32, 1, 64, 64);
  } else if (!strcmp(words[1], "convolve-3x3")) {
    convolve(16, 3, 32, 32);
  } else if (!strcmp(words[1], "mix")) {
    mix(96, 97, 64);
  } else if (!strcmp(words[1], "depthwise-3x3")) {
    depthwise(32, CHANNELS);
  } else if (!strcmp(words[1], "planes-1x1")) {
    planes(128, 32, 32);
  } else if (!strcmp(words[1], "planes-3x3")) {
    plane_filter(128, 32);
  } else if (!strcmp(words[1], "finish")) {
    float *values = filled(PIXELS * CHANNELS), *bias = filled(CHANNELS), *slopes = filled(CHANNELS);
    for (long i = 0; i < rounds; i++)
      k->finish(values, PIXELS, CHANNELS, bias, NULL, 0, slopes, -INFINITY, INFINITY);
  } else if (!strcmp(words[1], "logistic") || !strcmp(words[1], "hard-swish")) {
    float *values = filled(PIXELS);
    fg_unary operation = words[1][0] == 'l' ? fg_logistic : fg_hard_swish;
    for (long i = 0; i < rounds; i++) k->unary(operation, values, values, PIXELS);
  } else if (!strcmp(words[1], "add") || !strcmp(words[1], "slope")) {
    float *values = filled(PIXELS), *others = filled(PIXELS);
    fg_binary operation = words[1][0] == 'a' ? fg_add : fg_slope;
    for (long i = 0; i < rounds; i++)
      k->binary(operation, values, 1, others, 1, values, PIXELS, -INFINITY, INFINITY);
  } else if (!strcmp(words[1], "clamp")) {
    float *values = filled(PIXELS);
    for (long i = 0; i < rounds; i++) k->clamp(values, values, PIXELS, 0, 6);
  } else if (!strcmp(words[1], "normalize")) {
    float *values = filled(97 * CHANNELS), *scales = filled(CHANNELS);
    for (long i = 0; i < rounds; i++) k->normalize(values, 97, CHANNELS, scales, 0.001f, values);
  } else if (!strcmp(words[1], "transpose")) {
    float *values = filled(97 * CHANNELS), *turned = filled(97 * CHANNELS);
    for (long i = 0; i < rounds; i++) k->transpose(values, CHANNELS, 97, CHANNELS, turned, 97);
  } else if (!strcmp(words[1], "max-pool")) {
    max_pool(32, CHANNELS);
  } else if (!strcmp(words[1], "resize")) {
    resize(16, CHANNELS);
  } else if (!strcmp(words[1], "crop")) {
    crop(256);
  } else {
    return 2;
  }
  return 0;
}
