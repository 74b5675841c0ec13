/*
 * Valgrind 3.19 takes a signal out of the mask that a program gives sigsuspend, in place. libdispatch's mask is a constant,
 * so it would end with a fault of its own. Preloaded, this hands over a copy.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask) {
    sigset_t copy = *mask;
    return (int)syscall(SYS_rt_sigsuspend, &copy, _NSIG / 8);
}
