// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What integrators keep over seconds: a bar that was stretched by a fifth and let go, one that
// spins and flies, and a ball that falls on the ground.
#include "collider/collider_kind.h"
#include "contact/collision.h"
#include "verify.h"

#include <math.h>
#include <string.h>

enum { MAX_VERTICES = 1024 };
static const double GRAVITY = 9.81, DROP = 0.5;

typedef struct kept_scene {
    verify_body body;
    bool falls;
    int vertices[MAX_VERTICES];
    pl_moving_obstacle plane;
    pl_colliding_vertices group;
    pl_collision_job job;
} kept_scene;

typedef struct kept_state {
    pl_vec3 linear, angular, centre;
    double mass, energy; // of gravity too
} kept_state;

static pl_status ball_mesh(pl_mesh** out, pl_error* error) {
    pl_generate_options options;
    pl_status status = pl_generate_defaults("sphere", &options, error);
    options.radius = 0.1;
    options.edge = 0.05;
    return status == PL_OK ? pl_generate("sphere", &options, out, error) : status;
}

static void put_ground(kept_scene* s, double young) {
    const pl_mesh* mesh = s->body.mesh;
    s->plane = (pl_moving_obstacle){.obstacle = {.kind = &pl_collider_plane.solid, .b = {0, 1, 0}},
                                    .begin = pl_rigid_identity(),
                                    .end = pl_rigid_identity(),
                                    .friction = 0.3};
    pl_moving_obstacle_bound(&s->plane);
    for (int v = 0; v < mesh->vertex_count; v++) s->vertices[v] = v;
    s->group = (pl_colliding_vertices){
        .vertices = s->vertices, .count = mesh->vertex_count, .stiffness = young};
    s->job = (pl_collision_job){&s->plane, 1, &s->group, 1, NULL};
    for (int v = 0; v < mesh->vertex_count; v++)
        s->body.force[3 * v + 1] = -GRAVITY * s->body.mass[v];
}

static pl_status create(kept_scene* s, const verify_kept_case* c, pl_error* error) {
    pl_step_settings settings = pl_default_step_settings();
    settings.integrator = c->integrator;
    settings.tolerance = 1e-8;
    settings.max_iterations = 50;
    *s = (kept_scene){.falls = c->motion == VERIFY_BOUNCING};
    pl_mesh* mesh;
    pl_status status = s->falls
                           ? ball_mesh(&mesh, error)
                           : verify_box(1.0, 0.25, 0.25, 4, 1, 1, PL_PATTERN_KUHN, &mesh, error);
    if (status != PL_OK) return status;
    PL_ASSERT(mesh->vertex_count <= MAX_VERTICES);
    for (int v = 0; s->falls && v < mesh->vertex_count; v++)
        mesh->positions[3 * v + 1] += 0.1 + DROP;
    status =
        verify_body_create(&s->body, mesh, c->law, c->young, 0.3, 1000.0, &settings, NULL, error);
    if (status != PL_OK) return status;
    memset(s->body.force, 0, 3 * (size_t)mesh->vertex_count * sizeof(double));
    double *x = pl_step_positions(s->body.system), *v = pl_step_velocities(s->body.system);
    for (int i = 0; i < mesh->vertex_count; i++) {
        pl_vec3 turn = {1.0, 2.0, 6.0}, at = pl_vec3_load(x + 3 * i), fly = {1.0, 0.5, 0.0};
        if (c->motion == VERIFY_VIBRATING) x[3 * i] *= 1.2;
        if (c->motion == VERIFY_SPINNING) pl_vec3_store(v + 3 * i, pl_add(fly, pl_cross(turn, at)));
    }
    if (s->falls) put_ground(s, c->young);
    return PL_OK;
}

static kept_state state_of(const kept_scene* s) {
    pl_method_energies energies = pl_step_system_energies(s->body.system);
    kept_state sum = {.energy = energies.kinetic + energies.elastic};
    const double *x = pl_step_positions(s->body.system), *v = pl_step_velocities(s->body.system);
    for (int i = 0; i < s->body.mesh->vertex_count; i++) {
        pl_vec3 at = pl_vec3_load(x + 3 * i),
                p = pl_scale(s->body.mass[i], pl_vec3_load(v + 3 * i));
        sum.mass += s->body.mass[i];
        sum.linear = pl_add(sum.linear, p);
        sum.angular = pl_add(sum.angular, pl_cross(at, p));
        sum.centre = pl_madd(sum.centre, s->body.mass[i], at);
        if (s->falls) sum.energy += s->body.mass[i] * GRAVITY * (at.y - 0.1);
    }
    sum.centre = pl_scale(1.0 / sum.mass, sum.centre);
    return sum;
}

// the height of the first bounce: the largest between the first two times that it goes down
static void follow_bounce(const kept_state* now, double* before, int* phase, verify_kept* out) {
    double height = now->centre.y - 0.1, speed = now->linear.y / now->mass;
    if (*phase == 0 && speed > 0.0 && *before <= 0.0) *phase = 1;
    if (*phase == 1 && speed < 0.0 && *before > 0.0 && height > 0.02) *phase = 2;
    if (*phase == 1) out->bounce = fmax(out->bounce, height / DROP);
    *before = speed;
}

pl_status verify_what_is_kept(const verify_kept_case* c, verify_kept* out, pl_error* error) {
    kept_scene s;
    *out = (verify_kept){.lowest = 1.0, .highest = 1.0};
    pl_status status = create(&s, c, error);
    if (status != PL_OK) return status;
    kept_state first = state_of(&s);
    double impulse = sqrt(2.0 * first.mass * first.energy), speed = 0.0;
    int phase = 0;
    pl_method_step step = {.time_step = c->time_step,
                           .force = s.body.force,
                           .detect = s.falls ? pl_detect_collisions : NULL,
                           .detect_user = &s.job};
    for (int n = 0; status == PL_OK && n < (int)lround(c->duration / c->time_step); n++) {
        pl_method_info info;
        status = pl_step_system_step(s.body.system, &step, &info, error);
        kept_state now = state_of(&s);
        out->unconverged += !info.converged;
        out->iterations += info.iterations;
        out->linear = fmax(out->linear, pl_distance(now.linear, first.linear) / impulse);
        out->angular = fmax(out->angular, pl_distance(now.angular, first.angular) / impulse);
        out->last = now.energy / first.energy;
        out->lowest = fmin(out->lowest, out->last);
        out->highest = fmax(out->highest, out->last);
        if (s.falls) follow_bounce(&now, &speed, &phase, out);
    }
    verify_body_free(&s.body);
    return status;
}
