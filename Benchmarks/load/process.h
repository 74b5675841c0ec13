/* What the server has used so far, from /proc: of the named processes and all their descendants. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PROCESS_MAX 64

struct process_group {
    pid_t pids[PROCESS_MAX];
    int count;
};

/* The named processes and the descendants they have now. */
struct process_group process_group(const pid_t *roots, int count);

/* utime + stime of all threads, seconds. Clock ticks of 10 ms: measure over seconds. */
double process_cpu(const struct process_group *group);

/* Bytes of memory shared by several of them (an nginx shared zone) count once here: the proportional set size … */
uint64_t process_pss(const struct process_group *group);

/* … and once for each process here: the resident set size. */
uint64_t process_rss(const struct process_group *group);

/* Whether all of them still run. */
bool process_alive(const struct process_group *group);

/* Seconds of CPU this very process has used. */
double process_own_cpu(void);
