#pragma once

#include <sys/types.h>

/// The words that this process was started with, its own name first.
char *const *facegauge_arguments(int *count);

/// The path that this process's program was started by; NULL where the kernel does not say.
const char *facegauge_program(void);

/// The variables of this process as NAME=VALUE; NULL is at the end.
char *const *facegauge_environment(void);

/// Starts a program in a process group of its own; 0, or the errno that kept it from starting.
///
/// It is killed when the thread ends that called this. It runs in `folder`, unless that is NULL. Descriptors below 0 stand
/// for /dev/null as input. Both lists end with NULL.
int facegauge_start(
    pid_t *process, const char *program, char *const *words, char *const *environment,
    const char *folder, int input, int output, int messages);

/// From now on this process becomes the parent of what its children leave behind.
void facegauge_adopt_orphans(void);

/// Gives memory back that the process no longer uses but that its allocator holds.
void facegauge_release_memory(void);

/// Exchanges two names in one step; -1 with errno, which is EINVAL or ENOSYS where the file system or kernel cannot.
int facegauge_exchange(const char *one, const char *other);

/// Renames unless the new name exists (EEXIST); -1 with errno as above.
int facegauge_rename_to_new(const char *old, const char *new);
