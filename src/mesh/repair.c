// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Repair in steps, each of which relies on those before: positions, then elements, then winding,
// then holes.
#include "mesh/repair.h"
#include "base/memory.h"
#include "geometry/box.h"
#include "mesh/check.h"
#include "mesh/close_vertices.h"
#include "mesh/mesh_object.h"
#include "mesh/winding.h"

#include <string.h>

static const char* const what = "the repair of a mesh";

static void copy_ints(int* to, const int* from, size_t count) {
    if (count) memcpy(to, from, count * sizeof(int));
}

static bool start(pl_repair* r, const pl_mesh* mesh) {
    size_t n = (size_t)mesh->vertex_count, tets = (size_t)mesh->tet_count,
           triangles = (size_t)mesh->triangle_count;
    r->old = mesh;
    r->added = pl_array_of(3 * sizeof(int));
    r->vertex_to = PL_ALLOC(int, n);
    r->tets = PL_ALLOC(int, 4 * tets);
    r->keep_tet = PL_ALLOC(bool, tets);
    r->triangles = PL_ALLOC(int, 3 * triangles);
    r->keep_triangle = PL_ALLOC(bool, triangles);
    size_t uvs = mesh->triangle_uvs ? 3 * triangles : 0;
    r->triangle_uvs = PL_ALLOC(int, uvs);
    if ((n && !r->vertex_to) || (tets && (!r->tets || !r->keep_tet)) ||
        (triangles && (!r->triangles || !r->keep_triangle)) || (uvs && !r->triangle_uvs))
        return false;
    for (size_t v = 0; v < n; v++) r->vertex_to[v] = (int)v;
    for (size_t t = 0; t < tets; t++) r->keep_tet[t] = true;
    for (size_t t = 0; t < triangles; t++) r->keep_triangle[t] = true;
    copy_ints(r->tets, mesh->tets, 4 * tets);
    copy_ints(r->triangles, mesh->triangles, 3 * triangles);
    copy_ints(r->triangle_uvs, mesh->triangle_uvs, uvs);
    return true;
}

static void finish(pl_repair* r) {
    PL_FREE(r->vertex_to, int, r->old->vertex_count);
    PL_FREE(r->tets, int, 4 * (size_t)r->old->tet_count);
    PL_FREE(r->keep_tet, bool, r->old->tet_count);
    PL_FREE(r->triangles, int, 3 * (size_t)r->old->triangle_count);
    PL_FREE(r->keep_triangle, bool, r->old->triangle_count);
    PL_FREE(r->triangle_uvs, int, 3 * (size_t)r->old->triangle_count);
    pl_array_free(&r->added);
}

// Notes how many defects there were, if any, and the first one.
static void note_found(pl_repair* r, const pl_defect* found, const char* done, const char* item) {
    if (found->count == 0) return;
    pl_note(r->notes, PL_NOTE_MENDED, "%s: %lld (first: %s %d)", done, (long long)found->count,
            item, found->first);
}

static const pl_defect none = {0, -1, -1};

// Drops the elements that name a dropped vertex.
static void drop_broken(const pl_repair* r, const int* elements, int count, int corners, bool* keep,
                        pl_defect* dropped) {
    for (int e = 0; e < count; e++)
        for (int k = 0; keep[e] && k < corners; k++)
            if (r->vertex_to[elements[(size_t)e * (size_t)corners + (size_t)k]] < 0) {
                keep[e] = false;
                pl_defect_add(dropped, e, -1);
            }
}

static void drop_non_finite(pl_repair* r) {
    pl_defect vertices = none, tets = none, triangles = none;
    for (int v = 0; v < r->old->vertex_count; v++) {
        const double* p = r->old->positions + 3 * (size_t)v;
        if (isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2])) continue;
        r->vertex_to[v] = -1;
        pl_defect_add(&vertices, v, -1);
    }
    if (vertices.count == 0) return;
    drop_broken(r, r->tets, r->old->tet_count, 4, r->keep_tet, &tets);
    drop_broken(r, r->triangles, r->old->triangle_count, 3, r->keep_triangle, &triangles);
    note_found(r, &vertices, "dropped vertices that are not finite", "vertex");
    note_found(r, &tets, "dropped tets with such vertices", "tet");
    note_found(r, &triangles, "dropped triangles with such vertices", "triangle");
}

static double finite_diagonal(const pl_repair* r) {
    pl_box box = pl_box_empty();
    for (int v = 0; v < r->old->vertex_count; v++)
        if (r->vertex_to[v] >= 0)
            box = pl_box_add_point(box, pl_vec3_load(r->old->positions + 3 * (size_t)v));
    return box.low.x <= box.high.x ? pl_box_diagonal(box) : 0.0;
}

static void rename_elements(const pl_repair* r, int* elements, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (r->vertex_to[elements[i]] >= 0) elements[i] = r->vertex_to[elements[i]];
}

static pl_status merge_vertices(pl_repair* r, double tolerance, pl_error* error) {
    int n = r->old->vertex_count;
    if (n == 0) return PL_OK;
    int* first = PL_ALLOC(int, n);
    if (!first) return pl_fail_memory(error, what);
    pl_status status = pl_first_of_close_vertices(r->old->positions, n,
                                                  tolerance * finite_diagonal(r), first, error);
    pl_defect merged = none;
    for (int v = 0; status == PL_OK && v < n; v++) {
        if (r->vertex_to[v] < 0 || first[v] == v) continue;
        r->vertex_to[v] = first[v];
        pl_defect_add(&merged, v, -1);
    }
    PL_FREE(first, int, n);
    rename_elements(r, r->tets, 4 * (size_t)r->old->tet_count);
    rename_elements(r, r->triangles, 3 * (size_t)r->old->triangle_count);
    note_found(r, &merged, "merged vertices into others at the same place", "vertex");
    return status;
}

static void drop_degenerate(pl_repair* r) {
    pl_defect tets = none, triangles = none;
    for (int t = 0; t < r->old->tet_count; t++)
        if (r->keep_tet[t] &&
            pl_judge_tet(r->old->positions, r->tets + 4 * (size_t)t) == PL_TET_FLAT) {
            r->keep_tet[t] = false;
            pl_defect_add(&tets, t, -1);
        }
    for (int t = 0; t < r->old->triangle_count; t++)
        if (r->keep_triangle[t] &&
            pl_triangle_is_degenerate(r->old->positions, r->triangles + 3 * (size_t)t)) {
            r->keep_triangle[t] = false;
            pl_defect_add(&triangles, t, -1);
        }
    note_found(r, &tets, "dropped degenerate tets", "tet");
    note_found(r, &triangles, "dropped degenerate triangles", "triangle");
}

// Packs the kept elements and records the old index of each. Returns how many there are.
static int pack_kept(const int* elements, const bool* keep, int count, int corners, int* packed,
                     int* from) {
    int kept = 0;
    for (int e = 0; e < count; e++) {
        if (!keep[e]) continue;
        memcpy(packed + (size_t)kept * (size_t)corners, elements + (size_t)e * (size_t)corners,
               (size_t)corners * sizeof(int));
        from[kept++] = e;
    }
    return kept;
}

static pl_status drop_equal(const int* elements, int count, int corners, int vertex_count,
                            bool* keep, pl_defect* dropped, pl_error* error) {
    if (count == 0) return PL_OK;
    int* packed = PL_ALLOC(int, (size_t)count*(size_t)corners);
    int *from = PL_ALLOC(int, count), *first = PL_ALLOC(int, count);
    pl_status status = packed && from && first ? PL_OK : pl_fail_memory(error, what);
    if (status == PL_OK) {
        int kept = pack_kept(elements, keep, count, corners, packed, from);
        status = pl_first_of_equal_elements(packed, kept, corners, vertex_count, first, error);
        for (int i = 0; status == PL_OK && i < kept; i++)
            if (first[i] != i) {
                keep[from[i]] = false;
                pl_defect_add(dropped, from[i], -1);
            }
    }
    PL_FREE(packed, int, (size_t)count*(size_t)corners);
    PL_FREE(from, int, count);
    PL_FREE(first, int, count);
    return status;
}

static pl_status drop_duplicates(pl_repair* r, pl_error* error) {
    pl_defect tets = none, triangles = none;
    int n = r->old->vertex_count;
    pl_status status = drop_equal(r->tets, r->old->tet_count, 4, n, r->keep_tet, &tets, error);
    if (status == PL_OK)
        status = drop_equal(r->triangles, r->old->triangle_count, 3, n, r->keep_triangle,
                            &triangles, error);
    note_found(r, &tets, "dropped duplicate tets", "tet");
    note_found(r, &triangles, "dropped duplicate triangles", "triangle");
    return status;
}

static void swap_ints(int* a, int* b) {
    int swapped = *a;
    *a = *b;
    *b = swapped;
}

// Notes tets that were turned although their winding agreed with their neighbours'. Not their
// winding but their vertices' positions were wrong: turned or not, they overlap their neighbours.
// Turning only repairs tets that were wound against their neighbours. packed holds the tets before
// turning.
static pl_status note_folded(pl_repair* r, const int* packed, int count, const int* from,
                             const bool* inverted, pl_error* error) {
    pl_side_groups sides;
    pl_status status = pl_side_groups_create(packed, count, 4, r->old->vertex_count, &sides, error);
    if (status != PL_OK) return status;
    int* neighbours = PL_ALLOC(int, sides.side_count);
    pl_defect folded = none;
    if (neighbours) {
        pl_side_neighbours(&sides, neighbours);
        for (int side = 0; side < sides.side_count; side++) {
            int t = side / 4, across = neighbours[side];
            if (across < 0 || !inverted[t] || inverted[across / 4]) continue;
            bool agree = pl_sides_agree(packed, 4, side, across);
            if (agree && (folded.count == 0 || folded.other != t)) {
                folded.count++;
                if (folded.first < 0) folded.first = from[t];
                folded.other = t; // the last one counted
            }
        }
    } else status = pl_fail_memory(error, what);
    PL_FREE(neighbours, int, sides.side_count);
    pl_side_groups_free(&sides);
    if (folded.count)
        pl_note(r->notes, PL_NOTE_INFO,
                "%lld of the turned tets are folded over their neighbours (first: tet %d): the "
                "mesh overlaps itself there; if that matters, mesh the shape again",
                (long long)folded.count, folded.first);
    return status;
}

static void turn_tets(pl_repair* r, const bool* inverted, int kept, const int* from) {
    pl_defect turned = none;
    for (int i = 0; i < kept; i++) {
        if (!inverted[i]) continue;
        int* tet = r->tets + 4 * (size_t)from[i];
        swap_ints(&tet[2], &tet[3]);
        pl_defect_add(&turned, from[i], -1);
    }
    bool all = turned.count > 0 && turned.count == kept;
    note_found(r, &turned, all ? "turned inverted tets, which all were" : "turned inverted tets",
               "tet");
}

static pl_status turn_inverted(pl_repair* r, pl_error* error) {
    int count = r->old->tet_count;
    if (count == 0) return PL_OK;
    int *packed = PL_ALLOC(int, 4 * (size_t)count), *from = PL_ALLOC(int, count);
    bool* inverted = PL_ALLOC(bool, count);
    pl_status status = packed && from && inverted ? PL_OK : pl_fail_memory(error, what);
    if (status == PL_OK) {
        int kept = pack_kept(r->tets, r->keep_tet, count, 4, packed, from), found = 0;
        for (int i = 0; i < kept; i++) {
            inverted[i] =
                pl_judge_tet(r->old->positions, packed + 4 * (size_t)i) == PL_TET_INVERTED;
            found += inverted[i];
        }
        turn_tets(r, inverted, kept, from);
        if (found && found < kept) status = note_folded(r, packed, kept, from, inverted, error);
    }
    PL_FREE(packed, int, 4 * (size_t)count);
    PL_FREE(from, int, count);
    PL_FREE(inverted, bool, count);
    return status;
}

static void turn_triangle(pl_repair* r, int t) {
    swap_ints(&r->triangles[3 * (size_t)t + 1], &r->triangles[3 * (size_t)t + 2]);
    if (r->triangle_uvs)
        swap_ints(&r->triangle_uvs[3 * (size_t)t + 1], &r->triangle_uvs[3 * (size_t)t + 2]);
}

// Turns closed components outward. In open ones the smaller part follows the larger.
static void turn_components(pl_repair* r, const pl_components* components,
                            const signed char* verdict, const int* from, int* balance) {
    pl_defect turned = none;
    for (int i = 0; i < components->element_count; i++)
        balance[components->component[i]] += components->orientation[i];
    for (int i = 0; i < components->element_count; i++) {
        int c = components->component[i];
        int wanted = verdict[c] ? verdict[c] : balance[c] < 0 ? -1 : 1;
        if (components->orientation[i] * wanted > 0) continue;
        turn_triangle(r, from[i]);
        pl_defect_add(&turned, from[i], -1);
    }
    note_found(r, &turned, "turned triangles to wind alike and outward", "triangle");
    if (components->twisted_side >= 0)
        pl_note(r->notes, PL_NOTE_INFO,
                "the surface is one-sided near triangle %d and cannot be wound evenly",
                from[components->twisted_side / 3]);
}

static pl_status turn_packed(pl_repair* r, const int* packed, int count, const int* from,
                             int* neighbours, pl_error* error) {
    pl_side_groups sides;
    pl_status status = pl_side_groups_create(packed, count, 3, r->old->vertex_count, &sides, error);
    if (status != PL_OK) return status;
    pl_side_neighbours(&sides, neighbours);
    pl_side_groups_free(&sides);
    pl_components components;
    status = pl_components_create(packed, count, 3, neighbours, &components, error);
    if (status != PL_OK) return status;
    int component_count = components.count;
    signed char* verdict = PL_ALLOC(signed char, component_count);
    int* balance = PL_ALLOC(int, component_count);
    if (component_count && (!verdict || !balance)) status = pl_fail_memory(error, what);
    if (status == PL_OK)
        status = pl_judge_winding(r->old->positions, packed, count, neighbours, &components,
                                  verdict, error);
    if (status == PL_OK) turn_components(r, &components, verdict, from, balance);
    PL_FREE(verdict, signed char, component_count);
    PL_FREE(balance, int, component_count);
    pl_components_free(&components);
    return status;
}

// Triangles of a surface; those that mark the boundary of tets are left as they are.
static pl_status wind_triangles(pl_repair* r, pl_error* error) {
    int count = r->old->triangle_count;
    if (r->old->tet_count || count == 0) return PL_OK;
    int *packed = PL_ALLOC(int, 3 * (size_t)count), *from = PL_ALLOC(int, count);
    int* neighbours = PL_ALLOC(int, 3 * (size_t)count);
    pl_status status = packed && from && neighbours ? PL_OK : pl_fail_memory(error, what);
    if (status == PL_OK) {
        int kept = pack_kept(r->triangles, r->keep_triangle, count, 3, packed, from);
        status = turn_packed(r, packed, kept, from, neighbours, error);
    }
    PL_FREE(packed, int, 3 * (size_t)count);
    PL_FREE(from, int, count);
    PL_FREE(neighbours, int, 3 * (size_t)count);
    return status;
}

pl_status pl_mesh_repair(pl_mesh* mesh, const pl_mesh_repair_options* options, pl_notes* notes,
                         pl_error* error) {
    pl_mesh_repair_options chosen = options ? *options : (pl_mesh_repair_options){0};
    if (!(chosen.tolerance >= 0.0) || !isfinite(chosen.tolerance))
        return pl_fail(error, PL_ERROR_ARGUMENT, "the tolerance %g is not a distance",
                       chosen.tolerance);
    pl_repair r = {.notes = notes, .keep_unused = chosen.keep_unused};
    pl_mesh* mended = NULL;
    pl_status status = start(&r, mesh) ? PL_OK : pl_fail_memory(error, what);
    if (status == PL_OK) {
        drop_non_finite(&r);
        status = merge_vertices(&r, chosen.tolerance, error);
    }
    if (status == PL_OK && mesh->tet_count == 0) status = pl_repair_flat_triangles(&r, error);
    if (status == PL_OK) {
        drop_degenerate(&r);
        status = drop_duplicates(&r, error);
    }
    if (status == PL_OK) { status = turn_inverted(&r, error); }
    if (status == PL_OK) status = wind_triangles(&r, error);
    if (status == PL_OK && chosen.fill_hole_edges > 0 && mesh->tet_count == 0)
        status = pl_repair_fill_holes(&r, chosen.fill_hole_edges, error);
    if (status == PL_OK) status = pl_repair_build(&r, &mended, error);
    finish(&r);
    if (status != PL_OK) return status;
    pl_mesh old = *mesh;
    *mesh = *mended;
    *mended = old;
    pl_mesh_destroy(mended);
    return PL_OK;
}
