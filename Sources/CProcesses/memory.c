#include "CProcesses.h"

#include <malloc.h>

void facegauge_release_memory(void) { malloc_trim(0); }
