// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A surface is a manifold if every edge has at most two triangles and the triangles around every
// vertex form one fan. Fans are found by joining, across each edge, the corners of its triangles at
// either end: the corners of one fan end up in one set. Open edges then join fans to rims.
#include "base/memory.h"
#include "mesh/check.h"
#include "mesh/disjoint_sets.h"
#include "mesh/quality.h"
#include "mesh/winding.h"

typedef struct surface_check {
    const pl_mesh* mesh;
    const int* triangles;
    int triangle_count;
    pl_mesh_report* report;
    pl_side_groups sides;
    int* neighbours; // 3 per triangle
    int* fan;        // 3 per triangle: parent in the set of its fan
    int* rim;        // 3 per triangle: parent in the set of its rim
    pl_components components;
    signed char* verdict; // per component
} surface_check;

// The corner at which a side begins or ends: at its lower or its higher vertex.
static int corner_at(const surface_check* c, int side, bool higher) {
    int base = side / 3 * 3, from = base + (side + 1) % 3, to = base + (side + 2) % 3;
    return (c->triangles[from] > c->triangles[to]) == higher ? from : to;
}

// Open, crowded and unevenly wound edges; corners of one fan are joined.
static void check_edges(surface_check* c) {
    const pl_adjacency* groups = &c->sides.groups;
    pl_defect* defects = c->report->defects;
    for (int g = 0; g < groups->count; g++) {
        const int* side = groups->items + groups->offsets[g];
        int count = groups->offsets[g + 1] - groups->offsets[g];
        int low = corner_at(c, side[0], false), high = corner_at(c, side[0], true);
        int a = c->triangles[low], b = c->triangles[high];
        if (count == 1) pl_defect_add(&defects[PL_DEFECT_OPEN_EDGES], a, b);
        if (count > 2) pl_defect_add(&defects[PL_DEFECT_NON_MANIFOLD_EDGES], a, b);
        if (count == 2 && !pl_sides_agree(c->triangles, 3, side[0], side[1]))
            pl_defect_add(&defects[PL_DEFECT_UNEVEN_EDGES], a, b);
        for (int i = 1; i < count; i++) {
            pl_set_join(c->fan, low, corner_at(c, side[i], false));
            pl_set_join(c->fan, high, corner_at(c, side[i], true));
        }
    }
    c->report->surface_edge_count = groups->count;
}

// Vertices with two fans. seen: the fan of each vertex + 1, then -1 when a second one was found.
static void check_fans(surface_check* c, int* seen) {
    for (int i = 0; i < 3 * c->triangle_count; i++) {
        if (c->sides.group_of_side[i] < 0) continue;
        int v = c->triangles[i], fan = pl_set_root(c->fan, i) + 1;
        if (seen[v] == 0) {
            seen[v] = fan;
            c->report->surface_vertex_count++;
        } else if (seen[v] > 0 && seen[v] != fan) {
            seen[v] = -1;
            pl_defect_add(&c->report->defects[PL_DEFECT_NON_MANIFOLD_VERTICES], v, -1);
        }
    }
}

// Rims are sets of fans joined by open edges: as many as there are fans on open edges, less one for
// each joining.
static void count_holes(surface_check* c) {
    for (int i = 0; i < 3 * c->triangle_count; i++) c->rim[i] = -1;
    for (int side = 0; side < 3 * c->triangle_count; side++) {
        if (c->neighbours[side] != PL_SIDE_BOUNDARY) continue;
        int fan[2];
        for (int end = 0; end < 2; end++) {
            fan[end] = pl_set_root(c->fan, corner_at(c, side, end));
            if (c->rim[fan[end]] >= 0) continue;
            c->rim[fan[end]] = fan[end];
            c->report->hole_count++;
        }
        c->report->hole_count -= pl_set_join(c->rim, fan[0], fan[1]);
    }
}

static void measure_surface(surface_check* c) {
    pl_mesh_report* r = c->report;
    double volume6 = 0.0, area = 0.0;
    for (int t = 0; t < c->triangle_count; t++) {
        const int* triangle = c->triangles + 3 * (size_t)t;
        pl_vec3 p[3];
        pl_load_corners(c->mesh->positions, triangle, 3, p);
        double twice_area = pl_norm(pl_cross(pl_sub(p[1], p[0]), pl_sub(p[2], p[0])));
        if (isfinite(twice_area)) area += 0.5 * twice_area;
        volume6 += pl_cone_volume6(c->mesh->positions, triangle);
    }
    r->quality.area = area;
    r->surface_triangle_count = c->triangle_count;
    r->surface_component_count = c->components.count;
    r->surface_closed = c->triangle_count > 0 && r->defects[PL_DEFECT_OPEN_EDGES].count == 0;
    r->surface_manifold = r->defects[PL_DEFECT_NON_MANIFOLD_EDGES].count == 0 &&
                          r->defects[PL_DEFECT_NON_MANIFOLD_VERTICES].count == 0;
    if (r->surface_closed) r->enclosed_volume = volume6 / 6.0;
    int euler = r->surface_vertex_count - r->surface_edge_count + r->surface_triangle_count;
    if (r->surface_closed && r->surface_manifold && c->components.count == 1 &&
        c->components.twisted_side < 0)
        r->genus = (2 - euler) / 2;
}

// Only evenly wound components are judged, since the remedy is to turn a component as a whole.
static void check_winding(surface_check* c) {
    for (int t = 0; t < c->triangle_count; t++)
        if (c->components.orientation[t] < 0) c->verdict[c->components.component[t]] = 0;
    for (int t = 0; t < c->triangle_count; t++) {
        signed char* verdict = &c->verdict[c->components.component[t]];
        if (*verdict < 0) pl_defect_add(&c->report->defects[PL_DEFECT_INSIDE_OUT], t, -1);
        if (*verdict < 0) *verdict = 0; // count it once
    }
}

static pl_status allocate(surface_check* c, int** seen, pl_error* error) {
    size_t sides = 3 * (size_t)c->triangle_count;
    c->neighbours = PL_ALLOC(int, sides);
    c->fan = PL_ALLOC(int, sides);
    c->rim = PL_ALLOC(int, sides);
    *seen = PL_ALLOC(int, c->mesh->vertex_count);
    if (c->neighbours && c->fan && c->rim && *seen) return PL_OK;
    return pl_fail_memory(error, "the check of a surface");
}

static void release(surface_check* c, int* seen) {
    size_t sides = 3 * (size_t)c->triangle_count;
    PL_FREE(c->neighbours, int, sides);
    PL_FREE(c->fan, int, sides);
    PL_FREE(c->rim, int, sides);
    PL_FREE(seen, int, c->mesh->vertex_count);
    PL_FREE(c->verdict, signed char, c->components.count);
    pl_side_groups_free(&c->sides);
    pl_components_free(&c->components);
}

static pl_status judge(surface_check* c, pl_error* error) {
    c->verdict = PL_ALLOC(signed char, c->components.count);
    if (!c->verdict) return pl_fail_memory(error, "the winding of a surface");
    pl_status status = pl_judge_winding(c->mesh->positions, c->triangles, c->triangle_count,
                                        c->neighbours, &c->components, c->verdict, error);
    if (status == PL_OK) check_winding(c);
    return status;
}

pl_status pl_check_surface(const pl_mesh* mesh, const int* triangles, int triangle_count,
                           bool judge_winding, pl_mesh_report* report, pl_error* error) {
    if (triangle_count == 0) return PL_OK;
    surface_check c = {
        .mesh = mesh, .triangles = triangles, .triangle_count = triangle_count, .report = report};
    int* seen = NULL;
    pl_status status =
        pl_side_groups_create(triangles, triangle_count, 3, mesh->vertex_count, &c.sides, error);
    if (status == PL_OK) status = allocate(&c, &seen, error);
    if (status == PL_OK) {
        pl_side_neighbours(&c.sides, c.neighbours);
        for (int i = 0; i < 3 * triangle_count; i++) c.fan[i] = i;
        check_edges(&c);
        check_fans(&c, seen);
        count_holes(&c);
        status =
            pl_components_create(triangles, triangle_count, 3, c.neighbours, &c.components, error);
    }
    if (status == PL_OK) measure_surface(&c);
    if (status == PL_OK && judge_winding) status = judge(&c, error);
    release(&c, seen);
    return status;
}
