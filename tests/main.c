// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Runs the tests whose names contain one of the given words (a word that is a test's whole name
// means just that one), or all. --real-meshes as the first argument chooses among the tests on
// meshes that are not part of the project instead. Exit 0: all passed, 1: one failed, 77: all were
// skipped.
#include "base/memory.h"
#include "base/platform.h"
#include "host.h"
#include "test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#define ENTRY(name, real) void pl_test_##name(void);
#include "registry.inc"
#undef ENTRY

typedef struct entry {
    const char* name;
    void (*run)(void);
    bool needs_real_meshes;
} entry;

#define ENTRY(name, real) {#name, pl_test_##name, real},
static const entry entries[] = {
#include "registry.inc"
};
#undef ENTRY

enum { ENTRY_COUNT = sizeof entries / sizeof entries[0], PASSED = 1, FAILED, SKIPPED };

static struct {
    const char* name;
    jmp_buf leave;
    char folder[256];
    char path[1024];
    char data[1024];
} test;

void pl_test_fail(const char* file, int line, const char* format, ...) {
    printf("%s: FAILED at %s:%d: ", test.name, file, line);
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    longjmp(test.leave, FAILED);
}

void pl_test_skip(const char* format, ...) {
    printf("%s: skipped: ", test.name);
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    longjmp(test.leave, SKIPPED);
}

const char* pl_test_data(const char* name) {
    const char* folder = getenv("PLIANT_DATA");
    if (!folder) pl_test_skip("PLIANT_DATA names no folder with %s", name);
    snprintf(test.data, sizeof test.data, "%s/%s", folder, name);
    if (access(test.data, R_OK) != 0) pl_test_skip("%s is not there", test.data);
    return test.data;
}

const char* pl_test_folder(void) {
    if (!test.folder[0] &&
        pl_folder_make_temporary("pliant-test", test.folder, sizeof test.folder) != 0)
        pl_test_fail(__FILE__, __LINE__, "no temporary folder %s", test.folder);
    for (char* p = test.folder; *p; p++)
        if (pl_path_is_separator(*p)) *p = '/'; // so that it can stand in JSON
    return test.folder;
}

const char* pl_test_path(const char* name) {
    snprintf(test.path, sizeof test.path, "%s/%s", pl_test_folder(), name);
    return test.path;
}

void pl_test_write_file(const char* path, const void* data, size_t size) {
    FILE* file = fopen(path, "wb");
    bool done = file && fwrite(data, 1, size, file) == size;
    if (file && fclose(file) != 0) done = false;
    if (!done) pl_test_fail(__FILE__, __LINE__, "cannot write %s", path);
}

static void remove_folder(void) {
    if (test.folder[0] && !pl_test_remove_folder(test.folder))
        printf("%s: %s is left behind\n", test.name, test.folder);
    test.folder[0] = '\0';
}

static int run_entry(const entry* e) {
    test.name = e->name;
    size_t bytes_before = pl_byte_count();
    int result = setjmp(test.leave);
    if (result == 0) {
        e->run();
        result = PASSED;
    }
    pl_inject_failure(0);
    remove_folder();
    // a failed test leaves its objects behind; a passed one may not
    if (result == PASSED && pl_byte_count() != bytes_before) {
        printf("%s: FAILED: %zu bytes were not freed\n", e->name, pl_byte_count() - bytes_before);
        result = FAILED;
    }
    return result;
}

static bool is_chosen(const char* name, int count, char** words) {
    if (count == 0) return true;
    for (int i = 0; i < count; i++) {
        bool whole = false;
        for (int k = 0; k < ENTRY_COUNT; k++)
            whole = whole || strcmp(words[i], entries[k].name) == 0;
        if (whole ? strcmp(name, words[i]) == 0 : strstr(name, words[i]) != NULL) return true;
    }
    return false;
}

int main(int argc, char** argv) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    int counts[4] = {0};
    bool real = argc > 1 && strcmp(argv[1], "--real-meshes") == 0;
    int word_count = argc - 1 - real;
    for (int i = 0; i < ENTRY_COUNT; i++)
        if (entries[i].needs_real_meshes == real &&
            is_chosen(entries[i].name, word_count, argv + argc - word_count))
            counts[run_entry(&entries[i])]++;
    printf("%d passed, %d failed, %d skipped\n", counts[PASSED], counts[FAILED], counts[SKIPPED]);
    if (counts[FAILED] || counts[PASSED] + counts[SKIPPED] == 0) return 1;
    return counts[PASSED] ? 0 : 77;
}
