/* Posting connections: keep-alive, one post at a time on each, and the schedule by which they post. */
#pragma once
#include "histogram.h"
#include "http.h"
#include "ledger.h"
#include "loop.h"
#include "options.h"

#define ANSWER_MAX 16384

struct poster {
    struct source source;
    struct poster_set *set;
    int socket;
    bool connected;
    bool waiting;     /* for an answer */
    uint32_t number;  /* of the post that is waited for */
    uint32_t answer_length;
    char answer[ANSWER_MAX];
};

struct poster_set {
    const struct options *options;
    struct loop *loop;
    struct ledger *ledger;
    struct histogram *acknowledgement; /* post → answer, ns */
    struct poster *posters;
    uint32_t *free;                    /* ring: connections without a post under way, the longest idle first */
    uint32_t free_count, free_first;
    uint32_t reconnects;
    bool posting;                      /* whether a new post may begin */
    uint32_t limit;                    /* no post beyond this number of them */
    double rate;                       /* per second; 0: as soon as a connection is free */
    uint64_t schedule_start;
    uint64_t scheduled;                /* posts that fell due since schedule_start and were sent */
    uint64_t lag;                      /* the furthest any post was behind its time, ns */
    char *request;                     /* head and body of a post, rewritten for each: the body, and the head if topics change */
    size_t request_length;
};

void posters_init(struct poster_set *set, const struct options *options, struct loop *loop, struct ledger *ledger,
                  struct histogram *acknowledgement);

/* Begins to post: at `rate` per second on an open schedule, or (0) one at a time on each connection. */
void posters_start(struct poster_set *set, double rate);

/* No new posts; those under way are still answered. */
void posters_stop(struct poster_set *set);

/* Sends what is due on free connections. */
void posters_pump(struct poster_set *set);

/* When posters_pump has something to send next, ns; UINT64_MAX if only an answer can bring that about. */
uint64_t posters_wake(const struct poster_set *set);

/* Whether no post is under way. */
bool posters_quiet(const struct poster_set *set);
