// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "system_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[8] = {'P', 'L', 'S', 'Y', 'S', 0, 0, 1};
enum { HEADER_SIZE = 32 };

static bool put(FILE* file, const void* items, size_t size, size_t count) {
    return fwrite(items, size, count, file) == count;
}

static bool put_all(FILE* file, const system_rows* all) {
    const system_header* h = &all->header;
    const int32_t numbers[4] = {h->block, h->row_count, h->rhs_count, 0};
    size_t rows = (size_t)h->row_count, entries = (size_t)h->entry_count;
    size_t block = (size_t)h->block, rhs_count = (size_t)h->rhs_count;
    return put(file, magic, 1, sizeof magic) && put(file, numbers, sizeof(int32_t), 4) &&
           put(file, &h->entry_count, sizeof(int64_t), 1) &&
           put(file, all->offsets, sizeof(int32_t), rows + 1) &&
           put(file, all->columns, sizeof(int32_t), entries) &&
           put(file, all->values, sizeof(double), block * block * entries) &&
           put(file, all->rhs, sizeof(double), block * rhs_count * rows) &&
           put(file, all->positions, sizeof(double), 3 * rows) &&
           (h->block != 4 || put(file, all->mass, sizeof(double), rows));
}

bool system_file_write(const char* path, const system_rows* all) {
    FILE* file = fopen(path, "wb");
    bool done = file && put_all(file, all);
    if (file && fclose(file) != 0) done = false;
    if (!done) {
        perror(path);
        if (file) remove(path);
    }
    return done;
}

static bool get_header(FILE* file, system_header* h) {
    char found[sizeof magic];
    int32_t numbers[4];
    if (fread(found, 1, sizeof found, file) != sizeof found ||
        memcmp(found, magic, sizeof magic) != 0 || fread(numbers, sizeof(int32_t), 4, file) != 4 ||
        fread(&h->entry_count, sizeof(int64_t), 1, file) != 1)
        return false;
    h->block = numbers[0];
    h->row_count = numbers[1];
    h->rhs_count = numbers[2];
    bool scalar = h->block == 1 && h->rhs_count >= 1 && h->rhs_count <= 64;
    bool elastic = (h->block == 3 || h->block == 4) && h->rhs_count == 1;
    return (scalar || elastic) && h->row_count >= 1 && h->entry_count >= h->row_count &&
           h->entry_count <= INT32_MAX;
}

// `count` items from item `first` of an array that starts at byte `at`
static void* get(FILE* file, int64_t at, size_t size, int64_t first, int64_t count) {
    void* items = malloc(size * (size_t)(count ? count : 1));
    if (items && fseeko(file, (off_t)(at + (int64_t)size * first), SEEK_SET) == 0 &&
        fread(items, size, (size_t)count, file) == (size_t)count)
        return items;
    free(items);
    return NULL;
}

static bool offsets_are_good(const system_rows* r) {
    for (int i = 0; i < r->count; i++)
        if (r->offsets[i + 1] < r->offsets[i]) return false;
    return r->offsets[0] >= 0 && r->offsets[r->count] <= r->header.entry_count;
}

static bool columns_are_good(const system_rows* r) {
    for (int e = 0; e < r->offsets[r->count]; e++)
        if (r->columns[e] < 0 || r->columns[e] >= r->header.row_count) return false;
    return true;
}

static bool get_rows(FILE* file, system_rows* r) {
    const system_header* h = &r->header;
    int64_t rows = h->row_count, block = h->block, row_values = block * h->rhs_count;
    int64_t columns_at = HEADER_SIZE + (rows + 1) * (int64_t)sizeof(int32_t);
    int64_t values_at = columns_at + h->entry_count * (int64_t)sizeof(int32_t);
    int64_t rhs_at = values_at + block * block * h->entry_count * (int64_t)sizeof(double);
    int64_t positions_at = rhs_at + row_values * rows * (int64_t)sizeof(double);

    r->offsets = get(file, HEADER_SIZE, sizeof(int32_t), r->first, r->count + 1);
    if (!r->offsets || !offsets_are_good(r)) return false;
    int64_t begin = r->offsets[0], count = r->offsets[r->count] - begin;
    for (int i = 0; i <= r->count; i++) r->offsets[i] -= (int)begin;
    r->columns = get(file, columns_at, sizeof(int32_t), begin, count);
    if (!r->columns || !columns_are_good(r)) return false;
    r->values = get(file, values_at, sizeof(double), block * block * begin, block * block * count);
    r->rhs = get(file, rhs_at, sizeof(double), row_values * r->first, row_values * r->count);
    r->positions =
        get(file, positions_at, sizeof(double), 3 * (int64_t)r->first, 3 * (int64_t)r->count);
    int64_t mass_at = positions_at + 3 * rows * (int64_t)sizeof(double);
    bool mixed = h->block == 4;
    if (mixed) r->mass = get(file, mass_at, sizeof(double), r->first, r->count);
    return r->values && r->rhs && r->positions && (r->mass || !mixed);
}

bool system_file_read(const char* path, int part, int part_count, system_rows* out) {
    *out = (system_rows){0};
    FILE* file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return false;
    }
    bool done = get_header(file, &out->header);
    if (done) {
        int64_t rows = out->header.row_count;
        out->first = (int)(rows * part / part_count);
        out->count = (int)(rows * (part + 1) / part_count) - out->first;
        done = get_rows(file, out);
    }
    fclose(file);
    if (!done) {
        fprintf(stderr, "%s: no system, or one that is cut off or does not fit in memory\n", path);
        system_rows_free(out);
    }
    return done;
}

void system_rows_free(system_rows* rows) {
    free(rows->offsets);
    free(rows->columns);
    free(rows->values);
    free(rows->rhs);
    free(rows->positions);
    free(rows->mass);
    *rows = (system_rows){0};
}
