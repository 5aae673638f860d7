#define _GNU_SOURCE
#include "CProcesses.h"

#include <sys/auxv.h>
#include <unistd.h>

static int count;
static char **words;

// glibc hands what main() gets to each initializer; Swift's own list is read from /proc.
static void keep(int argc, char **argv, char **environment)
{
    (void)environment;
    count = argc;
    words = argv;
}

__attribute__((section(".init_array"), used)) static void (*const initializer)(int, char **, char **) = keep;

char *const *facegauge_arguments(int *found)
{
    *found = count;
    return words;
}

char *const *facegauge_environment(void) { return environ; }

const char *facegauge_program(void)
{
    // Safe to read as an address: the kernel gives a terminated path or nothing.
    return (const char *)getauxval(AT_EXECFN);
}
