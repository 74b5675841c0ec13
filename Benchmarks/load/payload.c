#include "payload.h"
#include <string.h>

static size_t payload_size;
static char filler[PAYLOAD_MAX];

void payload_init(size_t size) {
    payload_size = size;
    for (size_t i = 0; i < sizeof filler; i++) filler[i] = (char)('a' + (i * 7) % 26);
}

static void hex_write(char *to, uint64_t value, int digits) {
    for (int i = digits - 1; i >= 0; i--, value >>= 4) to[i] = "0123456789abcdef"[value & 15];
}

/* Eight lower-case hexadecimal digits at once; the bytes lie in a word, the first digit lowest. */
static inline uint32_t hex8(const char *from) {
    uint64_t word;
    memcpy(&word, from, 8);
    /* '0'–'9' are 0x30–0x39, 'a'–'f' are 0x61–0x66: bit 6 tells letters, whose low nibble lacks 9. */
    word = (word & 0x0f0f0f0f0f0f0f0full) + 9 * ((word >> 6) & 0x0101010101010101ull);
    word = __builtin_bswap64(word);
    word = (word | (word >> 4)) & 0x00ff00ff00ff00ffull;
    word = (word | (word >> 8)) & 0x0000ffff0000ffffull;
    return (uint32_t)(word | (word >> 16));
}

void payload_write(char *to, uint32_t number, uint64_t sent) {
    hex_write(to, number, 8);
    to[8] = ' ';
    hex_write(to + 9, sent, 16);
    to[25] = ' ';
    memcpy(to + PAYLOAD_HEAD, filler, payload_size - PAYLOAD_HEAD);
}

bool payload_read(const char *from, size_t length, uint32_t *number, uint64_t *sent) {
    if (length != payload_size || from[8] != ' ' || from[25] != ' ') return false;
    if (memcmp(from + PAYLOAD_HEAD, filler, payload_size - PAYLOAD_HEAD) != 0) return false;
    *number = hex8(from);
    *sent = (uint64_t)hex8(from + 9) << 32 | hex8(from + 17);
    return true;
}
