// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// pl_mesh_check: vertices, then elements, then the surface. The mesh may be arbitrarily bad as long
// as its indices are in range.
#include "mesh/check.h"
#include "base/memory.h"
#include "geometry/box.h"
#include "geometry/predicates.h"
#include "geometry/triangle_intersection.h"
#include "mesh/close_vertices.h"
#include "mesh/quality.h"
#include "mesh/surface.h"

#include <string.h>

#define DEFECT_ROW(code, key, text, item, severity) {key, text, item, severity},
static const struct {
    const char *key, *text, *item;
    pl_severity severity;
} defect_rows[PL_DEFECT_COUNT] = {PL_DEFECT_LIST(DEFECT_ROW)};
#undef DEFECT_ROW

const char* pl_defect_key(pl_defect_kind kind) { return defect_rows[kind].key; }
const char* pl_defect_text(pl_defect_kind kind) { return defect_rows[kind].text; }
const char* pl_defect_item(pl_defect_kind kind) { return defect_rows[kind].item; }
pl_severity pl_defect_severity(pl_defect_kind kind) { return defect_rows[kind].severity; }

void pl_defect_add(pl_defect* defect, int first, int other) {
    if (defect->count++ == 0 || first < defect->first ||
        (first == defect->first && other < defect->other)) {
        defect->first = first;
        defect->other = other;
    }
}

static bool has_finite_position(const double* p) {
    return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

static void mark_used(const int* elements, size_t count, bool* used) {
    for (size_t i = 0; i < count; i++) used[elements[i]] = true;
}

// Counts vertices that are not finite or not used, and finds the box of the others.
static void check_vertices(const pl_mesh* mesh, const bool* used, pl_mesh_report* report) {
    pl_box box = pl_box_empty();
    for (int v = 0; v < mesh->vertex_count; v++) {
        const double* p = mesh->positions + 3 * (size_t)v;
        bool finite = has_finite_position(p);
        if (!finite) pl_defect_add(&report->defects[PL_DEFECT_NON_FINITE], v, -1);
        if (!used[v]) pl_defect_add(&report->defects[PL_DEFECT_UNUSED_VERTICES], v, -1);
        if (finite && used[v]) box = pl_box_add_point(box, pl_vec3_load(p));
    }
    bool any = box.low.x <= box.high.x;
    pl_vec3 none = {NAN, NAN, NAN};
    pl_vec3_store(report->low, any ? box.low : none);
    pl_vec3_store(report->high, any ? box.high : none);
}

static pl_status check_close_vertices(const pl_mesh* mesh, double tolerance, pl_mesh_report* report,
                                      pl_error* error) {
    int n = mesh->vertex_count;
    if (n == 0) return PL_OK;
    int *equal = PL_ALLOC(int, n), *close = PL_ALLOC(int, n);
    pl_status status =
        equal && close ? PL_OK : pl_fail_memory(error, "the search for duplicate vertices");
    if (status == PL_OK) status = pl_first_of_close_vertices(mesh->positions, n, 0.0, equal, error);
    if (status == PL_OK)
        status = pl_first_of_close_vertices(mesh->positions, n, tolerance, close, error);
    for (int v = 0; status == PL_OK && v < n; v++) {
        if (equal[v] != v) pl_defect_add(&report->defects[PL_DEFECT_EQUAL_VERTICES], equal[v], v);
        else if (close[v] != v)
            pl_defect_add(&report->defects[PL_DEFECT_CLOSE_VERTICES], close[v], v);
    }
    PL_FREE(equal, int, n);
    PL_FREE(close, int, n);
    return status;
}

pl_tet_shape pl_judge_tet(const double* positions, const int* tet) {
    if (pl_names_twice(tet, 4)) return PL_TET_FLAT;
    pl_vec3 p[4];
    pl_load_corners(positions, tet, 4, p);
    double det = pl_det4(p[0], p[1], p[2], p[3]), longest2 = 0.0;
    for (int i = 1; i < 4; i++) longest2 = fmax(longest2, pl_norm2(pl_sub(p[i], p[0])));
    double edge3 = longest2 * sqrt(longest2);
    if (fabs(det) > 1e-13 * edge3) return det > 0.0 ? PL_TET_SOUND : PL_TET_INVERTED;
    // not finite: neither flat nor inverted
    return isfinite(edge3) ? PL_TET_FLAT : PL_TET_SOUND;
}

bool pl_triangle_is_degenerate(const double* positions, const int* triangle) {
    if (pl_names_twice(triangle, 3)) return true;
    pl_vec3 p[3];
    pl_load_corners(positions, triangle, 3, p);
    if (!isfinite(pl_norm2(p[0]) + pl_norm2(p[1]) + pl_norm2(p[2]))) return false;
    return pl_triangle_is_flat(p[0], p[1], p[2]);
}

static void check_shapes(const pl_mesh* mesh, pl_mesh_report* report) {
    for (int t = 0; t < mesh->tet_count; t++) {
        pl_tet_shape shape = pl_judge_tet(mesh->positions, mesh->tets + 4 * (size_t)t);
        if (shape == PL_TET_FLAT) pl_defect_add(&report->defects[PL_DEFECT_FLAT_TETS], t, -1);
        if (shape == PL_TET_INVERTED)
            pl_defect_add(&report->defects[PL_DEFECT_INVERTED_TETS], t, -1);
    }
    for (int t = 0; t < mesh->triangle_count; t++)
        if (pl_triangle_is_degenerate(mesh->positions, mesh->triangles + 3 * (size_t)t))
            pl_defect_add(&report->defects[PL_DEFECT_FLAT_TRIANGLES], t, -1);
}

static pl_status check_equal_elements(const int* elements, int count, int corners, int vertex_count,
                                      pl_defect* defect, pl_error* error) {
    if (count == 0) return PL_OK;
    int* first = PL_ALLOC(int, count);
    if (!first) return pl_fail_memory(error, "the search for duplicate elements");
    pl_status status =
        pl_first_of_equal_elements(elements, count, corners, vertex_count, first, error);
    for (int e = 0; status == PL_OK && e < count; e++)
        if (first[e] != e) pl_defect_add(defect, first[e], e);
    PL_FREE(first, int, count);
    return status;
}

static pl_status check_quality(const pl_mesh* mesh, pl_pool* pool, pl_mesh_report* report,
                               pl_error* error) {
    int corners = mesh->tet_count ? 4 : 3;
    const int* elements = mesh->tet_count ? mesh->tets : mesh->triangles;
    int count = mesh->tet_count ? mesh->tet_count : mesh->triangle_count;
    pl_edges edges;
    pl_status status = pl_edges_create(elements, count, corners, mesh->vertex_count, &edges, error);
    if (status != PL_OK) return status;
    status = pl_measure_elements(mesh->positions, elements, count, corners, &edges, pool,
                                 &report->quality, error);
    pl_edges_free(&edges);
    if (status != PL_OK) return status;
    return pl_vertex_components(elements, count, corners, mesh->vertex_count, NULL,
                                &report->component_count, error);
}

static void check_faces(const pl_side_groups* sides, pl_defect* crowded) {
    const int* offsets = sides->groups.offsets;
    for (int g = 0; g < sides->groups.count; g++)
        if (offsets[g + 1] - offsets[g] > 2)
            pl_defect_add(crowded, sides->groups.items[offsets[g]] / 4, -1);
}

// The boundary of the tets, checking their faces on the way.
static pl_status find_boundary(const pl_mesh* mesh, pl_mesh_report* report, pl_boundary* out,
                               pl_error* error) {
    *out = (pl_boundary){0};
    pl_side_groups sides;
    pl_status status =
        pl_side_groups_create(mesh->tets, mesh->tet_count, 4, mesh->vertex_count, &sides, error);
    if (status != PL_OK) return status;
    check_faces(&sides, &report->defects[PL_DEFECT_CROWDED_FACES]);
    status = pl_boundary_from_sides(mesh, &sides, out, error);
    pl_side_groups_free(&sides);
    return status;
}

static pl_status check_boundary(const pl_mesh* mesh, const pl_mesh_check_options* options,
                                pl_pool* pool, pl_mesh_report* report, pl_error* error) {
    pl_boundary boundary = {0};
    pl_status status = PL_OK;
    if (mesh->tet_count) status = find_boundary(mesh, report, &boundary, error);
    const int* triangles = mesh->tet_count ? boundary.triangles : mesh->triangles;
    int count = mesh->tet_count ? boundary.count : mesh->triangle_count;
    if (status == PL_OK)
        status = pl_check_surface(mesh, triangles, count, mesh->tet_count == 0, report, error);
    report->intersections_complete = !options->skip_intersections;
    if (status == PL_OK && !options->skip_intersections)
        status = pl_check_intersections(mesh->positions, triangles, count,
                                        options->intersection_limit, pool, report, error);
    pl_boundary_free(&boundary);
    return status;
}

static pl_status check_all(const pl_mesh* mesh, const pl_mesh_check_options* options, pl_pool* pool,
                           pl_mesh_report* report, pl_error* error) {
    bool* used = PL_ALLOC(bool, mesh->vertex_count);
    if (mesh->vertex_count && !used) return pl_fail_memory(error, "the check of a mesh");
    mark_used(mesh->tets, 4 * (size_t)mesh->tet_count, used);
    mark_used(mesh->triangles, 3 * (size_t)mesh->triangle_count, used);
    check_vertices(mesh, used, report);
    PL_FREE(used, bool, mesh->vertex_count);
    double diagonal = pl_distance(pl_vec3_load(report->low), pl_vec3_load(report->high));
    pl_status status = check_close_vertices(mesh, options->tolerance * diagonal, report, error);
    check_shapes(mesh, report);
    if (status == PL_OK)
        status = check_equal_elements(mesh->tets, mesh->tet_count, 4, mesh->vertex_count,
                                      &report->defects[PL_DEFECT_EQUAL_TETS], error);
    if (status == PL_OK)
        status = check_equal_elements(mesh->triangles, mesh->triangle_count, 3, mesh->vertex_count,
                                      &report->defects[PL_DEFECT_EQUAL_TRIANGLES], error);
    if (status == PL_OK) status = check_quality(mesh, pool, report, error);
    if (status == PL_OK) status = check_boundary(mesh, options, pool, report, error);
    return status;
}

pl_status pl_mesh_check(const pl_mesh* mesh, const pl_mesh_check_options* options, pl_pool* pool,
                        pl_mesh_report* report, pl_error* error) {
    pl_mesh_check_options chosen = options ? *options : (pl_mesh_check_options){0};
    if (!(chosen.tolerance >= 0.0) || !isfinite(chosen.tolerance))
        return pl_fail(error, PL_ERROR_ARGUMENT, "the tolerance %g is not a distance",
                       chosen.tolerance);
    if (chosen.tolerance == 0.0) chosen.tolerance = 1e-9;
    if (chosen.intersection_limit <= 0)
        chosen.intersection_limit =
            10000000 + 100 * ((int64_t)mesh->triangle_count + mesh->tet_count);
    *report = (pl_mesh_report){.genus = -1, .enclosed_volume = NAN};
    for (int i = 0; i < PL_DEFECT_COUNT; i++) report->defects[i] = (pl_defect){0, -1, -1};
    return check_all(mesh, &chosen, pool, report, error);
}
