// What Swift cannot call or see of libmicrohttpd and of Linux: variadic functions, and headers that the Glibc
// module does not export. Nothing here decides anything.
#ifndef CLARION_CMICROHTTPD_SHIM_H
#define CLARION_CMICROHTTPD_SHIM_H

#include <microhttpd.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

/// Where libmicrohttpd's log lines go, formatted. `line` is valid only during the call.
struct clarion_log_sink {
    void (*write)(void *context, const char *line);
    void *context;
};

/// MHD_LogCallback: formats, then hands over. The `cls` is a `struct clarion_log_sink`.
static inline void clarion_mhd_log(void *cls, const char *format, va_list arguments) {
    const struct clarion_log_sink *sink = (const struct clarion_log_sink *)cls;
    char line[512];
    vsnprintf(line, sizeof line, format, arguments);
    sink->write(sink->context, line);
}

static inline struct MHD_OptionItem clarion_mhd_option_number(enum MHD_OPTION option, intptr_t value) {
    struct MHD_OptionItem item = {option, value, NULL};
    return item;
}

static inline struct MHD_OptionItem clarion_mhd_option_logger(struct clarion_log_sink *sink) {
    struct MHD_OptionItem item = {MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)clarion_mhd_log, sink};
    return item;
}

static inline struct MHD_OptionItem clarion_mhd_option_completed(MHD_RequestCompletedCallback callback, void *cls) {
    struct MHD_OptionItem item = {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)callback, cls};
    return item;
}

static inline struct MHD_OptionItem clarion_mhd_option_connection(MHD_NotifyConnectionCallback callback, void *cls) {
    struct MHD_OptionItem item = {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)callback, cls};
    return item;
}

static inline struct MHD_OptionItem clarion_mhd_option_unescape(
    size_t (*callback)(void *cls, struct MHD_Connection *connection, char *text), void *cls) {
    struct MHD_OptionItem item = {MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)callback, cls};
    return item;
}

static inline struct MHD_OptionItem clarion_mhd_option_target(
    void *(*callback)(void *cls, const char *target, struct MHD_Connection *connection), void *cls) {
    struct MHD_OptionItem item = {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)callback, cls};
    return item;
}

static inline struct MHD_OptionItem clarion_mhd_option_pointer(enum MHD_OPTION option, const void *value) {
    struct MHD_OptionItem item = {option, 0, (void *)value};
    return item;
}

/// Every option through MHD_OPTION_ARRAY; `options` ends with MHD_OPTION_END. The external logger comes first in
/// it, as the manual asks, so that complaints about the other options reach it.
static inline struct MHD_Daemon *clarion_mhd_start(
    unsigned int flags, MHD_AccessHandlerCallback handler, void *cls, const struct MHD_OptionItem *options) {
    return MHD_start_daemon(flags, 0, NULL, NULL, handler, cls, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

static inline MHD_socket clarion_mhd_connection_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? MHD_INVALID_SOCKET : info->connect_fd;
}

/// The `gnutls_session_t` of a connection; NULL if it has no TLS.
static inline void *clarion_mhd_session(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info == NULL ? NULL : info->tls_session;
}

static inline enum MHD_Result clarion_mhd_set_timeout(struct MHD_Connection *connection, unsigned int seconds) {
    return MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

static inline const struct sockaddr *clarion_mhd_client_address(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info == NULL ? NULL : info->client_addr;
}

static inline size_t clarion_mhd_head_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

/// What MHD_OPTION_NOTIFY_CONNECTION has set for the connection.
static inline void *clarion_mhd_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

/// The first number of the version that runs, which need not be the one that was compiled against.
static inline int clarion_mhd_major_version(void) {
    int major = 0;
    sscanf(MHD_get_version(), "%d", &major);
    return major;
}

/// A cookie of our own, before all others: libmicrohttpd parses the first that it finds.
static inline enum MHD_Result clarion_mhd_add_own_cookie(struct MHD_Connection *connection) {
    return MHD_set_connection_value(connection, MHD_HEADER_KIND, "Cookie", "-");
}

/// Readable when the daemon, which has no thread of its own, has something to do.
static inline int clarion_mhd_epoll_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info == NULL ? -1 : info->epoll_fd;
}

static inline enum MHD_Result clarion_mhd_set_response_flags(struct MHD_Response *response, enum MHD_ResponseFlags flags) {
    return MHD_set_response_options(response, flags, MHD_RO_END);
}

static inline uint64_t clarion_mhd_size_unknown(void) { return MHD_SIZE_UNKNOWN; }

/// The beginning of the kernel's `struct tcp_info` (linux/tcp.h, which cannot be included beside netinet/tcp.h, whose own
/// ends before what was added after 2008).
struct clarion_tcp_info {
    struct tcp_info base;
    uint64_t pacing_rate, max_pacing_rate, bytes_acked, bytes_received;
};

/// accept4(2), which sys/socket.h declares for those alone who ask for all of GNU's.
extern int accept4(int listening, struct sockaddr *address, socklen_t *length, int flags);

/// Another descriptor of the same socket, which no child inherits; -1 if there is none.
static inline int clarion_duplicate(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 0); }

/// Has a daemon of version 0.9 learn that a connection's socket was shut, which it need not have in its epoll set: events there
/// bear the connection's address. The set forgets the socket when it is closed.
static inline void clarion_mhd_watch_end(int epoll, MHD_socket socket, struct MHD_Connection *connection) {
    struct epoll_event event = {.events = EPOLLET, .data.ptr = connection};
    epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
}

/// How many bytes have come that were not read (tcp(7), SIOCINQ).
static inline int clarion_unread(int descriptor) {
    int count = 0;
    return ioctl(descriptor, FIONREAD, &count) == 0 ? count : 0;
}

/// Drops what arrives at a listening socket from now on, as if the network had lost it (socket(7),
/// SO_ATTACH_FILTER); connections that are established go on. Returns 0, or -1 and errno.
static inline int clarion_drop_arrivals(int listening) {
    struct sock_filter keep_nothing = BPF_STMT(BPF_RET | BPF_K, 0);
    struct sock_fprog program = {1, &keep_nothing};
    return setsockopt(listening, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

#endif
