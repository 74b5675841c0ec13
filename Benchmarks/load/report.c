#include "report.h"
#include <stdarg.h>
#include <stdio.h>

static char json[8192], words[8192];
static size_t json_length, words_length;

static void append(char *to, size_t *length, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void append(char *to, size_t *length, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(to + *length, sizeof json - *length, format, arguments);
    va_end(arguments);
    if (n > 0 && *length + (size_t)n < sizeof json) *length += (size_t)n;
}

static void name_it(const char *name) { append(json, &json_length, "%s\"%s\": ", json_length ? ", " : "{", name); }

void report_text(const char *name, const char *value) {
    name_it(name);
    append(json, &json_length, "\"%s\"", value);
    append(words, &words_length, "%28s  %s\n", name, value);
}

void report_flag(const char *name, bool value) {
    name_it(name);
    append(json, &json_length, value ? "true" : "false");
    append(words, &words_length, "%28s  %s\n", name, value ? "yes" : "no");
}

void report_number(const char *name, double value) {
    name_it(name);
    append(json, &json_length, "%.10g", value);
    if (value >= 1000 || value == (double)(long)value) append(words, &words_length, "%28s  %.0f\n", name, value);
    else append(words, &words_length, "%28s  %.3f\n", name, value);
}

void report_latency(const char *name, const struct histogram *histogram) {
    if (histogram->total == 0) return;
    char key[64];
    const struct { const char *suffix; double ns; } values[] = {
        {"p50", (double)histogram_quantile(histogram, 0.50)},
        {"p99", (double)histogram_quantile(histogram, 0.99)},
        {"max", (double)histogram->max},
    };
    for (unsigned i = 0; i < 3; i++) {
        snprintf(key, sizeof key, "%s_%s_us", name, values[i].suffix);
        report_number(key, values[i].ns / 1000);
    }
}

void report_end(void) {
    fputs(words, stderr);
    printf("%s}\n", json);
    fflush(stdout);
}
