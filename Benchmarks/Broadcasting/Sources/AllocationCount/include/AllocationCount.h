#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

#include <stdint.h>

/// Blocks of memory that the calling thread has asked for since it began, or -1 where they cannot be counted.
int64_t allocation_count(void);

#endif
