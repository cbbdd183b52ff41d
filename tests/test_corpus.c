// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Every file of tests/corpus/FORMAT, the seeds of the fuzzers and what they found, goes through its
// reader. "good_..." must give a mesh, "bad_..." an error; the others only may not do harm.
#include "base/memory.h"
#include "read_checks.h"

#include <dirent.h>
#include <stdlib.h>

typedef struct format_name {
    pl_mesh_format format;
    const char* name;
    const char* endings;
} format_name;

#define FORMAT_ROW(code, name, endings) {code, name, endings},
static const format_name formats[] = {PL_MESH_FORMAT_LIST(FORMAT_ROW)};
#undef FORMAT_ROW

static void check_corpus_file(const char* path, const char* name, pl_mesh_format format) {
    size_t size, before = pl_byte_count();
    char* data = pl_test_load(path, &size);
    pl_mesh_read_options options = {.format = format};
    pl_mesh* mesh;
    pl_error error = {0};
    pl_status status = pl_mesh_read_memory(data, size, path, &options, &mesh, NULL, &error);
    free(data);
    if ((strncmp(name, "good_", 5) == 0 && status != PL_OK) ||
        (strncmp(name, "bad_", 4) == 0 && status == PL_OK))
        pl_test_fail(__FILE__, __LINE__, "%s: status %d: %s", path, status, error.text);
    CHECK((status == PL_OK) == (mesh != NULL));
    CHECK(status == PL_OK || error.text[0]);
    pl_mesh_destroy(mesh);
    CHECK_INT(pl_byte_count(), before);
}

static int check_corpus_folder(const char* folder, pl_mesh_format format) {
    DIR* directory = opendir(folder);
    if (!directory) return 0;
    int count = 0;
    for (struct dirent* entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        check_corpus_file(path, entry->d_name, format);
        count++;
    }
    closedir(directory);
    return count;
}

TEST(corpus_survives)
{
    int count = 0;
    for (int f = PL_MESH_AUTO + 1; f < PL_MESH_FORMAT_COUNT; f++) {
        char folder[600];
        snprintf(folder, sizeof folder, "%s/tests/corpus/%s", PL_TEST_SOURCE_DIR, formats[f].name);
        count += check_corpus_folder(folder, formats[f].format);
    }
    CHECK(count >= 10);
}
