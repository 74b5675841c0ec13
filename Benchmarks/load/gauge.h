/* The number of open streams as the server itself counts them, read over a connection of its own. */
#pragma once
#include "options.h"

struct gauge {
    const struct options *options;
    int socket;
};

/* Exits with 2 if there is no connection. */
void gauge_open(struct gauge *gauge, const struct options *options);

/* One request and its answer. Exits with 2, and says why, if the answer does not hold the gauge. */
long gauge_read(struct gauge *gauge);
