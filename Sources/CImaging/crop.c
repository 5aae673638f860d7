#include "CImaging.h"
#include <math.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

// A fused multiply-add in the coordinates would round ties to another 1/32 pixel than OpenCV does.
#pragma STDC FP_CONTRACT OFF

enum { MAX_RUN = 1024 };

/// One run of tensor pixels: image coordinates in 1/32 pixel and their extremes.
typedef struct {
  int32_t x[MAX_RUN], y[MAX_RUN];
  int32_t left, right, top, bottom;
} run;

/// Where the taps of a run begin in the image, and the weights of the near and the far ones in 1/32.
typedef struct {
  int32_t offset[MAX_RUN];
  /// Two 16-bit numbers each.
  uint32_t across[MAX_RUN];
  /// Two 8-bit numbers, twice.
  uint32_t down[MAX_RUN];
} taps;

typedef void (*sampler)(const fg_crop *, const float[256], const run *, taps *, int, int, float *);

static inline __attribute__((always_inline)) int32_t fixed(double value) {
  const double limit = 1 << 30;
  value = value > -limit ? value : -limit;
  value = value < limit ? value : limit;
  return (int32_t)rint(value);
}

/// Coordinates as cv::warpPerspective makes them: from the start of a run, each with its own division.
static inline __attribute__((always_inline)) void locate(
  const double m[9], int x0, int y, int count, run *to) {
  const double x = m[0] * x0 + m[1] * y + m[2];
  const double fy = m[3] * x0 + m[4] * y + m[5];
  const double w = m[6] * x0 + m[7] * y + m[8];
  for (int i = 0; i < count; i++) {
    double k = w + m[6] * i;
    k = k != 0 ? 32 / k : 0;
    to->x[i] = fixed((x + m[0] * i) * k);
    to->y[i] = fixed((fy + m[3] * i) * k);
  }
}

static inline __attribute__((always_inline)) void measure(run *of, int first, int end) {
  int32_t left = INT32_MAX, right = INT32_MIN, top = INT32_MAX, bottom = INT32_MIN;
  for (int i = first; i < end; i++) {
    left = of->x[i] < left ? of->x[i] : left;
    right = of->x[i] > right ? of->x[i] : right;
    top = of->y[i] < top ? of->y[i] : top;
    bottom = of->y[i] > bottom ? of->y[i] : bottom;
  }
  of->left = left >> 5;
  of->right = right >> 5;
  of->top = top >> 5;
  of->bottom = bottom >> 5;
}

/// Whether every tap of a measured part is a pixel, with room to load eight bytes for two pixels of three.
static inline bool lies_inside(const fg_crop *crop, const run *at) {
  const bool roomy = at->right < crop->width - 2 || at->bottom < crop->height - 2;
  return roomy && at->left >= 0 && at->top >= 0 && at->right < crop->width - 1
    && at->bottom < crop->height - 1;
}

/// Narrows a run that crosses the border to its part inside, by a margin that `lies_inside` accepts.
static inline __attribute__((always_inline)) void narrow(
  const fg_crop *crop, run *at, int *first, int *end) {
  const int32_t right = (crop->width - 2) * 32, bottom = (crop->height - 1) * 32;
#define OUTSIDE(i) (at->x[i] < 0 || at->x[i] >= right || at->y[i] < 0 || at->y[i] >= bottom)
  while (*first < *end && OUTSIDE(*first)) ++*first;
  while (*first < *end && OUTSIDE(*end - 1)) --*end;
#undef OUTSIDE
  measure(at, *first, *end);
  if (!lies_inside(crop, at)) *end = *first;
}

static inline int32_t clamped(int32_t value, int32_t count) {
  return value < 0 ? 0 : value < count ? value : count - 1;
}

/// The 8-bit value of each channel at one position; a tap outside weighs nothing or repeats the edge.
static inline void sample(const fg_crop *crop, int32_t x, int32_t y, uint8_t value[3]) {
  const int32_t left = x >> 5, top = y >> 5, width = crop->width, height = crop->height;
  const bool all = crop->replicate;
  if (!all && (left < -1 || left >= width || top < -1 || top >= height)) {
    value[0] = value[1] = value[2] = 0;
    return;
  }
  const uint32_t far_x = all || (left >= -1 && left < width - 1) ? x & 31 : 0;
  const uint32_t far_y = all || (top >= -1 && top < height - 1) ? y & 31 : 0;
  const uint32_t near_x = all || (left >= 0 && left < width) ? 32 - (x & 31) : 0;
  const uint32_t near_y = all || (top >= 0 && top < height) ? 32 - (y & 31) : 0;
  const uint8_t *upper = crop->rgb + (int64_t)clamped(top, height) * width * 3;
  const uint8_t *lower = crop->rgb + (int64_t)clamped(top + 1, height) * width * 3;
  const int32_t near = clamped(left, width) * 3, far = clamped(left + 1, width) * 3;
  for (int c = 0; c < 3; c++) {
    const uint32_t above = upper[near + c] * near_x + upper[far + c] * far_x;
    const uint32_t below = lower[near + c] * near_x + lower[far + c] * far_x;
    value[c] = (uint8_t)((above * near_y + below * far_y + 512) >> 10);
  }
}

static inline void sample_run(
  const fg_crop *crop, const float levels[256], const run *at, int first, int end, float *to) {
  for (int i = first; i < end; i++) {
    uint8_t value[3];
    sample(crop, at->x[i], at->y[i], value);
    for (int c = 0; c < 3; c++) to[3 * i + c] = levels[value[c]];
  }
}

static void sample_portable(
  const fg_crop *crop, const float levels[256], const run *at, taps *unused, int first, int end,
  float *to) {
  (void)unused;
  const int64_t stride = (int64_t)crop->width * 3;
  for (int i = first; i < end; i++) {
    const uint32_t fx = at->x[i] & 31, fy = at->y[i] & 31;
    const uint8_t *p = crop->rgb + (at->y[i] >> 5) * stride + (at->x[i] >> 5) * 3;
    for (int c = 0; c < 3; c++) {
      const uint32_t near = p[c] * (32 - fy) + p[c + stride] * fy;
      const uint32_t far = p[c + 3] * (32 - fy) + p[c + 3 + stride] * fy;
      to[3 * i + c] = levels[(near * (32 - fx) + far * fx + 512) >> 10];
    }
  }
}

/// `repeats` says that `sample_inside` repeats the edge where a position is outside.
static inline __attribute__((always_inline)) void crop_rows(
  const fg_crop *crop, sampler sample_inside, bool repeats) {
  float levels[256];
  for (int i = 0; i < 256; i++) levels[i] = fmaf((float)i, crop->scale, crop->offset);
  const int width = crop->tensor_width, height = crop->tensor_height;
  const int run_height = height < 16 ? height : 16;
  const int run_width = MAX_RUN / run_height < width ? MAX_RUN / run_height : width;
  run at;
  taps of;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x += run_width) {
      const int count = run_width < width - x ? run_width : width - x;
      float *to = crop->tensor + ((size_t)y * width + x) * 3;
      locate(crop->inverse, x, y, count, &at);
      int first = 0, end = count;
      if (!repeats) {
        measure(&at, 0, count);
        if (
          !crop->replicate
          && (at.right < -1 || at.bottom < -1 || at.left >= crop->width
              || at.top >= crop->height)) {
          for (int i = 0; i < 3 * count; i++) to[i] = levels[0];
          continue;
        }
        if (!lies_inside(crop, &at)) narrow(crop, &at, &first, &end);
      }
      // The last pixel of the tensor has no room after it for the floats that are stored too many.
      if (end == count && y == height - 1 && x + count == width && end > first) end--;
      sample_inside(crop, levels, &at, &of, first, end, to);
      sample_run(crop, levels, &at, end, count, to);
      sample_run(crop, levels, &at, 0, first, to);
    }
}

static void crop_portable(const fg_crop *crop) { crop_rows(crop, sample_portable, false); }

#if defined(__x86_64__)

/// Taps of positions that are inside, or that repeat the edge: beyond it, one of two weights is 32 and the other 0.
/// Returns the largest offset.
static inline __attribute__((always_inline)) int32_t weigh(
  const fg_crop *crop, const run *at, int first, int end, taps *to) {
  const int32_t right = crop->width - 1, bottom = crop->height - 1, stride = crop->width * 3;
  int32_t largest = 0;
  for (int i = first; i < end; i++) {
    int32_t x = at->x[i] > 0 ? at->x[i] : 0, y = at->y[i] > 0 ? at->y[i] : 0;
    x = x < right * 32 ? x : right * 32;
    y = y < bottom * 32 ? y : bottom * 32;
    const int32_t left = x >> 5 < right ? x >> 5 : right - 1;
    const int32_t top = y >> 5 < bottom ? y >> 5 : bottom - 1;
    const uint32_t fx = (uint32_t)(x - left * 32), fy = (uint32_t)(y - top * 32);
    to->offset[i] = top * stride + left * 3;
    to->across[i] = 32 + fx * 65535;
    to->down[i] = (32 + fy * 255) * 65537;
    largest = to->offset[i] > largest ? to->offset[i] : largest;
  }
  return largest;
}

/// Rows of the tensor between a position and what is asked for from memory when it is sampled: an image that was just
/// read from a file or another process is in no cache.
enum { ROWS_AHEAD = 4 };

/// Bytes from a position to that of the pixel ROWS_AHEAD rows below it, where the map is affine; wrong where it is not,
/// and then only of no use.
static int64_t distance_ahead(const double m[9], int64_t stride) {
  const double across = ROWS_AHEAD * m[1] / m[8], down = ROWS_AHEAD * m[4] / m[8], limit = 1 << 20;
  if (!(fabs(across) < limit && fabs(down) < limit)) return 0;
  return (int64_t)down * stride + (int64_t)across * 3;
}

#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,fma")))
#define INLINE static inline __attribute__((always_inline))

/// Eight bytes, two pixels of three and two more, interleaved with those of the row below them.
AVX2 INLINE __m128i load_taps(const uint8_t *p, int64_t stride) {
  return _mm_unpacklo_epi8(
    _mm_loadl_epi64((const __m128i *)p), _mm_loadl_epi64((const __m128i *)(p + stride)));
}

/// The taps of two neighbours; asks for what the first one's column will read.
AVX2 INLINE __m256i load_pair(
  const uint8_t *rgb, const int32_t offset[2], int64_t stride, int64_t ahead) {
  _mm_prefetch((const char *)rgb + offset[0] + ahead, _MM_HINT_T1);
  _mm_prefetch((const char *)rgb + offset[0] + ahead + stride, _MM_HINT_T1);
  return _mm256_inserti128_si256(
    _mm256_castsi128_si256(load_taps(rgb + offset[0], stride)), load_taps(rgb + offset[1], stride),
    1);
}

/// Order of a pixel's taps: the two of a column side by side, channel by channel.
AVX2 INLINE __m128i columns(void) {
  return _mm_setr_epi8(0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11, -1, -1, -1, -1);
}

/// The first pixel of a run that has room for eight bytes wherever one of the run does: the first or none.
static inline int first_with_room(const fg_crop *crop, int32_t largest, int first, int end) {
  return largest > (int64_t)crop->width * 3 * (crop->height - 1) - 8 ? end : first;
}

/// Two pixels at a time; eight floats are stored for six, and what is sampled next overwrites the others.
AVX2 static void sample_avx2(
  const fg_crop *crop, const float levels[256], const run *at, taps *of, int first, int end,
  float *to) {
  const int64_t stride = (int64_t)crop->width * 3, ahead = distance_ahead(crop->inverse, stride);
  const __m256i order = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7);
  const __m256i pixel = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
  const __m256i bytes = _mm256_broadcastsi128_si256(columns()), half = _mm256_set1_epi32(512);
  const __m256 scale = _mm256_set1_ps(crop->scale), offset = _mm256_set1_ps(crop->offset);
  int i = first_with_room(crop, weigh(crop, at, first, end, of), first, end);
  sample_run(crop, levels, at, first, i, to);
#define WEIGHTS(OF) \
  _mm256_permutevar8x32_epi32( \
    _mm256_castsi128_si256(_mm_loadl_epi64((const __m128i *)((OF) + i))), pixel)
  for (; i + 1 < end; i += 2) {
    const __m256i rows = load_pair(crop->rgb, of->offset + i, stride, ahead);
    const __m256i vertical =
      _mm256_maddubs_epi16(_mm256_shuffle_epi8(rows, bytes), WEIGHTS(of->down));
    const __m256i sum = _mm256_add_epi32(_mm256_madd_epi16(vertical, WEIGHTS(of->across)), half);
    const __m256 value = _mm256_cvtepi32_ps(_mm256_srli_epi32(sum, 10));
    _mm256_storeu_ps(
      to + 3 * i, _mm256_permutevar8x32_ps(_mm256_fmadd_ps(value, scale, offset), order));
  }
#undef WEIGHTS
  sample_run(crop, levels, at, i, end, to);
}

/// Four pixels at a time.
AVX512 static void sample_avx512(
  const fg_crop *crop, const float levels[256], const run *at, taps *of, int first, int end,
  float *to) {
  const int64_t stride = (int64_t)crop->width * 3, ahead = distance_ahead(crop->inverse, stride);
  const __m512i order = _mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 15, 15, 15, 15);
  const __m512i pixel = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  const __m512i bytes = _mm512_broadcast_i32x4(columns()), half = _mm512_set1_epi32(512);
  const __m512 scale = _mm512_set1_ps(crop->scale), offset = _mm512_set1_ps(crop->offset);
  int i = first_with_room(crop, weigh(crop, at, first, end, of), first, end);
  sample_run(crop, levels, at, first, i, to);
#define WEIGHTS(OF) \
  _mm512_permutexvar_epi32( \
    pixel, _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)((OF) + i))))
  for (; i + 3 < end; i += 4) {
    const __m512i rows = _mm512_inserti64x4(
      _mm512_castsi256_si512(load_pair(crop->rgb, of->offset + i, stride, ahead)),
      load_pair(crop->rgb, of->offset + i + 2, stride, ahead), 1);
    const __m512i vertical =
      _mm512_maddubs_epi16(_mm512_shuffle_epi8(rows, bytes), WEIGHTS(of->down));
    const __m512i sum = _mm512_add_epi32(_mm512_madd_epi16(vertical, WEIGHTS(of->across)), half);
    const __m512 value = _mm512_cvtepi32_ps(_mm512_srli_epi32(sum, 10));
    _mm512_mask_storeu_ps(
      to + 3 * i, 0xFFF, _mm512_permutexvar_ps(order, _mm512_fmadd_ps(value, scale, offset)));
  }
#undef WEIGHTS
  sample_run(crop, levels, at, i, end, to);
}

AVX2 static void crop_avx2(const fg_crop *crop) {
  if (crop->replicate)
    crop_rows(crop, sample_avx2, true);
  else
    crop_rows(crop, sample_avx2, false);
}

AVX512 static void crop_avx512(const fg_crop *crop) {
  if (crop->replicate)
    crop_rows(crop, sample_avx512, true);
  else
    crop_rows(crop, sample_avx512, false);
}

bool fg_crop_to_tensor_at(int level, const fg_crop *crop) {
  // Offsets of taps are 32-bit numbers.
  const bool fits =
    crop->width > 1 && crop->height > 1 && (int64_t)crop->width * crop->height * 3 <= INT32_MAX;
  const bool runs = level == 0
    || (level == 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    || (level == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("fma"));
  if (runs) (fits && level == 2 ? crop_avx512 : fits && level == 1 ? crop_avx2 : crop_portable)(crop);
  return runs;
}

#else

bool fg_crop_to_tensor_at(int level, const fg_crop *crop) {
  if (level == 0) crop_portable(crop);
  return level == 0;
}

#endif

void fg_crop_to_tensor(const fg_crop *crop) {
  for (int level = 2; !fg_crop_to_tensor_at(level, crop);) level--;
}
