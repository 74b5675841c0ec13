/* Just enough of HTTP/1.1 to read answers: the head, and the chunked transfer coding. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct http_head {
    int status;
    long content_length; /* -1: not given */
    bool chunked;
    bool close;
    bool event_stream;   /* Content-Type is text/event-stream */
};

/* Length of the head including its empty line; 0 while incomplete; -1 if it is no HTTP. */
long http_head_parse(const char *bytes, size_t length, struct http_head *head);

enum dechunk_state { CHUNK_SIZE, CHUNK_EXTENSION, CHUNK_DATA, CHUNK_DATA_END, CHUNK_TRAILER, CHUNK_DONE, CHUNK_BROKEN };

struct dechunker {
    enum dechunk_state state;
    size_t left;       /* of the chunk's data */
    unsigned digits;   /* of the size, so far */
    unsigned trailer;  /* bytes of the current trailer line */
};

/* Takes the coding off `length` bytes in place and returns how many bytes of content remain at their beginning. */
size_t dechunk(struct dechunker *d, char *bytes, size_t length);
