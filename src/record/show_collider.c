// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/show_collider.h"
#include "base/memory.h"
#include "collider/collider_kind.h"
#include "collider/turned_profile.h"
#include "scene/animation.h"
#include "world/world_build.h"

#include <string.h>

static pl_collider_picture picture_of(const pl_shown_collider* s) {
    pl_collider_picture p = {.row_count = 0};
    if (s->mesh) {
        p.vertex_count = s->mesh->vertex_count;
        p.triangle_count = s->mesh->triangle_count;
        p.triangles = s->mesh->triangles;
        return p;
    }
    p = pl_collider_kind_of(s->def)->picture(s->def);
    if (p.row_count) {
        p.vertex_count = p.piece_count * p.row_count * PL_TURNED_AROUND;
        p.triangle_count = pl_turned_triangles(p.row_count, p.is_closed, p.piece_count);
    }
    return p;
}

static void join(pl_shown_collider* s, const pl_collider_picture* p) {
    if (p->row_count) pl_turned_join(p->row_count, p->is_closed, p->piece_count, s->triangles);
    else memcpy(s->triangles, p->triangles, 3 * (size_t)p->triangle_count * sizeof(int));
}

// the points before the motion
static void put_points(pl_shown_collider* s, pl_vec3 around, double reach) {
    if (s->mesh)
        memcpy(s->start, s->cached ? s->cached : s->mesh->positions,
               3 * (size_t)s->vertex_count * sizeof(double));
    else
        pl_collider_kind_of(s->def)->draw(
            s->def, &(pl_collider_view){.points = s->cached, .around = around, .reach = reach},
            s->start);
}

static pl_status read_files(pl_shown_collider* s, pl_notes* notes, pl_error* error) {
    pl_status status = pl_collider_read_surface(s->def, &s->mesh, notes, error);
    if (status != PL_OK || !pl_collider_has_cache(s->def)) return status;
    pl_collider_points points = pl_collider_points_of(s->def);
    int count = s->mesh ? s->mesh->vertex_count : points.count;
    status = pl_world_read_cache("a collider", points.cache, count, "the shape", &s->cache, error);
    if (status != PL_OK) return status;
    s->cached = PL_ALLOC(double, 3 * (size_t)count);
    return s->cached ? PL_OK : pl_fail_memory(error, "a collider's picture");
}

pl_status pl_shown_collider_create(const pl_collider* def, pl_shown_collider* out, pl_notes* notes,
                                   pl_error* error) {
    *out = (pl_shown_collider){.def = def};
    pl_status status = read_files(out, notes, error);
    if (status == PL_OK) {
        pl_collider_picture picture = picture_of(out);
        out->vertex_count = picture.vertex_count;
        out->triangle_count = picture.triangle_count;
        out->middle = pl_collider_middle(def, out->mesh);
        out->start = PL_ALLOC(double, 3 * (size_t)out->vertex_count);
        out->positions = PL_ALLOC(float, 3 * (size_t)out->vertex_count);
        out->triangles = PL_ALLOC(int, 3 * (size_t)out->triangle_count);
        bool ready = out->start && out->positions && (out->triangles || !out->triangle_count);
        status = ready ? PL_OK : pl_fail_memory(error, "a collider's picture");
        if (ready) join(out, &picture);
    }
    if (status != PL_OK) pl_shown_collider_free(out);
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
        double start = pl_collider_points_of(c).cache_start;
        pl_point_cache_places(&s->cache, (time - start) / frame_step, s->cached);
        pl_collider_place_points(c, s->cached, s->cache.point_count);
    }
    put_points(s, around, reach);
    pl_pose pose = pl_motion_pose(&c->motion, s->middle, time);
    for (int v = 0; v < s->vertex_count; v++) {
        pl_vec3 at = pl_pose_point(&pose, pl_vec3_load(s->start + 3 * (size_t)v));
        float* p = s->positions + 3 * (size_t)v;
        p[0] = (float)at.x, p[1] = (float)at.y, p[2] = (float)at.z;
    }
}
