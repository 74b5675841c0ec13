/*
 * What libcurl does when nobody keeps books: its multi interface, one thread, easy handles reused, an open-socket
 * callback as the egress guard has it, and the headers of a delivery, none of them signed.
 *
 *   curl_alone URL IN_FLIGHT COUNT BYTES
 *
 * prints deliveries per second.
 */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)context, (void)purpose;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static size_t discard(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes, (void)context;
    return size * count;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
    if (count != 5) {
        fprintf(stderr, "curl_alone URL IN_FLIGHT COUNT BYTES\n");
        return 2;
    }
    long in_flight = atol(arguments[2]), left = atol(arguments[3]), size = atol(arguments[4]);
    long all = left, done = 0;
    char *body = malloc((size_t)size);
    memset(body, 'x', (size_t)size);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, in_flight);
    struct curl_slist *headers = NULL;
    const char *lines[] = {
        "Content-Type: text/plain", "webhook-id: by98wsvy9qc1-1", "webhook-timestamp: 1614265330",
        "webhook-signature: v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", "Clarion-Topic: bench", "Clarion-Attempt: 1",
        "Expect:"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) headers = curl_slist_append(headers, lines[i]);
    double begin = now();
    for (long i = 0; i < in_flight && left > 0; i++, left--) {
        CURL *easy = curl_easy_init();
        curl_easy_setopt(easy, CURLOPT_URL, arguments[1]);
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, size);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, discard);
        curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
        curl_multi_add_handle(multi, easy);
    }
    while (done < all) {
        int running, queued;
        curl_multi_perform(multi, &running);
        for (CURLMsg *message; (message = curl_multi_info_read(multi, &queued));) {
            CURL *easy = message->easy_handle;
            long status = 0;
            curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
            if (status != 204) {
                fprintf(stderr, "curl_alone: %s, status %ld\n", curl_easy_strerror(message->data.result), status);
                return 1;
            }
            done++;
            curl_multi_remove_handle(multi, easy);
            if (left > 0) curl_multi_add_handle(multi, easy), left--;
        }
        if (done < all) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    printf("%.0f\n", (double)all / (now() - begin));
    return 0;
}
