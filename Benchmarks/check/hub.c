/*
 * A hub to test the load generator against: in memory, one thread, the routes of both targets, and one
 * deliberate fault on demand. It also gathers what one turn of its loop brought into one send for each
 * stream, so it is fast enough to show where the generator itself ends.
 *
 *   hub [--port PORT] [--nchan] [--split BYTES] [--crlf] [--history] [--fault NAME --at K] [--everyone]
 *
 * prints its port, then serves until it is killed. The fault strikes the K-th event (from 0) on the
 * first stream only, or on all of them with --everyone. With --history events are kept, and a stream that
 * asks for ?since=earliest is sent them first.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

struct bytes {
    char *at;
    size_t length, capacity;
};

struct connection {
    int socket;
    bool stream, silent;
    struct bytes in, out;
    struct connection *previous, *next; /* among streams */
};

static bool nchan, crlf, everyone, keep;
static size_t split;
static const char *fault = "";
static long at = -1, events, open_streams;
static struct connection *streams;       /* the latest first */
static struct connection *first_stream;
static struct bytes common, odd;         /* frames of this turn, and those for the stream that suffers the fault */
static struct bytes history;             /* all frames so far, with --history */
static struct bytes held;                /* by "reorder" */

static void add(struct bytes *b, const char *from, size_t length) {
    if (b->length + length > b->capacity) {
        b->capacity = (b->length + length) * 2;
        b->at = realloc(b->at, b->capacity);
    }
    memcpy(b->at + b->length, from, length);
    b->length += length;
}

/* Stream content, in chunks where the target uses them. */
static void content(struct bytes *to, const char *from, size_t length) {
    char size[32];
    if (nchan) add(to, size, (size_t)snprintf(size, sizeof size, "%zx\r\n", length));
    add(to, from, length);
    if (nchan) add(to, "\r\n", 2);
}

static void frame(struct bytes *to, const char *data, size_t length) {
    static struct bytes text;
    const char *end = crlf ? "\r\n" : "\n";
    char id[64];
    text.length = 0;
    add(&text, id, (size_t)snprintf(id, sizeof id, "id: 1-%ld%s", events, end));
    add(&text, "data: ", 6);
    add(&text, data, length);
    add(&text, end, strlen(end));
    add(&text, end, strlen(end));
    content(to, text.at, text.length);
}

static bool is(const char *name) { return strcmp(fault, name) == 0; }

static void frame_with_fault(struct bytes *to, char *data, size_t length) {
    struct bytes before = held;
    if (is("reorder") && events == at) {
        held = (struct bytes){0};
        frame(&held, data, length);
        return;
    }
    if (events == at && is("corrupt")) data[length - 1] ^= 1;
    if (events == at && is("foreign")) data[7] = data[7] == 'f' ? 'e' : 'f';
    if (events == at && is("gap")) content(to, "event: gap\ndata: {}\n\n", 21);
    if (events == at && is("noid")) {
        content(to, "data: ", 6);
        content(to, data, length);
        content(to, "\n\n", 2);
    } else if (!(events == at && is("drop"))) {
        frame(to, data, length);
    }
    if (events == at && is("duplicate")) frame(to, data, length);
    if (before.length) add(to, before.at, before.length), held.length = 0;
}

static void flush(struct connection *c, const char *from, size_t length) {
    if (c->out.length == 0) {
        while (length) {
            ssize_t n = send(c->socket, from, split && c->stream && split < length ? split : length, MSG_NOSIGNAL);
            if (n < 0) break;
            from += n, length -= (size_t)n;
        }
    }
    if (length) add(&c->out, from, length);
}

static void flush_waiting(struct connection *c) {
    struct bytes waiting = c->out;
    c->out = (struct bytes){0};
    flush(c, waiting.at, waiting.length);
    free(waiting.at);
}

/* One event to all: enters this turn's frames. */
static void publish(char *data, size_t length) {
    if (fault[0] && everyone) {
        frame_with_fault(&common, data, length);
    } else {
        frame(&common, data, length);
        if (fault[0]) frame_with_fault(&odd, data, length);
    }
    events++;
}

static void deliver(void) {
    for (struct connection *c = streams; c; c = c->next) {
        if (c->silent && !(is("silent") && events > at)) continue;
        struct bytes *frames = fault[0] && !everyone && c == first_stream ? &odd : &common;
        if (frames->length) flush(c, frames->at, frames->length);
        if (is("end") && events > at && c == first_stream) shutdown(c->socket, SHUT_RDWR);
    }
    if (keep) add(&history, common.at, common.length);
    common.length = odd.length = 0;
}

static void answer(struct connection *c, const char *status, const char *type, const char *body) {
    char text[1024];
    flush(c, text, (size_t)snprintf(text, sizeof text, "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n%s", status, type, strlen(body), body));
}

static void open_stream(struct connection *c, bool silent, bool earliest) {
    const char *head = nchan ? "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"
                             : "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-store\r\n\r\n";
    flush(c, head, strlen(head));
    struct bytes hello = {0};
    content(&hello, "retry: 3000\n: hi\n\n", 18);
    c->stream = true;
    flush(c, hello.at, hello.length);
    free(hello.at);
    if (earliest) flush(c, history.at, history.length);
    c->silent = silent;
    c->next = streams;
    if (streams) streams->previous = c;
    streams = c;
    if (!first_stream && !silent) first_stream = c;
    open_streams++;
}

/* Handles one whole request; returns its length, 0 if it is incomplete. */
static size_t request(struct connection *c) {
    char *end = memmem(c->in.at, c->in.length, "\r\n\r\n", 4);
    if (!end) return 0;
    size_t head = (size_t)(end + 4 - c->in.at), body = 0;
    char *field = memmem(c->in.at, head, "Content-Length: ", 16);
    if (field) body = (size_t)atol(field + 16);
    if (c->in.length < head + body) return 0;
    if (memcmp(c->in.at, "POST ", 5) == 0) {
        bool refuse = (is("refuse") || is("phantom")) && events == at;
        if (is("stall") && events == at) return head + body;
        if (refuse) at = -1, answer(c, "503 Service Unavailable", "application/problem+json", "{}");
        else answer(c, nchan ? "202 Accepted" : "201 Created", "application/json", "{\"id\":\"1\"}");
        if (!refuse || is("phantom")) publish(c->in.at + head, body);
    } else if (memmem(c->in.at, head, "text/event-stream", 17)) {
        open_stream(c, memmem(c->in.at, head, "idle", 4) != NULL, memmem(c->in.at, head, "since=earliest", 14) != NULL);
    } else {
        char text[128];
        snprintf(text, sizeof text, "x 1\nclarion_streams %ld\nsubscribers: %ld\n", open_streams, open_streams);
        answer(c, "200 OK", "text/plain", text);
    }
    return head + body;
}

static void leave(struct connection *c) {
    if (c->stream) {
        if (c->previous) c->previous->next = c->next;
        else streams = c->next;
        if (c->next) c->next->previous = c->previous;
        if (c == first_stream) first_stream = NULL;
        if (!is("ghost")) open_streams--;
    }
    close(c->socket);
    free(c->in.at);
    free(c->out.at);
    free(c);
}

static void serve(struct connection *c, uint32_t ready) {
    if (c->out.length && (ready & EPOLLOUT)) flush_waiting(c);
    char buffer[65536];
    for (;;) {
        ssize_t n = recv(c->socket, buffer, sizeof buffer, MSG_DONTWAIT);
        if (n < 0 && errno == EAGAIN) return;
        if (n <= 0) {
            leave(c);
            return;
        }
        add(&c->in, buffer, (size_t)n);
        for (size_t used; c->in.length && (used = request(c));) {
            c->in.length -= used;
            memmove(c->in.at, c->in.at + used, c->in.length);
        }
    }
}

int main(int count, char **arguments) {
    uint16_t port = 0;
    for (int i = 1; i < count; i++) {
        if (strcmp(arguments[i], "--nchan") == 0) nchan = true;
        else if (strcmp(arguments[i], "--crlf") == 0) crlf = true;
        else if (strcmp(arguments[i], "--history") == 0) keep = true;
        else if (strcmp(arguments[i], "--everyone") == 0) everyone = true;
        else if (strcmp(arguments[i], "--port") == 0 && i + 1 < count) port = (uint16_t)atoi(arguments[++i]);
        else if (strcmp(arguments[i], "--split") == 0 && i + 1 < count) split = (size_t)atol(arguments[++i]);
        else if (strcmp(arguments[i], "--fault") == 0 && i + 1 < count) fault = arguments[++i];
        else if (strcmp(arguments[i], "--at") == 0 && i + 1 < count) at = atol(arguments[++i]);
        else return 2;
    }
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);

    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), epoll = epoll_create1(EPOLL_CLOEXEC), on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    struct epoll_event event = {.events = EPOLLIN};
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (listener < 0 || epoll < 0 || bind(listener, (struct sockaddr *)&address, size) < 0 || listen(listener, 4096) < 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) < 0) {
        perror("hub");
        return 2;
    }
    printf("%u\n", ntohs(address.sin_port));
    fflush(stdout);
    for (struct epoll_event ready[256];;) {
        int n = epoll_wait(epoll, ready, 256, -1);
        for (int i = 0; i < n; i++) {
            struct connection *c = ready[i].data.ptr;
            if (c) {
                serve(c, ready[i].events);
                continue;
            }
            for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0;) {
                setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                c = calloc(1, sizeof *c);
                c->socket = fd;
                event = (struct epoll_event){.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = c};
                if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) < 0) return 2;
            }
        }
        deliver();
    }
}
