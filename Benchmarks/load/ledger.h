/*
 * What was posted, what was acknowledged, and the one order in which every stream must hear it.
 *
 * With several posting connections the order of the log is not the order of sending, so nobody knows it
 * beforehand: whichever stream is first to hear its k-th event writes it down as the k-th, and every
 * other stream is held to that. At the end, the order must hold each acknowledged event once and nothing
 * that was refused, and must respect time: an event sent after another was acknowledged comes after it.
 */
#pragma once
#include "clock.h"
#include <stdbool.h>
#include <stdint.h>

enum post_state { POST_SENT = 0, POST_ACKNOWLEDGED, POST_REFUSED };

struct ledger {
    uint32_t capacity;
    uint32_t sent;         /* posts handed to a socket; the next post's number */
    uint32_t acknowledged;
    uint32_t refused;
    uint32_t faults;       /* every violation found, by anyone */
    uint64_t *sent_at;     /* by post number */
    uint64_t *answered_at; /* by post number */
    uint8_t *state;        /* by post number: enum post_state */
    uint32_t *place_of;    /* by post number: its place in the order, plus one; 0 is not yet known */
    uint32_t *order;       /* by place: the post number, plus one; 0 is not yet known */
};

void ledger_init(struct ledger *l, uint32_t capacity);

/* Notes a violation; the first twenty are printed to stderr. */
void ledger_fault(struct ledger *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Enters a post about to be sent and returns its number. The ledger must not be full. */
uint32_t ledger_send(struct ledger *l, uint64_t now);
void ledger_answer(struct ledger *l, uint32_t number, bool accepted, uint64_t now);

/* The slow path of ledger_deliver: a new place in the order, or a violation. Returns the stream's next place. */
uint32_t ledger_settle(struct ledger *l, uint32_t stream, uint32_t place, uint32_t number, uint64_t sent);

/* Stream `stream`, having heard `place` events, hears `number`. Returns the place of what it must hear next. */
static inline uint32_t ledger_deliver(struct ledger *l, uint32_t stream, uint32_t place, uint32_t number, uint64_t sent) {
    if (__builtin_expect(place < l->capacity && l->order[place] == number + 1 && l->sent_at[number] == sent, 1)) return place + 1;
    return ledger_settle(l, stream, place, number, sent);
}

/* The checks that need the whole order; call when all streams have come to rest. */
void ledger_verify(struct ledger *l, bool heard);
