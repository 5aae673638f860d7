#pragma once

#include <sys/types.h>

/// Starts a program found in PATH in a process group of its own; 0, or the errno that kept it from starting.
///
/// It is killed when the thread ends that called this. Descriptors below 0 stand for /dev/null as input.
/// Both lists end with NULL.
int facegauge_start(
    pid_t *process, char *const *words, char *const *environment, int input, int output,
    int messages);

/// Gives memory back that the process no longer uses but that its allocator holds.
void facegauge_release_memory(void);
