// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Checks that this build supports a scene, and chooses the solvers that the scene leaves open.
#include "scene/combinations.h"
#include "world/world_build.h"
#include "world/world_loads.h"
#include "world/world_surfaces.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static pl_status refuse(pl_error* error, int body, const char* key, const char* text) {
    return pl_fail(error, PL_ERROR_UNSUPPORTED, "bodies[%d].%s: %s", body, key, text);
}

// The available methods, laws and solvers are in the table of combinations, which pl_scene_resolve
// checks.
static pl_status check_body(const pl_body* body, int b, pl_error* error) {
    if (body->method == PL_METHOD_GRID && body->grid.smoother != PL_GRID_SMOOTHER_DISTRIBUTIVE)
        return refuse(error, b, "grid.smoother", "is distributive in this version; leave it out");
    const bool meets_itself = body->contact.self == PL_SELF_CONTACT_ON;
    bool tears = body->method == PL_METHOD_PBD && !isnan(body->pbd.tear);
    if (tears && body->kind != PL_BODY_CLOTH)
        return refuse(error, b, "pbd.tear", "only cloth can tear in this version; leave it out");
    if (meets_itself && body->method == PL_METHOD_RIGID)
        return refuse(error, b, "contact.self",
                      "a rigid body cannot collide with itself; leave it out");
    if (meets_itself && !pl_world_method(body->method)->keeps_apart)
        return refuse(error, b, "contact.self",
                      "works only with methods fem, mixed and pbd in this version; leave it out, "
                      "or use one of these");
    if (meets_itself && body->method != PL_METHOD_PBD &&
        (body->nonlinear != PL_NONLINEAR_NEWTON || body->solver.fixed))
        return refuse(error, b, "contact.self",
                      "works only with nonlinear newton and without fixed in this version; leave "
                      "it out, or change these");
    if (meets_itself && (tears || (body->method == PL_METHOD_PBD && body->pbd.level > 0)))
        return refuse(error, b, "contact.self",
                      "does not work with pbd.tear and pbd.level in this version; leave it out");
    return PL_OK;
}

// Refuses animated numbers of a body if its method cannot update them.
static pl_status check_animation(const pl_scene* scene, const pl_animation* animation,
                                 pl_error* error) {
    int b = -1, size = 0;
    if (sscanf(animation->path, "bodies[%d].%n", &b, &size) != 1 || size == 0) return PL_OK;
    if (strncmp(animation->path + size, "contact.", 8) == 0) return PL_OK;
    if (pl_world_method(scene->bodies[b].method)->update) return PL_OK;
    return pl_fail(
        error, PL_ERROR_UNSUPPORTED,
        "%s: cannot change during a run with method %s in this version; give a constant number",
        animation->path, pl_method_name((int)scene->bodies[b].method));
}

pl_status pl_world_check_support(const pl_scene* scene, pl_error* error) {
    pl_status status = PL_OK;
    for (int b = 0; status == PL_OK && b < scene->body_count; b++)
        status = check_body(&scene->bodies[b], b, error);
    for (int k = 0; status == PL_OK && k < scene->animation_count; k++)
        status = check_animation(scene, &scene->animations[k], error);
    return status;
}

static bool is_held(const pl_world* w, int b, double time) {
    for (int k = 0; k < w->attachment_count; k++) {
        const pl_attachment* a = &w->scene->attachments[k];
        bool active = time >= a->from && (isnan(a->until) || time <= a->until);
        if (active && w->attachments[k].body == b) return true;
    }
    return false;
}

// True if a body without inertia cannot have an equilibrium in its first step: nothing holds it,
// and nothing balances its weight. Contacts may hold a body of fem, and other loads may balance it.
static bool must_fall(const pl_world* w, int b) {
    const pl_scene* scene = w->scene;
    const pl_body* body = w->bodies[b].def;
    double end = scene->time_step / scene->substeps;
    if (body->integrator != PL_INTEGRATOR_QUASISTATIC || is_held(w, b, end)) return false;
    if (body->method == PL_METHOD_GRID) return true;
    bool weighs = pl_norm(pl_vec3_load(scene->gravity)) > 0.0;
    return weighs && !w->obstacle_count && !pl_world_may_meet(w, b) && !scene->force_count &&
           !scene->wind_count;
}

static int detect_nothing(void* user, const double* start, const double* x, pl_contact* out,
                          int capacity) {
    (void)user, (void)start, (void)x, (void)out, (void)capacity;
    return 0;
}

// true if contacts may hold bodies of the system
static bool may_touch(const pl_world* w, int system) {
    for (int b = 0; b < w->body_count; b++)
        if (w->bodies[b].system == system && pl_world_may_meet(w, b)) return true;
    return w->obstacle_count > 0;
}

// Asks the method of a system whether it can make the first step.
static pl_status check_first_step(pl_world* w, int s, pl_error* error) {
    pl_world_system* system = &w->systems[s];
    double end = w->scene->time_step / w->scene->substeps;
    if (!system->method->check_step) return PL_OK;
    pl_status status = pl_world_place_pins(w, s, 0.0, end, error);
    if (status == PL_OK) status = pl_world_sum_forces(w, s, 0.0, end, error);
    if (status != PL_OK) return status;
    pl_method_step step = {.time_step = end,
                           .force = system->force,
                           .pins = system->pins.data,
                           .pin_count = (int)system->pins.count,
                           .detect = may_touch(w, s) ? detect_nothing : NULL};
    memcpy(step.gravity, w->scene->gravity, sizeof step.gravity);
    return system->method->check_step(system->data, &step, error);
}

pl_status pl_world_check_held(pl_world* w, pl_error* error) {
    for (int b = 0; b < w->body_count; b++)
        if (must_fall(w, b))
            return pl_fail(error, PL_ERROR_ARGUMENT,
                           "bodies[%d].integrator: is \"quasistatic\", but nothing holds body "
                           "\"%.100s\" at the start, so it has no equilibrium; attach it, or "
                           "use \"euler\"",
                           b, w->bodies[b].def->name);
    pl_status status = PL_OK;
    w->part[0] = 0.0;
    w->part[1] = 1.0 / w->scene->substeps;
    pl_world_evaluate(w, w->scene->time_step / w->scene->substeps);
    for (int s = 0; status == PL_OK && s < w->system_count; s++)
        status = check_first_step(w, s, error);
    pl_world_evaluate(w, 0.0);
    return status;
}

// Measured, seconds of CPU for the same frames of each on one thread. Newton, solids in motion:
// direct and mgpcg, scenes/bar.json 1.7, 0.35; jelly_cube.json 3.3, 0.77; arm.json 2.4, 0.88;
// demo.json 4.9, 1.3; a bear of 1871, 4324 and 7257 tets 0.99, 0.23; 3.5, 0.57; 11, 1.3. For
// poisson 0.499, or young 1e9, mgpcg needs as many iterations of Newton and is still ahead. Cloth
// of springs on a ball, of 225, 961 and 1681 vertices 0.34, 0.17; 4.1, 0.95; 12, 2.4; of law
// membrane and 961 vertices 7.9, 1.6.
// Quasistatic bodies have no inertia, so their matrix is assembled in double. They may also be
// free, which only the direct solver detects.
//
// Mixed, poisson 0.499, direct and mgpcg: 15 frames of bar.json 0.36, 0.44; of
// jelly_cube.json 1.4, 1.2; the octopus of 2,500 vertices takes 0.63 and 0.10 for an iteration of
// Newton.
//
// Projective Dynamics factors its matrix once, but with contacts again and again, and in its
// factors contacts are springs in all directions: the small bear of tests/motion_net.c takes 6.2
// with direct and 0.2 with mgpcg to the same tolerance; cloth of 225, 961 and 2601 vertices on a
// ball 0.26, 0.16; 2.4, 1.7; 14, 11. With a fixed number of iterations, an iteration with direct
// gets farther; at 40 000 vertices of cloth multigrid is ahead from the first 50 ms on
// (pliant-bench s0-race).
enum {
    DIRECT_VERTICES = 1500,
    DIRECT_MOVING_VERTICES = 150,
    DIRECT_MIXED_VERTICES = 500,
    DIRECT_PROJECTIVE_VERTICES = 50,
    DIRECT_FIXED_CLOTH_VERTICES = 30000
};

// the bodies of a system share one solver
static bool has_cloth(const pl_world* w, int system) {
    for (int b = 0; b < w->body_count; b++)
        if (w->bodies[b].system == system && w->bodies[b].is_cloth) return true;
    return false;
}

static pl_linear choose_linear(const pl_body* body, int vertex_count, bool is_cloth) {
    if (body->linear != PL_LINEAR_AUTO) return body->linear;
    if (body->method == PL_METHOD_GRID) return PL_LINEAR_MULTIGRID;
    int limit = DIRECT_VERTICES;
    if (body->nonlinear == PL_NONLINEAR_PROJECTIVE)
        limit = is_cloth && body->solver.fixed ? DIRECT_FIXED_CLOTH_VERTICES
                                               : DIRECT_PROJECTIVE_VERTICES;
    else if (body->integrator != PL_INTEGRATOR_QUASISTATIC &&
             body->nonlinear != PL_NONLINEAR_LINEARISED)
        limit = body->method == PL_METHOD_MIXED ? DIRECT_MIXED_VERTICES : DIRECT_MOVING_VERTICES;
    return vertex_count <= limit ? PL_LINEAR_DIRECT : PL_LINEAR_MGPCG;
}

pl_status pl_world_settle_solvers(pl_world* w, pl_error* error) {
    for (int b = 0; b < w->body_count; b++) {
        int system = w->bodies[b].system, vertex_count = w->systems[system].vertex_count;
        pl_linear linear = choose_linear(w->bodies[b].def, vertex_count, has_cloth(w, system));
        char path[64];
        snprintf(path, sizeof path, "bodies[%d].linear", b);
        pl_status status = pl_scene_set(w->scene, path, pl_linear_name((int)linear), error);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}
