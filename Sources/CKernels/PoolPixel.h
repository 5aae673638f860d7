// Included by BothWidths.h.

INLINE VECTOR(Vector) VECTOR(pooled)(const fg_pool *p, Area area, ptrdiff_t channel) {
  VECTOR(Vector) largest = VECTOR(splat)(-__builtin_inff());
  const float *first = p->input + (area.first_row * p->input_width + area.first_column) * p->channels + channel;
  if (area.end_row - area.first_row == 2 && area.end_column - area.first_column == 2) {
    const float *second = first + p->input_width * p->channels;
    largest = VECTOR(larger)(VECTOR(load)(first), largest);
    largest = VECTOR(larger)(VECTOR(load)(first + p->channels), largest);
    largest = VECTOR(larger)(VECTOR(load)(second), largest);
    largest = VECTOR(larger)(VECTOR(load)(second + p->channels), largest);
    return VECTOR(limited)(largest, VECTOR(splat)(p->low), VECTOR(splat)(p->high));
  }
  for (ptrdiff_t row = area.first_row; row < area.end_row; row++)
    for (ptrdiff_t column = area.first_column; column < area.end_column; column++)
      largest = VECTOR(larger)(
          VECTOR(load)(p->input + (row * p->input_width + column) * p->channels + channel), largest);
  return VECTOR(limited)(largest, VECTOR(splat)(p->low), VECTOR(splat)(p->high));
}
