#include "options.h"
#include "payload.h"
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const mode_names[] = {"fanout", "closed", "posts", "idle", "drop", "replay"};
static const char *const target_names[] = {"clarion", "nchan"};

const char *options_mode_name(enum mode mode) { return mode_names[mode]; }
const char *options_target_name(enum target target) { return target_names[target]; }

static const char usage[] =
    "usage: load MODE --port PORT [options]\n"
    "\n"
    "modes\n"
    "  fanout   posts on an open schedule (--rate) to --streams\n"
    "  closed   each connection posts its next event as soon as the last is acknowledged\n"
    "  posts    like closed, but nobody listens\n"
    "  idle     opens streams and measures the server's memory for each\n"
    "  drop     cuts streams at random and waits for the server's gauge to fall\n"
    "  replay   posts --history events, then one stream reads them all while others listen live at --rate\n"
    "\n"
    "options\n"
    "  --target clarion|nchan   whose routes and answers (clarion)\n"
    "  --stream-port PORT       streams are opened there instead; may be repeated: in turn (at --port)\n"
    "  --streams N              listening streams, up to 15000 (100)\n"
    "  --idle N                 further streams on other topics that must stay silent (0)\n"
    "  --idle-topics N          over how many topics those are spread (100)\n"
    "  --idle-patterns N        how many patterns of its own each of those follows instead, up to 100 (0: a topic)\n"
    "  --topics N               posts go to so many topics, each gets one event before; streams follow their pattern (0: one topic)\n"
    "  --posters N              keep-alive posting connections (fanout, posts: 16; else 1)\n"
    "  --rate N                 posts per second offered (fanout: 1000, replay: 500)\n"
    "  --seconds S --warmup S   measured window and the same load before it (5, 1)\n"
    "  --size BYTES             of each event's data, 32 to 16384 (100)\n"
    "  --drops N                streams to cut (200)\n"
    "  --history N              events to replay (1000000)\n"
    "  --key KEY                an API key to show with every request\n"
    "  --gauge-path PATH        where the number of open streams is read ... (/metrics)\n"
    "  --gauge TEXT             ... as the number that follows this text\n"
    "  --patience S             seconds without progress after which events count as lost (10)\n"
    "  --pid PID                a server process, with its descendants; may be repeated\n"
    "\n"
    "Prints one line of JSON on stdout and words on stderr. Exits with 0, 1 if a check failed, 2 if it could not run.\n";

static void refuse(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
static void refuse(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "load: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n(load --help says more)\n");
    va_end(arguments);
    exit(2);
}

static int word(const char *const *names, int count, const char *value, const char *what) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], value) == 0) return i;
    refuse("unknown %s: %s", what, value);
}

static double number(const char *option, double low, double high) {
    char *end;
    double value = strtod(optarg, &end);
    if (*end || end == optarg || value < low || value > high) refuse("--%s: %s is not a number from %g to %g", option, optarg, low, high);
    return value;
}

static const struct option table[] = {
    {"target", 1, 0, 't'}, {"port", 1, 0, 'p'}, {"stream-port", 1, 0, 'S'}, {"streams", 1, 0, 'n'}, {"idle", 1, 0, 'i'}, {"idle-topics", 1, 0, 'I'},
    {"idle-patterns", 1, 0, 'm'}, {"topics", 1, 0, 'T'},
    {"posters", 1, 0, 'c'}, {"rate", 1, 0, 'r'}, {"seconds", 1, 0, 's'}, {"warmup", 1, 0, 'w'}, {"size", 1, 0, 'z'},
    {"drops", 1, 0, 'd'}, {"history", 1, 0, 'H'}, {"gauge-path", 1, 0, 'G'}, {"gauge", 1, 0, 'g'}, {"patience", 1, 0, 'l'},
    {"key", 1, 0, 'k'}, {"pid", 1, 0, 'P'}, {"help", 0, 0, 'h'}, {0, 0, 0, 0},
};

uint16_t options_stream_port(const struct options *o, uint32_t number) {
    return o->stream_port_count ? o->stream_ports[number % o->stream_port_count] : o->port;
}

struct options options_parse(int count, char **arguments) {
    if (count < 2 || strcmp(arguments[1], "--help") == 0) {
        fputs(usage, count < 2 ? stderr : stdout);
        exit(count < 2 ? 2 : 0);
    }
    struct options o = {.idle_topics = 100, .seconds = 5, .warmup = 1, .patience = 10, .size = 100, .drops = 200, .history = 1000000};
    o.mode = (enum mode)word(mode_names, 6, arguments[1], "mode");
    o.streams = o.mode == MODE_POSTS ? 0 : 100;
    o.posters = o.mode == MODE_FANOUT || o.mode == MODE_POSTS ? 16 : 1;
    o.rate = o.mode == MODE_FANOUT ? 1000 : o.mode == MODE_REPLAY ? 500 : 0;
    int index;
    optind = 2;
    for (int c; (c = getopt_long(count, arguments, "", table, &index)) != -1;) {
        if (c == '?') refuse("cannot go on");
        const char *name = table[index].name;
        switch (c) {
        case 't': o.target = (enum target)word(target_names, 2, optarg, "target"); break;
        case 'p': o.port = (uint16_t)number(name, 1, 65535); break;
        case 'S':
            if (o.stream_port_count == STREAM_PORTS_MAX) refuse("too many --stream-port");
            o.stream_ports[o.stream_port_count++] = (uint16_t)number(name, 1, 65535);
            break;
        case 'n': o.streams = (uint32_t)number(name, 0, 15000); break;
        case 'i': o.idle = (uint32_t)number(name, 0, 15000); break;
        case 'I': o.idle_topics = (uint32_t)number(name, 1, 15000); break;
        case 'm': o.idle_patterns = (uint32_t)number(name, 0, 100); break;
        case 'T': o.topics = (uint32_t)number(name, 0, 5e6); break;
        case 'c': o.posters = (uint32_t)number(name, 1, 1000); break;
        case 'r': o.rate = number(name, 0, 1e6); break;
        case 's': o.seconds = number(name, 0.1, 600); break;
        case 'w': o.warmup = number(name, 0, 60); break;
        case 'z': o.size = (uint32_t)number(name, PAYLOAD_MIN, PAYLOAD_MAX); break;
        case 'd': o.drops = (uint32_t)number(name, 1, 15000); break;
        case 'H': o.history = (uint32_t)number(name, 1, 5e6); break;
        case 'G': o.gauge_path = optarg; break;
        case 'g': o.gauge = optarg; break;
        case 'k':
            if (snprintf(o.authorization, sizeof o.authorization, "Authorization: Bearer %s\r\n", optarg) >= (int)sizeof o.authorization)
                refuse("--key is too long");
            break;
        case 'l': o.patience = number(name, 0.1, 600); break;
        case 'P':
            if (o.pid_count == PROCESS_MAX) refuse("too many --pid");
            o.pids[o.pid_count++] = (pid_t)number(name, 1, 4194304);
            break;
        case 'h': fputs(usage, stdout); exit(0);
        }
    }
    if (optind < count) refuse("what is %s?", arguments[optind]);
    if (o.port == 0) refuse("--port is needed");
    if ((o.topics || o.idle_patterns) && o.target != TARGET_CLARION) refuse("--topics and --idle-patterns need clarion's patterns");
    if (o.topics && o.mode != MODE_CLOSED) refuse("--topics is for closed");
    if (o.mode == MODE_POSTS && o.streams) refuse("posts has no --streams");
    if (o.mode != MODE_POSTS && o.streams == 0) refuse("--streams is needed");
    if (o.mode == MODE_FANOUT && o.rate == 0) refuse("fanout needs a --rate (closed posts one at a time)");
    if (o.mode == MODE_REPLAY && o.rate == 0) refuse("replay needs a --rate for those who listen live");
    if (o.mode == MODE_IDLE && o.pid_count == 0) refuse("idle needs the server's --pid");
    if (o.mode == MODE_DROP && o.drops >= o.streams) refuse("--drops must be fewer than --streams");
    if (!o.gauge_path) o.gauge_path = o.target == TARGET_CLARION ? "/metrics" : "/nchan_stub_status";
    if (!o.gauge) o.gauge = o.target == TARGET_CLARION ? "\nclarion_streams " : "\nsubscribers: ";
    return o;
}
