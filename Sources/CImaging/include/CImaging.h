#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FG_MESSAGE_CAPACITY = 200 };

/// Decodes a PNG of any colour type to width * height * 3 bytes of RGB; alpha is dropped, 16 bits keep their high byte.
/// Returns false with a message where the data is broken or has another size. No jump leaves this function.
bool fg_png_read(
  const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, uint8_t *rgb,
  char message[FG_MESSAGE_CAPACITY]);

/// Encodes RGB8 as PNG into memory that the caller frees with free(). Returns false with a message.
bool fg_png_write(
  const uint8_t *rgb, uint32_t width, uint32_t height, uint8_t **bytes, size_t *count,
  char message[FG_MESSAGE_CAPACITY]);

/// What a crop reads and writes: `inverse` maps tensor pixels to image pixels (3 by 3, row-major).
typedef struct {
  const uint8_t *rgb;
  int32_t width, height;
  double inverse[9];
  bool replicate;
  int32_t tensor_width, tensor_height;
  float scale, offset;
  float *tensor;
} fg_crop;

/// Samples RGB8 bilinearly at 1/32 pixel, rounds to 8 bits and writes fma(value, scale, offset) as HWC floats.
void fg_crop_to_tensor(const fg_crop *crop);

/// As fg_crop_to_tensor, with the instructions of any processor (0), AVX2 (1) or AVX-512 (2); every bit is the same.
/// Returns false, and does nothing, where this processor lacks them.
bool fg_crop_to_tensor_at(int level, const fg_crop *crop);
