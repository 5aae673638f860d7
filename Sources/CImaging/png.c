#include "CImaging.h"
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  jmp_buf escape;
  char *message;
  const uint8_t *bytes;
  size_t count, position;
} source;

typedef struct {
  jmp_buf escape;
  char *message;
  uint8_t *bytes;
  size_t count, capacity;
} sink;

static void keep_message(char *message, const char *text) {
  strncpy(message, text, FG_MESSAGE_CAPACITY - 1);
  message[FG_MESSAGE_CAPACITY - 1] = 0;
}

static void fail_read(png_structp png, png_const_charp text) {
  source *from = png_get_error_ptr(png);
  keep_message(from->message, text);
  longjmp(from->escape, 1);
}

static void fail_write(png_structp png, png_const_charp text) {
  sink *to = png_get_error_ptr(png);
  keep_message(to->message, text);
  longjmp(to->escape, 1);
}

static void ignore_warning(png_structp png, png_const_charp text) {
  (void)png;
  (void)text;
}

static void read_bytes(png_structp png, png_bytep to, size_t count) {
  source *from = png_get_io_ptr(png);
  if (count > from->count - from->position) png_error(png, "data ends early");
  memcpy(to, from->bytes + from->position, count);
  from->position += count;
}

static void write_bytes(png_structp png, png_bytep from, size_t count) {
  sink *to = png_get_io_ptr(png);
  if (count > to->capacity - to->count) {
    size_t capacity = 2 * to->capacity + count + 4096;
    uint8_t *grown = realloc(to->bytes, capacity);
    if (!grown) png_error(png, "out of memory");
    to->bytes = grown;
    to->capacity = capacity;
  }
  memcpy(to->bytes + to->count, from, count);
  to->count += count;
}

static void flush_nothing(png_structp png) { (void)png; }

bool fg_png_read(
  const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, uint8_t *rgb,
  char message[FG_MESSAGE_CAPACITY]) {
  source from = {.message = message, .bytes = bytes, .count = count};
  png_infop info = NULL;
  keep_message(message, "out of memory");
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, ignore_warning);
  if (!png) return false;
  png_infop volatile made = NULL;
  if (setjmp(from.escape)) {
    info = made;
    png_destroy_read_struct(&png, &info, NULL);
    return false;
  }
  png_set_error_fn(png, &from, fail_read, ignore_warning);
  info = made = png_create_info_struct(png);
  if (!info) png_error(png, "out of memory");
  // A negative count drops every chunk that pixels do not need, compressed text and profiles among them.
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
  png_set_user_limits(png, width, height);
  png_set_read_fn(png, &from, read_bytes);
  png_read_info(png, info);
  if (png_get_image_width(png, info) != width || png_get_image_height(png, info) != height)
    png_error(png, "another size in the header");
  png_set_expand(png);
  png_set_strip_16(png);
  png_set_strip_alpha(png);
  png_set_gray_to_rgb(png);
  int passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  size_t stride = (size_t)width * 3;
  if (png_get_rowbytes(png, info) != stride) png_error(png, "a row of another length");
  for (int pass = 0; pass < passes; pass++)
    for (uint32_t y = 0; y < height; y++) png_read_row(png, rgb + y * stride, NULL);
  png_read_end(png, NULL);
  png_destroy_read_struct(&png, &info, NULL);
  return true;
}

bool fg_png_write(
  const uint8_t *rgb, uint32_t width, uint32_t height, uint8_t **bytes, size_t *count,
  char message[FG_MESSAGE_CAPACITY]) {
  sink *to = calloc(1, sizeof(sink));
  keep_message(message, "out of memory");
  if (!to) return false;
  to->message = message;
  png_infop info = NULL;
  png_infop volatile made = NULL;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, ignore_warning);
  if (!png) {
    free(to);
    return false;
  }
  if (setjmp(to->escape)) {
    info = made;
    png_destroy_write_struct(&png, &info);
    free(to->bytes);
    free(to);
    return false;
  }
  png_set_error_fn(png, to, fail_write, ignore_warning);
  info = made = png_create_info_struct(png);
  if (!info) png_error(png, "out of memory");
  png_set_write_fn(png, to, write_bytes, flush_nothing);
  png_set_IHDR(
    png, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
    PNG_FILTER_TYPE_DEFAULT);
  // About half the time of the default level on photographs.
  png_set_compression_level(png, 4);
  png_write_info(png, info);
  for (uint32_t y = 0; y < height; y++) png_write_row(png, rgb + (size_t)y * width * 3);
  png_write_end(png, NULL);
  png_destroy_write_struct(&png, &info);
  *bytes = to->bytes;
  *count = to->count;
  free(to);
  return true;
}
