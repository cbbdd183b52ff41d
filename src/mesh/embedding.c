// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mesh/embedding.h"
#include "base/memory.h"
#include "base/pool.h"
#include "geometry/triangle_tree.h"
#include "math/polar.h"
#include "mesh/quality.h"
#include "mesh/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024 };
enum { INSIDE = -1, NOWHERE = -2 }; // in place of the side that a vertex is tied to

// how a surface vertex is attached to the solid
typedef struct anchor {
    int vertices[4]; // of the solid
    double weights[4];
} anchor;

// the rest of the way from the anchor to the surface vertex: an offset, turned by the rotation in D
// rest_inverse, where D has the edges from the anchor's first vertex
typedef struct offset {
    int vertex; // of the surface
    int side;   // of a tet, on which the anchor lies; offsets of one side are consecutive
    pl_vec3 vector;
    pl_mat3 rest_inverse;
} offset;

struct pl_embedding {
    int vertex_count;
    anchor* anchors;
    int offset_count;
    offset* offsets;
    double farthest_distance;
    int farthest_vertex;

    int triangle_count;
    int* triangles;      // of the surface
    pl_adjacency around; // the triangles around each vertex
};

// ---- points in tets

bool pl_barycentric(const pl_vec3 c[4], pl_vec3 p, double weights[4]) {
    double whole = pl_det4(c[0], c[1], c[2], c[3]);
    weights[1] = pl_det4(c[0], p, c[2], c[3]) / whole;
    weights[2] = pl_det4(c[0], c[1], p, c[3]) / whole;
    weights[3] = pl_det4(c[0], c[1], c[2], p) / whole;
    weights[0] = 1.0 - weights[1] - weights[2] - weights[3];
    // false also for NaN, which comes from a volume that is zero or too small
    return fabs(weights[0]) + fabs(weights[1]) + fabs(weights[2]) + fabs(weights[3]) < 1e100;
}

pl_status pl_tet_tree_build(const pl_mesh* solid, pl_bvh* out, pl_error* error) {
    pl_box* boxes = PL_ALLOC(pl_box, solid->tet_count);
    if (solid->tet_count && !boxes) return pl_fail_memory(error, "the boxes of tets");
    for (int t = 0; t < solid->tet_count; t++) {
        boxes[t] = pl_box_empty();
        for (int k = 0; k < 4; k++) {
            size_t v = (size_t)solid->tets[4 * (size_t)t + (size_t)k];
            boxes[t] = pl_box_add_point(boxes[t], pl_vec3_load(solid->positions + 3 * v));
        }
    }
    pl_status status = pl_bvh_build(boxes, solid->tet_count, out, error);
    PL_FREE(boxes, pl_box, solid->tet_count);
    return status;
}

typedef struct tet_query {
    const pl_mesh* solid;
    pl_vec3 p;
    pl_tet_point best;
    double least; // the smallest weight in the best tet
} tet_query;

static bool visit_tet(int tet, void* user) {
    tet_query* q = user;
    pl_vec3 corners[4];
    double w[4];
    pl_load_corners(q->solid->positions, q->solid->tets + 4 * (size_t)tet, 4, corners);
    if (!pl_barycentric(corners, q->p, w)) return true;
    double least = fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
    if (least < q->least || (least == q->least && tet > q->best.tet)) return true;
    q->least = least;
    q->best = (pl_tet_point){tet, {w[0], w[1], w[2], w[3]}};
    return true;
}

pl_tet_point pl_tet_tree_find(const pl_mesh* solid, const pl_bvh* tree, pl_vec3 p) {
    tet_query q = {.solid = solid, .p = p, .best = {.tet = -1}, .least = -1e-9};
    pl_bvh_overlap(tree, (pl_box){p, p}, visit_tet, &q);
    return q.best;
}

// ---- create

// needed only while an embedding is created
typedef struct maker {
    const pl_mesh* solid;
    const pl_mesh* surface;
    pl_bvh tets;
    pl_boundary boundary;
    pl_triangle_tree boundary_tree;
    anchor* anchors;
    int* sides; // of each surface vertex: the side of a tet it is tied to from outside
} maker;

static void find_anchors_task(int begin, int end, int worker, void* user) {
    maker* m = user;
    (void)worker;
    for (int v = begin; v < end; v++) {
        pl_vec3 p = pl_vec3_load(m->surface->positions + 3 * (size_t)v);
        anchor* a = &m->anchors[v];
        pl_tet_point inside = pl_tet_tree_find(m->solid, &m->tets, p);
        m->sides[v] = INSIDE;
        if (inside.tet >= 0) {
            for (int k = 0; k < 4; k++) {
                a->vertices[k] = m->solid->tets[4 * (size_t)inside.tet + (size_t)k];
                a->weights[k] = inside.weights[k];
            }
            continue;
        }
        pl_nearest near = pl_triangle_tree_nearest(&m->boundary_tree, p, INFINITY);
        if (near.triangle < 0) {
            m->sides[v] = NOWHERE;
            continue;
        }
        m->sides[v] = m->boundary.sides[near.triangle];
        const int* tet = m->solid->tets + 4 * (size_t)(m->sides[v] / 4);
        for (int k = 0; k < 3; k++) {
            a->vertices[k] = m->boundary.triangles[3 * (size_t)near.triangle + (size_t)k];
            a->weights[k] = near.at.weights[k];
        }
        a->vertices[3] = tet[m->sides[v] % 4];
        a->weights[3] = 0.0;
    }
}

static inline pl_vec3 anchor_point(const anchor* a, const double* positions) {
    pl_vec3 p = {0.0, 0.0, 0.0};
    for (int k = 0; k < 4; k++)
        p = pl_madd(p, a->weights[k], pl_vec3_load(positions + 3 * (size_t)a->vertices[k]));
    return p;
}

static inline pl_mat3 anchor_edges(const anchor* a, const double* positions) {
    pl_vec3 c[4];
    pl_load_corners(positions, a->vertices, 4, c);
    return pl_mat3_from_columns(pl_sub(c[1], c[0]), pl_sub(c[2], c[0]), pl_sub(c[3], c[0]));
}

static void fill_offset(const maker* m, int v, pl_embedding* e, offset* o) {
    const anchor* a = &e->anchors[v];
    pl_vec3 p = pl_vec3_load(m->surface->positions + 3 * (size_t)v);
    o->vertex = v;
    o->side = m->sides[v];
    o->vector = pl_sub(p, anchor_point(a, m->solid->positions));
    // a tet of zero volume defines no rotation
    if (!pl_mat3_inverse(anchor_edges(a, m->solid->positions), &o->rest_inverse))
        o->rest_inverse = pl_mat3_diagonal(0.0, 0.0, 0.0);
    double distance = pl_norm(o->vector);
    if (e->farthest_vertex < 0 || distance > e->farthest_distance) {
        e->farthest_distance = distance;
        e->farthest_vertex = v;
    }
}

static int compare_offsets(const void* a, const void* b) {
    const offset *x = a, *y = b;
    return x->side != y->side ? (x->side > y->side) - (x->side < y->side)
                              : (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

static pl_status fill_offsets(const maker* m, pl_embedding* e, pl_error* error) {
    int count = 0;
    for (int v = 0; v < e->vertex_count; v++) {
        if (m->sides[v] == NOWHERE)
            return pl_fail(error, PL_ERROR_MESH,
                           "vertex %d of the surface is in no tet, and the tets have no boundary "
                           "to tie it to; is every tet there twice?",
                           v);
        if (m->sides[v] != INSIDE) count++;
    }
    e->offsets = PL_ALLOC(offset, count);
    if (count && !e->offsets) return pl_fail_memory(error, "an embedding");
    for (int v = 0; v < e->vertex_count; v++)
        if (m->sides[v] != INSIDE) fill_offset(m, v, e, &e->offsets[e->offset_count++]);
    if (count > 1) qsort(e->offsets, (size_t)count, sizeof(offset), compare_offsets);
    return PL_OK;
}

static pl_status check_finite(const pl_mesh* mesh, const char* what, pl_error* error) {
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
        if (!isfinite(mesh->positions[i]))
            return pl_fail(error, PL_ERROR_MESH,
                           "vertex %zu of the %s is not finite, so nothing can be embedded", i / 3,
                           what);
    return PL_OK;
}

static pl_status setup_maker(maker* m, pl_error* error) {
    const pl_mesh* solid = m->solid;
    if (solid->tet_count == 0)
        return pl_fail(error, PL_ERROR_MESH,
                       "the solid has no tets, so nothing can be embedded in it");
    pl_status status = check_finite(solid, "solid", error);
    if (status == PL_OK) status = check_finite(m->surface, "surface", error);
    if (status == PL_OK) status = pl_tet_tree_build(solid, &m->tets, error);
    if (status == PL_OK) status = pl_boundary_create(solid, &m->boundary, error);
    if (status == PL_OK)
        status = pl_triangle_tree_build(solid->positions, m->boundary.triangles, m->boundary.count,
                                        &m->boundary_tree, error);
    if (status != PL_OK) return status;
    m->sides = PL_ALLOC(int, m->surface->vertex_count);
    if (m->surface->vertex_count && !m->sides) return pl_fail_memory(error, "an embedding");
    return PL_OK;
}

static void free_maker(maker* m) {
    pl_bvh_free(&m->tets);
    pl_boundary_free(&m->boundary);
    pl_triangle_tree_free(&m->boundary_tree);
    PL_FREE(m->sides, int, m->surface->vertex_count);
}

// the parts that do not depend on where the vertices are
static pl_status setup_surface(const pl_mesh* surface, pl_embedding* e, pl_error* error) {
    size_t index_count = 3 * (size_t)surface->triangle_count;
    e->farthest_vertex = -1;
    e->vertex_count = surface->vertex_count;
    e->anchors = PL_ALLOC(anchor, e->vertex_count);
    if (e->vertex_count && !e->anchors) return pl_fail_memory(error, "an embedding");
    e->triangle_count = surface->triangle_count;
    e->triangles = PL_ALLOC(int, index_count);
    if (index_count && !e->triangles) return pl_fail_memory(error, "an embedding");
    if (index_count) memcpy(e->triangles, surface->triangles, index_count * sizeof(int));
    return pl_vertex_elements(surface->triangles, surface->triangle_count, 3, surface->vertex_count,
                              &e->around, error);
}

pl_status pl_embedding_create(const pl_mesh* solid, const pl_mesh* surface, pl_pool* pool,
                              pl_embedding** out, pl_error* error) {
    *out = NULL;
    pl_embedding* e = PL_ALLOC(pl_embedding, 1);
    if (!e) return pl_fail_memory(error, "an embedding");
    maker m = {.solid = solid, .surface = surface};
    pl_status status = setup_surface(surface, e, error);
    if (status == PL_OK) status = setup_maker(&m, error);
    if (status == PL_OK) {
        m.anchors = e->anchors;
        pl_parallel_for(pool, find_anchors_task, e->vertex_count, BLOCK, &m);
        status = fill_offsets(&m, e, error);
    }
    free_maker(&m);
    if (status == PL_OK) *out = e;
    else pl_embedding_destroy(e);
    return status;
}

void pl_embedding_destroy(pl_embedding* e) {
    if (!e) return;
    PL_FREE(e->anchors, anchor, e->vertex_count);
    PL_FREE(e->offsets, offset, e->offset_count);
    PL_FREE(e->triangles, int, 3 * (size_t)e->triangle_count);
    pl_adjacency_free(&e->around);
    PL_FREE(e, pl_embedding, 1);
}

pl_embedding_info pl_embedding_get_info(const pl_embedding* e) {
    return (pl_embedding_info){e->vertex_count, e->offset_count, e->farthest_vertex,
                               e->farthest_distance};
}

int pl_embedding_vertex(const pl_embedding* e, int vertex) {
    const anchor* a = &e->anchors[vertex];
    int best = 0;
    for (int k = 1; k < 4; k++)
        if (a->weights[k] > a->weights[best]) best = k;
    return a->vertices[best];
}

// ---- deform

typedef struct deformation {
    const pl_embedding* embedding;
    const double* solid_positions;
    double* positions;
    double* normals;
} deformation;

static void deform_task(int begin, int end, int worker, void* user) {
    const deformation* d = user;
    (void)worker;
    for (int v = begin; v < end; v++)
        pl_vec3_store(d->positions + 3 * (size_t)v,
                      anchor_point(&d->embedding->anchors[v], d->solid_positions));
}

static void offset_task(int begin, int end, int worker, void* user) {
    const deformation* d = user;
    (void)worker;
    pl_mat3 R;
    for (int i = begin; i < end; i++) {
        const offset* o = &d->embedding->offsets[i];
        const anchor* a = &d->embedding->anchors[o->vertex];
        if (i == begin || o->side != o[-1].side) {
            pl_mat3 F = pl_mat3_mul(anchor_edges(a, d->solid_positions), o->rest_inverse);
            pl_polar(F, &R, NULL);
        }
        double* p = d->positions + 3 * (size_t)o->vertex;
        pl_vec3_store(p, pl_add(pl_vec3_load(p), pl_mat3_apply(&R, o->vector)));
    }
}

static void normal_task(int begin, int end, int worker, void* user) {
    const deformation* d = user;
    const pl_embedding* e = d->embedding;
    (void)worker;
    for (int v = begin; v < end; v++) {
        pl_vec3 sum = {0.0, 0.0, 0.0};
        for (int k = e->around.offsets[v]; k < e->around.offsets[v + 1]; k++) {
            pl_vec3 c[3];
            pl_load_corners(d->positions, e->triangles + 3 * (size_t)e->around.items[k], 3, c);
            sum = pl_add(sum, pl_cross(pl_sub(c[1], c[0]), pl_sub(c[2], c[0])));
        }
        pl_vec3_store(d->normals + 3 * (size_t)v, pl_normalize(sum));
    }
}

void pl_embedding_deform(const pl_embedding* e, const double* solid_positions, pl_pool* pool,
                         double* positions, double* normals) {
    deformation d = {e, solid_positions, positions, normals};
    pl_parallel_for(pool, deform_task, e->vertex_count, BLOCK, &d);
    pl_parallel_for(pool, offset_task, e->offset_count, BLOCK, &d);
    if (normals) pl_parallel_for(pool, normal_task, e->vertex_count, BLOCK, &d);
}

void pl_embedding_interpolate(const pl_embedding* e, const double* solid_values, int components,
                              double* values) {
    for (int v = 0; v < e->vertex_count; v++) {
        const anchor* a = &e->anchors[v];
        for (int c = 0; c < components; c++) {
            double sum = 0.0;
            for (int i = 0; i < 4; i++)
                sum += a->weights[i] *
                       solid_values[(size_t)a->vertices[i] * (size_t)components + (size_t)c];
            values[(size_t)v * (size_t)components + (size_t)c] = sum;
        }
    }
}
