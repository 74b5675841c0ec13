/*
 * Clarion's load generator: one thread, one epoll loop, 127.0.0.1 only.
 * What each mode does is in modes.c; what is checked is in ledger.h.
 */
#include "modes.h"
#include "payload.h"
#include "report.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* Each stream is a socket here; the limit is raised to what the system allows. */
static void raise_open_files(uint32_t wanted) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < wanted) {
        fprintf(stderr, "load: %u open files are needed, the limit is %lu\n", wanted, (unsigned long)limit.rlim_cur);
        exit(2);
    }
}

int main(int count, char **arguments) {
    struct options options = options_parse(count, arguments);
    raise_open_files(options.streams + options.idle + options.posters + 32);
    prctl(PR_SET_TIMERSLACK, 1000ul); /* ns: an open schedule at 20,000 posts/s has 50 µs between posts */
    payload_init(options.size);

    static struct bench bench;
    bench_init(&bench, &options);
    report_text("mode", options_mode_name(options.mode));
    report_text("target", options_target_name(options.target));
    report_number("streams", options.streams);
    report_number("idle_streams", options.idle);
    report_number("posters", options.posters);
    report_number("size", options.size);
    switch (options.mode) {
    case MODE_FANOUT:
    case MODE_CLOSED:
    case MODE_POSTS: bench_load(&bench); break;
    case MODE_IDLE: bench_idle(&bench); break;
    case MODE_DROP: bench_drop(&bench); break;
    case MODE_REPLAY: bench_replay(&bench); break;
    }
    bench_verify(&bench);
    report_number("posts_acknowledged", bench.ledger.acknowledged);
    report_number("posts_refused", bench.ledger.refused);
    report_number("reconnects", bench.posters.reconnects);
    report_number("faults", bench.ledger.faults);
    report_flag("ok", bench.ledger.faults == 0);
    report_end();
    return bench.ledger.faults == 0 ? 0 : 1;
}
