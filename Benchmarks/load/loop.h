/*
 * The one event loop: every socket is edge-triggered in one epoll. Posting connections are also in a
 * second, `urgent` epoll that is looked into between the reads of a long batch of streams, so that an
 * acknowledgement is seen (and the next post sent) when it arrives and not after a thousand streams.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* The first member of everything that owns a socket. */
struct source {
    void (*ready)(struct source *source, uint32_t events);
};

struct loop {
    int all, urgent;
};

void loop_init(struct loop *loop);
void loop_add(struct loop *loop, int socket, struct source *source, bool urgent);

/* Asks for another call of `ready` although the source did not read to the end. */
void loop_again(struct loop *loop, int socket, struct source *source);

/* Handles what is ready, waiting for that until `wake` (ns) at most. `between` is called after every few sources. */
void loop_turn(struct loop *loop, uint64_t wake, void (*between)(void *), void *context);

/* A connected or connecting socket to 127.0.0.1; exits with 2 if there is none to be had. */
int loop_connect(uint16_t port);
