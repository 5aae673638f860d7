#pragma once
#include <stddef.h>
#include <stdint.h>

/// A convolution, or a matrix product with a fused epilogue, over packed weights.
///
/// Output pixel x of row y reads `segments` runs of `segment_length` floats: run s starts at
/// `input + y * row_step + x * pixel_step + s * segment_step`. A 1x1 convolution is one segment of the
/// input's channels; a k x k one is k segments of k * channels floats over an input that is padded already.
/// result = slope(clamp(sum + bias + residual, low, high)); the residual has `residual_channels` floats a
/// pixel, channels above them add nothing. `slopes` multiplies negative results, channel by channel, and may be
/// null. `bias`, `residual` and `slopes` must be readable 64 bytes beyond their ends.
typedef struct {
  const float *input;
  ptrdiff_t row_step, pixel_step;
  ptrdiff_t segments, segment_length, segment_step;
  const float *weights;
  /// Whether `weights` are 16-bit floats, of a convolution to one pixel.
  int has_float16_weights;
  const float *bias;
  const float *residual;
  ptrdiff_t residual_channels;
  const float *slopes;
  float *output;
  ptrdiff_t rows, pixels, channels;
  float low, high;
} fg_convolution;

/// A depthwise convolution with multiplier 1 over rows `first_row ..< first_row + rows` of the output.
///
/// `weights` is [kernel_height][kernel_width][channels]; `output` points to the first of those rows;
/// `zeros` is at least input_width * channels floats of zero, read instead of rows outside the input;
/// `slopes` multiplies negative results, channel by channel, and may be null.
typedef struct {
  const float *input;
  ptrdiff_t input_height, input_width, channels;
  const float *weights;
  const float *bias;
  const float *zeros;
  const float *slopes;
  float *output;
  ptrdiff_t first_row, rows, output_width;
  ptrdiff_t kernel_height, kernel_width;
  ptrdiff_t stride_height, stride_width;
  ptrdiff_t pad_top, pad_left;
  float low, high;
} fg_depthwise;

/// A weight that is not 0, and the offset of its tap in floats.
typedef struct {
  int32_t offset;
  float value;
} fg_weight;

/// The weights of one output channel, in the order of their taps.
typedef struct {
  const fg_weight *first;
  ptrdiff_t count;
} fg_weight_run;

/// A convolution of one image row that is stored as planes: channel c of the output is `pixels` floats at
/// `c * output_step`.
///
/// Tap k of pixel x is `input[offsets[k] + x]`. result = slope(clamp(sum + bias + residual, low, high)), float by float
/// the operations of `fg_convolution`.
/// `weights` is [depth][channels] and not packed, `pixels` a multiple of the lanes; `slopes` may be null. Where `runs`
/// is not null, they are the weights instead, a run for each channel.
typedef struct {
  const float *input;
  const ptrdiff_t *offsets;
  ptrdiff_t depth;
  const float *weights;
  const fg_weight_run *runs;
  const float *bias;
  const float *residual;
  ptrdiff_t residual_step, residual_channels;
  const float *slopes;
  float *output;
  ptrdiff_t output_step, pixels, channels;
  float low, high;
} fg_planes;

/// Two rows of a convolution of planes, from four sums of taps: the first is a + b + c, the second a - b + d.
typedef struct {
  /// The first row. It has no residual, and lists the taps of all sums, those of a first.
  fg_planes first;
  /// Where the taps of a, b and c end.
  ptrdiff_t ends[3];
  /// The second row.
  float *second;
} fg_winograd_planes;

/// A 3x3 depthwise convolution of stride 1 of one or two rows of planes, over the row above them, them, and the row below.
///
/// The floats before and after each row of a plane are read and must be 0; `weights` is [3][3][channels]. Rows need not
/// begin at a boundary of vectors where `is_unaligned`.
typedef struct {
  const float *rows[4];
  ptrdiff_t row_steps[4];
  const float *weights;
  const float *bias;
  const float *slopes;
  /// The second is null where only one row is made, from the first three.
  float *outputs[2];
  ptrdiff_t output_step, pixels, channels;
  float low, high;
  int is_unaligned;
} fg_plane_filter;

/// A layer of a chain of planes: a pointwise convolution as in `fg_planes`, or a depthwise one as in `fg_plane_filter`.
typedef struct {
  int is_depthwise;
  /// The rows that it reads and those that it adds, by their place in the chain; -1 for none to add.
  ptrdiff_t source, residual;
  ptrdiff_t depth, residual_channels;
  const float *weights;
  /// As in `fg_planes`; null where the weights are dense.
  const fg_weight_run *runs;
  const float *bias;
  const float *slopes;
  float low, high;
} fg_plane_layer;

/// Rows of one layer that later layers still read, in a ring.
typedef struct {
  ptrdiff_t channels;
  /// How many rows later than rows 0 it is computed; the first of a pair, where two are computed at a time.
  ptrdiff_t delay;
  /// A power of two.
  ptrdiff_t count;
  /// Floats from the start of the memory.
  ptrdiff_t offset;
} fg_plane_rows;

/// Layers one after another: rows 0 are the chain's first ones, rows i + 1 the output of layer i. All rows have
/// `height` lines of `width` floats a plane, planes are `step` floats apart, and `margin` floats lie before each.
///
/// A line is one row of the image or, where `line_rows` is not 0, the whole of it: that many rows of `row_width` floats
/// and a 0 after each. The margins around it must then be 0 for a row and two floats.
typedef struct {
  const fg_plane_layer *layers;
  ptrdiff_t layer_count;
  const fg_plane_rows *rows;
  /// `offsets[c]` is `c * step`.
  const ptrdiff_t *offsets;
  ptrdiff_t height, width, step, margin;
  ptrdiff_t line_rows, row_width;
} fg_plane_chain;

/// A max pooling; positions outside the input do not take part.
typedef struct {
  const float *input;
  ptrdiff_t input_height, input_width, channels;
  float *output;
  ptrdiff_t output_height, output_width;
  ptrdiff_t kernel_height, kernel_width;
  ptrdiff_t stride_height, stride_width;
  ptrdiff_t pad_top, pad_left;
  float low, high;
} fg_pool;

/// A linear interpolation between two rows or two pixels for each position along one axis of the
/// output.
typedef struct {
  ptrdiff_t lower, upper;
  float fraction;
} fg_tap;

/// A bilinear resize; `rows` has output_height taps and `columns` has output_width. `residual`, of the output's size, is
/// added, and may be null.
typedef struct {
  const float *input;
  const float *residual;
  ptrdiff_t input_width, channels;
  float *output;
  ptrdiff_t output_height, output_width;
  const fg_tap *rows;
  const fg_tap *columns;
} fg_resize;

/// Arithmetic on pairs: a + b, a - b, a * b, a / b, (a - b)^2, a < 0 ? a * b : a, the larger and the smaller.
typedef enum {
  fg_add,
  fg_subtract,
  fg_multiply,
  fg_divide,
  fg_squared_difference,
  fg_slope,
  fg_maximum,
  fg_minimum,
} fg_binary;

/// Functions of one number: -x, sqrt(x), 1 / sqrt(x), 1 / (1 + exp(-x)), exp(x), x * min(max(x + 3, 0), 6) / 6.
typedef enum {
  fg_negate,
  fg_square_root,
  fg_reciprocal_square_root,
  fg_logistic,
  fg_exponential,
  fg_hard_swish,
} fg_unary;

/// Vectors that `multiply_add` works on at a time.
#define FG_CHAINS 12

/// The kernels compiled for one instruction set.
typedef struct {
  const char *name;
  ptrdiff_t lanes;
  /// Floats of the shorter vectors that end a row of channels where they suffice.
  ptrdiff_t half_lanes;
  /// Floats that `pack` writes for a [depth][channels] matrix.
  size_t (*packed_count)(ptrdiff_t depth, ptrdiff_t channels);
  /// Lays out a [depth][channels] matrix as `convolve` of the same instruction set reads it.
  void (*pack)(const float *matrix, ptrdiff_t depth, ptrdiff_t channels, float *packed);
  /// Narrows packed weights to 16-bit floats, `count` a multiple of `half_lanes`; whether each is still the same number.
  /// Always 0 where the instruction set cannot widen them again.
  int (*narrow)(const float *packed, size_t count, void *result);
  void (*convolve)(const fg_convolution *work);
  /// A product from the left: result[row][channel] = the sum over k of input[row][k] * weights[k][channel], where
  /// `input` is the constant matrix, a row a pixel, `bias` has a float a row, and `weights` is not packed.
  void (*mix)(const fg_convolution *work);
  void (*depthwise)(const fg_depthwise *work);
  void (*convolve_planes)(const fg_planes *work);
  void (*winograd_planes)(const fg_winograd_planes *work);
  void (*filter_planes)(const fg_plane_filter *work);
  /// What every layer of a chain computes at a time: line `time` minus its delay. Where lines are rows,
  /// `memory` begins with `step + margin` zeros.
  void (*advance_planes)(const fg_plane_chain *chain, float *memory, ptrdiff_t time);
  void (*max_pool)(const fg_pool *work);
  void (*resize)(const fg_resize *work);
  /// slope(clamp(values + bias + residual)) in place over [pixels][channels]; `slopes` may be null.
  void (*finish)(float *values, ptrdiff_t pixels, ptrdiff_t channels, const float *bias,
                 const float *residual, ptrdiff_t residual_channels, const float *slopes, float low,
                 float high);
  void (*clamp)(const float *values, float *clamped, ptrdiff_t count, float low, float high);
  /// clamp(a op b), where a step of 0 repeats one float and 1 walks along; `result` may be `a` or `b`.
  void (*binary)(fg_binary operation, const float *a, ptrdiff_t a_step, const float *b, ptrdiff_t b_step,
                 float *result, ptrdiff_t count, float low, float high);
  void (*unary)(fg_unary operation, const float *values, float *result, ptrdiff_t count);
  float (*sum)(const float *values, ptrdiff_t count);
  /// `rounds` times FG_CHAINS independent multiply-adds of a vector, in registers: the most that a core can do.
  float (*multiply_add)(ptrdiff_t rounds);
  /// (x - mean) * scale / sqrt(variance + epsilon) along each row of [rows][channels].
  void (*normalize)(const float *values, ptrdiff_t rows, ptrdiff_t channels, const float *scales,
                    float epsilon, float *result);
  /// result[column * result_step + row] = values[row * row_step + column]
  void (*transpose)(const float *values, ptrdiff_t row_step, ptrdiff_t rows, ptrdiff_t columns,
                    float *result, ptrdiff_t result_step);
} fg_kernels;

/// The kernels of level 0 (any CPU), 1 (x86-64-v3) or 2 (x86-64-v4); null where this CPU cannot run them.
const fg_kernels *fg_kernels_at(int level);

/// Name and version of the compiler that built the kernels.
const char *fg_compiler(void);
