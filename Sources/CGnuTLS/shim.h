// GnuTLS, by which libmicrohttpd speaks TLS, and what Swift cannot write of it. Nothing here decides anything.
#ifndef CLARION_CGNUTLS_SHIM_H
#define CLARION_CGNUTLS_SHIM_H

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>

static inline int clarion_no_certificate(
    gnutls_session_t session, const gnutls_datum_t *authorities, int authority_count,
    const gnutls_pk_algorithm_t *algorithms, int algorithm_count, gnutls_pcert_st **certificates,
    unsigned int *certificate_count, gnutls_privkey_t *key) {
    return -1;
}

/// A `gnutls_certificate_retrieve_function2` that has no certificate for any session.
static inline void *clarion_no_certificate_function(void) { return (void *)clarion_no_certificate; }

/// What a session reads from, whether its client has ended the handshake, whether something was read since then or since its
/// last request was complete, and when it was dealt with last, in nanoseconds of the monotonic clock.
struct clarion_source {
    int socket;
    bool is_established;
    bool has_read;
    int64_t last;
};

static inline void clarion_touch(struct clarion_source *source, bool has_read) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    source->last = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
    source->has_read = has_read;
}

/// A `gnutls_pull_func` that does what GnuTLS does by itself, and takes note of it.
static inline ssize_t clarion_pull(gnutls_transport_ptr_t pointer, void *data, size_t size) {
    struct clarion_source *source = (struct clarion_source *)pointer;
    ssize_t count = recv(source->socket, data, size, 0);
    int error = errno;
    if (count > 0) clarion_touch(source, true);
    errno = error;
    return count;
}

/// A `gnutls_handshake_hook_func` that takes note of the client's end of the handshake, and acknowledges it at once (tcp(7),
/// `TCP_QUICKACK`): in TLS 1.3 nothing is sent that would, and a client with Nagle's algorithm keeps its request until then.
static inline int clarion_establish(
    gnutls_session_t session, unsigned int type, unsigned int when, unsigned int incoming, const gnutls_datum_t *message) {
    if (!incoming) return 0;
    gnutls_transport_ptr_t reads, writes;
    gnutls_transport_get_ptr2(session, &reads, &writes);
    struct clarion_source *source = (struct clarion_source *)reads;
    source->is_established = true;
    source->has_read = false;
    int on = 1;
    setsockopt(source->socket, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
    return 0;
}

static inline void clarion_read_from(gnutls_session_t session, struct clarion_source *source) {
    gnutls_transport_ptr_t reads, writes;
    gnutls_transport_get_ptr2(session, &reads, &writes);
    gnutls_transport_set_ptr2(session, source, writes);
    gnutls_transport_set_pull_function(session, clarion_pull);
    gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_FINISHED, GNUTLS_HOOK_POST, clarion_establish);
}

/// `gnutls_free` is a variable, which Swift takes for one that changes.
static inline void clarion_gnutls_free(void *memory) { gnutls_free(memory); }

#endif
