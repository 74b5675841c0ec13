/* Loaded into a hub before the C library (LD_PRELOAD, ld.so(8)): it sees another number of processors, and a slower disk.

   What they are is read from a file that the test maps, too, so it can be changed while the hub runs. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct machine {
    /* 0 for those that there are. */
    _Atomic int processors;
    /* How much longer fsync(2) takes, in microseconds. */
    _Atomic int sync_delay;
    /* How often it was called. */
    _Atomic int syncs;
};

static struct machine none, *machine = &none;

__attribute__((constructor)) static void map(void) {
    const char *path = getenv("OTHER_MACHINE_FILE");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(NULL, sizeof *machine, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (page != MAP_FAILED) machine = page;
}

long sysconf(int name) {
    static long (*next)(int);
    if (!next) next = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
    int processors = atomic_load(&machine->processors);
    return name == _SC_NPROCESSORS_ONLN && processors > 0 ? processors : next(name);
}

static int sync_slowly(int file, const char *name) {
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    atomic_fetch_add(&machine->syncs, 1);
    usleep(atomic_load(&machine->sync_delay));
    return next(file);
}

int fsync(int file) { return sync_slowly(file, "fsync"); }

int fdatasync(int file) { return sync_slowly(file, "fdatasync"); }
