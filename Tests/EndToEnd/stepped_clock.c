/* A clock of the day that steps, for one process: loaded before its libraries (ld.so(8), LD_PRELOAD), it adds to
   CLOCK_REALTIME the nanoseconds that stand in the file which CLOCK_STEP_FILE names. The monotonic clocks are left alone.
   Who waits until a time of day waits as the kernel has it wait: by the clock as it is at each moment. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
/* How often who waits looks at the clock again. */
#define LOOK (2 * 1000000LL)

static _Atomic int64_t *step;

static int64_t ahead(void) { return step ? *step : 0; }

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("CLOCK_STEP_FILE");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *page = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *step, PROT_READ, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) abort();
    step = page;
    close(file);
}

static int64_t real(clockid_t clock) {
    struct timespec time;
    static int (*next)(clockid_t, struct timespec *);
    if (!next) next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    next(clock, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

static struct timespec timespec_of(int64_t nanoseconds) {
    struct timespec time = {nanoseconds / SECOND, nanoseconds % SECOND};
    return time;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*next)(clockid_t, struct timespec *);
    if (!next) next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = next(clock, time);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI))
        *time = timespec_of(time->tv_sec * SECOND + time->tv_nsec + ahead());
    return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    int64_t now = real(CLOCK_REALTIME) + ahead();
    time->tv_sec = now / SECOND;
    time->tv_usec = now % SECOND / 1000;
    return 0;
}

time_t time(time_t *result) {
    time_t now = (real(CLOCK_REALTIME) + ahead()) / SECOND;
    if (result) *result = now;
    return now;
}

/* The next moment to look, by the monotonic clock; 0 if the time has come. */
static int next_look(const struct timespec *until, struct timespec *look) {
    int64_t left = until->tv_sec * SECOND + until->tv_nsec - (real(CLOCK_REALTIME) + ahead());
    if (left <= 0) return 0;
    *look = timespec_of(real(CLOCK_MONOTONIC) + (left < LOOK ? left : LOOK));
    return 1;
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
    struct timespec look;
    while (next_look(until, &look)) {
        if (sem_clockwait(semaphore, CLOCK_MONOTONIC, &look) == 0) return 0;
        if (errno != ETIMEDOUT) return -1;
    }
    if (sem_trywait(semaphore) == 0) return 0;
    errno = ETIMEDOUT;
    return -1;
}

/* How often conditions were signalled, those of some addresses together. */
static _Atomic unsigned signals[4096];

static _Atomic unsigned *signals_of(pthread_cond_t *condition) {
    return &signals[((uintptr_t)condition >> 4) % (sizeof signals / sizeof *signals)];
}

/* dlsym(3) finds the oldest version of them, which has conditions of another form: x86-64, and the others. */
static int (*condition_function(const char *name))(pthread_cond_t *) {
    void *found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    if (!found) found = dlsym(RTLD_NEXT, name);
    return (int (*)(pthread_cond_t *))found;
}

int pthread_cond_signal(pthread_cond_t *condition) {
    static int (*next)(pthread_cond_t *);
    if (!next) next = condition_function("pthread_cond_signal");
    ++*signals_of(condition);
    return next(condition);
}

int pthread_cond_broadcast(pthread_cond_t *condition) {
    static int (*next)(pthread_cond_t *);
    if (!next) next = condition_function("pthread_cond_broadcast");
    ++*signals_of(condition);
    return next(condition);
}

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until) {
    /* By which clock the condition goes it does not say; a time since the machine's start is no time of day. */
    int64_t now = real(CLOCK_MONOTONIC);
    if (until->tv_sec < now / SECOND + 10 * 365 * 86400LL)
        return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, until);
    struct timespec look;
    /* Who is woken for nothing may begin to wait anew, as libnats does, for a time that never ends then. */
    _Atomic unsigned *count = signals_of(condition);
    unsigned before = *count;
    while (next_look(until, &look)) {
        int result = pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &look);
        if (result != ETIMEDOUT) return result;
        /* It may have been signalled between two looks. */
        if (*count != before) return 0;
    }
    return ETIMEDOUT;
}
