// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Let X be rest positions of points in the plane of a patch, and Q two orthonormal vectors (3 x 2)
// that span its current plane. Projected onto this plane, the current positions are
// Q'x = c + G X + u, with the linear map G of best fit and a residual u. Points on triangles are
// weighted means of vertices, so for any two of them
//
//   |x - y| >= |Q'(x - y)| >= l |X - Y| - 2 max |u|,   l = smallest eigenvalue of (G + G') / 2.
//
// The bound needs no path from X to Y, so the patch may have holes. Bending hardly matters, because
// it is perpendicular to the plane of Q. For a fixed Q the right-hand side is concave in x: if it
// is large enough at both ends of a straight path, it is large enough on the whole path. (Volino,
// Magnenat-Thalmann 1994, "Efficient self-collision detection on smoothly discretized surface
// animations", skips flat parts by their normals; but normals alone do not bound distances.)
#include "contact/flat_patches.h"
#include "base/array.h"
#include "base/memory.h"
#include "geometry/distance.h"
#include "math/symmetric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Larger patches are not tested for flatness; their leaves are searched. LEAF_BLOCK: leaves of a
// task.
enum { MAX_TRIANGLES = 256, MAX_VERTICES = 3 * MAX_TRIANGLES, MAX_LEAF = 8, LEAF_BLOCK = 64 };

static const int EDGE[3][2] = {{0, 1}, {0, 2}, {1, 2}};

void pl_flat_patches_destroy(pl_flat_patches* p) {
    if (!p) return;
    const int nodes = p->tree->node_count, count = p->count;
    const int near = p->near_offsets ? p->near_offsets[count] : 0;
    const int vertices = p->vertex_offsets ? p->vertex_offsets[count] : 0;
    PL_FREE(p->leaf_of, int, nodes);
    PL_FREE(p->node_of, int, count);
    PL_FREE(p->near, int, near);
    PL_FREE(p->near_offsets, int, (size_t)count + 1);
    PL_FREE(p->vertices, int, vertices);
    PL_FREE(p->flat, double, 2 * (size_t)vertices);
    PL_FREE(p->vertex_offsets, int, (size_t)count + 1);
    PL_FREE(p->inverse, double, 2 * (size_t)count);
    PL_FREE(p->gap, double, count);
    PL_FREE(p->ratio, double, count);
    PL_FREE(p->frame, double, 6 * (size_t)count);
    PL_FREE(p->is_flat, bool, count);
    PL_FREE(p, pl_flat_patches, 1);
}

// ------------------------------------------------------------------ which vertices

static int count_leaves(const pl_bvh* tree) {
    int count = 0;
    for (int k = 0; k < tree->node_count; k++) count += tree->nodes[k].count > 0;
    return count;
}

static bool allocate(pl_flat_patches* p) {
    const size_t count = (size_t)p->count;
    return (p->leaf_of = PL_ALLOC(int, p->tree->node_count)) &&
           (p->node_of = PL_ALLOC(int, count)) && (p->near_offsets = PL_ALLOC(int, count + 1)) &&
           (p->vertex_offsets = PL_ALLOC(int, count + 1)) &&
           (p->inverse = PL_ALLOC(double, 2 * count)) && (p->gap = PL_ALLOC(double, count)) &&
           (p->ratio = PL_ALLOC(double, count)) && (p->frame = PL_ALLOC(double, 6 * count)) &&
           (p->is_flat = PL_ALLOC(bool, count));
}

// numbers the leaves in the order of their nodes
static void number_leaves(pl_flat_patches* p) {
    int leaf = 0;
    for (int k = 0; k < p->tree->node_count; k++) {
        const bool is_leaf = p->tree->nodes[k].count > 0;
        p->leaf_of[k] = is_leaf ? leaf : -1;
        if (is_leaf) p->node_of[leaf++] = k;
    }
}

static const pl_bvh_node* node_of_leaf(const pl_flat_patches* p, int leaf) {
    return &p->tree->nodes[p->node_of[leaf]];
}

static int sort_unique(int* list, int count) {
    int kept = 0;
    qsort(list, (size_t)count, sizeof(int), pl_compare_ints);
    for (int k = 0; k < count; k++)
        if (kept == 0 || list[kept - 1] != list[k]) list[kept++] = list[k];
    return kept;
}

// The vertices of a leaf's triangles, unsorted. Returns their number.
static int vertices_of(const pl_flat_patches* p, const pl_flat_source* source, int leaf, int* out) {
    const pl_bvh_node* node = node_of_leaf(p, leaf);
    for (int s = 0; s < node->count; s++)
        memcpy(out + 3 * s, source->triangles + 3 * (size_t)p->tree->items[node->right + s],
               3 * sizeof(int));
    return 3 * node->count;
}

// Leaves of each vertex: those of v start at leaves[offsets[v]].
typedef struct vertex_leaves {
    int *offsets, *leaves;
    int vertex_count, count;
} vertex_leaves;

static bool list_leaves(const pl_flat_patches* p, const pl_flat_source* source,
                        vertex_leaves* out) {
    int v[3 * MAX_LEAF];
    out->vertex_count = source->vertex_count;
    out->count = 3 * p->tree->slot_count;
    out->offsets = PL_ALLOC(int, (size_t)source->vertex_count + 2);
    out->leaves = PL_ALLOC(int, out->count);
    if (!out->offsets || !out->leaves) return false;
    memset(out->offsets, 0, ((size_t)source->vertex_count + 2) * sizeof(int));
    for (int leaf = 0; leaf < p->count; leaf++) {
        const int count = sort_unique(v, vertices_of(p, source, leaf, v));
        for (int i = 0; i < count; i++) out->offsets[v[i] + 2]++;
    }
    for (int k = 2; k < source->vertex_count + 2; k++) out->offsets[k] += out->offsets[k - 1];
    for (int leaf = 0; leaf < p->count; leaf++) {
        const int count = sort_unique(v, vertices_of(p, source, leaf, v));
        for (int i = 0; i < count; i++) out->leaves[out->offsets[v[i] + 1]++] = leaf;
    }
    return true;
}

static void free_leaves(vertex_leaves* list) {
    PL_FREE(list->offsets, int, (size_t)list->vertex_count + 2);
    PL_FREE(list->leaves, int, list->count);
}

// The leaves that share a vertex with a given leaf, and the vertices of these leaves. Filling the
// lists returns false if they are too short.
typedef struct patch_lists {
    int near[MAX_TRIANGLES], vertices[MAX_VERTICES];
    int near_count, vertex_count;
} patch_lists;

static bool list_patch(const pl_flat_patches* p, const pl_flat_source* source,
                       const vertex_leaves* of, int leaf, patch_lists* out) {
    int v[3 * MAX_LEAF], triangles = 0;
    const int count = vertices_of(p, source, leaf, v);
    out->near_count = out->vertex_count = 0;
    for (int i = 0; i < count; i++) {
        const int first = of->offsets[v[i]], end = of->offsets[v[i] + 1];
        if (end - first > MAX_TRIANGLES - out->near_count) return false;
        memcpy(out->near + out->near_count, of->leaves + first,
               (size_t)(end - first) * sizeof(int));
        out->near_count = sort_unique(out->near, out->near_count + end - first);
    }
    for (int k = 0; k < out->near_count; k++) {
        triangles += node_of_leaf(p, out->near[k])->count;
        if (triangles > MAX_TRIANGLES) return false;
        out->vertex_count +=
            vertices_of(p, source, out->near[k], out->vertices + out->vertex_count);
    }
    out->vertex_count = sort_unique(out->vertices, out->vertex_count);
    return true;
}

// Counts in a first pass, writes in a second one.
static bool list_patches(pl_flat_patches* p, const pl_flat_source* source,
                         const vertex_leaves* of) {
    patch_lists lists;
    for (int pass = 0; pass < 2; pass++) {
        int near = 0, vertices = 0;
        for (int leaf = 0; leaf < p->count; leaf++) {
            if (!list_patch(p, source, of, leaf, &lists)) lists.near_count = lists.vertex_count = 0;
            p->near_offsets[leaf] = near;
            p->vertex_offsets[leaf] = vertices;
            if (pass) {
                memcpy(p->near + near, lists.near, (size_t)lists.near_count * sizeof(int));
                memcpy(p->vertices + vertices, lists.vertices,
                       (size_t)lists.vertex_count * sizeof(int));
            }
            near += lists.near_count;
            vertices += lists.vertex_count;
        }
        p->near_offsets[p->count] = near;
        p->vertex_offsets[p->count] = vertices;
        if (pass || near == 0) break;
        if (!(p->near = PL_ALLOC(int, near)) || !(p->vertices = PL_ALLOC(int, vertices)) ||
            !(p->flat = PL_ALLOC(double, 2 * (size_t)vertices)))
            return false;
    }
    return true;
}

// ------------------------------------------------------------------ the plane at rest

// Projects a patch at rest onto its plane. Returns the largest distance from this plane.
static double lay_flat(pl_flat_patches* p, const double* rest, int leaf) {
    const int first = p->vertex_offsets[leaf], end = p->vertex_offsets[leaf + 1];
    double S[9] = {0}, values[3], V[9], out = 0.0;
    pl_vec3 mean = {0, 0, 0};
    for (int k = first; k < end; k++)
        mean = pl_madd(mean, 1.0 / (end - first), pl_vec3_load(rest + 3 * (size_t)p->vertices[k]));
    for (int k = first; k < end; k++) {
        double d[3];
        pl_vec3_store(d, pl_sub(pl_vec3_load(rest + 3 * (size_t)p->vertices[k]), mean));
        for (int i = 0; i < 9; i++) S[i] += d[i / 3] * d[i % 3];
    }
    if (!pl_symmetric_eigen(3, S, values, V)) return INFINITY;
    int normal = 0, axes[2], count = 0;
    for (int i = 1; i < 3; i++)
        if (values[i] < values[normal]) normal = i;
    for (int i = 0; i < 3; i++)
        if (i != normal) axes[count++] = i;
    for (int a = 0; a < 2; a++) p->inverse[2 * leaf + a] = 1.0 / values[axes[a]];
    for (int k = first; k < end; k++) {
        const pl_vec3 d = pl_sub(pl_vec3_load(rest + 3 * (size_t)p->vertices[k]), mean);
        for (int a = 0; a < 2; a++)
            p->flat[2 * (size_t)k + (size_t)a] =
                d.x * V[axes[a]] + d.y * V[3 + axes[a]] + d.z * V[6 + axes[a]];
        out = fmax(out, fabs(d.x * V[normal] + d.y * V[3 + normal] + d.z * V[6 + normal]));
    }
    return isfinite(p->inverse[2 * leaf]) && isfinite(p->inverse[2 * leaf + 1]) ? out : INFINITY;
}

// A triangle in the plane of a patch.
typedef struct flat_triangle {
    int v[3];
    pl_vec3 x[3];
    int features;
} flat_triangle;

static flat_triangle triangle_of(const pl_flat_patches* p, const pl_flat_source* source, int leaf,
                                 int triangle) {
    const int first = p->vertex_offsets[leaf];
    const size_t count = (size_t)(p->vertex_offsets[leaf + 1] - first);
    flat_triangle t = {.features = source->features[triangle]};
    for (int i = 0; i < 3; i++) {
        t.v[i] = source->triangles[3 * (size_t)triangle + (size_t)i];
        const int* at = bsearch(&t.v[i], p->vertices + first, count, sizeof(int), pl_compare_ints);
        const double* flat = p->flat + 2 * (size_t)(at - p->vertices);
        t.x[i] = (pl_vec3){flat[0], flat[1], 0.0};
    }
    return t;
}

static bool share_vertex(const int* a, int a_count, const int* b, int b_count) {
    for (int i = 0; i < a_count; i++)
        for (int j = 0; j < b_count; j++)
            if (a[i] == b[j]) return true;
    return false;
}

// lowers gap2 to the squared distance of an edge and a triangle, and of the edge and own edges of
// it
static void measure_edge(const flat_triangle* t, int k, const flat_triangle* u, double* gap2) {
    const int e[2] = {t->v[EDGE[k][0]], t->v[EDGE[k][1]]};
    const pl_vec3 a = t->x[EDGE[k][0]], b = t->x[EDGE[k][1]];
    const bool apart = !share_vertex(e, 2, u->v, 3);
    for (int j = 0; j < 3; j++) {
        const int f[2] = {u->v[EDGE[j][0]], u->v[EDGE[j][1]]};
        if (!apart && (!(u->features & (8 << j)) || share_vertex(e, 2, f, 2))) continue;
        const pl_segment_pair at = pl_closest_segments(a, b, u->x[EDGE[j][0]], u->x[EDGE[j][1]]);
        *gap2 = fmin(*gap2, at.distance2);
    }
    if (apart) *gap2 = fmin(*gap2, pl_closest_on_triangle(a, u->x[0], u->x[1], u->x[2]).distance2);
}

// the same for the features of the first triangle (surface_set.h) and the second triangle
static void measure_features(const flat_triangle* t, const flat_triangle* u, double* gap2) {
    for (int i = 0; i < 3; i++)
        if ((t->features & (1 << i)) && !share_vertex(&t->v[i], 1, u->v, 3))
            *gap2 =
                fmin(*gap2, pl_closest_on_triangle(t->x[i], u->x[0], u->x[1], u->x[2]).distance2);
    for (int k = 0; k < 3; k++)
        if (t->features & (8 << k)) measure_edge(t, k, u, gap2);
}

static bool are_near(const flat_triangle* t, const flat_triangle* u, double gap2) {
    const pl_box a = pl_box_of_triangle(t->x[0], t->x[1], t->x[2]);
    const pl_box b = pl_box_of_triangle(u->x[0], u->x[1], u->x[2]);
    const double x = fmax(fmax(a.low.x - b.high.x, b.low.x - a.high.x), 0.0);
    const double y = fmax(fmax(a.low.y - b.high.y, b.low.y - a.high.y), 0.0);
    return x * x + y * y < gap2;
}

// smallest distance in the plane between a leaf and its patch
static double measure_gap(const pl_flat_patches* p, const pl_flat_source* source, int leaf) {
    flat_triangle others[MAX_TRIANGLES];
    int count = 0;
    double gap2 = INFINITY;
    const pl_bvh_node* node = node_of_leaf(p, leaf);
    for (int k = p->near_offsets[leaf]; k < p->near_offsets[leaf + 1]; k++) {
        const pl_bvh_node* other = node_of_leaf(p, p->near[k]);
        for (int s = other->right; s < other->right + other->count; s++)
            others[count++] = triangle_of(p, source, leaf, p->tree->items[s]);
    }
    for (int s = node->right; s < node->right + node->count; s++) {
        const flat_triangle own = triangle_of(p, source, leaf, p->tree->items[s]);
        for (int k = 0; k < count; k++) {
            if (!are_near(&own, &others[k], gap2)) continue;
            measure_features(&own, &others[k], &gap2);
            measure_features(&others[k], &own, &gap2);
        }
    }
    return sqrt(gap2);
}

typedef struct setup_job {
    pl_flat_patches* p;
    const pl_flat_source* source;
} setup_job;

static void setup_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const setup_job* job = user;
    pl_flat_patches* p = job->p;
    for (int leaf = begin; leaf < end; leaf++) {
        p->gap[leaf] = p->ratio[leaf] = 0.0;
        p->is_flat[leaf] = false;
        if (p->vertex_offsets[leaf] == p->vertex_offsets[leaf + 1]) continue;
        const double out = lay_flat(p, job->source->rest, leaf);
        if (!isfinite(out)) continue;
        const double gap = measure_gap(p, job->source, leaf);
        if (!(gap > 0.0) || !isfinite(gap)) continue;
        p->gap[leaf] = gap;
        p->ratio[leaf] = sqrt(1.0 + 4.0 * out * out / (gap * gap));
    }
}

pl_status pl_flat_patches_create(const pl_flat_source* source, pl_pool* pool, pl_flat_patches** out,
                                 pl_error* error) {
    vertex_leaves of = {0};
    *out = NULL;
    pl_flat_patches* p = PL_ALLOC(pl_flat_patches, 1);
    if (!p) return pl_fail_memory(error, "surfaces in contact");
    *p = (pl_flat_patches){.tree = source->tree, .count = count_leaves(source->tree)};
    bool ok = allocate(p);
    if (ok) number_leaves(p);
    if (p->near_offsets) p->near_offsets[p->count] = 0;
    if (p->vertex_offsets) p->vertex_offsets[p->count] = 0;
    ok = ok && list_leaves(p, source, &of) && list_patches(p, source, &of);
    free_leaves(&of);
    if (!ok) {
        pl_flat_patches_destroy(p);
        return pl_fail_memory(error, "surfaces in contact");
    }
    setup_job job = {p, source};
    pl_parallel_for(pool, setup_task, p->count, LEAF_BLOCK, &job);
    *out = p;
    return PL_OK;
}

// ------------------------------------------------------------------ what is flat now

// M: the images of the two directions of the plane
static void find_columns(const pl_flat_patches* p, int leaf, const double* x, pl_vec3 m[2]) {
    const int first = p->vertex_offsets[leaf], end = p->vertex_offsets[leaf + 1];
    const pl_vec3 origin = pl_vec3_load(x + 3 * (size_t)p->vertices[first]);
    m[0] = m[1] = (pl_vec3){0, 0, 0};
    for (int k = first; k < end; k++) {
        const double* flat = p->flat + 2 * (size_t)k;
        const pl_vec3 d = pl_sub(pl_vec3_load(x + 3 * (size_t)p->vertices[k]), origin);
        m[0] = pl_madd(m[0], flat[0], d);
        m[1] = pl_madd(m[1], flat[1], d);
    }
    for (int a = 0; a < 2; a++) m[a] = pl_scale(p->inverse[2 * leaf + a], m[a]);
}

// Q = M (M'M)^-1/2, the orthonormal frame nearest to M. False if M has rank below two.
static bool choose_frame(const pl_vec3 m[2], double* frame) {
    const double a = pl_norm2(m[0]), b = pl_dot(m[0], m[1]), d = pl_norm2(m[1]);
    const double root = sqrt(a * d - b * b), t = sqrt(a + d + 2.0 * root);
    // (M'M)^1/2 = | a + root, b; b, d + root | / t, whose determinant is root
    if (!(root > 1e-9 * (a + d))) return false;
    const double aa = (d + root) / (t * root), bb = -b / (t * root), dd = (a + root) / (t * root);
    pl_vec3_store(frame, pl_madd(pl_scale(aa, m[0]), bb, m[1]));
    pl_vec3_store(frame + 3, pl_madd(pl_scale(bb, m[0]), dd, m[1]));
    return true;
}

// A patch projected onto the plane of its frame, Q'x = c + G X + u.
typedef struct patch_map {
    double G[4];  // Q'M, row by row
    double stray; // the largest |u|
} patch_map;

static patch_map map_of(const pl_flat_patches* p, int leaf, const double* x) {
    const int first = p->vertex_offsets[leaf], count = p->vertex_offsets[leaf + 1] - first;
    const int* vertices = p->vertices + first;
    const double *flat = p->flat + 2 * (size_t)first, *frame = p->frame + 6 * (size_t)leaf;
    const pl_vec3 q = pl_vec3_load(frame), r = pl_vec3_load(frame + 3);
    const pl_vec3 origin = pl_vec3_load(x + 3 * (size_t)vertices[0]);
    double seen[2 * MAX_VERTICES], sum[2] = {0, 0}, G[4] = {0}, most = 0.0;
    for (int k = 0; k < count; k++) {
        const pl_vec3 d = pl_sub(pl_vec3_load(x + 3 * (size_t)vertices[k]), origin);
        const double a = pl_dot(q, d), b = pl_dot(r, d);
        seen[2 * k] = a, seen[2 * k + 1] = b;
        sum[0] += a, sum[1] += b;
        G[0] += a * flat[2 * k], G[1] += a * flat[2 * k + 1];
        G[2] += b * flat[2 * k], G[3] += b * flat[2 * k + 1];
    }
    for (int i = 0; i < 4; i++) G[i] *= p->inverse[2 * leaf + i % 2];
    sum[0] /= count, sum[1] /= count;
    for (int k = 0; k < count; k++) {
        const double a = seen[2 * k] - sum[0] - G[0] * flat[2 * k] - G[1] * flat[2 * k + 1];
        const double b = seen[2 * k + 1] - sum[1] - G[2] * flat[2 * k] - G[3] * flat[2 * k + 1];
        const double square = a * a + b * b;
        if (!(square <= most)) most = square; // NaN counts as large
    }
    return (patch_map){{G[0], G[1], G[2], G[3]}, sqrt(most)};
}

static bool keeps(const pl_flat_patches* p, int leaf, const double* x, double distance,
                  double margin) {
    const patch_map map = map_of(p, leaf, x);
    // smallest eigenvalue of the symmetric part of G
    const double a = map.G[0], b = 0.5 * (map.G[1] + map.G[2]), d = map.G[3];
    const double stretch = 0.5 * (a + d) - sqrt(0.25 * (a - d) * (a - d) + b * b);
    const double gap = p->gap[leaf], of_rest = PL_REST_PART * p->ratio[leaf];
    // at distances beyond the gap, the bound grows at least as fast as the required distance
    return stretch > of_rest &&
           2.0 * map.stray + margin * gap < stretch * gap - fmin(distance, of_rest * gap);
}

typedef struct flat_job {
    pl_flat_patches* p;
    const double *start, *end;
    double distance, margin;
} flat_job;

static void find_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const flat_job* job = user;
    pl_flat_patches* p = job->p;
    for (int leaf = begin; leaf < end; leaf++) {
        p->is_flat[leaf] = false;
        if (!(p->gap[leaf] > 0.0)) continue;
        pl_vec3 m[2];
        find_columns(p, leaf, job->start, m);
        p->is_flat[leaf] = choose_frame(m, p->frame + 6 * (size_t)leaf) &&
                           keeps(p, leaf, job->start, job->distance, job->margin) &&
                           (!job->end || keeps(p, leaf, job->end, job->distance, job->margin));
    }
}

void pl_flat_patches_find(pl_flat_patches* p, pl_pool* pool, const double* start, const double* end,
                          double distance, double margin) {
    flat_job job = {p, start, end, distance, margin};
    pl_parallel_for(pool, find_task, p->count, LEAF_BLOCK, &job);
}

static double count_bent(int begin, int end, void* user) {
    const flat_job* job = user;
    int count = 0;
    for (int leaf = begin; leaf < end; leaf++) {
        if (!job->p->is_flat[leaf]) continue;
        count += !keeps(job->p, leaf, job->start, job->distance, 0.0);
    }
    return count;
}

bool pl_flat_patches_hold(const pl_flat_patches* p, pl_pool* pool, const double* x,
                          double distance) {
    flat_job job = {(pl_flat_patches*)p, x, NULL, distance, 0.0};
    return pl_parallel_sum(pool, count_bent, p->count, LEAF_BLOCK, &job) == 0.0;
}

static bool is_near(const pl_flat_patches* p, int leaf, int other) {
    for (int k = p->near_offsets[leaf]; k < p->near_offsets[leaf + 1]; k++)
        if (p->near[k] == other) return true;
    return false;
}

bool pl_flat_patches_part(const pl_flat_patches* p, int node, int other_node) {
    const int leaf = p->leaf_of[node], other = p->leaf_of[other_node];
    return (p->is_flat[leaf] || p->is_flat[other]) &&
           (p->is_flat[leaf] ? is_near(p, leaf, other) : is_near(p, other, leaf));
}
