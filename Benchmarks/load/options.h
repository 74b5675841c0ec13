/* The command line. */
#pragma once
#include "process.h"
#include <stdbool.h>
#include <stdint.h>

enum mode { MODE_FANOUT, MODE_CLOSED, MODE_POSTS, MODE_IDLE, MODE_DROP, MODE_REPLAY };
enum target { TARGET_CLARION, TARGET_NCHAN };

enum { STREAM_PORTS_MAX = 16 };

struct options {
    enum mode mode;
    enum target target;
    uint16_t port;
    uint16_t stream_ports[STREAM_PORTS_MAX]; /* where streams are opened, in turn; none: at port */
    uint32_t stream_port_count;
    uint32_t streams;
    uint32_t idle;         /* further streams on topics that stay silent */
    uint32_t idle_topics;  /* over how many topics those are spread */
    uint32_t idle_patterns; /* how many patterns of its own each of those follows instead; 0: one topic */
    uint32_t topics;       /* over how many topics posts are spread, each of them filled beforehand; 0: one topic */
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

/* Where the stream of a number is opened. */
uint16_t options_stream_port(const struct options *options, uint32_t number);

const char *options_mode_name(enum mode mode);
const char *options_target_name(enum target target);
