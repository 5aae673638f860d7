#define _GNU_SOURCE
#include "CProcesses.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// Between fork and exec only what is safe in a process of many threads.
static void become(
    pid_t parent, const char *program, char *const *words, char *const *environment,
    const char *folder, int input, int output, int messages)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || setpgid(0, 0) != 0)
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
    close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    // Not execve: a script without a first line that names its interpreter is the shell's.
    execvpe(program, words, environment);
}

void facegauge_adopt_orphans(void) { prctl(PR_SET_CHILD_SUBREAPER, 1); }

int facegauge_start(
    pid_t *process, const char *program, char *const *words, char *const *environment,
    const char *folder, int input, int output, int messages)
{
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0)
        return errno;
    pid_t parent = getpid();
    // Not fork: its handlers end OpenBLAS's threads, and a product that another thread computes on them would never end.
    pid_t child = _Fork();
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
