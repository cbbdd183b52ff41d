// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What motion keeps: momentum and energy.
#include "base/random.h"
#include "verify.h"

#include <math.h>

// a free bar whose vertices move at random
static pl_status moving_bar(verify_body* body, pl_integrator integrator, pl_material_kind law,
                            double speed, pl_error* error) {
    pl_step_settings settings = pl_default_step_settings();
    settings.integrator = integrator;
    settings.tolerance = 1e-12;
    settings.max_iterations = 50;
    pl_mesh* mesh;
    pl_status status = verify_box(1.0, 0.5, 0.5, 4, 2, 2, PL_PATTERN_KUHN, &mesh, error);
    if (status != PL_OK) return status;
    status = verify_body_create(body, mesh, law, 1e5, 0.3, 1000.0, &settings, NULL, error);
    if (status != PL_OK) return status;
    pl_random random = {3};
    double* v = pl_step_velocities(body->system);
    for (int i = 0; i < 3 * mesh->vertex_count; i++) v[i] = speed * pl_random_normal(&random);
    return PL_OK;
}

typedef struct momenta {
    pl_vec3 linear, angular;
} momenta;

static momenta momenta_of(const verify_body* body) {
    momenta sum = {{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < body->mesh->vertex_count; i++) {
        pl_vec3 x = pl_vec3_load(pl_step_positions(body->system) + 3 * i),
                v = pl_vec3_load(pl_step_velocities(body->system) + 3 * i);
        sum.linear = pl_madd(sum.linear, body->mass[i], v);
        sum.angular = pl_madd(sum.angular, body->mass[i], pl_cross(x, v));
    }
    return sum;
}

pl_status verify_momentum(int steps, double* linear, double* angular, pl_error* error) {
    static const pl_integrator integrators[] = {PL_INTEGRATOR_EULER, PL_INTEGRATOR_BDF2,
                                                PL_INTEGRATOR_MIDPOINT};
    *linear = *angular = 0.0;
    for (int k = 0; k < 3; k++) {
        verify_body body;
        pl_status status = moving_bar(&body, integrators[k], PL_MATERIAL_STVK, 0.5, error);
        if (status != PL_OK) return status;
        momenta before = momenta_of(&body);
        pl_method_info info;
        for (int n = 0; status == PL_OK && n < steps; n++) {
            status = verify_body_step(&body, 0.005, 0.0, NULL, 0, &info, error);
            momenta now = momenta_of(&body);
            *linear =
                fmax(*linear, pl_distance(now.linear, before.linear) / pl_norm(before.linear));
            if (integrators[k] == PL_INTEGRATOR_MIDPOINT)
                *angular = fmax(*angular,
                                pl_distance(now.angular, before.angular) / pl_norm(before.angular));
        }
        verify_body_free(&body);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

static double total_energy(const verify_body* body) {
    pl_method_energies energies = pl_step_system_energies(body->system);
    return energies.kinetic + energies.elastic;
}

// the largest growth in one step and the largest distance from the first, relative to the first
static pl_status follow_energy(verify_body* body, double time_step, int steps, double* growth,
                               double* change, pl_error* error) {
    double first = total_energy(body), last = first;
    *growth = *change = 0.0;
    for (int n = 0; n < steps; n++) {
        pl_method_info info;
        pl_status status = verify_body_step(body, time_step, 0.0, NULL, 0, &info, error);
        if (status != PL_OK) return status;
        double energy = total_energy(body);
        *growth = fmax(*growth, (energy - last) / first);
        *change = fmax(*change, fabs(energy - first) / first);
        last = energy;
    }
    return PL_OK;
}

pl_status verify_energy(int steps, double* euler_growth, double* midpoint_change, pl_error* error) {
    verify_body body;
    double other;
    pl_status status = moving_bar(&body, PL_INTEGRATOR_EULER, PL_MATERIAL_LINEAR, 0.1, error);
    if (status != PL_OK) return status;
    status = follow_energy(&body, 0.005, steps, euler_growth, &other, error);
    verify_body_free(&body);
    if (status != PL_OK) return status;
    status = moving_bar(&body, PL_INTEGRATOR_MIDPOINT, PL_MATERIAL_LINEAR, 0.1, error);
    if (status != PL_OK) return status;
    status = follow_energy(&body, 0.005, steps, &other, midpoint_change, error);
    verify_body_free(&body);
    return status;
}

pl_status verify_midpoint_energy(double time_step, double* largest, pl_error* error) {
    const double duration = 0.2;
    verify_body body;
    double growth;
    pl_status status = moving_bar(&body, PL_INTEGRATOR_MIDPOINT, PL_MATERIAL_STVK, 0.5, error);
    if (status != PL_OK) return status;
    status =
        follow_energy(&body, time_step, (int)lround(duration / time_step), &growth, largest, error);
    verify_body_free(&body);
    return status;
}
