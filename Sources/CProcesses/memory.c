#include "CProcesses.h"

#if defined(__APPLE__)

#include <malloc/malloc.h>

void facegauge_release_memory(void) { malloc_zone_pressure_relief(NULL, 0); }

#else

#include <malloc.h>

void facegauge_release_memory(void) { malloc_trim(0); }

#endif
