/* What a run does, mode by mode, out of streams, posting connections and the ledger. */
#pragma once
#include "ledger.h"
#include "poster.h"
#include "stream.h"

struct bench {
    const struct options *options;
    struct loop loop;
    struct ledger ledger;
    struct histogram latency, acknowledgement;
    struct stream_set streams;
    struct poster_set posters;
    struct process_group server;
};

void bench_init(struct bench *bench, const struct options *options);
void bench_load(struct bench *bench);
void bench_idle(struct bench *bench);
void bench_drop(struct bench *bench);
void bench_replay(struct bench *bench);

/* The final checks; every mode ends with them. */
void bench_verify(struct bench *bench);
