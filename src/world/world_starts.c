// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bodies that start inside a collider. The contact penalty would move such a body in front of the
// collider within one step, and so throw it. Instead the collider's surface is moved back, for this
// body only, by the body's depth. It returns within half a second, slowly at first and at the end.
// The distance depends only on the scene and the time, so runs can be resumed.
#include "base/memory.h"
#include "base/notes.h"
#include "world/world_build.h"

#include <math.h>
#include <stdio.h>

// Time in which a body is pushed out [s].
static const double PUSH_OUT_TIME = 0.5;
// Depths below this fraction of the body's diagonal do no harm.
static const double MIN_DEPTH = 1e-4;
// Error of a sampled distance, in cells of its grid.
static const double GRID_ERROR = 0.1;

// a body that starts inside a collider
typedef struct start {
    int count;     // number of surface vertices inside
    double depth;  // of the deepest vertex [m]
    pl_vec3 out;   // normal of the collider at that vertex
    double lowest; // lowest coordinate of the body along `up` [m]
} start;

static int row_size(const pl_world* w) { return w->obstacle_count + w->body_count; }

void pl_world_starts_free(pl_world* w) {
    PL_FREE(w->start_depths, double, (size_t)w->body_count*(size_t)row_size(w));
    PL_FREE(w->recesses, double, (size_t)w->body_count*(size_t)row_size(w));
    PL_FREE(w->recess_steps, double, (size_t)w->body_count*(size_t)row_size(w));
}

const double* pl_world_recesses(const pl_world* w, int body) {
    return w->recesses ? w->recesses + (size_t)body * (size_t)row_size(w) : NULL;
}

const double* pl_world_recess_steps(const pl_world* w, int body) {
    return w->recesses ? w->recess_steps + (size_t)body * (size_t)row_size(w) : NULL;
}

// fraction of the initial depth that remains at a time
static double part_left(double time) {
    double s = fmin(fmax(time / PUSH_OUT_TIME, 0.0), 1.0);
    return 1.0 - s * s * (3.0 - 2.0 * s);
}

void pl_world_update_recesses(pl_world* w, double begin, double end) {
    double before = part_left(begin), after = part_left(end);
    for (int k = 0; w->recesses && k < w->body_count * row_size(w); k++) {
        w->recesses[k] = after * w->start_depths[k];
        w->recess_steps[k] = (before - after) * w->start_depths[k];
    }
}

static double along(const pl_world* w, pl_vec3 p) {
    return w->scene->up == PL_AXIS_X ? p.x : w->scene->up == PL_AXIS_Y ? p.y : p.z;
}

// marks attached vertices, which stay where they are held
static void mark_held(const pl_world* w, int b, bool* held) {
    for (int k = 0; k < w->attachment_count; k++)
        for (int i = 0; w->attachments[k].body == b && i < w->attachments[k].count; i++)
            held[w->attachments[k].vertices[i]] = true;
}

static start look_inside(const pl_world* w, int b, int k, double diagonal, const bool* held) {
    const pl_world_body* body = &w->bodies[b];
    const pl_moving_obstacle* m = &w->obstacles[k];
    pl_box reach = pl_obstacle_bounds(&m->obstacle);
    double least = MIN_DEPTH * diagonal;
    if (m->obstacle.kind != &pl_obstacle_surface && m->obstacle.grid)
        least = fmax(least, GRID_ERROR * m->obstacle.grid->spacing);
    start s = {.lowest = HUGE_VAL};
    for (int i = 0; i < body->surface->mesh->vertex_count; i++) {
        int v = body->surface->vertices[i];
        pl_vec3 x = pl_vec3_load(body->mesh->positions + 3 * (size_t)v), normal;
        pl_vec3 local = pl_rigid_to_local(&m->begin, x);
        s.lowest = fmin(s.lowest, along(w, x));
        if (held[v] || !pl_box_contains(reach, local)) continue;
        double depth = -pl_obstacle_distance(&m->obstacle, local, &normal);
        if (!(depth > least)) continue;
        s.count++;
        if (!(depth > s.depth)) continue;
        s.depth = depth;
        s.out = pl_mat3_apply(&m->begin.rotation, normal);
    }
    return s;
}

// A distance up by which the body is certainly free of the collider; infinite if up does not help.
static double way_up(const pl_world* w, int k, const start* s) {
    const pl_moving_obstacle* m = &w->obstacles[k];
    pl_box box = pl_obstacle_bounds(&m->obstacle);
    if (!pl_box_is_finite(box)) { // a plane
        double slope = along(w, s->out);
        return slope > 0.1 ? s->depth / slope : HUGE_VAL;
    }
    double highest = -HUGE_VAL;
    for (int c = 0; c < 8; c++) {
        pl_vec3 corner = {c & 1 ? box.high.x : box.low.x, c & 2 ? box.high.y : box.low.y,
                          c & 4 ? box.high.z : box.low.z};
        highest = fmax(highest, along(w, pl_rigid_to_world(&m->begin, corner)));
    }
    return highest - s->lowest;
}

static void note_start(const pl_world* w, int b, int k, const start* s, pl_notes* notes) {
    char advice[160];
    double up = way_up(w, k, s);
    if (isfinite(up))
        snprintf(advice, sizeof advice, "move it up by %.3g m (transform.translate along %s)", up,
                 pl_axis_name((int)w->scene->up));
    else
        snprintf(advice, sizeof advice, "move it by (%.3g, %.3g, %.3g) m (transform.translate)",
                 s->depth * s->out.x, s->depth * s->out.y, s->depth * s->out.z);
    pl_note(notes, PL_NOTE_MENDED,
            "bodies[%d]: body \"%s\" starts inside collider \"%s\": %d of the %d vertices of its "
            "surface, up to %.3g m deep; it is pushed out during the first %g s. To start outside, "
            "%s",
            b, w->bodies[b].def->name, w->scene->colliders[k].name, s->count,
            w->bodies[b].surface->mesh->vertex_count, s->depth, PUSH_OUT_TIME, advice);
}

static pl_status keep_depth(pl_world* w, int b, int k, double depth, pl_error* error) {
    size_t size = (size_t)w->body_count * (size_t)row_size(w);
    if (!w->start_depths) w->start_depths = PL_ALLOC(double, size);
    if (!w->recesses) w->recesses = PL_ALLOC(double, size);
    if (!w->recess_steps) w->recess_steps = PL_ALLOC(double, size);
    if (!w->start_depths || !w->recesses || !w->recess_steps)
        return pl_fail_memory(error, "bodies inside colliders");
    w->start_depths[(size_t)b * (size_t)row_size(w) + (size_t)k] = depth;
    return PL_OK;
}

static pl_status look_at_body(pl_world* w, int b, bool* held, pl_notes* notes, pl_error* error) {
    const pl_mesh* mesh = w->bodies[b].mesh;
    pl_box box = pl_box_of_points(mesh->positions, mesh->vertex_count);
    double diagonal = pl_box_diagonal(box);
    mark_held(w, b, held);
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < w->obstacle_count; k++) {
        start s = look_inside(w, b, k, diagonal, held);
        if (s.count == 0) continue;
        note_start(w, b, k, &s, notes);
        double room = w->obstacles[k].thickness + w->bodies[b].contact_thickness;
        status = keep_depth(w, b, k, s.depth + room, error);
    }
    return status;
}

pl_status pl_world_starts_setup(pl_world* w, pl_notes* notes, pl_error* error) {
    pl_status status = PL_OK;
    if (w->obstacle_count == 0) return PL_OK;
    pl_world_place_obstacles(w, 0.0, 0.0);
    for (int b = 0; status == PL_OK && b < w->body_count; b++) {
        int count = w->bodies[b].mesh->vertex_count;
        bool* held = PL_ALLOC(bool, count);
        if (!held) return pl_fail_memory(error, "bodies inside colliders");
        status = look_at_body(w, b, held, notes, error);
        PL_FREE(held, bool, count);
    }
    return status;
}
