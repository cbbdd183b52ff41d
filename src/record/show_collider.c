// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Round shapes are profiles turned about an axis: rows of points, each a place along the axis and a
// distance from it. Only positions depend on sizes, so that animated ones need no new triangles.
#include "record/show_collider.h"
#include "base/memory.h"
#include "scene/animation.h"
#include "world/world_build.h"

#include <math.h>
#include <string.h>

enum { AROUND = 64, ARC = 17, ROUND_ROWS = 2 * ARC, TUBE_ROWS = 32 };

// two unit vectors across a unit vector and each other
static void across_of(pl_vec3 n, pl_vec3* a, pl_vec3* b) {
    *a = pl_normalize(pl_cross(n, fabs(n.x) < 0.6 ? (pl_vec3){1, 0, 0} : (pl_vec3){0, 1, 0}));
    *b = pl_cross(n, *a);
}

// one row of a turned profile
static double* put_ring(double* out, pl_vec3 center, pl_vec3 a, pl_vec3 b, double radius) {
    for (int k = 0; k < AROUND; k++, out += 3) {
        double angle = 2.0 * PL_PI * k / AROUND;
        pl_vec3_store(out,
                      pl_madd(pl_madd(center, radius * cos(angle), a), radius * sin(angle), b));
    }
    return out;
}

// ball around a, ball around b, and the cone that touches both; ROUND_ROWS rows
static double* put_round_cone(double* out, pl_vec3 from, double ra, pl_vec3 to, double rb) {
    double length = pl_distance(from, to);
    pl_vec3 axis = length > 0.0 ? pl_normalize(pl_sub(to, from)) : (pl_vec3){0, 1, 0}, u, v;
    across_of(axis, &u, &v);
    bool swallowed = length <= fabs(rb - ra); // one ball holds the other
    if (swallowed && rb > ra) from = to, ra = rb;
    if (swallowed) { // evenly from pole to pole
        for (int k = 0; k < ROUND_ROWS; k++) {
            double angle = PL_PI * ((double)k / (ROUND_ROWS - 1) - 0.5);
            out = put_ring(out, pl_madd(from, ra * sin(angle), axis), u, v, ra * cos(angle));
        }
        return out;
    }
    double tilt = asin((ra - rb) / length);
    for (int k = 0; k < ARC; k++) {
        double angle = -0.5 * PL_PI + (tilt + 0.5 * PL_PI) * k / (ARC - 1);
        out = put_ring(out, pl_madd(from, ra * sin(angle), axis), u, v, ra * cos(angle));
    }
    for (int k = 0; k < ARC; k++) {
        double angle = tilt + (0.5 * PL_PI - tilt) * k / (ARC - 1);
        out = put_ring(out, pl_madd(to, rb * sin(angle), axis), u, v, rb * cos(angle));
    }
    return out;
}

static void put_cylinder(double* out, const pl_capsule_shape* c) {
    pl_vec3 from = pl_vec3_load(c->from), to = pl_vec3_load(c->to), u, v;
    across_of(pl_normalize(pl_sub(to, from)), &u, &v);
    out = put_ring(out, from, u, v, 0.0);
    out = put_ring(out, from, u, v, c->radius);
    out = put_ring(out, to, u, v, c->radius);
    put_ring(out, to, u, v, 0.0);
}

static void put_torus(double* out, const pl_torus_shape* t) {
    pl_vec3 axis = pl_normalize(pl_vec3_load(t->axis)), u, v;
    across_of(axis, &u, &v);
    for (int k = 0; k < TUBE_ROWS; k++) {
        double angle = 2.0 * PL_PI * k / TUBE_ROWS;
        out = put_ring(out, pl_madd(pl_vec3_load(t->center), t->tube * sin(angle), axis), u, v,
                       t->radius + t->tube * cos(angle));
    }
}

static void put_box(double* out, const pl_box_shape* box) {
    for (int k = 0; k < 8; k++)
        for (int c = 0; c < 3; c++) *out++ = k >> c & 1 ? box->max[c] : box->min[c];
}

static void put_plane(double* out, const pl_plane_shape* plane, pl_vec3 around, double reach) {
    pl_vec3 normal = pl_normalize(pl_vec3_load(plane->normal)), u, v;
    double height = pl_dot(pl_sub(around, pl_vec3_load(plane->point)), normal);
    pl_vec3 middle = pl_madd(around, -height, normal);
    across_of(normal, &u, &v);
    for (int k = 0; k < 4; k++)
        pl_vec3_store(out + 3 * k, pl_madd(pl_madd(middle, k & 1 ? reach : -reach, u),
                                           k & 2 ? reach : -reach, v));
}

static void put_chain(double* out, const pl_chain_shape* chain, const double* points) {
    for (int k = 0; k + 1 < chain->point_count || k == 0; k++) {
        int next = k + 1 < chain->point_count ? k + 1 : k, last = chain->radius_count - 1;
        out = put_round_cone(out, pl_vec3_load(points + 3 * k), chain->radii[k < last ? k : last],
                             pl_vec3_load(points + 3 * next),
                             chain->radii[next < last ? next : last]);
    }
}

// the points before the motion
static void put_points(pl_shown_collider* s, pl_vec3 around, double reach) {
    const pl_collider* c = s->def;
    pl_vec3 center = pl_vec3_load(c->sphere.center);
    switch (c->shape) {
    case PL_COLLIDER_PLANE: put_plane(s->start, &c->plane, around, reach); return;
    case PL_COLLIDER_SPHERE:
        put_round_cone(s->start, center, c->sphere.radius, center, c->sphere.radius);
        return;
    case PL_COLLIDER_BOX: put_box(s->start, &c->box); return;
    case PL_COLLIDER_CAPSULE:
        put_round_cone(s->start, pl_vec3_load(c->capsule.from), c->capsule.radius,
                       pl_vec3_load(c->capsule.to), c->capsule.radius);
        return;
    case PL_COLLIDER_CHAIN:
        put_chain(s->start, &c->chain, s->cached ? s->cached : c->chain.points);
        return;
    case PL_COLLIDER_CYLINDER: put_cylinder(s->start, &c->cylinder); return;
    case PL_COLLIDER_TORUS: put_torus(s->start, &c->torus); return;
    default:
        memcpy(s->start, s->cached ? s->cached : s->mesh->positions,
               3 * (size_t)s->vertex_count * sizeof(double));
    }
}

// ---------------------------------------------------------------- triangles

// how many rows of a turned profile a shape has; 0 for others
static int row_count(const pl_collider* c, int* piece_count) {
    *piece_count = 1;
    switch (c->shape) {
    case PL_COLLIDER_SPHERE:
    case PL_COLLIDER_CAPSULE: return ROUND_ROWS;
    case PL_COLLIDER_CHAIN:
        *piece_count = c->chain.point_count > 1 ? c->chain.point_count - 1 : 1;
        return ROUND_ROWS;
    case PL_COLLIDER_CYLINDER: return 4;
    case PL_COLLIDER_TORUS: return TUBE_ROWS;
    default: return 0;
    }
}

// strips between rows; a closed profile ends at its first row
static int strip_count(const pl_collider* c, int rows) {
    return c->shape == PL_COLLIDER_TORUS ? rows : rows - 1;
}

static void join_rows(int rows, int strips, int piece_count, int* out) {
    for (int piece = 0; piece < piece_count; piece++)
        for (int r = 0; r < strips; r++)
            for (int k = 0; k < AROUND; k++) {
                int first = (piece * rows + r) * AROUND, next = (k + 1) % AROUND;
                int above = (piece * rows + (r + 1) % rows) * AROUND;
                int a = first + k, b = first + next, c = above + k, d = above + next;
                const int corners[6] = {a, b, d, a, d, c};
                memcpy(out, corners, sizeof corners);
                out += 6;
            }
}

static void join_box(int* out) {
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int f = 0; f < 6; f++) {
        const int corners[6] = {faces[f][0], faces[f][1], faces[f][2],
                                faces[f][0], faces[f][2], faces[f][3]};
        memcpy(out + 6 * f, corners, sizeof corners);
    }
}

static void count_items(pl_shown_collider* s) {
    int pieces, rows = row_count(s->def, &pieces);
    if (rows) {
        s->vertex_count = pieces * rows * AROUND;
        s->triangle_count = pieces * strip_count(s->def, rows) * AROUND * 2;
    } else if (s->mesh) {
        s->vertex_count = s->mesh->vertex_count;
        s->triangle_count = s->mesh->triangle_count;
    } else {
        bool is_box = s->def->shape == PL_COLLIDER_BOX;
        s->vertex_count = is_box ? 8 : 4;
        s->triangle_count = is_box ? 12 : 2;
    }
}

static void join(pl_shown_collider* s) {
    static const int square[6] = {0, 1, 3, 0, 3, 2};
    int pieces, rows = row_count(s->def, &pieces);
    if (rows) join_rows(rows, strip_count(s->def, rows), pieces, s->triangles);
    else if (s->mesh)
        memcpy(s->triangles, s->mesh->triangles, 3 * (size_t)s->triangle_count * sizeof(int));
    else if (s->def->shape == PL_COLLIDER_BOX) join_box(s->triangles);
    else memcpy(s->triangles, square, sizeof square);
}

static pl_status read_files(pl_shown_collider* s, pl_notes* notes, pl_error* error) {
    const pl_collider* c = s->def;
    pl_status status = PL_OK;
    const char* cache = c->shape == PL_COLLIDER_CHAIN ? c->chain.cache : NULL;
    int point_count = c->chain.point_count;
    if (c->shape == PL_COLLIDER_MESH) {
        status = pl_mesh_read(c->mesh.file, NULL, &s->mesh, notes, error);
        if (status != PL_OK) return status;
        pl_transform_apply(&c->mesh.transform, s->mesh->positions, s->mesh->vertex_count);
        cache = c->mesh.cache;
        point_count = s->mesh->vertex_count;
    }
    if (!cache || !cache[0]) return status;
    status = pl_world_read_cache("a collider", cache, point_count, "the shape", &s->cache, error);
    if (status != PL_OK) return status;
    s->cached = PL_ALLOC(double, 3 * (size_t)point_count);
    return s->cached ? PL_OK : pl_fail_memory(error, "a collider's picture");
}

pl_status pl_shown_collider_create(const pl_collider* def, pl_shown_collider* out, pl_notes* notes,
                                   pl_error* error) {
    *out = (pl_shown_collider){.def = def};
    pl_status status = read_files(out, notes, error);
    if (status == PL_OK) {
        count_items(out);
        out->middle = pl_collider_middle(def, out->mesh);
        out->start = PL_ALLOC(double, 3 * (size_t)out->vertex_count);
        out->positions = PL_ALLOC(float, 3 * (size_t)out->vertex_count);
        out->triangles = PL_ALLOC(int, 3 * (size_t)out->triangle_count);
        bool ready = out->start && out->positions && (out->triangles || !out->triangle_count);
        status = ready ? PL_OK : pl_fail_memory(error, "a collider's picture");
    }
    if (status == PL_OK) join(out);
    else pl_shown_collider_free(out);
    return status;
}

void pl_shown_collider_free(pl_shown_collider* s) {
    PL_FREE(s->start, double, 3 * (size_t)s->vertex_count);
    PL_FREE(s->positions, float, 3 * (size_t)s->vertex_count);
    PL_FREE(s->triangles, int, 3 * (size_t)s->triangle_count);
    PL_FREE(s->cached, double, 3 * (size_t)s->cache.point_count);
    pl_point_cache_free(&s->cache);
    pl_mesh_destroy(s->mesh);
    *s = (pl_shown_collider){0};
}

void pl_shown_collider_place(pl_shown_collider* s, double time, double frame_step, pl_vec3 around,
                             double reach) {
    const pl_collider* c = s->def;
    if (s->cached) {
        double start = s->mesh ? c->mesh.cache_start : c->chain.cache_start;
        pl_point_cache_places(&s->cache, (time - start) / frame_step, s->cached);
        if (s->mesh) pl_transform_apply(&c->mesh.transform, s->cached, s->cache.point_count);
    }
    put_points(s, around, reach);
    pl_pose pose = pl_motion_pose(&c->motion, s->middle, time);
    for (int v = 0; v < s->vertex_count; v++) {
        pl_vec3 at = pl_pose_point(&pose, pl_vec3_load(s->start + 3 * (size_t)v));
        float* p = s->positions + 3 * (size_t)v;
        p[0] = (float)at.x, p[1] = (float)at.y, p[2] = (float)at.z;
    }
}
