#define _GNU_SOURCE
#include "gauge.h"
#include "http.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static char answer[1 << 20];

void gauge_open(struct gauge *gauge, const struct options *options) {
    gauge->options = options;
    gauge->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval patience = {.tv_sec = (time_t)options->patience + 1};
    setsockopt(gauge->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(options->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (gauge->socket < 0 || connect(gauge->socket, (struct sockaddr *)&address, sizeof address) < 0) {
        perror("load: gauge");
        exit(2);
    }
}

long gauge_read(struct gauge *gauge) {
    const struct options *o = gauge->options;
    char request[512];
    int n = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n\r\n", o->gauge_path, o->port);
    if (send(gauge->socket, request, (size_t)n, MSG_NOSIGNAL) != n) goto failed;
    size_t length = 0;
    for (;;) {
        ssize_t got = recv(gauge->socket, answer + length, sizeof answer - 1 - length, 0);
        if (got <= 0) goto failed;
        length += (size_t)got;
        struct http_head head;
        long size = http_head_parse(answer, length, &head);
        if (size < 0) goto failed;
        if (size == 0) continue;
        size_t content = length - (size_t)size;
        if (head.chunked) {
            /* Only its end matters: chunk borders rarely split the line, and then the next reading has it. */
            if (content < 5 || memcmp(answer + length - 5, "0\r\n\r\n", 5) != 0) continue;
        } else if (head.content_length < 0 || content < (size_t)head.content_length) {
            if (head.content_length < 0) goto failed;
            continue;
        }
        answer[length] = 0;
        const char *at = head.status == 200 ? strstr(answer + size, o->gauge) : NULL;
        if (at) return atol(at + strlen(o->gauge));
        fprintf(stderr, "load: %s (status %d) does not hold the gauge \"%s\"; see --gauge\n", o->gauge_path, head.status, o->gauge);
        exit(2);
    }
failed:
    fprintf(stderr, "load: %s could not be read\n", o->gauge_path);
    exit(2);
}
