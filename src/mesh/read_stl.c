// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// STL, text or binary. It lists triangles by coordinates, so corners at exactly the same position
// become one vertex. A binary file may begin with "solid" like a text file; its size distinguishes
// them.
#include "base/array.h"
#include "base/hash.h"
#include "base/memory.h"
#include "mesh/mesh_write.h"
#include "mesh/raw_number.h"
#include "mesh/text_scan.h"

#include <limits.h>
#include <string.h>

enum { HEADER_SIZE = 84, RECORD_SIZE = 50, MAX_SOLIDS = 10000 };

typedef struct solid {
    char name[64];
    int first; // triangle
} solid;

// vertices by position: a hash table with open addressing of their indices + 1, at most half full
typedef struct merger {
    pl_array positions; // double, 3 each
    int* table;
    size_t table_size; // a power of two
} merger;

static bool merger_setup(merger* m, size_t corner_count) {
    m->positions = pl_array_of(sizeof(double));
    m->table_size = 16;
    while (m->table_size < 2 * corner_count) m->table_size *= 2;
    m->table = PL_ALLOC(int, m->table_size);
    return m->table != NULL;
}

static void merger_free(merger* m) {
    pl_array_free(&m->positions);
    PL_FREE(m->table, int, m->table_size);
}

// the vertex at a position, new or known; -1 if memory runs out
static int merge(merger* m, const double place[3]) {
    double p[3] = {place[0] + 0.0, place[1] + 0.0, place[2] + 0.0}; // -0 becomes 0
    size_t slot = pl_hash_bytes(p, sizeof p, 0) & (m->table_size - 1);
    for (; m->table[slot]; slot = (slot + 1) & (m->table_size - 1)) {
        const double* known = (const double*)m->positions.data + 3 * (size_t)(m->table[slot] - 1);
        if (memcmp(known, p, sizeof p) == 0) return m->table[slot] - 1;
    }
    double* fresh = pl_array_add(&m->positions, 3);
    if (!fresh) return -1;
    memcpy(fresh, p, sizeof p);
    m->table[slot] = (int)(m->positions.count / 3);
    return m->table[slot] - 1;
}

static pl_status merge_corners(const double* corners, size_t corner_count, const char* path,
                               pl_mesh* mesh, pl_notes* notes, pl_error* error) {
    merger m = {0};
    bool done =
        merger_setup(&m, corner_count) && pl_mesh_set_triangle_count(mesh, (int)(corner_count / 3));
    for (size_t i = 0; done && i < corner_count; i++) {
        mesh->triangles[i] = merge(&m, corners + 3 * i);
        done = mesh->triangles[i] >= 0;
    }
    int vertex_count = (int)(m.positions.count / 3);
    void* positions = NULL;
    done = done && pl_array_take(&m.positions, &positions);
    merger_free(&m);
    if (!done) return pl_fail_memory(error, path);
    mesh->positions = positions;
    mesh->vertex_count = vertex_count;
    pl_note(notes, PL_NOTE_INFO, "%s: %zu corners at the same places became %d vertices", path,
            corner_count, vertex_count);
    return PL_OK;
}

static pl_status read_binary(const pl_source* source, size_t triangle_count, pl_mesh* mesh,
                             pl_notes* notes, pl_error* error) {
    double* corners = PL_ALLOC(double, 9 * triangle_count);
    if (!corners && triangle_count) return pl_fail_memory(error, source->path);
    for (size_t i = 0; i < triangle_count; i++)
        // after the normal; two bytes of attributes end the record
        pl_numbers_to_doubles(PL_NUMBER_FLOAT32, source->data + HEADER_SIZE + RECORD_SIZE * i + 12,
                              9, pl_is_big_endian(), corners + 9 * i);
    pl_status status = merge_corners(corners, 3 * triangle_count, source->path, mesh, notes, error);
    PL_FREE(corners, double, 9 * triangle_count);
    return status;
}

typedef struct reader {
    pl_scan scan;
    pl_array corners; // double, 3 each
    pl_array solids;  // solid
    pl_error* error;
} reader;

static pl_status expect(reader* r, const char* word) {
    if (pl_scan_keyword(&r->scan, word)) return PL_OK;
    return pl_scan_expected(&r->scan, r->error, word);
}

static pl_status read_facet(reader* r) {
    static const char* const before[] = {"outer", "loop", NULL};
    static const char* const behind[] = {"endloop", "endfacet", NULL};
    double normal;
    pl_status status = expect(r, "normal");
    for (int k = 0; status == PL_OK && k < 3; k++)
        if (!pl_scan_double(&r->scan, &normal))
            status = pl_scan_expected(&r->scan, r->error, "a normal");
    for (int k = 0; status == PL_OK && before[k]; k++) status = expect(r, before[k]);
    if (status != PL_OK) return status;
    double* corners = pl_array_add(&r->corners, 9);
    if (!corners) return pl_fail_memory(r->error, r->scan.source->path);
    for (int k = 0; status == PL_OK && k < 9; k++) {
        if (k % 3 == 0) status = expect(r, "vertex");
        if (status == PL_OK && !pl_scan_double(&r->scan, &corners[k]))
            status = pl_scan_expected(&r->scan, r->error, "a coordinate");
    }
    for (int k = 0; status == PL_OK && behind[k]; k++) status = expect(r, behind[k]);
    return status;
}

// "solid name"; the name may have blanks, and may be missing
static pl_status begin_solid(reader* r) {
    solid s = {.first = (int)(r->corners.count / 9)};
    pl_scan_skip_blanks(&r->scan);
    size_t used = 0;
    for (; !pl_scan_at_line_end(&r->scan); r->scan.at++)
        if (used + 1 < sizeof s.name && *r->scan.at) s.name[used++] = *r->scan.at;
    while (used > 0 && s.name[used - 1] == ' ') s.name[--used] = '\0';
    if (r->solids.count >= MAX_SOLIDS)
        return pl_scan_fail(&r->scan, r->error, PL_ERROR_LIMIT, "more than %d solids", MAX_SOLIDS);
    if (r->corners.count > INT_MAX)
        return pl_scan_fail(&r->scan, r->error, PL_ERROR_LIMIT,
                            "more triangles than pliant can handle");
    return pl_array_push(&r->solids, &s) ? PL_OK : pl_fail_memory(r->error, r->scan.source->path);
}

static pl_status read_solids(reader* r) {
    bool open = false;
    for (;;) {
        pl_status status = PL_OK;
        pl_scan_skip_space(&r->scan, '\0');
        if (pl_scan_at_end(&r->scan) && !open) return PL_OK;
        if (!open && pl_scan_keyword(&r->scan, "solid")) status = begin_solid(r), open = true;
        else if (open && pl_scan_keyword(&r->scan, "facet")) status = read_facet(r);
        else if (open && pl_scan_keyword(&r->scan, "endsolid"))
            pl_scan_skip_line(&r->scan), open = false;
        else status = pl_scan_expected(&r->scan, r->error, open ? "facet or endsolid" : "solid");
        if (status != PL_OK) return status;
    }
}

// one region for each solid, if there are several
static pl_status add_regions(const reader* r, pl_mesh* mesh) {
    const solid* solids = r->solids.data;
    int* items = PL_ALLOC(int, mesh->triangle_count);
    if (!items) return pl_fail_memory(r->error, r->scan.source->path);
    for (int i = 0; i < mesh->triangle_count; i++) items[i] = i;
    pl_status status = PL_OK;
    for (size_t i = 0; status == PL_OK && i < r->solids.count; i++) {
        int end = i + 1 < r->solids.count ? solids[i + 1].first : mesh->triangle_count;
        status = pl_mesh_add_region(mesh, PL_ELEMENT_TRIANGLE, solids[i].name, (int)i + 1,
                                    items + solids[i].first, end - solids[i].first, r->error);
    }
    PL_FREE(items, int, mesh->triangle_count);
    return status;
}

static pl_status read_text(const pl_source* source, pl_mesh* mesh, pl_notes* notes,
                           pl_error* error) {
    reader r = {.scan = pl_scan_begin(source),
                .corners = pl_array_of(sizeof(double)),
                .solids = pl_array_of(sizeof(solid)),
                .error = error};
    pl_status status = read_solids(&r);
    if (status == PL_OK && r.corners.count > INT_MAX)
        status = pl_fail(error, PL_ERROR_LIMIT, "%s: more triangles than pliant can handle",
                         source->path);
    if (status == PL_OK)
        status =
            merge_corners(r.corners.data, r.corners.count / 3, source->path, mesh, notes, error);
    if (status == PL_OK && r.solids.count > 1 && mesh->triangle_count)
        status = add_regions(&r, mesh);
    pl_array_free(&r.corners);
    pl_array_free(&r.solids);
    return status;
}

static pl_status read_stl(const pl_source* source, pl_mesh* mesh, pl_notes* notes,
                          pl_error* error) {
    pl_scan scan = pl_scan_begin(source);
    bool is_text = pl_scan_keyword(&scan, "solid");
    uint64_t count = 0;
    if (source->size >= HEADER_SIZE) {
        const unsigned char* bytes = (const unsigned char*)source->data + HEADER_SIZE - 4;
        count = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (uint64_t)bytes[3] << 24;
        if (source->size == HEADER_SIZE + RECORD_SIZE * count) {
            if (count > INT_MAX / 9)
                return pl_fail(error, PL_ERROR_LIMIT, "%s: more triangles than pliant can handle",
                               source->path);
            return read_binary(source, (size_t)count, mesh, notes, error);
        }
    }
    if (is_text) return read_text(source, mesh, notes, error);
    if (source->size < HEADER_SIZE)
        return pl_fail(error, PL_ERROR_FORMAT,
                       "%s: neither text that begins with \"solid\" nor long enough for binary STL",
                       source->path);
    return pl_fail(
        error, PL_ERROR_FORMAT,
        "%s: states %llu triangles, which takes %llu bytes, but has %zu; it is not binary "
        "STL, or was cut off",
        source->path, (unsigned long long)count,
        (unsigned long long)(HEADER_SIZE + RECORD_SIZE * count), source->size);
}

const pl_mesh_format_kind pl_format_stl = {
    .read = read_stl, .write = pl_write_stl, .is_surface = true};
