/* Loaded into a hub before the C library (LD_PRELOAD, ld.so(8)): has the n-th write to a folder, or read from it, fail,
   or kill the process.

   What to do is read from a file that the test maps, too, so it can be changed while the hub runs. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

struct orders {
    /* Which call fails, from 1; 0 for none. */
    _Atomic int fail_at;
    /* With which errno; 0 if the process is to be killed instead. */
    _Atomic int error;
    /* Whether all calls after it fail, too. */
    _Atomic int lasting;
    /* How many calls there were since this was set to 0. */
    _Atomic int calls;
    /* How many of them failed. */
    _Atomic int failures;
    /* Whether it is reads that fail, not writes. */
    _Atomic int reads;
};

static struct orders *orders;
static const char *folder;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAILING_WRITES_ORDERS");
    folder = getenv("FAILING_WRITES_FOLDER");
    int file = path && folder ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *map = mmap(NULL, sizeof(struct orders), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map != MAP_FAILED) orders = map;
    close(file);
}

static int is_in_folder(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    /* Not what is beside it, such as the hub's own log. */
    size_t end = strlen(folder);
    return strncmp(path, folder, end) == 0 && (path[end] == '/' || !path[end]);
}

/* The errno with which a call is to fail; 0 if it is to be made. */
static int failure(int file, int is_read) {
    if (!orders || !orders->fail_at || orders->reads != is_read || !is_in_folder(file)) return 0;
    int call = atomic_fetch_add(&orders->calls, 1) + 1;
    if (call < orders->fail_at || (call > orders->fail_at && !orders->lasting)) return 0;
    atomic_fetch_add(&orders->failures, 1);
    if (!orders->error) kill(getpid(), SIGKILL);
    return orders->error;
}

/* A function of the C library of that name, and what stands before it. */
#define BEFORE(is_read, result, name, parameters, arguments)                        \
    result name parameters {                                                        \
        static result(*original) parameters;                                        \
        if (!original) original = (result(*) parameters)dlsym(RTLD_NEXT, #name);    \
        int error = failure(file, is_read);                                         \
        if (!error) return original arguments;                                      \
        errno = error;                                                              \
        return -1;                                                                  \
    }

BEFORE(0, ssize_t, write, (int file, const void *bytes, size_t count), (file, bytes, count))
BEFORE(0, ssize_t, pwrite, (int file, const void *bytes, size_t count, off_t offset), (file, bytes, count, offset))
BEFORE(0, ssize_t, pwrite64, (int file, const void *bytes, size_t count, off64_t offset), (file, bytes, count, offset))
BEFORE(0, int, ftruncate, (int file, off_t length), (file, length))
BEFORE(0, int, ftruncate64, (int file, off64_t length), (file, length))
BEFORE(0, int, fsync, (int file), (file))
BEFORE(0, int, fdatasync, (int file), (file))
BEFORE(1, ssize_t, read, (int file, void *bytes, size_t count), (file, bytes, count))
BEFORE(1, ssize_t, pread, (int file, void *bytes, size_t count, off_t offset), (file, bytes, count, offset))
BEFORE(1, ssize_t, pread64, (int file, void *bytes, size_t count, off64_t offset), (file, bytes, count, offset))
