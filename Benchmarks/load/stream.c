#define _GNU_SOURCE
#include "stream.h"
#include "payload.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_SIZE 65536
#define CARRY_MAX (PAYLOAD_MAX + 4096) /* the longest line or head we can be asked to keep */
#define OPENING_MAX 128                /* streams at a time in connect and head: kinder than the shortest backlog */
#define READS_MAX 8                    /* in one go of one stream */

static char buffer[CARRY_MAX + READ_SIZE];

static void lost(struct stream *s, const char *why) {
    if (s->state == STREAM_CLOSED) return;
    ledger_fault(s->set->ledger, "stream %u %s", s->number, why);
    stream_close(s);
}

void stream_close(struct stream *s) {
    if (s->state == STREAM_OPEN) s->set->open--;
    else if (s->state != STREAM_CLOSED) s->set->opening--;
    s->state = STREAM_CLOSED;
    if (s->socket >= 0) close(s->socket);
    s->socket = -1;
    free(s->carry);
    s->carry = NULL;
    s->carry_length = s->carry_capacity = 0;
}

static void keep(struct stream *s, const char *from, size_t length) {
    if (length > CARRY_MAX) {
        lost(s, "sent a line that is too long");
        return;
    }
    if (length > s->carry_capacity) {
        s->carry_capacity = (uint32_t)length + 128;
        s->carry = realloc(s->carry, s->carry_capacity);
    }
    if (length) memcpy(s->carry, from, length);
    s->carry_length = (uint32_t)length;
}

static void dispatch(struct stream *s, uint64_t now) {
    struct stream_set *set = s->set;
    if (!s->has_id) ledger_fault(set->ledger, "stream %u heard event %u without an id", s->number, s->pending);
    s->has_id = s->has_data = false;
    if (s->idle) {
        ledger_fault(set->ledger, "stream %u on a silent topic heard event %u", s->number, s->pending);
        return;
    }
    s->place = ledger_deliver(set->ledger, s->number, s->place, s->pending, s->pending_sent);
    set->deliveries++;
    if (!s->earliest) histogram_record(set->latency, now - s->pending_sent);
}

static void data(struct stream *s, const char *value, size_t length) {
    if (s->has_data) ledger_fault(s->set->ledger, "stream %u heard an event of two lines", s->number);
    s->has_data = payload_read(value, length, &s->pending, &s->pending_sent);
    if (!s->has_data) ledger_fault(s->set->ledger, "stream %u heard data that was not posted: %.*s", s->number, (int)(length > 60 ? 60 : length), value);
}

/* A line without its end. Only LF and CRLF are understood as ends: neither target sends a bare CR. */
static void line(struct stream *s, const char *at, size_t length, uint64_t now) {
    if (length && at[length - 1] == '\r') length--;
    if (length == 0) {
        if (s->has_data) dispatch(s, now);
        s->has_id = false;
    } else if (length > 3 && memcmp(at, "id:", 3) == 0) {
        s->has_id = true;
    } else if (length >= 5 && memcmp(at, "data:", 5) == 0) {
        size_t skip = length > 5 && at[5] == ' ' ? 6 : 5;
        data(s, at + skip, length - skip);
    } else if (length >= 6 && memcmp(at, "event:", 6) == 0) {
        ledger_fault(s->set->ledger, "stream %u heard %.*s", s->number, (int)(length > 60 ? 60 : length), at);
    } else if (at[0] != ':' && !(length >= 6 && memcmp(at, "retry:", 6) == 0)) {
        ledger_fault(s->set->ledger, "stream %u sent a strange line: %.*s", s->number, (int)(length > 60 ? 60 : length), at);
    }
}

static void content(struct stream *s, const char *at, const char *end, uint64_t now) {
    size_t size = s->set->options->size;
    while (at < end) {
        /* What nearly every data line looks like: right prefix, right length, then the empty line. */
        if ((size_t)(end - at) >= size + 8 && at[6 + size] == '\n' && at[7 + size] == '\n' && !s->has_data && memcmp(at, "data: ", 6) == 0) {
            data(s, at + 6, size);
            if (s->has_data) dispatch(s, now);
            at += size + 8;
            continue;
        }
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) break;
        line(s, at, (size_t)(stop - at), now);
        at = stop + 1;
    }
    if (s->state != STREAM_CLOSED) keep(s, at, (size_t)(end - at));
}

/* Reads the response head from what has come so far; returns how long it is, 0 if more is needed. */
static size_t head(struct stream *s, size_t length) {
    struct http_head head;
    long size = http_head_parse(buffer, length, &head);
    if (size < 0 || (size > 0 && (head.status != 200 || !head.event_stream))) {
        fprintf(stderr, "load: stream %u was answered: %.*s\n", s->number, (int)(length > 300 ? 300 : length), buffer);
        lost(s, "was refused");
        return 0;
    }
    if (size > 0) s->chunked = head.chunked, s->state = STREAM_OPENING;
    return (size_t)size;
}

static void received(struct stream *s, size_t old, size_t length, uint64_t now) {
    char *at = buffer, *end = buffer + length;
    if (s->state == STREAM_HEAD) {
        size_t size = head(s, length);
        if (size == 0) {
            if (s->state != STREAM_CLOSED) keep(s, buffer, length);
            return;
        }
        at += size;
        old = 0;
    }
    if (s->chunked) {
        char *fresh = at + old;
        end = fresh + dechunk(&s->dechunker, fresh, (size_t)(end - fresh));
    }
    if (s->state == STREAM_OPENING && at < end) {
        s->state = STREAM_OPEN;
        s->set->opening--;
        s->set->open++;
    }
    content(s, at, end, now);
    if (s->dechunker.state == CHUNK_DONE) lost(s, "was ended by the server");
    if (s->dechunker.state == CHUNK_BROKEN) lost(s, "sent a broken chunk");
}

/* A request for patterns nobody else follows and no event matches. Each begins with a wildcard, so its first segment excludes nothing. */
static int patterns(char *text, size_t size, uint32_t stream, uint32_t count) {
    int length = snprintf(text, size, "GET /events?");
    for (uint32_t i = 0; i < count; i++)
        length += snprintf(text + length, size - (size_t)length, "%stopic=*.idle.%u.**", i ? "&" : "", stream * count + i);
    return length + snprintf(text + length, size - (size_t)length, " HTTP/1.1\r\n");
}

static void request(struct stream *s) {
    char text[8192];
    const struct options *o = s->set->options;
    int length;
    if (s->idle && o->idle_patterns) {
        length = patterns(text, sizeof text, s->number, o->idle_patterns);
    } else {
        char topic[32] = "bench";
        if (s->idle) snprintf(topic, sizeof topic, "bench.idle.%u", s->topic);
        else if (o->topics) strcpy(topic, "bench.**");
        const char *history = s->earliest ? "?since=earliest" : "";
        length = o->target == TARGET_CLARION ? snprintf(text, sizeof text, "GET /topics/%s/events%s HTTP/1.1\r\n", topic, history)
                                             : snprintf(text, sizeof text, "GET /sub?id=%s HTTP/1.1\r\n", topic);
    }
    length += snprintf(text + length, sizeof text - (size_t)length, "Host: 127.0.0.1:%u\r\n%sAccept: text/event-stream\r\n\r\n",
                       options_stream_port(o, s->number), o->authorization);
    if (send(s->socket, text, (size_t)length, MSG_NOSIGNAL) != length) lost(s, "could not connect");
    else s->state = STREAM_HEAD;
}

static void ready(struct source *source, uint32_t events) {
    struct stream *s = (struct stream *)source;
    if (s->state == STREAM_CONNECTING && (events & EPOLLOUT)) request(s);
    for (int reads = 0; s->state >= STREAM_HEAD; reads++) {
        if (reads == READS_MAX) {
            loop_again(s->set->loop, s->socket, source);
            return;
        }
        size_t old = s->carry_length;
        ssize_t n = recv(s->socket, buffer + old, READ_SIZE, 0);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (n <= 0) {
            lost(s, n == 0 ? "was ended by the server" : "was cut by the server");
            return;
        }
        if (old) memcpy(buffer, s->carry, old);
        received(s, old, old + (size_t)n, clock_now());
        /* A short read emptied the socket; what comes later makes a new edge, as does the end of the stream. */
        if (n < READ_SIZE && !(events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))) return;
    }
}

void streams_init(struct stream_set *set, const struct options *options, struct loop *loop, struct ledger *ledger,
                  struct histogram *latency, uint32_t capacity) {
    *set = (struct stream_set){.options = options, .loop = loop, .ledger = ledger, .latency = latency};
    set->streams = calloc(capacity ? capacity : 1, sizeof *set->streams);
}

static struct stream *open_one(struct stream_set *set) {
    struct stream *s = &set->streams[set->count];
    *s = (struct stream){.source.ready = ready, .set = set, .number = set->count++, .state = STREAM_CONNECTING};
    s->socket = loop_connect(options_stream_port(set->options, s->number));
    set->opening++;
    return s;
}

static void nothing(void *context) { (void)context; }

void streams_open(struct stream_set *set, uint32_t count, bool idle, uint32_t place) {
    uint64_t progress = clock_now();
    uint32_t wanted = set->open + count, begun = 0, seen = set->open;
    while (set->open < wanted) {
        for (; begun < count && set->opening < OPENING_MAX; begun++) {
            struct stream *s = open_one(set);
            s->idle = idle;
            s->topic = begun % set->options->idle_topics;
            s->place = place;
            loop_add(set->loop, s->socket, &s->source, false);
        }
        loop_turn(set->loop, clock_now() + 100 * NS_PER_MS, nothing, NULL);
        uint64_t now = clock_now();
        if (set->open != seen) seen = set->open, progress = now;
        if (now - progress > (uint64_t)(set->options->patience * NS_PER_S) || set->ledger->faults) {
            fprintf(stderr, "load: only %u of %u streams could be opened\n", set->open, wanted);
            exit(2);
        }
    }
}

struct stream *streams_open_earliest(struct stream_set *set) {
    struct stream *s = open_one(set);
    s->earliest = true;
    loop_add(set->loop, s->socket, &s->source, false);
    return s;
}

bool streams_caught_up(const struct stream_set *set) {
    for (uint32_t i = 0; i < set->count; i++) {
        const struct stream *s = &set->streams[i];
        if (s->state != STREAM_CLOSED && !s->idle && s->place < set->ledger->acknowledged) return false;
    }
    return true;
}

void streams_verify(const struct stream_set *set) {
    uint32_t acknowledged = set->ledger->acknowledged;
    for (uint32_t i = 0; i < set->count; i++) {
        const struct stream *s = &set->streams[i];
        if (s->state == STREAM_CLOSED || s->idle || s->place == acknowledged) continue;
        ledger_fault(set->ledger, "stream %u is at place %u, but %u events were acknowledged", s->number, s->place, acknowledged);
    }
}
