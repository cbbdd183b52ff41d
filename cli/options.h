// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The options of a verb as a table: parsing, --help and messages come from it.
#ifndef PL_CLI_OPTIONS_H
#define PL_CLI_OPTIONS_H

#include <pliant/status.h>
#include <stdbool.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_LIMIT = 3 };

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
} option;

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

// Fills the targets; positional arguments are collected in arguments (at most max_arguments of the
// verb). Returns true to go on; false with *exit_code set after --help or a mistake, which was
// printed.
bool parse_options(const verb* v, const option* options, int option_count, int argc, char** argv,
                   const char** arguments, int* argument_count, int* exit_code);

// Prints "pliant VERB: text" and gives the exit code that fits the status: 2 for bad input, 3 for a
// limit, else 1.
int report_error(const verb* v, const pl_error* error);
// Prints notes to stderr, those of kind mended as warnings.
void report_notes(const verb* v, const pl_notes* notes);

// A number that a whole text holds, independent of the locale.
bool parse_double(const char* text, double* value);

#endif
