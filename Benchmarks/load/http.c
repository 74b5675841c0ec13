#define _GNU_SOURCE
#include "http.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool value_has(const char *value, const char *end, const char *word) {
    size_t n = strlen(word);
    for (; value + n <= end; value++)
        if (strncasecmp(value, word, n) == 0) return true;
    return false;
}

long http_head_parse(const char *bytes, size_t length, struct http_head *head) {
    const char *end = memmem(bytes, length, "\r\n\r\n", 4);
    if (!end) return 0;
    *head = (struct http_head){.content_length = -1};
    if (length < 12 || memcmp(bytes, "HTTP/1.", 7) != 0) return -1;
    head->status = atoi(bytes + 9);
    for (const char *line = memchr(bytes, '\n', (size_t)(end - bytes)); line && line < end; line = memchr(line, '\n', (size_t)(end - line))) {
        line++;
        const char *stop = memchr(line, '\r', (size_t)(end + 2 - line));
        const char *colon = memchr(line, ':', (size_t)(stop - line));
        if (!colon) return -1;
        size_t name = (size_t)(colon - line);
        if (name == 14 && strncasecmp(line, "Content-Length", name) == 0) head->content_length = atol(colon + 1);
        else if (name == 17 && strncasecmp(line, "Transfer-Encoding", name) == 0) head->chunked = value_has(colon + 1, stop, "chunked");
        else if (name == 10 && strncasecmp(line, "Connection", name) == 0) head->close = value_has(colon + 1, stop, "close");
        else if (name == 12 && strncasecmp(line, "Content-Type", name) == 0) head->event_stream = value_has(colon + 1, stop, "text/event-stream");
    }
    return end + 4 - bytes;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

size_t dechunk(struct dechunker *d, char *bytes, size_t length) {
    size_t in = 0, out = 0;
    while (in < length && d->state != CHUNK_DONE && d->state != CHUNK_BROKEN) {
        if (d->state == CHUNK_DATA) {
            size_t n = length - in < d->left ? length - in : d->left;
            memmove(bytes + out, bytes + in, n);
            in += n, out += n, d->left -= n;
            if (d->left == 0) d->state = CHUNK_DATA_END;
            continue;
        }
        char c = bytes[in++];
        switch (d->state) {
        case CHUNK_SIZE: {
            int digit = hex_digit(c);
            if (digit >= 0 && d->digits < 8) d->left = d->left * 16 + (size_t)digit, d->digits++;
            else if (d->digits == 0 || digit >= 0) d->state = CHUNK_BROKEN;
            else if (c == '\n') d->state = d->left ? CHUNK_DATA : CHUNK_TRAILER, d->digits = 0;
            else d->state = CHUNK_EXTENSION;
            break;
        }
        case CHUNK_EXTENSION:
            if (c == '\n') d->state = d->left ? CHUNK_DATA : CHUNK_TRAILER, d->digits = 0;
            break;
        case CHUNK_DATA_END:
            if (c == '\n') d->state = CHUNK_SIZE;
            else if (c != '\r') d->state = CHUNK_BROKEN;
            break;
        default: /* CHUNK_TRAILER: ends with an empty line */
            if (c == '\n' && d->trailer == 0) d->state = CHUNK_DONE;
            else if (c == '\n') d->trailer = 0;
            else if (c != '\r') d->trailer++;
        }
    }
    return out;
}
