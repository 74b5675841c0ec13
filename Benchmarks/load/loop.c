#define _GNU_SOURCE
#include "loop.h"
#include "clock.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#define EVENTS (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET)
#define BETWEEN 16 /* sources; about 30 µs of reading */

static void die(const char *what) {
    perror(what);
    exit(2);
}

void loop_init(struct loop *loop) {
    loop->all = epoll_create1(EPOLL_CLOEXEC);
    loop->urgent = epoll_create1(EPOLL_CLOEXEC);
    if (loop->all < 0 || loop->urgent < 0) die("epoll_create1");
}

void loop_add(struct loop *loop, int socket, struct source *source, bool urgent) {
    struct epoll_event event = {.events = EVENTS, .data.ptr = source};
    if (epoll_ctl(loop->all, EPOLL_CTL_ADD, socket, &event) < 0) die("epoll_ctl");
    if (urgent && epoll_ctl(loop->urgent, EPOLL_CTL_ADD, socket, &event) < 0) die("epoll_ctl");
}

void loop_again(struct loop *loop, int socket, struct source *source) {
    struct epoll_event event = {.events = EVENTS, .data.ptr = source};
    if (epoll_ctl(loop->all, EPOLL_CTL_MOD, socket, &event) < 0) die("epoll_ctl");
}

static void dispatch(const struct epoll_event *event) {
    struct source *source = event->data.ptr;
    source->ready(source, event->events);
}

void loop_turn(struct loop *loop, uint64_t wake, void (*between)(void *), void *context) {
    struct epoll_event events[256], urgent[64];
    uint64_t now = clock_now();
    uint64_t wait = wake > now ? wake - now : 0;
    struct timespec timeout = {.tv_sec = (time_t)(wait / NS_PER_S), .tv_nsec = (long)(wait % NS_PER_S)};
    int count = epoll_pwait2(loop->all, events, 256, &timeout, NULL);
    if (count < 0 && errno != EINTR) die("epoll_pwait2");
    for (int i = 0; i < count; i++) {
        dispatch(&events[i]);
        if (i % BETWEEN != BETWEEN - 1) continue;
        int more = epoll_wait(loop->urgent, urgent, 64, 0);
        for (int j = 0; j < more; j++) dispatch(&urgent[j]);
        between(context);
    }
    between(context);
}

int loop_connect(uint16_t port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) die("socket");
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0 && errno != EINPROGRESS) die("connect");
    return fd;
}
