// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "material/bend_sheet.h"
#include "base/memory.h"
#include "material/bend_patch.h"

#include <string.h>

// Part of its stiffness that a hinge gets on its own where a patch took over its area, but no patch
// has all its vertices: these must not be limp.
static const double KEPT = 0.25;

typedef struct builder {
    const double* positions;
    const int* triangles;
    int triangle_count;
    const pl_side_groups* sides;
    int* neighbours; // 3 per triangle: the side across, or negative
    int* patch_of;   // per triangle, -1: none
    int *owner, *queue;
    double* areas; // per patch: what it took over
    bool* is_held; // per vertex: some patch has it
    pl_bend_sheet* sheet;
} builder;

static pl_vec3 place(const builder* b, int v) { return pl_vec3_load(b->positions + 3 * (size_t)v); }

static double area_of(const builder* b, int t) {
    const int* v = b->triangles + 3 * (size_t)t;
    pl_vec3 a = place(b, v[0]);
    return 0.5 * pl_norm(pl_cross(pl_sub(place(b, v[1]), a), pl_sub(place(b, v[2]), a)));
}

// false if the triangle has not six vertices around it that determine a curvature
static bool make_patch(const builder* b, int t, pl_bend_part* part) {
    *part = (pl_bend_part){.triangles = {t, t}};
    memcpy(part->corners, b->triangles + 3 * (size_t)t, 3 * sizeof(int));
    for (int i = 0; i < 3; i++) {
        int across = b->neighbours[3 * (size_t)t + (size_t)i];
        if (across < 0) return false;
        part->corners[3 + i] = b->triangles[across];
    }
    for (int i = 3; i < 6; i++)
        for (int j = 0; j < i; j++)
            if (part->corners[i] == part->corners[j]) return false;
    pl_vec3 x[6];
    for (int i = 0; i < 6; i++) x[i] = place(b, part->corners[i]);
    return pl_patch_form(x, part->form);
}

static void find_patches(builder* b) {
    pl_bend_sheet* s = b->sheet;
    for (int t = 0; t < b->triangle_count; t++)
        b->patch_of[t] = make_patch(b, t, &s->parts[s->patch_count]) ? s->patch_count++ : -1;
}

// Triangles that are no patch go to the patch that is fewest triangles away; those of pieces
// without patches stay alone.
static void find_owners(builder* b) {
    int count = 0;
    for (int t = 0; t < b->triangle_count; t++) {
        b->owner[t] = b->patch_of[t];
        if (b->owner[t] >= 0) b->queue[count++] = t;
    }
    for (int k = 0; k < count; k++)
        for (int i = 0; i < 3; i++) {
            int across = b->neighbours[3 * (size_t)b->queue[k] + (size_t)i];
            if (across < 0 || b->owner[across / 3] >= 0) continue;
            b->owner[across / 3] = b->owner[b->queue[k]];
            b->queue[count++] = across / 3;
        }
}

// Patches take over the areas of the triangles they own.
static void take_areas(builder* b) {
    const pl_bend_sheet* s = b->sheet;
    for (int t = 0; t < b->triangle_count; t++) {
        if (b->patch_of[t] >= 0 || b->owner[t] < 0) continue;
        pl_bend_part* part = &s->parts[b->owner[t]];
        // what others gave before is in the form
        double own = area_of(b, part->triangles[0]), given = area_of(b, t);
        double before = b->areas[b->owner[t]];
        for (int k = 0; k < 6; k++) part->form[k] *= (own + before + given) / (own + before);
        b->areas[b->owner[t]] += given;
    }
}

static void mark_vertices(builder* b) {
    for (int k = 0; k < b->sheet->patch_count; k++)
        for (int i = 0; i < 6; i++) b->is_held[b->sheet->parts[k].corners[i]] = true;
}

// The hinge of two sides. crowded: three or more triangles meet there.
static void add_hinge(builder* b, const int pair[2], double weight, bool crowded) {
    pl_bend_part* part = &b->sheet->parts[b->sheet->patch_count + b->sheet->hinge_count];
    *part = (pl_bend_part){.triangles = {pair[0] / 3, pair[1] / 3}};
    pl_triangle_edge(b->triangles + 3 * (size_t)(pair[0] / 3), pair[0] % 3, part->corners);
    part->corners[2] = b->triangles[pair[0]], part->corners[3] = b->triangles[pair[1]];
    if (part->corners[2] == part->corners[3]) return; // a triangle that is there twice
    pl_vec3 x[4];
    bool held = true;
    for (int i = 0; i < 4; i++) {
        x[i] = place(b, part->corners[i]);
        held = held && b->is_held[part->corners[i]];
    }
    if (held && !crowded) return;
    bool alone = crowded || b->owner[pair[0] / 3] < 0;
    part->form[0] = weight * pl_bending_hinge(x) * (alone ? 1.0 : KEPT);
    b->sheet->hinge_count++;
}

static void find_hinges(builder* b) {
    for (int g = 0; g < b->sides->groups.count; g++) {
        pl_edge_pairs pairs = pl_edge_pairs_of(b->sides, g);
        for (int pair[2]; pl_edge_pairs_next(&pairs, pair);)
            add_hinge(b, pair, pl_edge_pairs_weight(&pairs), pairs.count > 2);
    }
}

void pl_bend_sheet_free(pl_bend_sheet* sheet) {
    PL_FREE(sheet->parts, pl_bend_part, sheet->capacity);
    *sheet = (pl_bend_sheet){0};
}

static bool allocate(builder* b, int vertex_count) {
    size_t n = (size_t)b->triangle_count;
    b->neighbours = PL_ALLOC(int, 3 * n);
    b->patch_of = PL_ALLOC(int, n);
    b->owner = PL_ALLOC(int, n);
    b->queue = PL_ALLOC(int, n);
    b->areas = PL_ALLOC(double, n);
    b->is_held = PL_ALLOC(bool, vertex_count);
    return n == 0 ||
           (b->neighbours && b->patch_of && b->owner && b->queue && b->areas && b->is_held);
}

static void free_builder(builder* b, int vertex_count) {
    size_t n = (size_t)b->triangle_count;
    PL_FREE(b->neighbours, int, 3 * n);
    PL_FREE(b->patch_of, int, n);
    PL_FREE(b->owner, int, n);
    PL_FREE(b->queue, int, n);
    PL_FREE(b->areas, double, n);
    PL_FREE(b->is_held, bool, vertex_count);
}

pl_status pl_bend_sheet_create(const double* positions, int vertex_count, const int* triangles,
                               int triangle_count, const pl_side_groups* sides, pl_bend_sheet* out,
                               pl_error* error) {
    // one more: the last triangle tried need not be a patch
    *out = (pl_bend_sheet){.capacity = triangle_count + pl_edge_pair_count(sides) + 1};
    out->parts = PL_ALLOC(pl_bend_part, out->capacity);
    builder b = {positions, triangles, triangle_count, sides, .sheet = out};
    bool ok = allocate(&b, vertex_count) && out->parts;
    if (ok) {
        pl_side_neighbours(sides, b.neighbours);
        find_patches(&b);
        find_owners(&b);
        take_areas(&b);
        mark_vertices(&b);
        find_hinges(&b);
    }
    free_builder(&b, vertex_count);
    if (ok) return PL_OK;
    pl_bend_sheet_free(out);
    return pl_fail_memory(error, "the bending of a cloth");
}
