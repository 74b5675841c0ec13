/* The result: one JSON object on one line of stdout, and the same for eyes on stderr. */
#pragma once
#include "histogram.h"
#include <stdbool.h>

void report_text(const char *name, const char *value);
void report_flag(const char *name, bool value);
void report_number(const char *name, double value);

/* p50, p99 and max in microseconds, as <name>_p50_us and so on; nothing if nothing was recorded. */
void report_latency(const char *name, const struct histogram *histogram);

/* Prints both. */
void report_end(void);
