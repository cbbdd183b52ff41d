// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The options of a verb as a table, used for parsing, --help and messages.
#ifndef PL_CLI_OPTIONS_H
#define PL_CLI_OPTIONS_H

#include <float.h>
#include <pliant/status.h>
#include <stdbool.h>

// The exit codes of every verb; `pliant --help` and docs/guide.md have the same table.
// clang-format off
#define EXIT_LIST(X) \
    X(EXIT_DONE, 0, "done") \
    X(EXIT_FAILED, 1, "failed: a step that diverges, a full disk, memory; with --strict, a solve that did not converge") \
    X(EXIT_USAGE, 2, "wrong usage or input: an option, a scene, a mesh, a file that cannot be read or made") \
    X(EXIT_LIMIT, 3, "stopped before the end: by Ctrl-C, or because pliant cannot count that many elements")
// clang-format on
#define EXIT_ENUM(name, code, text) name = code,
enum { EXIT_LIST(EXIT_ENUM) };
#undef EXIT_ENUM

typedef enum option_kind {
    OPTION_FLAG,
    OPTION_INT,
    OPTION_DOUBLE,
    OPTION_TEXT,
    OPTION_TEXT_LIST
} option_kind;

typedef struct option {
    const char* name;       // "--edge", or "-o"
    const char* value_name; // "LENGTH", or NULL for a flag
    option_kind kind;
    void* target; // bool, int, double, const char*, or text_list
    const char* help;
    // of numbers, which are always finite: the smallest and the largest; both 0: any
    double low, high;
} option;

// The range of options that are not numbers or take any number; the smallest value of options that
// take any number above 0.
#define ANY 0.0, 0.0
#define ABOVE_ZERO DBL_MIN

// For options that may be given several times.
typedef struct text_list {
    const char* items[64];
    int count;
} text_list;

typedef struct verb {
    const char* name;
    const char* arguments; // "FILE... [options]"
    const char* summary;   // one line
    const char* details;   // more lines for --help, or NULL
    int min_arguments, max_arguments;
} verb;

// Sets the targets, and collects positional arguments (at most max_arguments of the verb). Returns
// true to continue; false with *exit_code set after --help or after printing a mistake.
bool parse_options(const verb* v, const option* options, int option_count, int argc, char** argv,
                   const char** arguments, int* argument_count, int* exit_code);

// Prints "pliant VERB: text" and returns the exit code for the status.
int report_error(const verb* v, const pl_error* error);
// Prints notes to stderr; those of kind mended are warnings.
void report_notes(const verb* v, const pl_notes* notes);

// Parses a text that is one finite number, independent of the locale.
bool parse_double(const char* text, double* value);

// True if the name has a file ending: x.avi does, run_1.5 and x.avi/ do not.
bool looks_like_file(const char* path);

#endif
