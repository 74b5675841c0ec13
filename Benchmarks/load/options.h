/* The command line. */
#pragma once
#include "process.h"
#include <stdbool.h>
#include <stdint.h>

enum mode { MODE_FANOUT, MODE_CLOSED, MODE_POSTS, MODE_IDLE, MODE_DROP, MODE_REPLAY };
enum target { TARGET_CLARION, TARGET_NCHAN };

struct options {
    enum mode mode;
    enum target target;
    uint16_t port;
    uint32_t streams;
    uint32_t idle;         /* further streams on topics that stay silent */
    uint32_t idle_topics;  /* over how many topics those are spread */
    uint32_t posters;
    double rate;           /* posts per second, 0: one at a time on each connection */
    double seconds;        /* of the measured window */
    double warmup;         /* seconds of the same load before it */
    double patience;       /* seconds without any progress after which something is given up as lost */
    uint32_t size;         /* of an event's data, bytes */
    uint32_t drops;        /* MODE_DROP: how many streams are cut */
    uint32_t history;      /* MODE_REPLAY: events posted before anyone listens */
    char authorization[128]; /* a field with its line break, or nothing */
    const char *gauge_path;
    const char *gauge;     /* the text right before the number of open streams in what gauge_path answers */
    pid_t pids[PROCESS_MAX];
    int pid_count;
};

/* Exits with status 2 and a word on stderr if the arguments make no sense. */
struct options options_parse(int count, char **arguments);

const char *options_mode_name(enum mode mode);
const char *options_target_name(enum target target);
