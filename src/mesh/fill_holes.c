// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Small holes are closed by cutting ears off their rims, the one with the shortest cut first, so
// that new triangles are compact. No cut is made along an existing edge of the surface, which would
// become non-manifold; a rim without any other cut stays open. If a walk along open edges returns
// to a vertex, the edges in between are the rim of a separate hole.
#include "base/memory.h"
#include "geometry/triangle_intersection.h"
#include "mesh/quality.h"
#include "mesh/repair.h"

#include <string.h>

static const char* const what = "the filling of holes";

typedef struct open_side {
    int vertex; // its first vertex
    int side;
} open_side;

typedef struct filler {
    pl_repair* r;
    int triangle_count; // kept and packed
    int* triangles;
    int* neighbours;
    bool* done;    // per side: its rim was visited
    int* place;    // per vertex: its index in the walk, + 1
    pl_array walk; // open_side: along the open edges, the surface to the left
    pl_adjacency joined;
    int most_edges;
    int filled, left_open, first_edges;
} filler;

// The next open side of the rim: around the end of this one from triangle to triangle. -1 where the
// surface is not an evenly wound manifold.
static int next_open_side(const filler* f, int side) {
    for (int steps = 0; steps < f->triangle_count; steps++) {
        side = side / 3 * 3 + (side + 1) % 3;
        int across = f->neighbours[side];
        if (across == PL_SIDE_BOUNDARY) return side;
        if (across < 0) return -1;
        side = across;
    }
    return -1;
}

static pl_vec3 place_of(const filler* f, int vertex) {
    return pl_vec3_load(f->r->old->positions + 3 * (size_t)vertex);
}

static bool is_joined(const filler* f, int a, int b) {
    for (int i = f->joined.offsets[a]; i < f->joined.offsets[a + 1]; i++)
        if (f->joined.items[i] == b) return true;
    return false;
}

// True if a triangle added for the present rim already has this edge.
static bool is_added(const filler* f, size_t from, int a, int b) {
    const int* added = f->r->added.data;
    for (size_t i = from; i < f->r->added.count; i++)
        for (int k = 0; k < 3; k++) {
            int u = added[3 * i + (size_t)k], v = added[3 * i + (size_t)((k + 1) % 3)];
            if ((u == a && v == b) || (u == b && v == a)) return true;
        }
    return false;
}

// The corner of the rim with the shortest allowed cut, or -1.
static int best_ear(const filler* f, const int* rim, int count, size_t from) {
    int best = -1;
    double shortest = INFINITY;
    for (int i = 0; i < count; i++) {
        int a = rim[(i + count - 1) % count], b = rim[i], c = rim[(i + 1) % count];
        double cut = pl_distance(place_of(f, a), place_of(f, c));
        if (!(cut < shortest) || a == c || a == b || b == c) continue;
        if (pl_triangle_is_flat(place_of(f, a), place_of(f, b), place_of(f, c))) continue;
        if (count > 3 && (is_joined(f, a, c) || is_added(f, from, a, c))) continue;
        best = i;
        shortest = cut;
    }
    return best;
}

// A lone triangle has a rim, but no hole.
static bool is_lone_triangle(const open_side* rim, int count) {
    return count == 3 && rim[0].side / 3 == rim[1].side / 3 && rim[1].side / 3 == rim[2].side / 3;
}

// Closes a rim by triangles; overwrites its vertices.
static pl_status cut_ears(filler* f, int* rim, int count, pl_error* error) {
    size_t from = f->r->added.count;
    for (; count >= 3; count--) {
        int i = best_ear(f, rim, count, from);
        if (i < 0) { // leave the whole rim open
            f->r->added.count = from;
            f->left_open++;
            return PL_OK;
        }
        int ear[3] = {rim[(i + count - 1) % count], rim[i], rim[(i + 1) % count]};
        if (!pl_array_push(&f->r->added, ear)) return pl_fail_memory(error, what);
        if (count == 3) break;
        memmove(rim + i, rim + i + 1, (size_t)(count - i - 1) * sizeof(int));
    }
    f->filled++;
    return PL_OK;
}

// Closes the rim formed by the walk from index `first` on, and removes it from the walk.
static pl_status close_rim(filler* f, size_t first, pl_error* error) {
    const open_side* rim = (const open_side*)f->walk.data + first;
    int count = (int)(f->walk.count - first);
    for (int i = 0; i < count; i++) f->place[rim[i].vertex] = 0;
    f->walk.count = first;
    if (count < 3 || count > f->most_edges || is_lone_triangle(rim, count)) {
        f->left_open++;
        return PL_OK;
    }
    int* vertices = PL_ALLOC(int, count);
    if (!vertices) return pl_fail_memory(error, what);
    // backwards: new triangles lie on the other side of the rim
    for (int i = 0; i < count; i++) vertices[i] = rim[count - 1 - i].vertex;
    if (f->filled == 0) f->first_edges = count;
    pl_status status = cut_ears(f, vertices, count, error);
    PL_FREE(vertices, int, count);
    return status;
}

// Walks along open edges, starting from one, until the walk returns to it.
static pl_status follow_rim(filler* f, int first, pl_error* error) {
    pl_status status = PL_OK;
    int side = first;
    do {
        if (side < 0 || f->done[side]) { // not a manifold here
            for (size_t i = 0; i < f->walk.count; i++)
                f->place[((open_side*)f->walk.data)[i].vertex] = 0;
            f->walk.count = 0;
            f->left_open++;
            return PL_OK;
        }
        f->done[side] = true;
        open_side next = {f->triangles[side / 3 * 3 + (side + 1) % 3], side};
        int place = f->place[next.vertex];
        if (place) status = close_rim(f, (size_t)place - 1, error);
        if (status != PL_OK) return status;
        f->place[next.vertex] = (int)f->walk.count + 1;
        if (!pl_array_push(&f->walk, &next)) return pl_fail_memory(error, what);
        side = next_open_side(f, side);
    } while (side != first);
    return close_rim(f, 0, error);
}

static pl_status fill_all(filler* f, pl_error* error) {
    pl_status status = PL_OK;
    for (int side = 0; status == PL_OK && side < 3 * f->triangle_count; side++)
        if (!f->done[side] && f->neighbours[side] == PL_SIDE_BOUNDARY)
            status = follow_rim(f, side, error);
    return status;
}

static void pack_triangles(filler* f) {
    for (int t = 0; t < f->r->old->triangle_count; t++)
        if (f->r->keep_triangle[t])
            memcpy(f->triangles + 3 * (size_t)f->triangle_count++, f->r->triangles + 3 * (size_t)t,
                   3 * sizeof(int));
}

static pl_status find_topology(filler* f, pl_error* error) {
    int n = f->r->old->vertex_count;
    pl_side_groups sides;
    pl_status status = pl_side_groups_create(f->triangles, f->triangle_count, 3, n, &sides, error);
    if (status != PL_OK) return status;
    pl_side_neighbours(&sides, f->neighbours);
    pl_side_groups_free(&sides);
    pl_edges edges;
    status = pl_edges_create(f->triangles, f->triangle_count, 3, n, &edges, error);
    if (status == PL_OK) status = pl_vertex_neighbours(&edges, n, &f->joined, error);
    pl_edges_free(&edges);
    return status;
}

pl_status pl_repair_fill_holes(pl_repair* r, int most_edges, pl_error* error) {
    size_t count = (size_t)r->old->triangle_count;
    if (count == 0) return PL_OK;
    filler f = {.r = r, .most_edges = most_edges, .walk = pl_array_of(sizeof(open_side))};
    f.triangles = PL_ALLOC(int, 3 * count);
    f.neighbours = PL_ALLOC(int, 3 * count);
    f.done = PL_ALLOC(bool, 3 * count);
    f.place = PL_ALLOC(int, r->old->vertex_count);
    pl_status status =
        f.triangles && f.neighbours && f.done && f.place ? PL_OK : pl_fail_memory(error, what);
    if (status == PL_OK) {
        pack_triangles(&f);
        status = find_topology(&f, error);
    }
    if (status == PL_OK) status = fill_all(&f, error);
    if (status == PL_OK && f.filled)
        pl_note(r->notes, PL_NOTE_MENDED,
                "filled holes: %d (the first of %d edges) with %zu triangles", f.filled,
                f.first_edges, r->added.count);
    if (status == PL_OK && f.left_open)
        pl_note(r->notes, PL_NOTE_INFO,
                "left holes open: %d (of more than %d edges, or not simple rims)", f.left_open,
                most_edges);
    pl_adjacency_free(&f.joined);
    pl_array_free(&f.walk);
    PL_FREE(f.place, int, r->old->vertex_count);
    PL_FREE(f.triangles, int, 3 * count);
    PL_FREE(f.neighbours, int, 3 * count);
    PL_FREE(f.done, bool, 3 * count);
    return status;
}
