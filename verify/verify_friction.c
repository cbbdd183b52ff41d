// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Coulomb friction of an elastic block on a slope. Forces are taken from the change of its
// momentum, so that they are those that act, whatever the solver calls them.
#include "collider/collider_kind.h"
#include "contact/collision.h"
#include "verify.h"

#include <math.h>
#include <string.h>

enum { MAX_VERTICES = 2048 };
static const double GRAVITY = 9.81;

typedef struct slope_scene {
    verify_body body;
    int vertices[MAX_VERTICES];
    pl_moving_obstacle plane;
    pl_colliding_vertices group;
    pl_collision_job job;
    double mass;
} slope_scene;

// the block lies on the plane y = 0; takes over the mesh
static pl_status slope_create(slope_scene* s, pl_mesh* mesh, double young, double contact_stiffness,
                              double friction, const pl_step_settings* settings, pl_error* error) {
    pl_status status = verify_body_create(&s->body, mesh, PL_MATERIAL_STABLE_NEOHOOKEAN, young, 0.3,
                                          1000.0, settings, NULL, error);
    if (status != PL_OK) return status;
    s->mass = 0.0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        s->vertices[v] = v;
        s->mass += s->body.mass[v];
    }
    s->plane = (pl_moving_obstacle){
        .obstacle = {.kind = &pl_collider_plane.solid, .a = {0, 0, 0}, .b = {0, 1, 0}},
        .begin = pl_rigid_identity(),
        .end = pl_rigid_identity(),
        .friction = friction};
    pl_moving_obstacle_bound(&s->plane);
    s->group = (pl_colliding_vertices){
        .vertices = s->vertices, .count = mesh->vertex_count, .stiffness = contact_stiffness};
    s->job = (pl_collision_job){&s->plane, 1, &s->group, 1, NULL};
    return PL_OK;
}

// the plane stays level and gravity turns
static void turn_gravity(slope_scene* s, double angle) {
    verify_body* body = &s->body;
    for (int v = 0; v < body->mesh->vertex_count; v++) {
        body->force[3 * v] = GRAVITY * sin(angle) * body->mass[v];
        body->force[3 * v + 1] = -GRAVITY * cos(angle) * body->mass[v];
    }
}

static pl_status slope_step(slope_scene* s, double h, pl_method_info* info, pl_error* error) {
    pl_method_step step = {.time_step = h,
                           .force = s->body.force,
                           .detect = pl_detect_collisions,
                           .detect_user = &s->job};
    return pl_step_system_step(s->body.system, &step, info, error);
}

// sum of mass times values, 3 per vertex
static pl_vec3 moment_of(const slope_scene* s, const double* values) {
    pl_vec3 sum = {0, 0, 0};
    for (int v = 0; v < s->body.mesh->vertex_count; v++)
        sum = pl_madd(sum, s->body.mass[v], pl_vec3_load(values + 3 * v));
    return sum;
}

static pl_vec3 momentum_of(const slope_scene* s) {
    return moment_of(s, pl_step_velocities(s->body.system));
}

static double place_of(const slope_scene* s) {
    return moment_of(s, pl_step_positions(s->body.system)).x / s->mass;
}

static pl_status run(slope_scene* s, double angle, double duration, double* speed,
                     pl_error* error) {
    const double h = 0.01;
    turn_gravity(s, angle);
    for (int n = 0; n < (int)lround(duration / h); n++) {
        pl_method_info info;
        pl_status status = slope_step(s, h, &info, error);
        if (status != PL_OK) return status;
    }
    *speed = momentum_of(s).x / s->mass;
    return PL_OK;
}

pl_status verify_friction(double friction, int rounds, verify_answer* answer, pl_error* error) {
    const double creeping = 2e-3; // [m/s]; beyond it is sliding
    pl_step_settings settings = pl_default_step_settings();
    settings.tolerance = 1e-6;
    settings.max_iterations = 60;
    answer->reference = atan(friction);
    double low = 0.5 * answer->reference, high = 1.5 * answer->reference;
    for (int round = 0; round < rounds; round++) {
        slope_scene s;
        pl_mesh* mesh;
        double angle = 0.5 * (low + high), speed = 0.0;
        pl_status status = verify_box(0.2, 0.05, 0.2, 2, 1, 2, PL_PATTERN_KUHN, &mesh, error);
        if (status != PL_OK) return status;
        status = slope_create(&s, mesh, 1e6, 1e4, friction, &settings, error);
        if (status != PL_OK) return status;
        status = run(&s, 0.0, 0.3, &speed, error); // settles
        if (status == PL_OK) status = run(&s, angle, 0.5, &speed, error);
        verify_body_free(&s.body);
        if (status != PL_OK) return status;
        if (speed > creeping) high = angle;
        else low = angle;
    }
    answer->value = 0.5 * (low + high);
    return PL_OK;
}

static pl_status settle(slope_scene* s, const verify_slide_case* c, pl_error* error) {
    pl_status status = PL_OK;
    turn_gravity(s, c->angle);
    for (int v = 0; v < s->body.mesh->vertex_count; v++) s->body.force[3 * v] = 0.0;
    s->plane.friction = 0.0;
    for (int n = 0; status == PL_OK && n < (int)lround(c->settling / c->time_step); n++) {
        pl_method_info info;
        status = slope_step(s, c->time_step, &info, error);
    }
    s->plane.friction = c->friction;
    return status;
}

static pl_status block_create(slope_scene* s, const verify_slide_case* c, pl_error* error) {
    pl_mesh* mesh;
    pl_step_settings settings = pl_default_step_settings();
    settings.integrator = c->integrator;
    settings.nonlinear = c->nonlinear;
    settings.linear = c->linear;
    settings.tolerance = 1e-4;
    settings.linear_tolerance = 1e-3;
    settings.damping_stiffness = c->damping;
    if (c->nonlinear == PL_NONLINEAR_PROJECTIVE) settings.max_iterations = 1000;
    int across = c->cells / 3 > 0 ? c->cells / 3 : 1;
    pl_status status =
        verify_box(0.3, 0.1, 0.3, c->cells, across, c->cells, PL_PATTERN_BCC, &mesh, error);
    if (status != PL_OK) return status;
    if (mesh->vertex_count > MAX_VERTICES) {
        pl_mesh_destroy(mesh);
        return pl_fail(error, PL_ERROR_ARGUMENT, "the block has too many cells");
    }
    return slope_create(s, mesh, c->young, fmax(0.3 * c->young, 3e4), c->friction, &settings,
                        error);
}

// Moves a block to where it rests on its slope: that is found by backward Euler with damping so
// strong that nothing swings.
static pl_status put_to_rest(slope_scene* s, const verify_slide_case* c, pl_error* error) {
    enum { STEPS = 60 };
    slope_scene slow;
    verify_slide_case damped = *c;
    damped.integrator = PL_INTEGRATOR_EULER;
    damped.damping = 0.05;
    pl_status status = block_create(&slow, &damped, error);
    if (status != PL_OK) return status;
    turn_gravity(&slow, c->angle);
    for (int n = 0; status == PL_OK && n < STEPS; n++) {
        pl_method_info info;
        status = slope_step(&slow, 1.0 / 60.0, &info, error);
    }
    if (status == PL_OK)
        memcpy(pl_step_positions(s->body.system), pl_step_positions(slow.body.system),
               3 * (size_t)slow.body.mesh->vertex_count * sizeof(double));
    verify_body_free(&slow.body);
    return status;
}

static pl_status slide_create(slope_scene* s, const verify_slide_case* c, pl_error* error) {
    pl_status status = block_create(s, c, error);
    if (status != PL_OK) return status;
    status = c->rests ? put_to_rest(s, c, error) : settle(s, c, error);
    if (status != PL_OK) {
        verify_body_free(&s->body);
        return status;
    }
    double* v = pl_step_velocities(s->body.system);
    for (int i = 0; i < s->body.mesh->vertex_count; i++) v[3 * i] += c->speed;
    pl_step_restart(s->body.system);
    turn_gravity(s, c->angle);
    return PL_OK;
}

// The force of contact and friction in a step, of the momenta at its end, its start, and (BDF2) a
// step before.
static pl_vec3 contact_force(const slope_scene* s, const verify_slide_case* c, bool bdf2,
                             const pl_vec3 momenta[3]) {
    pl_vec3 change = pl_sub(momenta[0], momenta[1]);
    if (bdf2) change = pl_madd(pl_scale(1.5, change), -0.5, pl_sub(momenta[1], momenta[2]));
    pl_vec3 weight = {GRAVITY * sin(c->angle) * s->mass, -GRAVITY * cos(c->angle) * s->mass, 0};
    return pl_sub(pl_scale(1.0 / c->time_step, change), weight);
}

// Steps with little weight on the plane, and those that may stop, are left out.
static void compare_ratio(const slope_scene* s, const verify_slide_case* c, pl_vec3 force,
                          double speed, verify_slide_result* result) {
    double weight = GRAVITY * cos(c->angle) * s->mass;
    if (!(force.y > 0.05 * weight)) return;
    double ratio = hypot(force.x, force.z) / force.y;
    result->ratio = fmax(result->ratio, ratio);
    if (speed > 4.0 * c->friction * GRAVITY * c->time_step && speed > 0.05)
        result->ratio_error = fmax(result->ratio_error, fabs(ratio / c->friction - 1.0));
}

pl_status verify_slide(const verify_slide_case* c, verify_slide_result* result, pl_error* error) {
    slope_scene s;
    *result = (verify_slide_result){0};
    pl_status status = slide_create(&s, c, error);
    if (status != PL_OK) return status;
    int steps = (int)lround(c->duration / c->time_step);
    pl_vec3 momenta[3] = {momentum_of(&s)};
    double start = place_of(&s), middle = start, first_speed = 0.0;
    for (int n = 0; status == PL_OK && n < steps; n++) {
        pl_method_info info;
        if (n == steps / 2) middle = place_of(&s);
        if (n == steps / 4) first_speed = momenta[0].x / s.mass;
        status = slope_step(&s, c->time_step, &info, error);
        momenta[2] = momenta[1], momenta[1] = momenta[0], momenta[0] = momentum_of(&s);
        result->unconverged += !info.converged;
        result->iterations += info.iterations;
        bool bdf2 = c->integrator == PL_INTEGRATOR_BDF2 && n > 0;
        if (info.converged)
            compare_ratio(&s, c, contact_force(&s, c, bdf2, momenta), momenta[0].x / s.mass,
                          result);
    }
    result->distance = place_of(&s) - start;
    result->speed = (place_of(&s) - middle) / ((steps - steps / 2) * c->time_step);
    result->acceleration =
        (momenta[0].x / s.mass - first_speed) / ((steps - steps / 4) * c->time_step);
    verify_body_free(&s.body);
    return status;
}
