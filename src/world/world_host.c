// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Colliders and attachments that the host moves.
#include "world/world_host.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- drivers

void pl_driver_free(pl_world_driver* d) {
    PL_FREE(d->points_from, double, 3 * (size_t)d->point_count);
    PL_FREE(d->points_target, double, 3 * (size_t)d->point_count);
    *d = (pl_world_driver){0};
}

pl_status pl_driver_points(pl_world_driver* d, int point_count, const double* places,
                           pl_error* error) {
    if (d->point_count) return PL_OK;
    size_t count = 3 * (size_t)point_count;
    double *from = PL_ALLOC(double, count), *target = PL_ALLOC(double, count);
    if (!from || !target) {
        PL_FREE(from, double, count);
        PL_FREE(target, double, count);
        return pl_fail_memory(error, "a shape that changes");
    }
    memcpy(from, places, count * sizeof(double));
    memcpy(target, places, count * sizeof(double));
    d->point_count = point_count;
    d->points_from = from;
    d->points_target = target;
    return PL_OK;
}

// rotation vector (axis times angle) from one rotation to another
static pl_vec3 turn_between(const pl_mat3* from, const pl_mat3* to) {
    pl_quat q = pl_quat_from_mat3(pl_mat3_mul(*to, pl_mat3_transpose(*from)));
    pl_vec3 v = {q.x, q.y, q.z};
    double sine = pl_norm(v);
    return sine > 0.0 ? pl_scale(2.0 * atan2(sine, q.w) / sine, v) : v;
}

static pl_mat3 turned(const pl_mat3* from, pl_vec3 turn) {
    double angle = pl_norm(turn);
    if (!(angle > 0.0)) return *from;
    pl_vec3 v = pl_scale(sin(0.5 * angle) / angle, turn);
    pl_mat3 by = pl_quat_to_mat3((pl_quat){v.x, v.y, v.z, cos(0.5 * angle)});
    return pl_mat3_mul(by, *from);
}

// the frame with this rotation in which the middle is at `place`
static pl_rigid frame_at(pl_mat3 rotation, pl_vec3 middle, pl_vec3 place) {
    return (pl_rigid){rotation, pl_sub(place, pl_mat3_apply(&rotation, middle))};
}

pl_pose pl_driver_pose(const pl_world_driver* d, pl_vec3 middle, double part) {
    pl_rigid at = d->from;
    if (part >= 1.0) at = d->target;
    else if (part > 0.0) {
        pl_vec3 turn = turn_between(&d->from.rotation, &d->target.rotation);
        at = frame_at(turned(&d->from.rotation, pl_scale(part, turn)), middle,
                      pl_lerp(pl_rigid_to_world(&d->from, middle),
                              pl_rigid_to_world(&d->target, middle), part));
    }
    return (pl_pose){.rotation = at.rotation, .translate = at.translation};
}

void pl_driver_places(const pl_world_driver* d, double part, double* out) {
    for (size_t i = 0; i < 3 * (size_t)d->point_count; i++)
        out[i] = part <= 0.0   ? d->points_from[i]
                 : part >= 1.0 ? d->points_target[i]
                               : (1.0 - part) * d->points_from[i] + part * d->points_target[i];
}

static void begin_driver(pl_world_driver* d, pl_vec3 middle, double h) {
    if (d->kind != PL_DRIVEN_ON) return;
    d->target = frame_at(turned(&d->from.rotation, pl_scale(h, d->spin)), middle,
                         pl_madd(pl_rigid_to_world(&d->from, middle), h, d->velocity));
}

static void end_driver(pl_world_driver* d) {
    d->from = d->target;
    if (d->point_count)
        memcpy(d->points_from, d->points_target, 3 * (size_t)d->point_count * sizeof(double));
}

void pl_world_host_begin(pl_world* w) {
    double h = w->step_size * w->scene->substeps * w->split;
    for (int k = 0; k < w->obstacle_count; k++)
        begin_driver(&w->shapes[k].driver, pl_world_obstacle_middle(w, k), h);
    for (int k = 0; k < w->attachment_count; k++)
        begin_driver(&w->attachments[k].driver, w->attachments[k].middle, h);
}

void pl_world_host_end(pl_world* w) {
    for (int k = 0; k < w->obstacle_count; k++) end_driver(&w->shapes[k].driver);
    for (int k = 0; k < w->attachment_count; k++) end_driver(&w->attachments[k].driver);
    pl_world_handle* handles = w->handles.data;
    for (size_t h = 0; h < w->handles.count; h++) handles[h].from = handles[h].target;
}

void pl_world_host_free(pl_world* w) {
    pl_world_number* numbers = w->numbers.data;
    for (size_t k = 0; k < w->numbers.count; k++) pl_free_text(numbers[k].path);
    pl_array_free(&w->numbers);
    pl_array_free(&w->handles);
}

// ---------------------------------------------------------------- colliders and attachments

int pl_world_collider_count(const pl_world* w) { return w->obstacle_count; }
int pl_world_attachment_count(const pl_world* w) { return w->attachment_count; }

int pl_world_find_collider(const pl_world* w, const char* name) {
    for (int k = 0; k < w->obstacle_count; k++)
        if (strcmp(w->scene->colliders[k].name, name) == 0) return k;
    return -1;
}

int pl_world_find_attachment(const pl_world* w, const char* name) {
    for (int k = 0; k < w->attachment_count; k++)
        if (w->scene->attachments[k].name && strcmp(w->scene->attachments[k].name, name) == 0)
            return k;
    return -1;
}

static pl_status check_finite(const double* values, size_t count, const char* what,
                              pl_error* error) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return pl_fail(error, PL_ERROR_ARGUMENT, "%s: number %zu is not finite", what, i);
    return PL_OK;
}

static pl_status check_index(int index, int count, const char* what, pl_error* error) {
    if (index >= 0 && index < count) return PL_OK;
    return pl_fail(error, PL_ERROR_ARGUMENT, "there is no %s %d; the world has %d", what, index,
                   count);
}

// a rotation preserves lengths and handedness
static pl_status check_placement(const pl_placement* p, pl_error* error) {
    pl_status status = check_finite(p->rotation, 9, "the rotation", error);
    if (status == PL_OK) status = check_finite(p->translation, 3, "the translation", error);
    if (status != PL_OK) return status;
    pl_mat3 R;
    memcpy(R.m, p->rotation, sizeof R.m);
    pl_mat3 square = pl_mat3_mul(R, pl_mat3_transpose(R)), one = pl_mat3_identity();
    for (int i = 0; i < 9; i++)
        if (fabs(square.m[i] - one.m[i]) > 1e-6 || pl_mat3_det(R) < 0.0)
            return pl_fail(
                error, PL_ERROR_ARGUMENT,
                "the matrix is not a rotation: its rows must have length 1, be perpendicular "
                "to each other and right-handed");
    return PL_OK;
}

// starts a driver where the scene has the object now
static void take_over(pl_world_driver* d, const pl_motion* motion, pl_vec3 middle, double time) {
    if (d->kind != PL_DRIVEN_BY_SCENE) return;
    pl_pose pose = pl_motion_pose(motion, middle, time);
    d->from.rotation = pose.rotation;
    d->from.translation = pl_pose_point(&pose, (pl_vec3){0, 0, 0});
    d->target = d->from;
}

static pl_status move_to(pl_world_driver* d, const pl_placement* to, pl_error* error) {
    pl_status status = check_placement(to, error);
    if (status != PL_OK) return status;
    d->kind = PL_DRIVEN_TO;
    memcpy(d->target.rotation.m, to->rotation, sizeof to->rotation);
    d->target.translation = pl_vec3_load(to->translation);
    return PL_OK;
}

static pl_status drive_on(pl_world_driver* d, const double velocity[3], const double spin[3],
                          pl_error* error) {
    pl_status status = check_finite(velocity, 3, "the velocity", error);
    if (status == PL_OK) status = check_finite(spin, 3, "the angular velocity", error);
    if (status != PL_OK) return status;
    d->kind = PL_DRIVEN_ON;
    d->velocity = pl_vec3_load(velocity);
    d->spin = pl_scale(PL_PI / 180.0, pl_vec3_load(spin));
    return PL_OK;
}

static void take_over_collider(pl_world* w, int k) {
    take_over(&w->shapes[k].driver, &w->scene->colliders[k].motion, pl_world_obstacle_middle(w, k),
              w->time);
}

pl_status pl_world_move_collider(pl_world* w, int k, const pl_placement* to, pl_error* error) {
    pl_status status = check_index(k, w->obstacle_count, "collider", error);
    if (status != PL_OK) return status;
    take_over_collider(w, k);
    return move_to(&w->shapes[k].driver, to, error);
}

pl_status pl_world_drive_collider(pl_world* w, int k, const double velocity[3],
                                  const double spin[3], pl_error* error) {
    pl_status status = check_index(k, w->obstacle_count, "collider", error);
    if (status != PL_OK) return status;
    take_over_collider(w, k);
    return drive_on(&w->shapes[k].driver, velocity, spin, error);
}

pl_status pl_world_collider_placement(const pl_world* w, int k, pl_placement* out,
                                      pl_error* error) {
    pl_status status = check_index(k, w->obstacle_count, "collider", error);
    if (status != PL_OK) return status;
    pl_world_driver at = w->shapes[k].driver;
    take_over(&at, &w->scene->colliders[k].motion, pl_world_obstacle_middle(w, k), w->time);
    memcpy(out->rotation, at.from.rotation.m, sizeof out->rotation);
    pl_vec3_store(out->translation, at.from.translation);
    return PL_OK;
}

static pl_status put_points(pl_world_driver* d, const double* points, int count, pl_error* error) {
    if (count != d->point_count)
        return pl_fail(error, PL_ERROR_ARGUMENT, "%d points were given for a shape of %d", count,
                       d->point_count);
    pl_status status = check_finite(points, 3 * (size_t)count, "the points", error);
    if (status == PL_OK) memcpy(d->points_target, points, 3 * (size_t)count * sizeof(double));
    return status;
}

pl_status pl_world_deform_collider(pl_world* w, int k, const double* points, int count,
                                   pl_error* error) {
    pl_status status = check_index(k, w->obstacle_count, "collider", error);
    if (status == PL_OK) status = pl_world_shape_points(w, k, error);
    if (status != PL_OK) return status;
    pl_world_shape* shape = &w->shapes[k];
    status = pl_driver_points(&shape->driver, shape->point_count, shape->after, error);
    return status == PL_OK ? put_points(&shape->driver, points, count, error) : status;
}

static void take_over_attachment(pl_world* w, int k) {
    const pl_attachment* def = &w->scene->attachments[k];
    int collider =
        def->target == PL_TARGET_COLLIDER ? pl_world_find_collider(w, def->collider) : -1;
    pl_world_driver* d = &w->attachments[k].driver;
    if (collider < 0) {
        take_over(d, &def->motion, w->attachments[k].middle, w->time);
    } else if (d->kind == PL_DRIVEN_BY_SCENE) {
        pl_world_driver at = w->shapes[collider].driver;
        take_over(&at, &w->scene->colliders[collider].motion, pl_world_obstacle_middle(w, collider),
                  w->time);
        d->from = d->target = at.from;
    }
}

pl_status pl_world_move_attachment(pl_world* w, int k, const pl_placement* to, pl_error* error) {
    pl_status status = check_index(k, w->attachment_count, "attachment", error);
    if (status != PL_OK) return status;
    take_over_attachment(w, k);
    return move_to(&w->attachments[k].driver, to, error);
}

pl_status pl_world_drive_attachment(pl_world* w, int k, const double velocity[3],
                                    const double spin[3], pl_error* error) {
    pl_status status = check_index(k, w->attachment_count, "attachment", error);
    if (status != PL_OK) return status;
    take_over_attachment(w, k);
    return drive_on(&w->attachments[k].driver, velocity, spin, error);
}

int pl_world_attachment_vertices(const pl_world* w, int k, const int** vertices) {
    if (k < 0 || k >= w->attachment_count) return -1;
    *vertices = w->attachments[k].vertices;
    return w->attachments[k].count;
}

pl_status pl_world_deform_attachment(pl_world* w, int k, const double* points, int count,
                                     pl_error* error) {
    pl_status status = check_index(k, w->attachment_count, "attachment", error);
    if (status != PL_OK) return status;
    pl_world_attachment* a = &w->attachments[k];
    const double* now = a->places;
    if (a->cache.positions) {
        pl_world_cache_places(w, &a->cache, w->scene->attachments[k].cache_start, w->time,
                              a->after);
        now = a->after;
    }
    status = pl_driver_points(&a->driver, a->count, now, error);
    if (status == PL_OK && !a->before) a->before = PL_ALLOC(double, 3 * (size_t)a->count);
    if (status == PL_OK && !a->after) a->after = PL_ALLOC(double, 3 * (size_t)a->count);
    if (status == PL_OK && (!a->before || !a->after))
        status = pl_fail_memory(error, "an attachment");
    return status == PL_OK ? put_points(&a->driver, points, count, error) : status;
}

// ---------------------------------------------------------------- a knife

pl_status pl_world_cut(pl_world* w, int b, const double sweep[9], int* cut_count, pl_error* error) {
    pl_status status = check_index(b, w->body_count, "body", error);
    if (status == PL_OK) status = check_finite(sweep, 9, "the knife", error);
    if (status != PL_OK) return status;
    pl_world_system* system = &w->systems[w->bodies[b].system];
    int count = -1;
    if (system->method->cut)
        count = system->method->cut(system->data, pl_world_place_in_system(w, b), sweep);
    if (cut_count) *cut_count = count > 0 ? count : 0;
    if (count >= 0) return PL_OK;
    return pl_fail(error, PL_ERROR_UNSUPPORTED,
                   "body \"%.100s\" cannot be cut; only cloth of method pbd with pbd.tear can",
                   w->bodies[b].def->name);
}
