// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The file: a header, then lambda, residual and shape of all modes, then a hash of all that.
#include "modes/mode_cache.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/platform.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VERSION = 1, PATH_SIZE = 1024 };

typedef struct cache_header {
    char magic[8];
    uint64_t version, key[2];
    int64_t vertex_count, count, rigid_count;
} cache_header;

static const char MAGIC[8] = {'p', 'l', 'm', 'o', 'd', 'e', 's', '\n'};

// ---------------------------------------------------------------- names

bool pl_mode_cache_folder(char* folder, size_t size) {
    static const char* const names[][2] = {
        {"XDG_CACHE_HOME", "pliant"}, {"LOCALAPPDATA", "pliant"}, {"HOME", ".cache/pliant"}};
    const char* own = getenv("PLIANT_CACHE_DIR");
    int length = own ? snprintf(folder, size, "%s", own) : 0;
    for (int k = 0; !own && length == 0 && k < 3; k++) {
        const char* base = getenv(names[k][0]);
        if (base && base[0]) length = snprintf(folder, size, "%s/%s", base, names[k][1]);
    }
    return length > 0 && (size_t)length < size;
}

static uint64_t hash_problem(const pl_modes_problem* p, const pl_modes_settings* s, uint64_t seed) {
    const pl_block_matrix* K = p->K;
    size_t rows = (size_t)K->row_count, entries = (size_t)pl_block_matrix_entry_count(K);
    const int64_t counts[] = {VERSION, K->row_count, s->count, (int64_t)s->solver, p->hold_count};
    uint64_t h = pl_hash_bytes(counts, sizeof counts, seed);
    h = pl_hash_bytes(pl_version(), strlen(pl_version()), h);
    h = pl_hash_bytes(&s->tolerance, sizeof s->tolerance, h);
    h = pl_hash_bytes(K->offsets, (rows + 1) * sizeof(int), h);
    h = pl_hash_bytes(K->columns, entries * sizeof(int), h);
    h = pl_hash_bytes(K->values, 9 * entries * sizeof(double), h);
    h = pl_hash_bytes(p->mass, rows * sizeof(double), h);
    if (p->M) h = pl_hash_bytes(p->M->values, entries * sizeof(double), h);
    if (p->positions) h = pl_hash_bytes(p->positions, 3 * rows * sizeof(double), h);
    if (p->fixed) h = pl_hash_bytes(p->fixed, rows * sizeof(bool), h);
    for (int k = 0; k < p->hold_count; k++) {
        h = pl_hash_bytes(&p->holds[k].vertex, sizeof(int), h);
        h = pl_hash_bytes(p->holds[k].free.m, sizeof p->holds[k].free.m, h);
    }
    return h;
}

static bool name_file(const char* folder, const cache_header* h, char path[PATH_SIZE]) {
    int length = snprintf(path, PATH_SIZE, "%s/modes-%016llx%016llx", folder,
                          (unsigned long long)h->key[0], (unsigned long long)h->key[1]);
    return length > 0 && length + 8 < PATH_SIZE;
}

// ---------------------------------------------------------------- reading

static bool read_all(int file, void* data, size_t size, uint64_t* offset) {
    for (char* to = data; size > 0;) {
        ssize_t part = pl_file_read_at(file, to, size, *offset);
        if (part <= 0) return false;
        to += part;
        size -= (size_t)part;
        *offset += (uint64_t)part;
    }
    return true;
}

static bool set_room(pl_mode_set* m, const cache_header* h) {
    size_t count = (size_t)h->count;
    *m = (pl_mode_set){.vertex_count = (int)h->vertex_count,
                       .count = (int)h->count,
                       .room = (int)h->count,
                       .rigid_count = (int)h->rigid_count};
    m->lambda = PL_ALLOC(double, count);
    m->residual = PL_ALLOC(double, count);
    m->shapes = PL_ALLOC(double, 3 * count * (size_t)m->vertex_count);
    return m->lambda && m->residual && m->shapes;
}

static uint64_t hash_modes(const cache_header* h, const pl_mode_set* m) {
    size_t count = (size_t)m->count;
    uint64_t sum = pl_hash_bytes(h, sizeof *h, 0);
    sum = pl_hash_bytes(m->lambda, count * sizeof(double), sum);
    sum = pl_hash_bytes(m->residual, count * sizeof(double), sum);
    return pl_hash_bytes(m->shapes, 3 * count * (size_t)m->vertex_count * sizeof(double), sum);
}

// True if the header is that of the wanted problem and fits the size of the file.
static bool fits_problem(const cache_header* h, const cache_header* wanted, uint64_t size) {
    if (memcmp(h->magic, wanted->magic, sizeof h->magic) != 0 || h->version != wanted->version ||
        h->key[0] != wanted->key[0] || h->key[1] != wanted->key[1] ||
        h->vertex_count != wanted->vertex_count || h->rigid_count < 0 ||
        h->count < h->rigid_count || h->count > 3 * h->vertex_count)
        return false;
    uint64_t numbers = (uint64_t)h->count * (2 + 3 * (uint64_t)h->vertex_count) + 1;
    return size == sizeof *h + 8 * numbers;
}

static bool load(const char* path, const cache_header* wanted, pl_mode_set* out) {
    int file = pl_file_open(path, PL_FILE_READ);
    if (file < 0) return false;
    cache_header h;
    uint64_t size = 0, at = 0, sum = 0;
    bool ok = pl_file_kind(file, &size) == NULL && read_all(file, &h, sizeof h, &at) &&
              fits_problem(&h, wanted, size) && set_room(out, &h);
    size_t count = ok ? (size_t)h.count : 0;
    ok = ok && read_all(file, out->lambda, count * sizeof(double), &at) &&
         read_all(file, out->residual, count * sizeof(double), &at) &&
         read_all(file, out->shapes, 3 * count * (size_t)out->vertex_count * sizeof(double), &at) &&
         read_all(file, &sum, sizeof sum, &at) && sum == hash_modes(&h, out);
    close(file);
    if (!ok) pl_mode_set_free(out);
    return ok;
}

// ---------------------------------------------------------------- writing

// Creates the folder and its parents if they are missing.
static void make_folder(const char* folder) {
    char path[PATH_SIZE];
    size_t size = strlen(folder);
    if (size == 0 || size >= sizeof path || pl_path_is_folder(folder)) return;
    for (size_t k = 1; k <= size; k++) {
        if (k < size && !pl_path_is_separator(folder[k])) continue;
        memcpy(path, folder, k);
        path[k] = '\0';
        if (!pl_path_is_folder(path)) pl_folder_make(path);
    }
}

static bool write_all(int file, const void* data, size_t size) {
    for (const char* from = data; size > 0;) {
        ssize_t part = write(file, from, size);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return false;
        from += part;
        size -= (size_t)part;
    }
    return true;
}

static void store(const char* folder, const char* path, cache_header h, const pl_mode_set* m) {
    char temporary[PATH_SIZE];
    make_folder(folder);
    memcpy(temporary, path, strlen(path));
    memcpy(temporary + strlen(path), "XXXXXX", 7); // name_file leaves room for this
    int file = pl_file_create_temporary(temporary);
    if (file < 0) return;
    size_t count = (size_t)m->count;
    h.count = m->count;
    h.rigid_count = m->rigid_count;
    uint64_t sum = hash_modes(&h, m);
    bool ok = write_all(file, &h, sizeof h) && write_all(file, m->lambda, count * sizeof(double)) &&
              write_all(file, m->residual, count * sizeof(double)) &&
              write_all(file, m->shapes, 3 * count * (size_t)m->vertex_count * sizeof(double)) &&
              write_all(file, &sum, sizeof sum);
    ok = close(file) == 0 && ok;
    if (!ok || pl_file_replace(temporary, path) != 0) remove(temporary);
}

pl_status pl_modes_find_cached(const char* folder, const pl_modes_problem* problem,
                               const pl_modes_settings* settings, pl_pool* pool, pl_mode_set* out,
                               pl_error* error) {
    char path[PATH_SIZE];
    cache_header h;
    *out = (pl_mode_set){0};
    memset(&h, 0, sizeof h);
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    h.version = VERSION;
    h.vertex_count = problem->K->row_count;
    for (uint64_t k = 0; folder && k < 2; k++) h.key[k] = hash_problem(problem, settings, k + 1);
    bool is_cached = folder && name_file(folder, &h, path);
    if (is_cached && load(path, &h, out)) return PL_OK;
    pl_status status = pl_modes_find(problem, settings, pool, out, error);
    if (status == PL_OK && is_cached) store(folder, path, h, out);
    return status;
}
