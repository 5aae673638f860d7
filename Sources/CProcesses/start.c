#define _GNU_SOURCE
#include "CProcesses.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__APPLE__)

#include <crt_externs.h>

// Nothing here ends a child with its parent, or gives it another one: a killed parent's children live on.
static int end_with_parent(void) { return 0; }

void facegauge_adopt_orphans(void) {}

static void close_others_on_exec(void)
{
    for (int descriptor = getdtablesize() - 1; descriptor > 2; descriptor--)
        fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

static void execute(const char *program, char *const *words, char *const *environment)
{
    *_NSGetEnviron() = (char **)environment;
    execvp(program, words);
}

static int closing_pipe(int ends[2])
{
    if (pipe(ends) != 0)
        return -1;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    return fcntl(ends[1], F_SETFD, FD_CLOEXEC);
}

static pid_t fork_alone(void) { return fork(); }

#else

#include <sys/prctl.h>

static int end_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL); }

void facegauge_adopt_orphans(void) { prctl(PR_SET_CHILD_SUBREAPER, 1); }

static void close_others_on_exec(void) { close_range(3, ~0U, CLOSE_RANGE_CLOEXEC); }

// Not execve: a script without a first line that names its interpreter is the shell's.
static void execute(const char *program, char *const *words, char *const *environment)
{
    execvpe(program, words, environment);
}

static int closing_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

// Not fork: its handlers end OpenBLAS's threads, and a product that another thread computes on them would never end.
static pid_t fork_alone(void) { return _Fork(); }

#endif

// Between fork and exec only what is safe in a process of many threads.
static void become(
    pid_t parent, const char *program, char *const *words, char *const *environment,
    const char *folder, int input, int output, int messages)
{
    if (end_with_parent() != 0 || setpgid(0, 0) != 0)
        return;
    if (getppid() != parent)
        _exit(127);
    if (folder && chdir(folder) != 0)
        return;
    if (input < 0)
        input = open("/dev/null", O_RDONLY);
    if (input < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(messages, 2) < 0)
        return;
    // libhdf5 opens files without O_CLOEXEC, and a file's lock would be the child's as well.
    close_others_on_exec();
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execute(program, words, environment);
}

int facegauge_start(
    pid_t *process, const char *program, char *const *words, char *const *environment,
    const char *folder, int input, int output, int messages)
{
    int report[2];
    if (closing_pipe(report) != 0)
        return errno;
    pid_t parent = getpid();
    pid_t child = fork_alone();
    if (child == 0) {
        become(parent, program, words, environment, folder, input, output, messages);
        int reason = errno;
        ssize_t written = write(report[1], &reason, sizeof reason);
        _exit(written == sizeof reason ? 127 : 126);
    }
    int reason = child < 0 ? errno : 0;
    close(report[1]);
    if (child > 0) {
        int told = 0;
        ssize_t count;
        do
            count = read(report[0], &told, sizeof told);
        while (count < 0 && errno == EINTR);
        if (count == sizeof told) {
            reason = told;
            while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
                ;
        }
        *process = child;
    }
    close(report[0]);
    return reason;
}
