// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// MEDIT .mesh as text (Frey, "MEDIT: an interactive mesh visualization software", INRIA RT-0253,
// appendix). Each keyword has a count and lines of numbers that end in a reference; indices count
// from 1. References other than 0 become regions. Irrelevant keywords are skipped; elements other
// than triangles and tets are refused.
#include "base/memory.h"
#include "mesh/mesh_write.h"
#include "mesh/region_runs.h"
#include "mesh/text_scan.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

enum { POINT, CURVE, SURFACE, VOLUME, GROUP_KINDS };

typedef struct medit {
    pl_scan scan;
    pl_mesh* mesh;
    pl_notes* notes;
    pl_error* error;
    int dimension;
    bool has_vertices;
    pl_array edges; // pairs of vertices
    pl_region_runs groups[GROUP_KINDS];
} medit;

static pl_status expected(medit* m, const char* what) {
    return pl_scan_expected(&m->scan, m->error, what);
}

static pl_status fail_memory(medit* m) { return pl_fail_memory(m->error, m->scan.source->path); }

// the count after a keyword; checks that the rest of the file is long enough
static pl_status read_count(medit* m, const char* what, int numbers, int* count) {
    int64_t wide;
    pl_scan_skip_space(&m->scan, '#');
    if (!pl_scan_int64(&m->scan, &wide) || wide < 0) return expected(m, what);
    if (wide > INT_MAX || wide > (m->scan.end - m->scan.at + 1) / (2 * numbers))
        return pl_scan_fail(&m->scan, m->error, PL_ERROR_FORMAT,
                            "%s is %lld, but the rest of the file is too short for that", what,
                            (long long)wide);
    *count = (int)wide;
    return PL_OK;
}

static pl_status read_reference(medit* m, int group, int index) {
    int reference;
    if (!pl_scan_int(&m->scan, &reference)) return expected(m, "a reference");
    if (reference != 0) pl_region_runs_add(&m->groups[group], reference, index, 1);
    return PL_OK;
}

static pl_status read_vertices(medit* m) {
    int count = 0;
    pl_status status = read_count(m, "the number of vertices", m->dimension + 1, &count);
    if (status != PL_OK) return status;
    if (m->has_vertices)
        return pl_scan_fail(&m->scan, m->error, PL_ERROR_FORMAT, "vertices are given twice");
    m->has_vertices = true;
    if (!pl_mesh_set_vertex_count(m->mesh, count)) return fail_memory(m);
    for (int i = 0; i < count; i++) {
        pl_scan_skip_space(&m->scan, '#');
        for (int k = 0; k < m->dimension; k++)
            if (!pl_scan_double(&m->scan, &m->mesh->positions[3 * (size_t)i + (size_t)k]))
                return expected(m, "a coordinate");
        status = read_reference(m, POINT, i);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

// elements of `corners` vertices each, after the count
static pl_status read_elements(medit* m, int group, int corners, int count, int* elements) {
    for (int i = 0; i < count; i++) {
        pl_scan_skip_space(&m->scan, '#');
        for (int k = 0; k < corners; k++) {
            int vertex;
            if (!pl_scan_int(&m->scan, &vertex)) return expected(m, "a vertex of an element");
            if (vertex < 1 || (m->has_vertices && vertex > m->mesh->vertex_count))
                return pl_scan_fail(&m->scan, m->error, PL_ERROR_FORMAT,
                                    "element %d of the list refers to vertex %d, but vertices are "
                                    "numbered from 1 to %d",
                                    i + 1, vertex, m->mesh->vertex_count);
            elements[(size_t)i * (size_t)corners + (size_t)k] = vertex - 1;
        }
        pl_status status = read_reference(m, group, i);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

static pl_status given_twice(medit* m, const char* what) {
    return pl_scan_fail(&m->scan, m->error, PL_ERROR_FORMAT, "%s are given twice", what);
}

static pl_status read_tets(medit* m) {
    int count = 0;
    pl_status status = read_count(m, "the number of tetrahedra", 5, &count);
    if (status != PL_OK) return status;
    if (m->mesh->tet_count) return given_twice(m, "tetrahedra");
    if (!pl_mesh_set_tet_count(m->mesh, count)) return fail_memory(m);
    return read_elements(m, VOLUME, 4, count, m->mesh->tets);
}

static pl_status read_triangles(medit* m) {
    int count = 0;
    pl_status status = read_count(m, "the number of triangles", 4, &count);
    if (status != PL_OK) return status;
    if (m->mesh->triangle_count) return given_twice(m, "triangles");
    if (!pl_mesh_set_triangle_count(m->mesh, count)) return fail_memory(m);
    return read_elements(m, SURFACE, 3, count, m->mesh->triangles);
}

static pl_status read_edges(medit* m) {
    int count = 0;
    pl_status status = read_count(m, "the number of edges", 3, &count);
    if (status != PL_OK || count == 0) return status;
    if (m->edges.count) return given_twice(m, "edges");
    int* edges = pl_array_add(&m->edges, (size_t)count);
    if (!edges) return fail_memory(m);
    return read_elements(m, CURVE, 2, count, edges);
}

static pl_status read_dimension(medit* m) {
    if (!pl_scan_int(&m->scan, &m->dimension)) return expected(m, "the dimension");
    if (m->dimension != 2 && m->dimension != 3)
        return pl_scan_fail(&m->scan, m->error, PL_ERROR_UNSUPPORTED, "the dimension is %d, not 3",
                            m->dimension);
    if (m->dimension == 2)
        pl_note(m->notes, PL_NOTE_INFO, "%s: is flat (dimension 2); z is set to 0",
                m->scan.source->path);
    return PL_OK;
}

static pl_status refuse_elements(medit* m, const char* keyword) {
    int count = 0;
    pl_status status = read_count(m, keyword, 1, &count);
    if (status != PL_OK || count == 0)
        return status; // an empty list: many programs write these for all kinds
    return pl_scan_fail(&m->scan, m->error, PL_ERROR_UNSUPPORTED,
                        "holds %d %s; pliant reads triangles and tetrahedra of order 1: mesh the "
                        "shape again with those",
                        count, keyword);
}

// skips numbers up to the next keyword
static void skip_keyword(medit* m, const char* keyword) {
    for (;;) {
        pl_scan_skip_space(&m->scan, '#');
        if (pl_scan_at_end(&m->scan) || isalpha((unsigned char)*m->scan.at)) break;
        char word[8];
        pl_scan_word(&m->scan, word, sizeof word);
    }
    pl_note(m->notes, PL_NOTE_INFO, "%s: keyword %s is skipped", m->scan.source->path, keyword);
}

static bool is_refused(const char* keyword) {
    static const char* refused[] = {"Quadrilaterals", "Hexahedra",       "Prisms",  "Pentahedra",
                                    "Pyramids",       "TrianglesP2",     "EdgesP2", "TetrahedraP2",
                                    "HexahedraQ2",    "QuadrilateralsQ2"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (strcasecmp(keyword, refused[i]) == 0) return true;
    return false;
}

static pl_status read_keyword(medit* m, const char* keyword) {
    if (strcasecmp(keyword, "Dimension") == 0) return read_dimension(m);
    if (strcasecmp(keyword, "Vertices") == 0) return read_vertices(m);
    if (strcasecmp(keyword, "Tetrahedra") == 0) return read_tets(m);
    if (strcasecmp(keyword, "Triangles") == 0) return read_triangles(m);
    if (strcasecmp(keyword, "Edges") == 0) return read_edges(m);
    if (is_refused(keyword)) return refuse_elements(m, keyword);
    skip_keyword(m, keyword);
    return PL_OK;
}

static pl_status read_keywords(medit* m) {
    for (;;) {
        pl_scan_skip_space(&m->scan, '#');
        if (pl_scan_at_end(&m->scan)) {
            pl_note(m->notes, PL_NOTE_MENDED,
                    "%s: the keyword End is missing; the file may be cut off",
                    m->scan.source->path);
            return PL_OK;
        }
        if (!isalpha((unsigned char)*m->scan.at)) return expected(m, "a keyword");
        char keyword[64];
        pl_scan_word(&m->scan, keyword, sizeof keyword);
        if (strcasecmp(keyword, "End") == 0) return PL_OK;
        pl_status status = read_keyword(m, keyword);
        if (status != PL_OK) return status;
    }
}

// "MeshVersionFormatted 2"; a binary file starts with the number 1 in either byte order
static pl_status read_version(medit* m) {
    const pl_source* source = m->scan.source;
    if (source->size >= 4 &&
        (memcmp(source->data, "\1\0\0\0", 4) == 0 || memcmp(source->data, "\0\0\0\1", 4) == 0))
        return pl_fail(m->error, PL_ERROR_UNSUPPORTED,
                       "%s: is a binary MEDIT file (.meshb); convert it to text, for instance by "
                       "gmsh -save -format mesh",
                       source->path);
    int version;
    pl_scan_skip_space(&m->scan, '#');
    if (!pl_scan_keyword(&m->scan, "MeshVersionFormatted"))
        return expected(m, "MeshVersionFormatted, as a MEDIT file begins");
    if (!pl_scan_int(&m->scan, &version)) return expected(m, "the version");
    return PL_OK;
}

static pl_status add_groups(medit* m) {
    const char* path = m->scan.source->path;
    const pl_region_making making[GROUP_KINDS] = {
        {.path = path, .prefix = "point", .kind = PL_ELEMENT_VERTEX},
        {.path = path,
         .prefix = "curve",
         .kind = PL_ELEMENT_VERTEX,
         .corners = m->edges.data,
         .corner_count = 2},
        {.path = path, .prefix = "surface", .kind = PL_ELEMENT_TRIANGLE},
        {.path = path, .prefix = "volume", .kind = PL_ELEMENT_TET}};
    for (int i = GROUP_KINDS - 1; i >= 0; i--) {
        pl_status status =
            pl_region_runs_make(&m->groups[i], &making[i], m->mesh, m->notes, m->error);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

static pl_status read_medit(const pl_source* source, pl_mesh* mesh, pl_notes* notes,
                            pl_error* error) {
    medit m = {.scan = pl_scan_begin(source),
               .mesh = mesh,
               .notes = notes,
               .error = error,
               .dimension = 3,
               .edges = pl_array_of(2 * sizeof(int))};
    for (int i = 0; i < GROUP_KINDS; i++) m.groups[i] = pl_region_runs_begin();
    pl_status status = read_version(&m);
    if (status == PL_OK) status = read_keywords(&m);
    // elements may come before the vertices, so edges are checked here and the rest by the caller
    const int* edges = m.edges.data;
    for (size_t i = 0; status == PL_OK && i < 2 * m.edges.count; i++)
        if (edges[i] >= mesh->vertex_count)
            status = pl_fail(error, PL_ERROR_MESH, "%s: edge %zu refers to vertex %d of %d",
                             source->path, i / 2 + 1, edges[i] + 1, mesh->vertex_count);
    if (status == PL_OK) status = add_groups(&m);
    pl_array_free(&m.edges);
    for (int i = 0; i < GROUP_KINDS; i++) pl_region_runs_free(&m.groups[i]);
    return status;
}

const pl_mesh_format_kind pl_format_medit = {.read = read_medit, .write = pl_write_medit};
