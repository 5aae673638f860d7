// Included by BothWidths.h.

INLINE VECTOR(Vector) VECTOR(pooled)(const fg_pool *p, Area area, ptrdiff_t channel) {
  VECTOR(Vector) largest = VECTOR(splat)(-__builtin_inff());
  for (ptrdiff_t row = area.first_row; row < area.end_row; row++)
    for (ptrdiff_t column = area.first_column; column < area.end_column; column++)
      largest = VECTOR(larger)(
          VECTOR(load)(p->input + (row * p->input_width + column) * p->channels + channel), largest);
  return VECTOR(limited)(largest, VECTOR(splat)(p->low), VECTOR(splat)(p->high));
}

/// The largest of 2 x 2 pixels, all of which are inside.
INLINE VECTOR(Vector) VECTOR(pooled_2x2)(const float *first, const float *second, ptrdiff_t channels, float low,
                                         float high) {
  VECTOR(Vector) largest = VECTOR(larger)(VECTOR(load)(first), VECTOR(splat)(-__builtin_inff()));
  largest = VECTOR(larger)(VECTOR(load)(first + channels), largest);
  largest = VECTOR(larger)(VECTOR(load)(second), largest);
  largest = VECTOR(larger)(VECTOR(load)(second + channels), largest);
  return VECTOR(limited)(largest, VECTOR(splat)(low), VECTOR(splat)(high));
}
