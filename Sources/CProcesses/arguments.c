#define _GNU_SOURCE
#include "CProcesses.h"

#if defined(__APPLE__)

#include <crt_externs.h>
#include <mach-o/dyld.h>
#include <stdint.h>
#include <sys/syslimits.h>

char *const *facegauge_arguments(int *found)
{
    *found = *_NSGetArgc();
    return *_NSGetArgv();
}

char *const *facegauge_environment(void) { return *_NSGetEnviron(); }

const char *facegauge_program(void)
{
    static __thread char path[PATH_MAX];
    uint32_t size = sizeof path;
    return _NSGetExecutablePath(path, &size) == 0 ? path : NULL;
}

#else

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

#endif
