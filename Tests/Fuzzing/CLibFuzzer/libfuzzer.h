#pragma once

#include <stddef.h>
#include <stdint.h>

/// libFuzzer's own main: reads its options, then calls `one` with input after input.
int LLVMFuzzerRunDriver(
    int *argc, char ***argv, int (*one)(const uint8_t *data, size_t size));
