/*
 * A histogram of durations in the manner of HdrHistogram: buckets grow with the value, so that every
 * value is kept to within 1/64 (1.6 %) from 1 ns to centuries, and recording is one increment.
 */
#pragma once
#include <stdint.h>

#define HISTOGRAM_BITS 6 /* 2^6 buckets in each power of two */
#define HISTOGRAM_BUCKETS ((64 - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS)

struct histogram {
    uint64_t counts[HISTOGRAM_BUCKETS];
    uint64_t total;
    uint64_t max; /* exact, ns */
};

static inline unsigned histogram_bucket(uint64_t value) {
    if (value < (1u << HISTOGRAM_BITS)) return (unsigned)value;
    unsigned shift = 63u - (unsigned)__builtin_clzll(value) - HISTOGRAM_BITS;
    return ((shift + 1) << HISTOGRAM_BITS) + (unsigned)((value >> shift) - (1u << HISTOGRAM_BITS));
}

static inline void histogram_record(struct histogram *h, uint64_t value) {
    h->counts[histogram_bucket(value)]++;
    h->total++;
    if (value > h->max) h->max = value;
}

void histogram_reset(struct histogram *h);

/* The value that the fraction `quantile` (0…1) of all recorded values does not exceed, in ns; 0 when empty. */
uint64_t histogram_quantile(const struct histogram *h, double quantile);
