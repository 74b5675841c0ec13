/* Listening streams: GET, the response head, the transfer coding, and the frames of server-sent events. */
#pragma once
#include "histogram.h"
#include "http.h"
#include "ledger.h"
#include "loop.h"
#include "options.h"

enum stream_state { STREAM_CLOSED, STREAM_CONNECTING, STREAM_HEAD, STREAM_OPENING, STREAM_OPEN };

struct stream {
    struct source source;
    struct stream_set *set;
    int socket;
    uint8_t state;           /* enum stream_state; STREAM_OPENING: head seen, no byte of content yet */
    bool idle;               /* on a silent topic: every event is a fault */
    bool chunked;
    bool earliest;           /* reads the log from its beginning; old events tell nothing of latency: not recorded */
    bool has_id, has_data;   /* of the frame being read */
    uint32_t number;
    uint32_t topic;          /* of an idle one */
    uint32_t place;          /* how many events of the order it has heard: the next one's place */
    uint32_t pending;        /* the post number in the frame being read, when has_data */
    uint64_t pending_sent;
    struct dechunker dechunker;
    char *carry;             /* the beginning of a line (or head) whose end has not come yet */
    uint32_t carry_length, carry_capacity;
};

struct stream_set {
    const struct options *options;
    struct loop *loop;
    struct ledger *ledger;
    struct histogram *latency; /* post → receive, ns */
    struct stream *streams;
    uint32_t count;
    uint32_t opening;          /* between connect and the first byte of content */
    uint32_t open;
    uint64_t deliveries;       /* on all streams, since the beginning */
};

/* Room for `capacity` streams, none of them open. */
void streams_init(struct stream_set *set, const struct options *options, struct loop *loop, struct ledger *ledger,
                  struct histogram *latency, uint32_t capacity);

/* Opens `count` more and waits until each has received its first bytes; exits with 2 if that fails. From then on each
   must hear every event. `place` is how many events the log holds already: those they do not hear. */
void streams_open(struct stream_set *set, uint32_t count, bool idle, uint32_t place);

/* Begins to open one more, without waiting, that reads from the earliest event of the log. */
struct stream *streams_open_earliest(struct stream_set *set);

/* Closes one, as a client that goes away. */
void stream_close(struct stream *stream);

/* Whether each open stream has heard all acknowledged events. */
bool streams_caught_up(const struct stream_set *set);

/* Notes as a fault each open stream that has not. */
void streams_verify(const struct stream_set *set);
