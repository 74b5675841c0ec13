/* What Swift cannot call or see of POSIX and Linux: headers that the Glibc module does not export, variadic functions,
   and types that differ between systems. Nothing here decides anything. */
#ifndef CLARION_CPOSIX_SHIM_H
#define CLARION_CPOSIX_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#endif

#ifdef __linux__
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

/* Has a spawned program get no descriptor from a number on. */
static inline void clarion_close_from(posix_spawn_file_actions_t *actions, int first) {
    posix_spawn_file_actions_addclosefrom_np(actions, first);
}
#endif

/* Has blocks of that size and larger always go back to the system when they are freed, and what else is free at the end of a
   heap once it is so much (mallopt(3)), where it can be told. */
static inline void clarion_give_back_memory(int block, int rest) {
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, block);
    mallopt(M_TRIM_THRESHOLD, rest);
    /* Small blocks are joined when they are freed, not all of them when a large one is. */
    mallopt(M_MXFAST, 0);
#endif
}

/* How much was ever read from a TCP socket, in bytes: what was received (tcp(7), TCP_INFO) and is not waiting. Returns 0, or
   -1 where that cannot be told. */
static inline int clarion_socket_read_count(int socket, uint64_t *count) {
#ifdef __linux__
    /* The beginning of tcp_info as <linux/tcp.h> has it since 4.1. That of <netinet/tcp.h> is shorter, and both at once are
       an error. */
    struct {
        uint8_t before[128];
        uint64_t received;
    } info;
    socklen_t size = sizeof info;
    int unread = 0;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || size != sizeof info || ioctl(socket, FIONREAD, &unread) != 0)
        return -1;
    *count = info.received > (uint64_t)unread ? info.received - (uint64_t)unread : 0;
    return 0;
#else
    return -1;
#endif
}

typedef struct {
    pthread_t number;
} clarion_thread;

/* Starts a thread on which every signal is blocked but those that a fault raises on it. Returns what pthread_create(3)
   does. */
static inline int clarion_thread_start(clarion_thread *thread, void *(*body)(void *), void *argument) {
    static const int faults[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
    sigset_t blocked, previous;
    sigfillset(&blocked);
    for (unsigned index = 0; index < sizeof faults / sizeof *faults; index++)
        sigdelset(&blocked, faults[index]);
    pthread_sigmask(SIG_SETMASK, &blocked, &previous);
    int error = pthread_create(&thread->number, NULL, body, argument);
    pthread_sigmask(SIG_SETMASK, &previous, NULL);
    return error;
}

static inline void clarion_thread_join(clarion_thread thread) { pthread_join(thread.number, NULL); }

static inline void clarion_thread_detach(clarion_thread thread) { pthread_detach(thread.number); }

/* Names the calling thread, and has it take less of a processor (nice(2), which Linux does for one thread, on top of the
   process's own). */
static inline void clarion_thread_describe(const char *name, int niceness) {
#ifdef __linux__
    prctl(PR_SET_NAME, name);
    int is_nicer = niceness == 0 ? 0 : nice(niceness);
    (void)is_nicer;
#else
    pthread_setname_np(name);
#endif
}

/* What is read from `ends[0]` after it was written to `ends[1]`: the two ends of a pipe, or one eventfd(2). No child
   inherits them, and nobody waits at them. Returns 0, or -1 and errno. */
static inline int clarion_wake_up_open(int ends[2]) {
#ifdef __linux__
    ends[0] = ends[1] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return ends[0] < 0 ? -1 : 0;
#else
    if (pipe(ends) != 0)
        return -1;
    for (int end = 0; end < 2; end++) {
        fcntl(ends[end], F_SETFD, FD_CLOEXEC);
        fcntl(ends[end], F_SETFL, O_NONBLOCK);
    }
    return 0;
#endif
}

/* Takes one byte, far behind all that a file has, for this opening of it, until that is closed (fcntl(2), F_OFD_SETLK).
   Returns whether another opening has it; where there are no such locks none has. */
static inline int clarion_lock_opening(int file) {
#if defined(__linux__) && !defined(F_OFD_SETLK)
#define F_OFD_SETLK 37
#endif
#ifdef F_OFD_SETLK
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)1 << 62, .l_len = 1};
    return fcntl(file, F_OFD_SETLK, &range) != 0 && (errno == EAGAIN || errno == EACCES);
#else
    return 0;
#endif
}

static inline int clarion_descriptor_limit(struct rlimit *limit) { return getrlimit(RLIMIT_NOFILE, limit); }

static inline int clarion_set_descriptor_limit(const struct rlimit *limit) { return setrlimit(RLIMIT_NOFILE, limit); }

#endif
