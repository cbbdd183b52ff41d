// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "read_checks.h"
#include "base/memory.h"
#include "base/random.h"
#include "host.h"

#include <locale.h>
#include <stdlib.h>
#include <zlib.h>

pl_mesh* pl_test_read_bytes(const char* name, const void* data, size_t size, pl_notes* notes) {
    pl_mesh* mesh;
    pl_error error = {0};
    CHECK_OK(pl_mesh_read_memory(data, size, name, NULL, &mesh, notes, &error), &error);
    return mesh;
}

pl_mesh* pl_test_read_text(const char* name, const char* text, pl_notes* notes) {
    return pl_test_read_bytes(name, text, strlen(text), notes);
}

pl_mesh* pl_test_read_file(const char* path, pl_notes* notes) {
    pl_mesh* mesh;
    pl_error error = {0};
    CHECK_OK(pl_mesh_read(path, NULL, &mesh, notes, &error), &error);
    return mesh;
}

char* pl_test_load(const char* path, size_t* size) {
    FILE* file = fopen(path, "rb");
    CHECK(file && fseek(file, 0, SEEK_END) == 0);
    *size = (size_t)ftell(file);
    char* data = calloc(*size + 1, 1);
    rewind(file);
    CHECK(data && fread(data, 1, *size, file) == *size);
    fclose(file);
    return data;
}

void pl_test_refused(const char* name, const void* data, size_t size, pl_status status,
                     const char* part) {
    pl_mesh* mesh;
    pl_error error = {0};
    size_t before = pl_byte_count();
    pl_status actual = pl_mesh_read_memory(data, size, name, NULL, &mesh, NULL, &error);
    CHECK(!mesh || actual == PL_OK);
    pl_mesh_destroy(mesh);
    if (actual != status)
        pl_test_fail(__FILE__, __LINE__, "\"%s\" expected, but the status is %d: %s", part, actual,
                     error.text);
    CHECK_TEXT(error.text, part);
    CHECK_TEXT(error.text, name);
    CHECK_INT(pl_byte_count(), before);
}

void pl_test_text_refused(const char* name, const char* text, pl_status status, const char* part) {
    pl_test_refused(name, text, strlen(text), status, part);
}

// reads whatever it is; true if it gave a mesh
static bool survives(const char* name, const void* data, size_t size) {
    pl_mesh* mesh;
    pl_error error = {0};
    size_t before = pl_byte_count();
    pl_status status = pl_mesh_read_memory(data, size, name, NULL, &mesh, NULL, &error);
    CHECK((status == PL_OK) == (mesh != NULL));
    CHECK(status == PL_OK || error.text[0]);
    CHECK(status != PL_ERROR_MEMORY);
    pl_mesh_destroy(mesh);
    CHECK_INT(pl_byte_count(), before);
    return status == PL_OK;
}

int pl_test_every_cut(const char* name, const void* data, size_t size) {
    int count = 0;
    for (size_t cut = 0; cut < size; cut++) {
        // a block of exactly this size, so that a sanitizer sees the first byte read behind it
        char* part = malloc(cut ? cut : 1);
        CHECK(part);
        memcpy(part, data, cut);
        count += survives(name, part, cut);
        free(part);
    }
    return count;
}

void pl_test_random_damage(const char* name, const void* data, size_t size, int rounds) {
    pl_random random = {1};
    char* copy = malloc(size);
    CHECK(copy);
    for (int i = 0; i < rounds; i++) {
        memcpy(copy, data, size);
        int changes = 1 + pl_random_int(&random, 4);
        for (int k = 0; k < changes; k++)
            copy[pl_random_int(&random, (int)size)] = (char)pl_random_int(&random, 256);
        survives(name, copy, size);
    }
    free(copy);
}

void pl_test_every_allocation(const char* name, const void* data, size_t size) {
    size_t before = pl_byte_count();
    pl_mesh* mesh = NULL;
    int64_t nth = 1;
    for (;; nth++) {
        pl_error error = {0};
        pl_inject_failure(nth);
        pl_status status = pl_mesh_read_memory(data, size, name, NULL, &mesh, NULL, &error);
        pl_inject_failure(0);
        if (status == PL_OK) break;
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK(!mesh && error.text[0]);
        CHECK_INT(pl_byte_count(), before);
    }
    CHECK(nth > 3);
    pl_mesh_destroy(mesh);
}

static char* gzip(const void* data, size_t size, size_t* packed_size) {
    z_stream stream = {.next_in = (Bytef*)(uintptr_t)data, .avail_in = (uInt)size};
    CHECK_INT(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&stream, (uLong)size);
    char* packed = malloc(room);
    CHECK(packed);
    stream.next_out = (Bytef*)packed;
    stream.avail_out = (uInt)room;
    CHECK_INT(deflate(&stream, Z_FINISH), Z_STREAM_END);
    *packed_size = room - stream.avail_out;
    deflateEnd(&stream);
    return packed;
}

void pl_test_gzipped(const char* name, const void* data, size_t size) {
    size_t packed_size;
    char* packed = gzip(data, size, &packed_size);
    char packed_name[256];
    snprintf(packed_name, sizeof packed_name, "%s.gz", name);
    pl_mesh* plain = pl_test_read_bytes(name, data, size, NULL);
    pl_mesh* mesh = pl_test_read_bytes(packed_name, packed, packed_size, NULL);
    CHECK(pl_test_same_mesh(plain, mesh));
    pl_mesh_destroy(plain);
    pl_mesh_destroy(mesh);
    pl_test_refused(packed_name, packed, packed_size / 2, PL_ERROR_FORMAT, "gzip");
    packed[packed_size / 2] = (char)(packed[packed_size / 2] + 1);
    pl_test_refused(packed_name, packed, packed_size, PL_ERROR_FORMAT, "gzip");
    free(packed);
}

// A locale that differs from "C" by its decimal comma only, made in the test's folder: localedef
// takes a second and a half for a real one, nearly all of it for the order of letters.
bool pl_test_set_comma_locale(void) {
    static const char* copied[] = {"LC_CTYPE", "LC_COLLATE", "LC_TIME", "LC_MONETARY",
                                   "LC_MESSAGES"};
    char source[1024], path[300], command[900];
    size_t used = 0;
    for (int i = 0; i < 5; i++)
        used += (size_t)snprintf(source + used, sizeof source - used,
                                 "%s\ncopy \"POSIX\"\nEND %s\n", copied[i], copied[i]);
    used += (size_t)snprintf(source + used, sizeof source - used,
                             "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\n"
                             "grouping -1\nEND LC_NUMERIC\n");
    snprintf(path, sizeof path, "%s/comma.src", pl_test_folder());
    pl_test_write_file(path, source, used);
    snprintf(command, sizeof command,
             "localedef -c -i '%s' -f ANSI_X3.4-1968 '%s/comma' >/dev/null 2>&1", path,
             pl_test_folder());
    // it complains about categories that are missing; whether the locale works is what counts
    if (system(command) < 0) return false;
    pl_test_set_environment("LOCPATH", pl_test_folder());
    return setlocale(LC_ALL, "comma") && strcmp(localeconv()->decimal_point, ",") == 0;
}

void pl_test_reset_locale(void) {
    setlocale(LC_ALL, "C");
    pl_test_set_environment("LOCPATH", NULL);
}

void pl_test_decimal_comma(const char* name, const void* data, size_t size) {
    pl_mesh* plain = pl_test_read_bytes(name, data, size, NULL);
    if (!pl_test_set_comma_locale()) {
        pl_mesh_destroy(plain);
        pl_test_reset_locale();
        SKIP("no locale with a decimal comma: localedef or its sources are not there");
    }
    pl_mesh* mesh = NULL;
    pl_error error = {0};
    pl_status status = pl_mesh_read_memory(data, size, name, NULL, &mesh, NULL, &error);
    pl_test_reset_locale();
    CHECK_OK(status, &error);
    CHECK(pl_test_same_mesh(plain, mesh));
    pl_mesh_destroy(plain);
    pl_mesh_destroy(mesh);
}

static bool same_bytes(const void* a, const void* b, size_t size) {
    return size == 0 || memcmp(a, b, size) == 0;
}

static bool same_regions(const pl_mesh* a, const pl_mesh* b) {
    if (a->region_count != b->region_count) return false;
    for (int i = 0; i < a->region_count; i++) {
        const pl_region *x = &a->regions[i], *y = &b->regions[i];
        if (strcmp(x->name, y->name) != 0 || x->tag != y->tag || x->kind != y->kind ||
            x->count != y->count || !same_bytes(x->items, y->items, (size_t)x->count * sizeof(int)))
            return false;
    }
    return true;
}

static bool same_fields(const pl_mesh* a, const pl_mesh* b) {
    if (a->field_count != b->field_count) return false;
    for (int i = 0; i < a->field_count; i++) {
        const pl_field *x = &a->fields[i], *y = &b->fields[i];
        size_t size = (size_t)pl_mesh_element_count(a, x->kind) * (size_t)x->components;
        if (strcmp(x->name, y->name) != 0 || x->kind != y->kind || x->components != y->components ||
            !same_bytes(x->values, y->values, size * sizeof(double)))
            return false;
    }
    return true;
}

bool pl_test_same_mesh(const pl_mesh* a, const pl_mesh* b) {
    return a->vertex_count == b->vertex_count && a->tet_count == b->tet_count &&
           a->triangle_count == b->triangle_count &&
           same_bytes(a->positions, b->positions, 3 * (size_t)a->vertex_count * sizeof(double)) &&
           same_bytes(a->tets, b->tets, 4 * (size_t)a->tet_count * sizeof(int)) &&
           same_bytes(a->triangles, b->triangles, 3 * (size_t)a->triangle_count * sizeof(int)) &&
           same_regions(a, b) && same_fields(a, b);
}

double pl_test_volume(const pl_mesh* mesh) {
    double volume = 0.0;
    for (int i = 0; i < mesh->tet_count; i++) {
        const double* p[4];
        double e[3][3];
        for (int k = 0; k < 4; k++)
            p[k] = &mesh->positions[3 * (size_t)mesh->tets[4 * (size_t)i + (size_t)k]];
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++) e[k][c] = p[k + 1][c] - p[0][c];
        volume += e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
                  e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
                  e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    }
    return volume / 6.0;
}

bool pl_test_noted(const pl_notes* notes, const char* part) {
    for (int i = 0; i < pl_notes_count(notes); i++)
        if (strstr(pl_notes_text(notes, i, NULL), part)) return true;
    return false;
}
