/*
 * A receiver of webhooks that costs next to nothing: one thread, one epoll loop, keep-alive, 204 to every request.
 *
 *   receiver
 *
 * prints its port, then a line for each byte on its standard input: requests and connections so far. Ends with the input.
 */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROOM 65536

struct connection {
    int socket;
    size_t length; /* of what is in `bytes` */
    char bytes[ROOM];
};

static long requests, connections;
static const char answer[] = "HTTP/1.1 204 No Content\r\n\r\n";

/* The length of the first whole request in the buffer, 0 if there is none. */
static size_t request_length(const struct connection *c) {
    const char *end = memmem(c->bytes, c->length, "\r\n\r\n", 4);
    if (!end) return 0;
    size_t head = (size_t)(end - c->bytes) + 4, body = 0;
    const char *field = memmem(c->bytes, head, "\r\nContent-Length:", 17);
    if (field) body = strtoul(field + 17, NULL, 10);
    if (head + body > ROOM) {
        fprintf(stderr, "receiver: a request of %zu bytes\n", head + body);
        exit(2);
    }
    return head + body <= c->length ? head + body : 0;
}

/* Whether the connection stays. */
static int serve(struct connection *c) {
    ssize_t n = recv(c->socket, c->bytes + c->length, ROOM - c->length, 0);
    if (n <= 0) return 0;
    c->length += (size_t)n;
    for (size_t size; (size = request_length(c)) > 0;) {
        c->length -= size;
        memmove(c->bytes, c->bytes + size, c->length);
        requests++;
        if (send(c->socket, answer, sizeof answer - 1, MSG_NOSIGNAL) != sizeof answer - 1) return 0;
    }
    return 1;
}

int main(void) {
    int listener = socket(AF_INET, SOCK_STREAM, 0), loop = epoll_create1(0), on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 1024) ||
        getsockname(listener, (struct sockaddr *)&address, &length)) {
        perror("receiver");
        return 2;
    }
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    epoll_ctl(loop, EPOLL_CTL_ADD, STDIN_FILENO, &(struct epoll_event){.events = EPOLLIN, .data.ptr = NULL});
    epoll_ctl(loop, EPOLL_CTL_ADD, listener, &(struct epoll_event){.events = EPOLLIN, .data.ptr = &listener});
    for (;;) {
        struct epoll_event ready[64];
        int count = epoll_wait(loop, ready, 64, -1);
        for (int i = 0; i < count; i++) {
            if (!ready[i].data.ptr) {
                char byte;
                if (read(STDIN_FILENO, &byte, 1) != 1) return 0;
                printf("%ld %ld\n", requests, connections);
                fflush(stdout);
            } else if (ready[i].data.ptr == &listener) {
                struct connection *c = malloc(sizeof *c);
                c->socket = accept(listener, NULL, NULL);
                c->length = 0;
                setsockopt(c->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                epoll_ctl(loop, EPOLL_CTL_ADD, c->socket, &(struct epoll_event){.events = EPOLLIN, .data.ptr = c});
                connections++;
            } else {
                struct connection *c = ready[i].data.ptr;
                if (serve(c)) continue;
                close(c->socket);
                free(c);
            }
        }
    }
}
