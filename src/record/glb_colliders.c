// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/glb_colliders.h"
#include "base/memory.h"
#include "record/show_object.h"
#include "scene/animation.h"

#include <string.h>

static const double PLANE_REACH = 1.5; // half side of planes, per diagonal of the box of all bodies

// sets the vertices before the motion, at the time of a frame
static void put_start(const pl_glb_colliders* all, pl_glb_collider* c, int frame) {
    if (!c->shape) return; // the ground stays as it is
    double time = pl_export_time(all->job, frame);
    pl_scene_evaluate(all->show->setting, time);
    pl_shown_collider_place(c->shape, time, all->show->first_step, all->show->around,
                            all->show->reach);
    for (size_t i = 0; i < 3 * (size_t)c->shape->vertex_count; i++)
        c->start[i] = (float)c->shape->start[i];
}

static void put_pose(const pl_glb_colliders* all, pl_glb_collider* c, int frame) {
    double time = pl_export_time(all->job, frame);
    pl_pose pose = pl_motion_pose(&c->shape->def->motion, c->shape->middle, time);
    pl_vec3 origin = pl_pose_point(&pose, (pl_vec3){0, 0, 0});
    pl_quat q = pl_quat_from_mat3(pose.rotation);
    float* place = c->translations + 3 * (size_t)frame;
    float* turn = c->rotations + 4 * (size_t)frame;
    place[0] = (float)origin.x, place[1] = (float)origin.y, place[2] = (float)origin.z;
    turn[0] = (float)q.x, turn[1] = (float)q.y, turn[2] = (float)q.z, turn[3] = (float)q.w;
    // chooses between q and -q the one closer to the previous frame, or players would turn the long
    // way
    const float* before = frame > 0 ? turn - 4 : turn;
    float dot = 0.0f;
    for (int k = 0; k < 4; k++) dot += turn[k] * before[k];
    for (int k = 0; k < 4 && dot < 0.0f; k++) turn[k] = -turn[k];
}

// finds whether the shape itself changes in some frame
static bool find_change(const pl_glb_colliders* all, pl_glb_collider* c, float* first) {
    size_t bytes = 3 * (size_t)c->source.vertex_count * sizeof(float);
    put_start(all, c, 0);
    memcpy(first, c->start, bytes);
    for (int i = 1; i < all->job->frame_count; i++) {
        put_start(all, c, i);
        if (memcmp(first, c->start, bytes) != 0) return true;
    }
    return false;
}

static pl_status fill_collider(const pl_glb_colliders* all, pl_glb_collider* c, pl_error* error) {
    const int frames = all->job->frame_count;
    size_t n = 3 * (size_t)c->source.vertex_count;
    float* first = PL_ALLOC(float, n);
    if (!first) return pl_fail_memory(error, c->name);
    c->deforms = find_change(all, c, first);
    PL_FREE(first, float, n);
    c->moves = frames > 1 && pl_motion_moves(&c->shape->def->motion);
    if (pl_motion_moves(&c->shape->def->motion)) {
        c->translations = PL_ALLOC(float, 3 * (size_t)frames);
        c->rotations = PL_ALLOC(float, 4 * (size_t)frames);
        if (!c->translations || !c->rotations) return pl_fail_memory(error, c->name);
        for (int i = 0; i < frames; i++) put_pose(all, c, i);
    }
    return PL_OK;
}

static pl_status add_shape(pl_glb_colliders* all, pl_shown_collider* shape, pl_error* error) {
    pl_glb_collider* c = &all->items[all->count++];
    *c = (pl_glb_collider){.name = shape->def->name, .shape = shape};
    c->source = (pl_record_body){.name = shape->def->name,
                                 .vertex_count = shape->vertex_count,
                                 .triangle_count = shape->triangle_count,
                                 .triangles = shape->triangles};
    c->start = PL_ALLOC(float, 3 * (size_t)shape->vertex_count);
    if (!c->start) return pl_fail_memory(error, c->name);
    pl_status status = fill_collider(all, c, error);
    return status == PL_OK ? pl_glb_body_create(&c->source, &c->mesh, error) : status;
}

// adds a horizontal square
static pl_status add_ground(pl_glb_colliders* all, pl_error* error) {
    const pl_show* s = all->show;
    pl_glb_collider* c = &all->items[all->count++];
    *c = (pl_glb_collider){.name = "ground", .triangles = {0, 1, 3, 0, 3, 2}};
    c->source = (pl_record_body){
        .name = "ground", .vertex_count = 4, .triangle_count = 2, .triangles = c->triangles};
    c->start = PL_ALLOC(float, 12);
    if (!c->start) return pl_fail_memory(error, c->name);
    int up = all->job->head->up_axis, u = (up + 1) % 3, v = (up + 2) % 3;
    const double around[3] = {s->around.x, s->around.y, s->around.z};
    for (int k = 0; k < 4; k++) {
        c->start[3 * k + up] = (float)s->ground;
        c->start[3 * k + u] = (float)(around[u] + (k & 1 ? s->reach : -s->reach));
        c->start[3 * k + v] = (float)(around[v] + (k & 2 ? s->reach : -s->reach));
    }
    return pl_glb_body_create(&c->source, &c->mesh, error);
}

pl_status pl_glb_colliders_create(const pl_export_job* job, const float low[3], const float high[3],
                                  pl_glb_colliders* out, pl_error* error) {
    pl_show* s = job->options->show;
    *out = (pl_glb_colliders){.show = s, .job = job};
    if (!s || !s->setting) return PL_OK;
    pl_vec3 a = {low[0], low[1], low[2]}, b = {high[0], high[1], high[2]};
    s->around = pl_scale(0.5, pl_add(a, b));
    s->reach = PLANE_REACH * pl_distance(a, b);
    out->items = PL_ALLOC(pl_glb_collider, s->shape_count + 1);
    if (!out->items) return pl_fail_memory(error, job->path);
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < s->shape_count; k++)
        status = add_shape(out, &s->shapes[k], error);
    if (status == PL_OK && s->has_ground) status = add_ground(out, error);
    return status;
}

void pl_glb_colliders_free(pl_glb_colliders* all) {
    for (int k = 0; k < all->count; k++) {
        pl_glb_collider* c = &all->items[k];
        size_t frames = (size_t)all->job->frame_count;
        PL_FREE(c->start, float, 3 * (size_t)c->source.vertex_count);
        PL_FREE(c->translations, float, 3 * frames);
        PL_FREE(c->rotations, float, 4 * frames);
        pl_glb_body_free(&c->mesh);
    }
    if (all->items) PL_FREE(all->items, pl_glb_collider, all->show->shape_count + 1);
    *all = (pl_glb_colliders){0};
}

void pl_glb_collider_load(const pl_glb_colliders* all, int k, int frame, bool first) {
    pl_glb_collider* c = &all->items[k];
    put_start(all, c, frame);
    pl_glb_body_load(&c->mesh, c->start, first);
}
