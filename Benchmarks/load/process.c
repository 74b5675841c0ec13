#include "process.h"
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Reads /proc/<pid>/stat; the command (second field) may hold spaces and brackets, so count from its last bracket. */
static bool read_stat(pid_t pid, pid_t *parent, double *cpu) {
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    char *got = fgets(line, sizeof line, file);
    fclose(file);
    char *rest = got ? strrchr(line, ')') : NULL;
    if (!rest) return false;
    int ppid;
    unsigned long user, system;
    if (sscanf(rest + 2, "%*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &ppid, &user, &system) != 3) return false;
    *parent = ppid;
    *cpu = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
    return true;
}

static uint64_t read_kilobytes(pid_t pid, const char *file_name, const char *field) {
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file_name);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    uint64_t value = 0;
    size_t length = strlen(field);
    while (fgets(line, sizeof line, file))
        if (strncmp(line, field, length) == 0) {
            value = strtoull(line + length, NULL, 10) * 1024;
            break;
        }
    fclose(file);
    return value;
}

/* Appends the descendants of what is already in `pids`; returns the new count. */
static int add_descendants(pid_t *pids, int count) {
    for (bool grew = true; grew;) {
        grew = false;
        DIR *proc = opendir("/proc");
        if (!proc) return count;
        for (struct dirent *entry; (entry = readdir(proc)) && count < PROCESS_MAX;) {
            if (!isdigit((unsigned char)entry->d_name[0])) continue;
            pid_t pid = atoi(entry->d_name), parent;
            double cpu;
            if (!read_stat(pid, &parent, &cpu)) continue;
            bool child = false, known = false;
            for (int i = 0; i < count; i++) child |= pids[i] == parent, known |= pids[i] == pid;
            if (child && !known) pids[count++] = pid, grew = true;
        }
        closedir(proc);
    }
    return count;
}

struct process_group process_group(const pid_t *roots, int count) {
    struct process_group group = {0};
    if (count == 0) return group;
    memcpy(group.pids, roots, (size_t)count * sizeof *roots);
    group.count = add_descendants(group.pids, count);
    return group;
}

double process_cpu(const struct process_group *group) {
    double total = 0;
    for (int i = 0; i < group->count; i++) {
        pid_t parent;
        double cpu;
        if (read_stat(group->pids[i], &parent, &cpu)) total += cpu;
    }
    return total;
}

uint64_t process_pss(const struct process_group *group) {
    uint64_t total = 0;
    for (int i = 0; i < group->count; i++) total += read_kilobytes(group->pids[i], "smaps_rollup", "Pss:");
    return total;
}

uint64_t process_rss(const struct process_group *group) {
    uint64_t total = 0;
    for (int i = 0; i < group->count; i++) total += read_kilobytes(group->pids[i], "status", "VmRSS:");
    return total;
}

bool process_alive(const struct process_group *group) {
    for (int i = 0; i < group->count; i++) {
        pid_t parent;
        double cpu;
        if (!read_stat(group->pids[i], &parent, &cpu)) return false;
    }
    return true;
}

double process_own_cpu(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}
