// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "options.h"
#include "base/platform.h"
#include "mesh/text_scan.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool parse_double(const char* text, double* value) {
    pl_source source;
    if (pl_source_from_memory(text, strlen(text), "argument", 0, &source, NULL) != PL_OK)
        return false;
    pl_scan scan = pl_scan_begin(&source);
    bool whole = pl_scan_double(&scan, value) && pl_scan_at_end(&scan) && isfinite(*value);
    pl_source_free(&source);
    return whole;
}

static bool parse_int(const char* text, int* value) {
    char* end;
    long long wide = strtoll(text, &end, 10);
    *value = (int)wide;
    return end != text && *end == '\0' && wide == *value;
}

bool looks_like_file(const char* path) {
    const char *slash = pl_path_last_separator(path), *name = slash ? slash + 1 : path;
    const char* dot = strrchr(name, '.');
    if (!dot || dot == name || !isalpha((unsigned char)dot[1])) return false;
    size_t size = strspn(dot + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
    return size <= 5 && dot[1 + size] == '\0';
}

static void print_help(const verb* v, const option* options, int option_count) {
    printf("usage: pliant %s %s\n\n%s\n", v->name, v->arguments, v->summary);
    if (v->details) printf("\n%s\n", v->details);
    printf("\noptions:\n");
    for (int i = 0; i < option_count; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", options[i].name, options[i].value_name ? " " : "",
                 options[i].value_name ? options[i].value_name : "");
        printf("  %-22s %s\n", left, options[i].help);
    }
    printf("  %-22s %s\n", "--help", "this text");
}

static bool usage_error(const verb* v, const char* what, const char* which, int* exit_code) {
    fprintf(stderr, "pliant %s: %s%s\nusage: pliant %s %s (--help tells more)\n", v->name, what,
            which, v->name, v->arguments);
    *exit_code = EXIT_USAGE;
    return false;
}

static bool in_range(const option* o, double value) {
    return (o->low == 0.0 && o->high == 0.0) || (value >= o->low && value <= o->high);
}

static bool store_value(const option* o, const char* text) {
    switch (o->kind) {
    case OPTION_FLAG: *(bool*)o->target = true; return true;
    case OPTION_INT: return parse_int(text, o->target) && in_range(o, *(int*)o->target);
    case OPTION_DOUBLE: return parse_double(text, o->target) && in_range(o, *(double*)o->target);
    case OPTION_TEXT: *(const char**)o->target = text; return text[0] != '\0';
    case OPTION_TEXT_LIST: {
        text_list* list = o->target;
        if (list->count == (int)(sizeof list->items / sizeof list->items[0])) return false;
        list->items[list->count++] = text;
        return true;
    }
    }
    return false;
}

// what value an option takes, for messages
static void describe_values(const option* o, char* text, size_t size) {
    bool number = o->kind == OPTION_INT || o->kind == OPTION_DOUBLE;
    const char* kind = o->kind == OPTION_INT ? "a whole number" : "a number";
    if (o->kind == OPTION_TEXT_LIST) snprintf(text, size, "at most 64 values");
    else if (!number) snprintf(text, size, "%s", o->value_name);
    else if (o->low == 0.0 && o->high == 0.0) snprintf(text, size, "%s", kind);
    else if (o->low == ABOVE_ZERO) snprintf(text, size, "%s above 0", kind);
    else if (o->high >= INT_MAX) snprintf(text, size, "%s of %.10g or more", kind, o->low);
    else snprintf(text, size, "%s from %.10g to %.10g", kind, o->low, o->high);
}

static bool value_error(const verb* v, const option* o, const char* value, int* exit_code) {
    char takes[80];
    describe_values(o, takes, sizeof takes);
    fprintf(stderr, "pliant %s: %s takes %s, not \"%s\" (--help tells more)\n", v->name, o->name,
            takes, value);
    *exit_code = EXIT_USAGE;
    return false;
}

// the option that an argument names; *value: the text after '=', or NULL
static const option* find_option(const option* options, int option_count, const char* argument,
                                 const char** value) {
    size_t size = strcspn(argument, "=");
    *value = argument[size] == '=' ? argument + size + 1 : NULL;
    for (int i = 0; i < option_count; i++)
        if (strlen(options[i].name) == size && strncmp(options[i].name, argument, size) == 0)
            return &options[i];
    return NULL;
}

bool parse_options(const verb* v, const option* options, int option_count, int argc, char** argv,
                   const char** arguments, int* argument_count, int* exit_code) {
    *argument_count = 0;
    bool only_arguments = false;
    for (int i = 0; i < argc; i++) {
        if (!only_arguments && strcmp(argv[i], "--") == 0) {
            only_arguments = true;
        } else if (only_arguments || argv[i][0] != '-' || argv[i][1] == '\0') {
            if (*argument_count == v->max_arguments)
                return usage_error(v, "one argument too many: ", argv[i], exit_code);
            arguments[(*argument_count)++] = argv[i];
        } else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_help(v, options, option_count);
            *exit_code = EXIT_DONE;
            return false;
        } else {
            const char* value;
            const option* o = find_option(options, option_count, argv[i], &value);
            if (!o || (o->kind == OPTION_FLAG && value))
                return usage_error(v, "unknown option ", argv[i], exit_code);
            if (o->kind != OPTION_FLAG && !value) {
                const char* behind;
                value = i + 1 < argc ? argv[++i] : NULL;
                // in `-o --force` the folder was forgotten
                if (!value || find_option(options, option_count, value, &behind))
                    return usage_error(v, "a value is missing for ", o->name, exit_code);
            }
            if (!store_value(o, value)) return value_error(v, o, value, exit_code);
        }
    }
    if (*argument_count < v->min_arguments)
        return usage_error(v, "an argument is missing", "", exit_code);
    return true;
}

int report_error(const verb* v, const pl_error* error) {
    fprintf(stderr, "pliant %s: %s\n", v->name, error->text);
    switch (error->status) {
    case PL_ERROR_ARGUMENT:
    case PL_ERROR_IO:
    case PL_ERROR_FORMAT:
    case PL_ERROR_UNSUPPORTED:
    case PL_ERROR_MESH: return EXIT_USAGE;
    case PL_ERROR_LIMIT: return EXIT_LIMIT;
    default: return EXIT_FAILED;
    }
}

void report_notes(const verb* v, const pl_notes* notes) {
    for (int i = 0; i < pl_notes_count(notes); i++) {
        pl_note_kind kind;
        const char* text = pl_notes_text(notes, i, &kind);
        fprintf(stderr, "pliant %s: %s%s\n", v->name, kind == PL_NOTE_MENDED ? "warning: " : "",
                text);
    }
}
