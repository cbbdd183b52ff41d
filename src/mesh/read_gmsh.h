// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Shared by the parts of the Gmsh reader: the file's numbers as one stream, text or binary, and the
// data read so far.
#ifndef PL_READ_GMSH_H
#define PL_READ_GMSH_H

#include "mesh/mesh_format.h"
#include "mesh/region_runs.h"
#include "mesh/tag_map.h"
#include "mesh/text_scan.h"

#include <string.h>

// Element types by Gmsh's number. A simplex of dimension d has d + 1 corners.
typedef struct pl_gmsh_type {
    int type;
    int nodes;
    int dimension;
    const char* name;
} pl_gmsh_type;

enum { PL_GMSH_POINT = 15, PL_GMSH_LINE = 1, PL_GMSH_TRIANGLE = 2, PL_GMSH_TET = 4 };

typedef struct pl_gmsh_name {
    int dimension; // -1: any (version 2.0 does not say)
    int tag;
    bool used;
    char text[128];
} pl_gmsh_name;

// An entity belongs to a physical group.
typedef struct pl_gmsh_membership {
    int dimension, entity, physical;
} pl_gmsh_membership;

typedef struct pl_gmsh {
    pl_scan scan;
    bool binary, swap;
    int version; // 22 for all of 2.x, 40, 41; 0 before $MeshFormat
    pl_mesh* mesh;
    pl_notes* notes;
    pl_error* error;
    bool has_nodes, has_elements;
    bool wants_element_tags; // the file has $ElementData
    pl_array names;          // pl_gmsh_name
    pl_array memberships;    // pl_gmsh_membership, sorted
    pl_tag_map nodes;
    pl_array corners[4];         // by dimension: vertices of the simplices
    pl_array element_tags[4];    // int64_t, where wanted
    pl_region_runs physicals[4]; // groups of the elements of a dimension
    pl_region_runs entities[4];
    pl_tag_map elements[4]; // built when the first values come
    bool has_element_maps;
    size_t field_bytes;
} pl_gmsh;

// Readers of the sections. Each starts after the line "$Name" and ends before "$EndName".
pl_status pl_gmsh_read_entities(pl_gmsh* g, bool partitioned);
pl_status pl_gmsh_read_nodes(pl_gmsh* g);
pl_status pl_gmsh_read_elements(pl_gmsh* g);
pl_status pl_gmsh_read_data(pl_gmsh* g, bool on_nodes);

// Fails with the line, or the byte in a binary file.
pl_status pl_gmsh_fail(pl_gmsh* g, pl_status status, const char* format, ...) PL_PRINTF(3, 4);
pl_status pl_gmsh_expected(pl_gmsh* g, const char* what);
pl_status pl_gmsh_fail_memory(pl_gmsh* g);

// True if the rest of the file can hold count items of `numbers` numbers each (`bytes` in binary).
// Checked before allocating.
static inline bool pl_gmsh_fits(const pl_gmsh* g, int64_t count, size_t numbers, size_t bytes) {
    size_t left = (size_t)(g->scan.end - g->scan.at);
    if (!g->binary) bytes = 2 * numbers; // a digit and a separator
    return count >= 0 && (uint64_t)count <= (left + 1) / bytes;
}

static inline bool pl_gmsh_get_int32(pl_gmsh* g, int64_t* value) {
    uint32_t bits;
    if ((size_t)(g->scan.end - g->scan.at) < sizeof bits) return false;
    memcpy(&bits, g->scan.at, sizeof bits);
    g->scan.at += sizeof bits;
    *value = (int32_t)(g->swap ? __builtin_bswap32(bits) : bits);
    return true;
}

static inline bool pl_gmsh_get_bits64(pl_gmsh* g, uint64_t* bits) {
    if ((size_t)(g->scan.end - g->scan.at) < sizeof *bits) return false;
    memcpy(bits, g->scan.at, sizeof *bits);
    g->scan.at += sizeof *bits;
    if (g->swap) *bits = __builtin_bswap64(*bits);
    return true;
}

// The next number: an int (4 bytes in binary), a count (8 bytes), the tag of a node or element (8
// bytes from version 4.1 on), a double.
static inline bool pl_gmsh_get_int(pl_gmsh* g, int* value) {
    if (!g->binary) return pl_scan_int(&g->scan, value);
    int64_t wide;
    if (!pl_gmsh_get_int32(g, &wide)) return false;
    *value = (int)wide;
    return true;
}

static inline bool pl_gmsh_get_size(pl_gmsh* g, int64_t* value) {
    if (!g->binary) return pl_scan_int64(&g->scan, value);
    uint64_t bits;
    if (!pl_gmsh_get_bits64(g, &bits)) return false;
    *value = (int64_t)bits;
    return true;
}

static inline bool pl_gmsh_get_tag(pl_gmsh* g, int64_t* value) {
    if (!g->binary) return pl_scan_int64(&g->scan, value);
    return g->version >= 41 ? pl_gmsh_get_size(g, value) : pl_gmsh_get_int32(g, value);
}

static inline bool pl_gmsh_get_double(pl_gmsh* g, double* value) {
    if (!g->binary) return pl_scan_double(&g->scan, value);
    uint64_t bits;
    if (!pl_gmsh_get_bits64(g, &bits)) return false;
    memcpy(value, &bits, sizeof bits);
    return true;
}

#endif
