/*
 * The data of an event: "SSSSSSSS TTTTTTTTTTTTTTTT filler…", the number of the post and its send time
 * in hexadecimal, then filler up to the asked size. Plain ASCII without line ends, so that it is one
 * `data:` line. The filler is compared on arrival: an event must come out byte for byte as it went in.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAYLOAD_HEAD 26
#define PAYLOAD_MIN 32
#define PAYLOAD_MAX 16384

/* Prepares the filler; call once before the two below. */
void payload_init(size_t size);

/* Writes exactly `size` bytes. */
void payload_write(char *to, uint32_t number, uint64_t sent);

/* Reads what payload_write wrote; false if a single byte is not as it was. */
bool payload_read(const char *from, size_t length, uint32_t *number, uint64_t *sent);
