#include "histogram.h"
#include <math.h>
#include <string.h>

void histogram_reset(struct histogram *h) { memset(h, 0, sizeof *h); }

/* The largest value that falls into a bucket. */
static uint64_t bucket_top(unsigned bucket) {
    if (bucket < (1u << HISTOGRAM_BITS)) return bucket;
    unsigned shift = (bucket >> HISTOGRAM_BITS) - 1;
    uint64_t low = (uint64_t)((bucket & ((1u << HISTOGRAM_BITS) - 1)) + (1u << HISTOGRAM_BITS)) << shift;
    return low + ((1ull << shift) - 1);
}

uint64_t histogram_quantile(const struct histogram *h, double quantile) {
    if (h->total == 0) return 0;
    uint64_t rank = (uint64_t)ceil(quantile * (double)h->total);
    if (rank == 0) rank = 1;
    uint64_t seen = 0;
    for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
        seen += h->counts[i];
        if (seen >= rank) {
            uint64_t top = bucket_top(i);
            return top < h->max ? top : h->max;
        }
    }
    return h->max;
}
