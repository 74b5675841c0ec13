#include "ledger.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Untouched pages cost nothing, so the ledger is as long as a run can become and never moves. */
static void *table(size_t bytes) {
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
        perror("mmap");
        exit(2);
    }
    return at;
}

void ledger_init(struct ledger *l, uint32_t capacity) {
    memset(l, 0, sizeof *l);
    l->capacity = capacity;
    l->sent_at = table(capacity * sizeof *l->sent_at);
    l->answered_at = table(capacity * sizeof *l->answered_at);
    l->state = table(capacity);
    l->place_of = table(capacity * sizeof *l->place_of);
    l->order = table(capacity * sizeof *l->order);
}

void ledger_fault(struct ledger *l, const char *format, ...) {
    if (++l->faults > 20) return;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "FAULT: ");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    if (l->faults == 20) fprintf(stderr, "FAULT: … further ones are only counted\n");
}

uint32_t ledger_send(struct ledger *l, uint64_t now) {
    uint32_t number = l->sent++;
    l->sent_at[number] = now;
    return number;
}

void ledger_answer(struct ledger *l, uint32_t number, bool accepted, uint64_t now) {
    l->answered_at[number] = now;
    l->state[number] = accepted ? POST_ACKNOWLEDGED : POST_REFUSED;
    if (accepted) l->acknowledged++;
    else l->refused++;
}

uint32_t ledger_settle(struct ledger *l, uint32_t stream, uint32_t place, uint32_t number, uint64_t sent) {
    if (number >= l->sent || l->sent_at[number] != sent) {
        ledger_fault(l, "stream %u heard an event that was never posted (number %u)", stream, number);
        return place;
    }
    if (l->place_of[number] == 0) {
        /* A place past all that was sent can only follow a fault that was noted before. */
        if (place < l->capacity && l->order[place] == 0) {
            l->order[place] = number + 1;
            l->place_of[number] = place + 1;
            return place + 1;
        }
        ledger_fault(l, "stream %u heard event %u at place %u where another stream heard another", stream, number, place);
        return place;
    }
    uint32_t known = l->place_of[number] - 1;
    if (known < place) {
        ledger_fault(l, "stream %u heard event %u again or late: it belongs to place %u, the stream is at %u", stream, number, known, place);
        return place;
    }
    /* Take the stream up again behind the gap, so that one lost event is one fault. */
    ledger_fault(l, "stream %u heard event %u of place %u at place %u: %u missing", stream, number, known, place, known - place);
    return known + 1;
}

void ledger_verify(struct ledger *l, bool heard) {
    uint32_t unanswered = 0, unheard = 0, first_unheard = 0;
    for (uint32_t number = 0; number < l->sent; number++) {
        bool placed = l->place_of[number] != 0;
        if (l->answered_at[number] == 0) unanswered++;
        else if (l->state[number] == POST_REFUSED && placed) ledger_fault(l, "event %u was refused and yet delivered", number);
        else if (heard && l->state[number] == POST_ACKNOWLEDGED && !placed && unheard++ == 0) first_unheard = number;
    }
    if (unanswered) ledger_fault(l, "%u posts were never answered", unanswered);
    if (unheard) ledger_fault(l, "%u acknowledged events were heard by no stream, the first is %u", unheard, first_unheard);
    if (!heard) return;

    /* From the end: the earliest acknowledgement among later places must not precede this one's sending. */
    uint64_t earliest = UINT64_MAX;
    for (uint32_t place = l->sent; place-- > 0;) {
        if (l->order[place] == 0) continue;
        uint32_t number = l->order[place] - 1;
        if (l->sent_at[number] > earliest) ledger_fault(l, "event %u was sent after a later one in the order had been acknowledged", number);
        if (l->state[number] == POST_ACKNOWLEDGED && l->answered_at[number] < earliest) earliest = l->answered_at[number];
    }
}
