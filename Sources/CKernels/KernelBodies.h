// Included once per instruction set, with LANES, TILE_PIXELS, KERNELS and KERNELS_NAME defined.
//
// Channel counts that are no multiple of LANES are covered by a last vector that ends at the last
// channel and overlaps the one before it: every float is computed by the same operations either way.

typedef float Vector __attribute__((vector_size(LANES * sizeof(float))));
typedef int Mask __attribute__((vector_size(LANES * sizeof(int))));

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("clang loop unroll(full)")

INLINE Vector load(const float *p) {
  Vector v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

INLINE void store(float *p, Vector v) { __builtin_memcpy(p, &v, sizeof v); }

INLINE Vector splat(float x) { return x - (Vector){}; }

INLINE Vector larger(Vector a, Vector b) {
  Mask m = a > b;
  return (Vector)(((Mask)a & m) | ((Mask)b & ~m));
}

INLINE Vector smaller(Vector a, Vector b) {
  Mask m = a < b;
  return (Vector)(((Mask)a & m) | ((Mask)b & ~m));
}

INLINE Vector limited(Vector v, Vector low, Vector high) { return smaller(larger(v, low), high); }

INLINE float limited_one(float x, float low, float high) {
  x = x > low ? x : low;
  return x < high ? x : high;
}

INLINE Vector first_lanes(Vector v, ptrdiff_t count) {
  Mask index;
  UNROLL for (int i = 0; i < LANES; i++) index[i] = i;
  return (Vector)((Mask)v & (index < (int)count));
}

// MARK: convolution

INLINE ptrdiff_t vector_count(ptrdiff_t channels) { return (channels + LANES - 1) / LANES; }

INLINE ptrdiff_t vector_start(ptrdiff_t index, ptrdiff_t channels) {
  ptrdiff_t start = index * LANES, last = channels - LANES;
  return start <= last ? start : last < 0 ? 0 : last;
}

INLINE ptrdiff_t group_size(ptrdiff_t vectors_left) {
  return vectors_left == 4 ? 2 : vectors_left < 3 ? vectors_left : 3;
}

static size_t packed_count(ptrdiff_t depth, ptrdiff_t channels) {
  return (size_t)(depth * vector_count(channels) * LANES);
}

static void pack(const float *matrix, ptrdiff_t depth, ptrdiff_t channels, float *packed) {
  ptrdiff_t vectors = vector_count(channels);
  for (ptrdiff_t first = 0; first < vectors;) {
    ptrdiff_t size = group_size(vectors - first);
    for (ptrdiff_t k = 0; k < depth; k++)
      for (ptrdiff_t j = first; j < first + size; j++)
        for (ptrdiff_t lane = 0; lane < LANES; lane++) {
          ptrdiff_t channel = vector_start(j, channels) + lane;
          *packed++ = channel < channels ? matrix[k * channels + channel] : 0;
        }
    first += size;
  }
}

INLINE void tile(const int pixels, const int vectors, const fg_convolution *c, const float *input,
                 const float *weights, const ptrdiff_t *starts, ptrdiff_t pixel) {
  Vector sum[TILE_PIXELS][3];
  UNROLL for (int j = 0; j < vectors; j++) {
    Vector bias = load(c->bias + starts[j]);
    UNROLL for (int m = 0; m < pixels; m++) sum[m][j] = bias;
  }
  for (ptrdiff_t s = 0; s < c->segments; s++) {
    const float *from[TILE_PIXELS];
    UNROLL for (int m = 0; m < pixels; m++)
      from[m] = input + s * c->segment_step + m * c->pixel_step;
    for (ptrdiff_t k = 0; k < c->segment_length; k++) {
      Vector w[3];
      UNROLL for (int j = 0; j < vectors; j++) w[j] = load(weights + j * LANES);
      weights += vectors * LANES;
      UNROLL for (int m = 0; m < pixels; m++) {
        Vector x = splat(from[m][k]);
        UNROLL for (int j = 0; j < vectors; j++) sum[m][j] += x * w[j];
      }
    }
  }
  Vector low = splat(c->low), high = splat(c->high);
  UNROLL for (int j = 0; j < vectors; j++) {
    ptrdiff_t shared = c->residual_channels - starts[j];
    const float *residual = c->residual + pixel * c->residual_channels + starts[j];
    float *output = c->output + pixel * c->channels + starts[j];
    if (shared >= LANES) {
      UNROLL for (int m = 0; m < pixels; m++) sum[m][j] += load(residual + m * c->residual_channels);
    } else if (shared > 0) {
      UNROLL for (int m = 0; m < pixels; m++)
        sum[m][j] += first_lanes(load(residual + m * c->residual_channels), shared);
    }
    UNROLL for (int m = 0; m < pixels; m++) {
      Vector result = limited(sum[m][j], low, high);
      if (c->channels >= LANES)
        store(output + m * c->channels, result);
      else
        __builtin_memcpy(output + m * c->channels, &result, (size_t)c->channels * sizeof(float));
    }
  }
}

INLINE void tiles(const int pixels, const int vectors, const fg_convolution *c, const float *row,
                  const float *weights, const ptrdiff_t *starts, ptrdiff_t first_pixel,
                  ptrdiff_t begin, ptrdiff_t end) {
  for (ptrdiff_t x = begin; x < end; x += pixels) {
    ptrdiff_t from = x + pixels <= c->pixels ? x : c->pixels - pixels;
    tile(pixels, vectors, c, row + from * c->pixel_step, weights, starts, first_pixel + from);
  }
}

static void convolve(const fg_convolution *c) {
  const ptrdiff_t block = 64;
  ptrdiff_t depth = c->segments * c->segment_length, vectors = vector_count(c->channels);
  for (ptrdiff_t y = 0; y < c->rows; y++) {
    const float *row = c->input + y * c->row_step;
    for (ptrdiff_t begin = 0; begin < c->pixels; begin += block) {
      ptrdiff_t end = begin + block < c->pixels ? begin + block : c->pixels;
      for (ptrdiff_t first = 0; first < vectors;) {
        ptrdiff_t size = group_size(vectors - first);
        const float *weights = c->weights + first * depth * LANES;
        ptrdiff_t starts[3];
        for (ptrdiff_t j = 0; j < size; j++) starts[j] = vector_start(first + j, c->channels);
        if (c->pixels >= TILE_PIXELS) {
          if (size == 3) tiles(TILE_PIXELS, 3, c, row, weights, starts, y * c->pixels, begin, end);
          else if (size == 2) tiles(TILE_PIXELS, 2, c, row, weights, starts, y * c->pixels, begin, end);
          else tiles(TILE_PIXELS, 1, c, row, weights, starts, y * c->pixels, begin, end);
        } else {
          if (size == 3) tiles(1, 3, c, row, weights, starts, y * c->pixels, begin, end);
          else if (size == 2) tiles(1, 2, c, row, weights, starts, y * c->pixels, begin, end);
          else tiles(1, 1, c, row, weights, starts, y * c->pixels, begin, end);
        }
        first += size;
      }
    }
  }
}

static void finish(float *values, ptrdiff_t pixels, ptrdiff_t channels, const float *bias,
                   const float *residual, ptrdiff_t residual_channels, float low, float high) {
  for (ptrdiff_t p = 0; p < pixels; p++) {
    float *row = values + p * channels;
    const float *other = residual + p * residual_channels;
    for (ptrdiff_t c = 0; c < residual_channels; c++) row[c] += other[c];
    for (ptrdiff_t c = 0; c < channels; c++) row[c] = limited_one(row[c] + bias[c], low, high);
  }
}

// MARK: depthwise convolution

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

/// `count` neighbouring output pixels of a 3x3 kernel, all taps inside the input's columns.
INLINE void depthwise_3x3(const int count, const int stride, const float *const rows[3],
                          const Vector taps[9], Vector bias, Vector low, Vector high,
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
  UNROLL for (int i = 0; i < count; i++) store(output + i * channels, limited(sum[i], low, high));
}

INLINE void depthwise_row_3x3(const int stride, const fg_depthwise *d, ptrdiff_t y, ptrdiff_t channel,
                              ptrdiff_t begin, ptrdiff_t end, Vector low, Vector high, float *output) {
  Vector taps[9], bias = load(d->bias + channel);
  UNROLL for (int t = 0; t < 9; t++) taps[t] = load(d->weights + t * d->channels + channel);
  const float *rows[3];
  UNROLL for (int ky = 0; ky < 3; ky++)
    rows[ky] = input_row(d, y, ky) + (begin * stride - d->pad_left) * d->channels + channel;
  const int wide = stride == 1 ? 4 : 2;
  ptrdiff_t x = begin;
  for (; x + wide <= end; x += wide) {
    depthwise_3x3(wide, stride, rows, taps, bias, low, high, d->channels, output + x * d->channels);
    UNROLL for (int ky = 0; ky < 3; ky++) rows[ky] += wide * stride * d->channels;
  }
  for (; x < end; x++) {
    depthwise_3x3(1, stride, rows, taps, bias, low, high, d->channels, output + x * d->channels);
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
        d->output[(y * d->output_width + x) * d->channels + c] = limited_one(sum, d->low, d->high);
      }
}

static void depthwise(const fg_depthwise *d) {
  if (d->channels < LANES) {
    depthwise_few_channels(d);
    return;
  }
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
      float *output = d->output + i * d->output_width * d->channels + channel;
      for (ptrdiff_t x = 0; x < begin; x++)
        store(output + x * d->channels, limited(depthwise_pixel(d, y, x, channel), low, high));
      if (is3x3 && d->stride_width == 1)
        depthwise_row_3x3(1, d, y, channel, begin, end, low, high, output);
      else if (is3x3)
        depthwise_row_3x3(2, d, y, channel, begin, end, low, high, output);
      else
        for (ptrdiff_t x = begin; x < end; x++)
          store(output + x * d->channels, limited(depthwise_pixel(d, y, x, channel), low, high));
      for (ptrdiff_t x = end; x < d->output_width; x++)
        store(output + x * d->channels, limited(depthwise_pixel(d, y, x, channel), low, high));
    }
  }
}

// MARK: pooling, resizing, elementwise

INLINE ptrdiff_t clipped(ptrdiff_t place, ptrdiff_t limit) {
  return place < 0 ? 0 : place < limit ? place : limit;
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
        Vector most = splat(-__builtin_inff());
        for (ptrdiff_t row = first_row; row < end_row; row++)
          for (ptrdiff_t column = first_column; column < end_column; column++)
            most = larger(load(p->input + (row * p->input_width + column) * n + channel), most);
        store(output + channel, limited(most, low, high));
      }
      for (ptrdiff_t c = vectors ? n : 0; c < n; c++) {
        float most = -__builtin_inff();
        for (ptrdiff_t row = first_row; row < end_row; row++)
          for (ptrdiff_t column = first_column; column < end_column; column++) {
            float value = p->input[(row * p->input_width + column) * n + c];
            most = value > most ? value : most;
          }
        output[c] = limited_one(most, p->low, p->high);
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

static void add(const float *a, const float *b, float *sum, ptrdiff_t count, float low, float high) {
  for (ptrdiff_t i = 0; i < count; i++) sum[i] = limited_one(a[i] + b[i], low, high);
}

static void clamp(const float *values, float *clamped, ptrdiff_t count, float low, float high) {
  for (ptrdiff_t i = 0; i < count; i++) clamped[i] = limited_one(values[i], low, high);
}

const fg_kernels KERNELS = {
    .name = KERNELS_NAME,
    .lanes = LANES,
    .packed_count = packed_count,
    .pack = pack,
    .convolve = convolve,
    .depthwise = depthwise,
    .max_pool = max_pool,
    .resize = resize,
    .finish = finish,
    .add = add,
    .clamp = clamp,
};
