// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A triangle whose corners a b c lie on a line, with b in the middle, still closes the surface:
// dropping it would leave open edges. It and the triangle a c d across its long edge are replaced
// by a b d and b c d, which cover the same area and keep the surface closed.
#include "base/memory.h"
#include "math/vec3.h"
#include "mesh/check.h"
#include "mesh/repair.h"
#include "mesh/topology.h"

#include <string.h>

static const char* const what = "the repair of flat triangles";

enum { MAX_PASSES = 8 };

typedef struct flattener {
    pl_repair* r;
    bool* touched; // changed in this pass, so that its neighbours are out of date
    pl_defect mended;
} flattener;

// The side across the longest edge of a triangle.
static int longest_side(const pl_repair* r, int t) {
    double length[3];
    for (int k = 0; k < 3; k++) {
        int edge[2];
        pl_triangle_edge(r->triangles + 3 * (size_t)t, k, edge);
        length[k] = pl_distance(pl_vec3_load(r->old->positions + 3 * (size_t)edge[0]),
                                pl_vec3_load(r->old->positions + 3 * (size_t)edge[1]));
    }
    int longest = length[1] > length[0] ? 1 : 0;
    return 3 * t + (length[2] > length[longest] ? 2 : longest);
}

// Copies of triangle u with one of its corners replaced by the vertex (and texture coordinate) b.
static void replace_corner(const pl_repair* r, int u, int corner, int b, int b_uv, int vertices[3],
                           int uvs[3]) {
    for (int k = 0; k < 3; k++) {
        vertices[k] = k == corner ? b : r->triangles[3 * (size_t)u + (size_t)k];
        uvs[k] = !r->triangle_uvs ? -1
                 : k == corner    ? b_uv
                                  : r->triangle_uvs[3 * (size_t)u + (size_t)k];
    }
}

static void store(pl_repair* r, int t, const int vertices[3], const int uvs[3]) {
    memcpy(r->triangles + 3 * (size_t)t, vertices, 3 * sizeof(int));
    if (r->triangle_uvs) memcpy(r->triangle_uvs + 3 * (size_t)t, uvs, 3 * sizeof(int));
}

// Flips the long edge of flat triangle t, whose side opposite b borders on side `across`.
static void turn_edge(flattener* f, int t, int side, int across) {
    pl_repair* r = f->r;
    int u = across / 3, b = r->triangles[side];
    int b_uv = r->triangle_uvs ? r->triangle_uvs[side] : -1;
    int vertices[2][3], uvs[2][3];
    for (int i = 0; i < 2; i++) {
        replace_corner(r, u, (across + 1 + i) % 3, b, b_uv, vertices[i], uvs[i]);
        if (pl_triangle_is_degenerate(r->old->positions, vertices[i])) return;
    }
    store(r, t, vertices[0], uvs[0]);
    store(r, u, vertices[1], uvs[1]);
    f->touched[t] = f->touched[u] = true;
    pl_defect_add(&f->mended, t, -1);
}

// One pass over all flat triangles; *turned: whether anything changed.
static pl_status pass(flattener* f, int* neighbours, bool* turned, pl_error* error) {
    pl_repair* r = f->r;
    int count = r->old->triangle_count;
    pl_side_groups sides;
    pl_status status =
        pl_side_groups_create(r->triangles, count, 3, r->old->vertex_count, &sides, error);
    if (status != PL_OK) return status;
    pl_side_neighbours(&sides, neighbours);
    pl_side_groups_free(&sides);
    int64_t before = f->mended.count;
    memset(f->touched, 0, (size_t)count * sizeof(bool));
    for (int t = 0; t < count; t++) {
        const int* triangle = r->triangles + 3 * (size_t)t;
        if (!r->keep_triangle[t] || pl_names_twice(triangle, 3) ||
            !pl_triangle_is_degenerate(r->old->positions, triangle))
            continue;
        int side = longest_side(r, t), across = neighbours[side];
        if (across < 0 || !r->keep_triangle[across / 3] || f->touched[t] || f->touched[across / 3])
            continue;
        turn_edge(f, t, side, across);
    }
    *turned = f->mended.count > before;
    return PL_OK;
}

pl_status pl_repair_flat_triangles(pl_repair* r, pl_error* error) {
    int count = r->old->triangle_count;
    bool any = false;
    for (int t = 0; t < count && !any; t++)
        any = r->keep_triangle[t] &&
              pl_triangle_is_degenerate(r->old->positions, r->triangles + 3 * (size_t)t);
    if (!any) return PL_OK;
    flattener f = {.r = r, .mended = {0, -1, -1}};
    f.touched = PL_ALLOC(bool, count);
    int* neighbours = PL_ALLOC(int, 3 * (size_t)count);
    pl_status status = f.touched && neighbours ? PL_OK : pl_fail_memory(error, what);
    bool turned = true;
    for (int i = 0; i < MAX_PASSES && turned && status == PL_OK; i++)
        status = pass(&f, neighbours, &turned, error);
    if (f.mended.count)
        pl_note(r->notes, PL_NOTE_MENDED,
                "gave degenerate triangles an area by turning their long edge: %lld (first: "
                "triangle %d)",
                (long long)f.mended.count, f.mended.first);
    PL_FREE(f.touched, bool, count);
    PL_FREE(neighbours, int, 3 * (size_t)count);
    return status;
}
