/* Typed faces of libcurl's variadic functions, which Swift cannot call.
   One function per argument type that curl_easy_setopt(3), curl_easy_getinfo(3)
   and curl_multi_setopt(3) accept, so that a wrong type is a compile error. */
#ifndef CLARION_CCURL_SHIM_H
#define CLARION_CCURL_SHIM_H

#include <curl/curl.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* As glibc has it for programs that ask for more than POSIX. */
#ifndef RTLD_DEFAULT
#define RTLD_DEFAULT ((void *)0)
#endif

static inline CURLcode clarion_easy_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode clarion_easy_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

/* libcurl copies the string, except for CURLOPT_POSTFIELDS: use clarion_easy_set_pointer there. */
static inline CURLcode clarion_easy_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode clarion_easy_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

/* The list is not copied: it must live until the transfer ends. */
static inline CURLcode clarion_easy_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode clarion_easy_set_write_function(CURL *handle, curl_write_callback function) {
    return curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, function);
}

static inline CURLcode clarion_easy_set_read_function(CURL *handle, curl_read_callback function) {
    return curl_easy_setopt(handle, CURLOPT_READFUNCTION, function);
}

static inline CURLcode clarion_easy_set_header_function(CURL *handle, curl_write_callback function) {
    return curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, function);
}

static inline CURLcode clarion_easy_set_progress_function(CURL *handle, curl_xferinfo_callback function) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, function) : code;
}

static inline CURLcode clarion_easy_set_prereq_function(CURL *handle, curl_prereq_callback function) {
    return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, function);
}

static inline CURLcode clarion_easy_set_open_socket_function(CURL *handle, curl_opensocket_callback function) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, function);
}

static inline CURLcode clarion_easy_set_close_socket_function(CURL *handle, curl_closesocket_callback function) {
    return curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, function);
}

static inline CURLcode clarion_easy_get_socket(CURL *handle, CURLINFO info, curl_socket_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode clarion_easy_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode clarion_easy_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode clarion_easy_get_pointer(CURL *handle, CURLINFO info, void **value) {
    return curl_easy_getinfo(handle, info, value);
}

/* The file of authorities that libcurl was built with, or NULL. The macro for the version is none that Swift imports. */
static inline const char *clarion_authorities(void) {
    return curl_version_info(CURLVERSION_NOW)->cainfo;
}

/* The address itself, which is longer than its declared type for IPv6. */
static inline const struct sockaddr *clarion_sockaddr(const struct curl_sockaddr *address) {
    return &address->addr;
}

/* OpenSSL reads on in one call for as long as records come that hold no data, such as tickets, of which 40 bytes take it 9 us;
   meanwhile libcurl serves no other transfer. Without SSL_MODE_AUTO_RETRY it returns after each (SSL_CTX_set_mode(3)). */
static inline CURLcode clarion_ssl_context_made(CURL *handle, void *context, void *data) {
    long (*control)(void *, int, long, void *) = (long (*)(void *, int, long, void *))dlsym(RTLD_DEFAULT, "SSL_CTX_ctrl");
    const int clear_mode = 78;
    const long auto_retry = 4;
    if (control != NULL) control(context, clear_mode, auto_retry, NULL);
    return CURLE_OK;
}

/* Has TLS return to libcurl after each record. */
static inline void clarion_easy_bound_tls(CURL *handle) {
    const char *library = curl_version_info(CURLVERSION_NOW)->ssl_version;
    if (library != NULL && strncmp(library, "OpenSSL/", 8) == 0)
        curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, clarion_ssl_context_made);
}

#ifdef __linux__
static inline curl_socket_t clarion_open_socket(const struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}
#endif

static inline CURLMcode clarion_multi_set_long(CURLM *handle, CURLMoption option, long value) {
    return curl_multi_setopt(handle, option, value);
}

static inline CURLMcode clarion_multi_set_socket_function(CURLM *handle, curl_socket_callback function, void *data) {
    CURLMcode code = curl_multi_setopt(handle, CURLMOPT_SOCKETDATA, data);
    return code == CURLM_OK ? curl_multi_setopt(handle, CURLMOPT_SOCKETFUNCTION, function) : code;
}

static inline CURLMcode clarion_multi_set_timer_function(CURLM *handle, curl_multi_timer_callback function, void *data) {
    CURLMcode code = curl_multi_setopt(handle, CURLMOPT_TIMERDATA, data);
    return code == CURLM_OK ? curl_multi_setopt(handle, CURLMOPT_TIMERFUNCTION, function) : code;
}

#endif
