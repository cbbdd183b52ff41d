// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pairs of triangles whose boxes overlap are gathered in batches and tested on all threads. Shared
// vertices do not count as intersections: triangles with a common vertex intersect if the edge
// opposite to it meets the other triangle, triangles with a common edge if they lie flat on one
// another.
#include "base/memory.h"
#include "base/pool.h"
#include "geometry/bvh.h"
#include "geometry/triangle_intersection.h"
#include "mesh/check.h"
#include "mesh/quality.h"

enum { BATCH = 1 << 16, BLOCK = 1 << 9 };

typedef struct search {
    const double* positions;
    const int* triangles;
    pl_pool* pool;
    int64_t left; // pairs that may still be tested
    int count;
    int pairs[BATCH][2];
    pl_defect found[BATCH / BLOCK]; // per block of a batch
    pl_defect* total;
} search;

static int shared_corners(const int* s, const int* t, int at_s[3], int at_t[3]) {
    int count = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (s[i] == t[j] && count < 3) at_s[count] = i, at_t[count++] = j;
    return count;
}

// One such pair, both triangles with an area.
static bool triangles_intersect(const double* positions, const int* s, const int* t) {
    pl_vec3 p[3], q[3];
    pl_load_corners(positions, s, 3, p);
    pl_load_corners(positions, t, 3, q);
    int i[3], j[3];
    switch (shared_corners(s, t, i, j)) {
    case 0: return pl_triangles_meet(p, q);
    case 1:
        return pl_segment_meets_triangle(p[(i[0] + 1) % 3], p[(i[0] + 2) % 3], q) ||
               pl_segment_meets_triangle(q[(j[0] + 1) % 3], q[(j[0] + 2) % 3], p);
    case 2: return pl_triangles_fold(p[i[0]], p[i[1]], p[3 - i[0] - i[1]], q[3 - j[0] - j[1]]);
    default: return true;
    }
}

static void test_task(int begin, int end, int worker, void* user) {
    (void)worker;
    search* s = user;
    pl_defect found = {0, -1, -1};
    for (int i = begin; i < end; i++) {
        int a = s->pairs[i][0], b = s->pairs[i][1];
        if (triangles_intersect(s->positions, s->triangles + 3 * (size_t)a,
                                s->triangles + 3 * (size_t)b))
            pl_defect_add(&found, a, b);
    }
    s->found[begin / BLOCK] = found;
}

static void test_batch(search* s) {
    pl_parallel_for(s->pool, test_task, s->count, BLOCK, s);
    for (int i = 0; i * BLOCK < s->count; i++) {
        const pl_defect* found = &s->found[i];
        if (found->count == 0) continue;
        pl_defect_add(s->total, found->first, found->other);
        s->total->count += found->count - 1;
    }
    s->count = 0;
}

static bool gather_pair(int a, int b, void* user) {
    search* s = user;
    if (s->left-- == 0) return false;
    s->pairs[s->count][0] = a;
    s->pairs[s->count++][1] = b;
    if (s->count == BATCH) test_batch(s);
    return true;
}

// Boxes of the triangles that have an area; the others are left out of the tree.
static void fill_boxes(const double* positions, const int* triangles, int count, pl_box* boxes) {
    for (int i = 0; i < count; i++) {
        pl_vec3 p[3];
        pl_load_corners(positions, triangles + 3 * (size_t)i, 3, p);
        boxes[i] = pl_triangle_is_degenerate(positions, triangles + 3 * (size_t)i)
                       ? (pl_box){{NAN, NAN, NAN}, {NAN, NAN, NAN}}
                       : pl_box_of_triangle(p[0], p[1], p[2]);
    }
}

pl_status pl_check_intersections(const double* positions, const int* triangles, int triangle_count,
                                 int64_t limit, pl_pool* pool, pl_mesh_report* report,
                                 pl_error* error) {
    if (triangle_count == 0) return PL_OK;
    search* s = PL_ALLOC(search, 1);
    pl_box* boxes = PL_ALLOC(pl_box, triangle_count);
    pl_bvh tree = {0};
    pl_status status =
        s && boxes ? PL_OK : pl_fail_memory(error, "the search for self-intersections");
    if (status == PL_OK) {
        fill_boxes(positions, triangles, triangle_count, boxes);
        status = pl_bvh_build(boxes, triangle_count, &tree, error);
    }
    PL_FREE(boxes, pl_box, triangle_count);
    if (status == PL_OK) {
        s->positions = positions;
        s->triangles = triangles;
        s->pool = pool;
        s->left = limit;
        s->total = &report->defects[PL_DEFECT_INTERSECTIONS];
        report->intersections_complete = pl_bvh_self_overlap(&tree, gather_pair, s);
        test_batch(s);
    }
    pl_bvh_free(&tree);
    PL_FREE(s, search, 1);
    return status;
}
