// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "material/bend_sheet.h"
#include "base/memory.h"
#include "material/bend_fit.h"
#include "material/bend_patch.h"

#include <string.h>

typedef struct builder {
    const double* positions;
    const int* triangles;
    int triangle_count;
    const pl_side_groups* sides;
    int* neighbours; // 3 per triangle: the side across, or negative
    pl_bend_sheet* sheet;
} builder;

static void load_corners(const builder* b, const int* corners, int count, pl_vec3* x) {
    for (int i = 0; i < count; i++) x[i] = pl_vec3_load(b->positions + 3 * (size_t)corners[i]);
}

// false if the triangle has no hinge, or none that can be measured
static bool make_patch(const builder* b, int t, pl_bend_part* part) {
    *part = (pl_bend_part){.triangles = {t, t}};
    memcpy(part->corners, b->triangles + 3 * (size_t)t, 3 * sizeof(int));
    for (int i = 0; i < 3; i++) {
        int across = b->neighbours[3 * (size_t)t + (size_t)i];
        part->corners[3 + i] = across < 0 ? part->corners[i] : b->triangles[across];
    }
    pl_vec3 x[6];
    load_corners(b, part->corners, 6, x);
    return pl_patch_guess(x, part->corners, part->form);
}

static void find_patches(builder* b) {
    pl_bend_sheet* s = b->sheet;
    for (int t = 0; t < b->triangle_count; t++)
        s->patch_count += make_patch(b, t, &s->parts[s->patch_count]);
}

static void add_hinge(builder* b, const int pair[2], double weight) {
    pl_bend_part* part = &b->sheet->parts[b->sheet->patch_count + b->sheet->hinge_count];
    *part = (pl_bend_part){.triangles = {pair[0] / 3, pair[1] / 3}};
    pl_triangle_edge(b->triangles + 3 * (size_t)(pair[0] / 3), pair[0] % 3, part->corners);
    part->corners[2] = b->triangles[pair[0]], part->corners[3] = b->triangles[pair[1]];
    if (part->corners[2] == part->corners[3]) return; // a duplicate triangle
    pl_vec3 x[4];
    load_corners(b, part->corners, 4, x);
    part->form[0] = weight * pl_bending_hinge(x);
    b->sheet->hinge_count++;
}

static void find_hinges(builder* b) {
    for (int g = 0; g < b->sides->groups.count; g++) {
        pl_edge_pairs pairs = pl_edge_pairs_of(b->sides, g);
        for (int pair[2]; pairs.count > 2 && pl_edge_pairs_next(&pairs, pair);)
            add_hinge(b, pair, pl_edge_pairs_weight(&pairs));
    }
}

void pl_bend_sheet_free(pl_bend_sheet* sheet) {
    PL_FREE(sheet->parts, pl_bend_part, sheet->capacity);
    *sheet = (pl_bend_sheet){0};
}

pl_status pl_bend_sheet_create(const double* positions, const int* triangles, int triangle_count,
                               const pl_side_groups* sides, pl_bend_sheet* out, pl_error* error) {
    // one more: the last triangle tried need not be a patch
    *out = (pl_bend_sheet){.capacity = triangle_count + pl_edge_pair_count(sides) + 1};
    out->parts = PL_ALLOC(pl_bend_part, out->capacity);
    builder b = {positions, triangles, triangle_count, sides, .sheet = out};
    b.neighbours = PL_ALLOC(int, 3 * (size_t)triangle_count);
    pl_status status = PL_OK;
    if (!out->parts || (triangle_count && !b.neighbours))
        status = pl_fail_memory(error, "the bending of a cloth");
    if (status == PL_OK) {
        pl_side_neighbours(sides, b.neighbours);
        find_patches(&b);
        find_hinges(&b);
        status = pl_bend_fit(positions, sides, out, error);
    }
    PL_FREE(b.neighbours, int, 3 * (size_t)triangle_count);
    if (status != PL_OK) pl_bend_sheet_free(out);
    return status;
}
