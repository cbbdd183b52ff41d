// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// TEST(name) { ... } is all that a test needs: the build finds it, the program lists it, ctest runs
// it. A test fails by a CHECK, is skipped by SKIP, and must have freed all of pliant's memory at
// its end. LONG_TEST(name) is a test of numbers that takes half a second or more: sanitizers, which
// would take a minute, leave it out. REAL_MESH_TEST(name) is a test on meshes that are not part of
// the project: `make test-extra` runs it on the folder that PLIANT_DATA names.
#ifndef PL_TEST_H
#define PL_TEST_H

#include "base/fail.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define TEST(name)                                                                                 \
    void pl_test_##name(void);                                                                     \
    void pl_test_##name(void)
#define LONG_TEST(name) TEST(name)
#define REAL_MESH_TEST(name) TEST(name)

// Reports a failure and leaves the test; the program goes on with the next one.
_Noreturn void pl_test_fail(const char* file, int line, const char* format, ...) PL_PRINTF(3, 4);
_Noreturn void pl_test_skip(const char* format, ...) PL_PRINTF(1, 2);

#define CHECK(condition)                                                                           \
    ((condition) ? (void)0 : pl_test_fail(__FILE__, __LINE__, "%s", #condition))
#define CHECK_INT(actual, expected)                                                                \
    do {                                                                                           \
        long long actual_ = (long long)(actual), expected_ = (long long)(expected);                \
        if (actual_ != expected_)                                                                  \
            pl_test_fail(__FILE__, __LINE__, "%s is %lld, not %lld", #actual, actual_, expected_); \
    } while (0)
#define CHECK_NEAR(actual, expected, tolerance)                                                    \
    do {                                                                                           \
        double actual_ = (actual), expected_ = (expected), tolerance_ = (tolerance);               \
        if (!(fabs(actual_ - expected_) <= tolerance_))                                            \
            pl_test_fail(__FILE__, __LINE__, "%s is %.17g, not %.17g within %g", #actual, actual_, \
                         expected_, tolerance_);                                                   \
    } while (0)
#define CHECK_TEXT(actual, part)                                                                   \
    do {                                                                                           \
        const char *actual_ = (actual), *part_ = (part);                                           \
        if (!strstr(actual_, part_))                                                               \
            pl_test_fail(__FILE__, __LINE__, "\"%s\" does not contain \"%s\"", actual_, part_);    \
    } while (0)
#define CHECK_OK(call, error)                                                                      \
    do {                                                                                           \
        pl_status status_ = (call);                                                                \
        if (status_ != PL_OK)                                                                      \
            pl_test_fail(__FILE__, __LINE__, "%s: %s: %s", #call, pl_status_text(status_),         \
                         (error)->text);                                                           \
    } while (0)
#define SKIP(...) pl_test_skip(__VA_ARGS__)

// For REAL_MESH_TEST: the path of a file below the folder that PLIANT_DATA names. Skips the test by
// the file's name if the file is not there.
const char* pl_test_data(const char* name);
// A folder of this test's own below the system's temporary one, emptied at the test's end; and a
// path in it.
const char* pl_test_folder(void);
const char* pl_test_path(const char* name);
void pl_test_write_file(const char* path, const void* data, size_t size);

// Runs a command of the build ("pliant info x"), with its output in text (cut to size - 1); the
// exit status, or -1 if it was ended by a signal. Arguments are split by the shell.
int pl_test_run(const char* command, char* text, size_t size);

#endif
