#define _GNU_SOURCE
#include "poster.h"
#include "payload.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static void push_free(struct poster_set *set, uint32_t index) {
    set->free[(set->free_first + set->free_count++) % set->options->posters] = index;
}

static uint32_t pop_free(struct poster_set *set) {
    uint32_t index = set->free[set->free_first];
    set->free_first = (set->free_first + 1) % set->options->posters;
    set->free_count--;
    return index;
}

static void connect_again(struct poster *p) {
    close(p->socket);
    p->connected = false;
    p->answer_length = 0;
    p->socket = loop_connect(p->set->options->port);
    loop_add(p->set->loop, p->socket, &p->source, true);
    p->set->reconnects++;
}

/* The length of the whole answer, 0 while it is incomplete, -1 if it cannot be read. */
static long answer_size(struct poster *p, struct http_head *head) {
    long size = http_head_parse(p->answer, p->answer_length, head);
    if (size <= 0) return size;
    if (head->chunked) {
        /* Answers are short: decode a copy each time more has come, rather than keep a state. */
        char copy[ANSWER_MAX];
        struct dechunker dechunker = {0};
        memcpy(copy, p->answer + size, p->answer_length - (size_t)size);
        dechunk(&dechunker, copy, p->answer_length - (size_t)size);
        if (dechunker.state == CHUNK_BROKEN) return -1;
        return dechunker.state == CHUNK_DONE ? (long)p->answer_length : 0;
    }
    if (head->content_length < 0) return head->status == 204 ? size : -1;
    size += head->content_length;
    return size <= (long)p->answer_length ? size : 0;
}

static void answered(struct poster *p, const struct http_head *head, uint64_t now) {
    struct poster_set *set = p->set;
    bool accepted = head->status == 201 || (head->status == 202 && set->options->target == TARGET_NCHAN);
    if (!accepted && set->ledger->refused < 3) fprintf(stderr, "load: post %u was answered with status %d\n", p->number, head->status);
    ledger_answer(set->ledger, p->number, accepted, now);
    histogram_record(set->acknowledgement, now - set->ledger->sent_at[p->number]);
    p->waiting = false;
    p->answer_length = 0;
    if (head->close) connect_again(p);
    else push_free(set, (uint32_t)(p - set->posters));
    posters_pump(set);
}

static void ended(struct poster *p) {
    if (!p->connected) {
        fprintf(stderr, "load: a posting connection was refused\n");
        exit(2);
    }
    if (p->waiting) {
        ledger_fault(p->set->ledger, "the connection of post %u ended before the answer", p->number);
        p->waiting = false;
        connect_again(p);
        return;
    }
    /* The server may close an idle connection; take it out of the ring until it stands again. */
    struct poster_set *set = p->set;
    uint32_t index = (uint32_t)(p - set->posters);
    for (uint32_t i = set->free_count; i > 0; i--) {
        uint32_t other = pop_free(set);
        if (other != index) push_free(set, other);
    }
    connect_again(p);
}

static void ready(struct source *source, uint32_t events) {
    struct poster *p = (struct poster *)source;
    if (!p->connected && (events & EPOLLOUT) && !(events & EPOLLERR)) {
        p->connected = true;
        push_free(p->set, (uint32_t)(p - p->set->posters));
        posters_pump(p->set);
    }
    for (;;) {
        int socket = p->socket;
        ssize_t n = recv(socket, p->answer + p->answer_length, ANSWER_MAX - p->answer_length, 0);
        if (n < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOTCONN)) return;
        if (n <= 0) {
            ended(p);
            return;
        }
        uint64_t now = clock_now();
        p->answer_length += (uint32_t)n;
        struct http_head head;
        long size = answer_size(p, &head);
        if (size < 0 || (size == 0 && p->answer_length == ANSWER_MAX) || (size > 0 && (!p->waiting || size != (long)p->answer_length))) {
            fprintf(stderr, "load: an answer that cannot be read: %.*s\n", (int)(p->answer_length > 300 ? 300 : p->answer_length), p->answer);
            exit(2);
        }
        if (size > 0) answered(p, &head, now);
        if (p->socket != socket) return;
    }
}

/* The topic of a post: each of them once, in turn, then scattered, so that no neighbour is warm. */
static uint32_t topic_of(uint32_t number, uint32_t topics) { return number < topics ? number : (uint32_t)(number * 0x9e3779b97f4a7c15u >> 32) % topics; }

static void write_head(struct poster_set *set, uint32_t number) {
    const struct options *o = set->options;
    char path[64];
    if (o->topics) snprintf(path, sizeof path, "/topics/bench.t.%u/events", topic_of(number, o->topics));
    else strcpy(path, o->target == TARGET_CLARION ? "/topics/bench/events" : "/pub?id=bench");
    int head = snprintf(set->request, 512, "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n%sContent-Type: text/plain\r\nContent-Length: %u\r\n\r\n",
                        path, o->port, o->authorization, o->size);
    set->request_length = (size_t)head + o->size;
}

void posters_init(struct poster_set *set, const struct options *options, struct loop *loop, struct ledger *ledger,
                  struct histogram *acknowledgement) {
    *set = (struct poster_set){.options = options, .loop = loop, .ledger = ledger, .acknowledgement = acknowledgement, .limit = UINT32_MAX};
    set->posters = calloc(options->posters, sizeof *set->posters);
    set->free = calloc(options->posters, sizeof *set->free);
    set->request = malloc(512 + options->size);
    write_head(set, 0);
    for (uint32_t i = 0; i < options->posters; i++) {
        struct poster *p = &set->posters[i];
        p->source.ready = ready;
        p->set = set;
        p->socket = loop_connect(options->port);
        loop_add(loop, p->socket, &p->source, true);
    }
}

void posters_start(struct poster_set *set, double rate) {
    set->rate = rate;
    set->schedule_start = clock_now();
    set->scheduled = 0;
    set->lag = 0;
    set->posting = true;
}

void posters_stop(struct poster_set *set) { set->posting = false; }

static uint64_t due(const struct poster_set *set) { return set->schedule_start + (uint64_t)((double)set->scheduled / set->rate * NS_PER_S); }

static bool may_post(const struct poster_set *set) {
    return set->posting && set->free_count > 0 && set->ledger->sent < set->ledger->capacity && set->ledger->sent < set->limit;
}

void posters_pump(struct poster_set *set) {
    while (may_post(set)) {
        uint64_t now = clock_now();
        if (set->rate > 0) {
            uint64_t time = due(set);
            if (time > now) return;
            if (now - time > set->lag) set->lag = now - time;
        }
        struct poster *p = &set->posters[pop_free(set)];
        p->number = ledger_send(set->ledger, now);
        p->waiting = true;
        set->scheduled++;
        if (set->options->topics) write_head(set, p->number);
        payload_write(set->request + set->request_length - set->options->size, p->number, now);
        /* A request fits a fresh socket buffer whole; if not, the connection is gone and `ended` will say so. */
        ssize_t n = send(p->socket, set->request, set->request_length, MSG_NOSIGNAL);
        if (n >= 0 && (size_t)n != set->request_length) {
            fprintf(stderr, "load: a post did not fit the socket\n");
            exit(2);
        }
    }
}

uint64_t posters_wake(const struct poster_set *set) {
    if (!may_post(set)) return UINT64_MAX;
    return set->rate > 0 ? due(set) : 0;
}

bool posters_quiet(const struct poster_set *set) {
    for (uint32_t i = 0; i < set->options->posters; i++)
        if (set->posters[i].waiting) return false;
    return true;
}
