#define _GNU_SOURCE
#include "modes.h"
#include "gauge.h"
#include "report.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CAPACITY_MAX (64u << 20) /* posts of one run */

static void pump(void *context) { posters_pump(context); }

static uint64_t seconds(double value) { return (uint64_t)(value * (double)NS_PER_S); }

static void turn(struct bench *b, uint64_t wake) {
    uint64_t due = posters_wake(&b->posters);
    loop_turn(&b->loop, due < wake ? due : wake, pump, &b->posters);
}

static void run_for(struct bench *b, double duration) {
    uint64_t end = clock_now() + seconds(duration);
    while (clock_now() < end) turn(b, end);
}

/* Until all that was posted is answered and heard, or nothing has moved for as long as our patience lasts. */
static void drain(struct bench *b) {
    posters_stop(&b->posters);
    uint64_t moved = clock_now(), seen = 0;
    while (!(posters_quiet(&b->posters) && streams_caught_up(&b->streams))) {
        turn(b, clock_now() + NS_PER_MS);
        uint64_t now = clock_now(), sum = b->streams.deliveries + b->ledger.acknowledged + b->ledger.refused;
        if (sum != seen) seen = sum, moved = now;
        if (now - moved > seconds(b->options->patience)) return;
    }
}

/* As many events as that, as fast as the connections allow. */
static void fill(struct bench *b, uint32_t count) {
    b->posters.limit = b->ledger.sent + count;
    posters_start(&b->posters, 0);
    uint64_t moved = clock_now();
    for (uint32_t seen = 0; b->ledger.sent < b->posters.limit && clock_now() - moved < seconds(b->options->patience);) {
        turn(b, clock_now() + NS_PER_S);
        if (b->ledger.acknowledged != seen) seen = b->ledger.acknowledged, moved = clock_now();
    }
    drain(b);
    b->posters.limit = UINT32_MAX;
}

void bench_init(struct bench *b, const struct options *o) {
    b->options = o;
    loop_init(&b->loop);
    double most = o->rate > 0 ? o->history + o->rate * (o->seconds * 2 + o->warmup + 60) + 1000 : CAPACITY_MAX;
    ledger_init(&b->ledger, most < CAPACITY_MAX ? (uint32_t)most : CAPACITY_MAX);
    streams_init(&b->streams, o, &b->loop, &b->ledger, &b->latency, o->streams + o->idle + 1);
    posters_init(&b->posters, o, &b->loop, &b->ledger, &b->acknowledgement);
    b->server = process_group(o->pids, o->pid_count);
}

/* All counters at one moment. */
struct mark {
    uint64_t time, deliveries;
    uint32_t acknowledged;
    double server, own;
};

static struct mark mark(struct bench *b) {
    return (struct mark){clock_now(), b->streams.deliveries, b->ledger.acknowledged, process_cpu(&b->server), process_own_cpu()};
}

void bench_load(struct bench *b) {
    const struct options *o = b->options;
    streams_open(&b->streams, o->idle, true, 0);
    streams_open(&b->streams, o->streams, false, 0);
    if (o->topics) fill(b, o->topics);
    posters_start(&b->posters, o->rate);
    run_for(b, o->warmup);
    histogram_reset(&b->latency);
    histogram_reset(&b->acknowledgement);
    b->posters.lag = 0;
    struct mark start = mark(b);
    run_for(b, o->seconds);
    struct mark end = mark(b);
    drain(b);
    /* CPU is counted until the last event is heard: what was left waiting in the server is part of the work. */
    struct mark drained = mark(b);

    double time = (double)(end.time - start.time) / 1e9;
    double deliveries = (double)(drained.deliveries - start.deliveries);
    double posts = (double)(drained.acknowledged - start.acknowledged);
    report_number("seconds", time);
    if (o->rate > 0) report_number("offered_per_s", o->rate);
    report_number("posts_per_s", (double)(end.acknowledged - start.acknowledged) / time);
    if (o->streams) report_number("deliveries_per_s", (double)(end.deliveries - start.deliveries) / time);
    report_latency("latency", &b->latency);
    report_latency("ack", &b->acknowledgement);
    if (o->rate > 0) report_number("schedule_lag_ms", (double)b->posters.lag / 1e6);
    report_number("drain_ms", (double)(drained.time - end.time) / 1e6);
    if (b->server.count && deliveries > 0) report_number("cpu_us_per_delivery", (drained.server - start.server) * 1e6 / deliveries);
    if (b->server.count && posts > 0) report_number("cpu_us_per_post", (drained.server - start.server) * 1e6 / posts);
    if (deliveries > 0) report_number("load_cpu_us_per_delivery", (drained.own - start.own) * 1e6 / deliveries);
    report_number("load_busy", (end.own - start.own) / time);
}

void bench_idle(struct bench *b) {
    const struct options *o = b->options;
    run_for(b, 0.2); /* the posting connections are up before the first reading */
    double rss = (double)process_rss(&b->server), pss = (double)process_pss(&b->server);
    uint64_t begin = clock_now();
    streams_open(&b->streams, o->streams, false, 0);
    double opening = (double)(clock_now() - begin) / 1e9;
    run_for(b, 1);
    report_number("open_per_s", o->streams / opening);
    report_number("base_rss_bytes", rss);
    report_number("rss_bytes_per_stream", ((double)process_rss(&b->server) - rss) / o->streams);
    report_number("pss_bytes_per_stream", ((double)process_pss(&b->server) - pss) / o->streams);
    fill(b, 10); /* those that were only counted so far are alive */
    report_number("used_rss_bytes_per_stream", ((double)process_rss(&b->server) - rss) / o->streams);
    report_number("used_pss_bytes_per_stream", ((double)process_pss(&b->server) - pss) / o->streams);
}

void bench_drop(struct bench *b) {
    const struct options *o = b->options;
    static struct histogram falls, readings;
    struct gauge gauge;
    gauge_open(&gauge, o);
    long before = gauge_read(&gauge);
    streams_open(&b->streams, o->streams, false, 0);
    fill(b, 10); /* those that were only counted so far are alive */
    run_for(b, 0.2);
    long level = gauge_read(&gauge);
    if (level - before != (long)o->streams) ledger_fault(&b->ledger, "%u streams are open, the gauge rose by %ld", o->streams, level - before);
    srandom(1); /* the same streams in every run */
    for (uint32_t drop = 0; drop < o->drops; drop++) {
        struct stream *s;
        do s = &b->streams.streams[(uint32_t)random() % o->streams];
        while (s->state != STREAM_OPEN);
        uint64_t cut = clock_now(), asked = cut;
        stream_close(s);
        for (level--; gauge_read(&gauge) > level;) {
            uint64_t now = clock_now();
            histogram_record(&readings, now - asked);
            if (now - cut > seconds(o->patience)) {
                ledger_fault(&b->ledger, "the gauge did not fall to %ld", level);
                return;
            }
            nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL); /* leave the server its processor */
            asked = clock_now();
        }
        histogram_record(&falls, clock_now() - cut);
    }
    report_number("drops", o->drops);
    report_latency("drop", &falls);
    report_latency("gauge_reading", &readings);
    fill(b, 10); /* those that were only counted so far are alive */
}

void bench_replay(struct bench *b) {
    const struct options *o = b->options;
    uint64_t begin = clock_now(), moved;
    fill(b, o->history);
    report_number("history_posts_per_s", b->ledger.acknowledged / ((double)(clock_now() - begin) / 1e9));
    uint32_t history = b->ledger.acknowledged;

    streams_open(&b->streams, o->streams, false, history);
    posters_start(&b->posters, o->rate);
    run_for(b, o->warmup);
    histogram_reset(&b->latency);
    run_for(b, o->seconds);
    report_latency("live_before", &b->latency);
    histogram_reset(&b->latency);

    begin = clock_now();
    double cpu = process_cpu(&b->server);
    struct stream *reader = streams_open_earliest(&b->streams);
    moved = begin;
    for (uint32_t seen = 0; reader->state != STREAM_CLOSED && reader->place < b->ledger.acknowledged;) {
        turn(b, clock_now() + NS_PER_MS);
        if (reader->place != seen) seen = reader->place, moved = clock_now();
        if (clock_now() - moved > seconds(o->patience)) break;
    }
    double time = (double)(clock_now() - begin) / 1e9;
    report_number("replayed", reader->place);
    report_number("replay_seconds", time);
    report_number("replay_per_s", reader->place / time);
    report_latency("live_during", &b->latency);
    drain(b);
    if (b->server.count) report_number("cpu_us_per_replayed", (process_cpu(&b->server) - cpu) * 1e6 / reader->place);
}

void bench_verify(struct bench *b) {
    if (b->server.count && !process_alive(&b->server)) ledger_fault(&b->ledger, "a server process has ended");
    if (b->ledger.acknowledged == 0) ledger_fault(&b->ledger, "not one post was acknowledged");
    streams_verify(&b->streams);
    ledger_verify(&b->ledger, b->options->mode != MODE_POSTS);
}
