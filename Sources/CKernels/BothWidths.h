// Includes the file that BODY names for vectors of LANES floats and for half vectors, of HALF_LANES. In it, WIDTH is
// the number of floats, and VECTOR(NAME) names types and functions.

#define WIDTH LANES
#define VECTOR(NAME) NAME
#include BODY
#undef WIDTH
#undef VECTOR

#define WIDTH HALF_LANES
#define VECTOR(NAME) half_##NAME
#include BODY
#undef WIDTH
#undef VECTOR

#undef BODY
