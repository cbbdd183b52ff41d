// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Momentum of bodies, as their methods conserve it.
#include "world/world_momentum.h"

// That of the vertices, each with its own mass.
static void sum_vertices(const pl_world_body* body, const pl_world_system* system, pl_vec3* linear,
                         pl_vec3* angular) {
    const size_t first = (size_t)body->first_vertex;
    const double* mass = system->method->masses(system->data) + first;
    const double* x = system->method->positions(system->data) + 3 * first;
    const double* v = system->method->velocities(system->data) + 3 * first;
    *linear = *angular = (pl_vec3){0.0, 0.0, 0.0};
    for (size_t k = 0; k < (size_t)body->mesh->vertex_count; k++) {
        const pl_vec3 own = pl_scale(mass[k], pl_vec3_load(v + 3 * k));
        *linear = pl_add(*linear, own);
        *angular = pl_add(*angular, pl_cross(pl_vec3_load(x + 3 * k), own));
    }
}

pl_status pl_world_body_momentum(pl_world* w, int b, pl_vec3* linear, pl_vec3* angular,
                                 pl_error* error) {
    const pl_world_body* body = &w->bodies[b];
    const pl_world_system* system = &w->systems[body->system];
    if (system->method->momentum)
        return system->method->momentum(system->data, pl_world_place_in_system(w, b), linear,
                                        angular, error);
    sum_vertices(body, system, linear, angular);
    return PL_OK;
}

pl_status pl_world_momentum(pl_world* w, int body, double linear[3], double angular[3],
                            pl_error* error) {
    const pl_vec3 zero = {0.0, 0.0, 0.0};
    pl_vec3 sums[2] = {zero, zero};
    if (body < -1 || body >= w->body_count)
        return pl_fail(error, PL_ERROR_ARGUMENT, "there is no body %d; the world has %d", body,
                       w->body_count);
    for (int b = body < 0 ? 0 : body; b < (body < 0 ? w->body_count : body + 1); b++) {
        pl_vec3 own[2];
        const pl_status status = pl_world_body_momentum(w, b, &own[0], &own[1], error);
        if (status != PL_OK) return status;
        for (int k = 0; k < 2; k++) sums[k] = pl_add(sums[k], own[k]);
    }
    if (linear) pl_vec3_store(linear, sums[0]);
    if (angular) pl_vec3_store(angular, sums[1]);
    return PL_OK;
}
