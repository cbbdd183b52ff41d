// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A shell of Neo-Hookean rubber, inner radius 1, inflated far by a pressure that follows it. Theory
// is the equation of its radius, r(R), with stretches u = r' and t = r / R:
//
//   dP/dR = 2 (Q - P) / R,   P = dW/du,   Q = dW/dt / 2,   P(a) = -p t^2,   P(b) = 0,
//   W = mu/2 (u^2 + 2 t^2 - 3) - mu log J + lambda/2 (log J)^2,   J = u t^2.
#include "base/memory.h"
#include "verify.h"

#include <math.h>

static const double balloon_young = 1e5, balloon_poisson = 0.35;

typedef struct shell_theory {
    double mu, lambda, inner, outer, pressure;
} shell_theory;

// u that has the radial stress P beside the stretch t; P grows with u
static double radial_stretch(const shell_theory* s, double P, double t) {
    double low = 1e-3, high = 10.0;
    for (int k = 0; k < 60; k++) {
        double u = 0.5 * (low + high);
        double stress = s->mu * u + (s->lambda * log(u * t * t) - s->mu) / u;
        if (stress < P) low = u;
        else high = u;
    }
    return 0.5 * (low + high);
}

static void derivative(const shell_theory* s, double R, const double y[2], double out[2]) {
    double t = y[0] / R, u = radial_stretch(s, y[1], t);
    double Q = s->mu * t + (s->lambda * log(u * t * t) - s->mu) / t;
    out[0] = u;
    out[1] = 2.0 * (Q - y[1]) / R;
}

// P(b) for an inner radius r, by Runge-Kutta
static double outer_stress(const shell_theory* s, double r) {
    enum { STEPS = 200 };
    double t = r / s->inner, h = (s->outer - s->inner) / STEPS;
    double y[2] = {r, -s->pressure * t * t}, k[4][2], at[2];
    static const double weights[4] = {0.0, 0.5, 0.5, 1.0};
    for (int n = 0; n < STEPS; n++) {
        double R = s->inner + n * h;
        for (int j = 0; j < 4; j++) {
            for (int c = 0; c < 2; c++) at[c] = y[c] + (j ? weights[j] * h * k[j - 1][c] : 0.0);
            derivative(s, R + weights[j] * h, at, k[j]);
        }
        for (int c = 0; c < 2; c++)
            y[c] += h / 6.0 * (k[0][c] + 2.0 * k[1][c] + 2.0 * k[2][c] + k[3][c]);
    }
    return y[1];
}

// The inner radius on the branch that starts at rest: P(b) grows with it.
static double inner_radius(const shell_theory* s) {
    double low = s->inner, high = 1.01 * s->inner;
    while (high < 10.0 * s->inner && outer_stress(s, high) < 0.0) low = high, high *= 1.01;
    for (int k = 0; k < 50; k++) {
        double r = 0.5 * (low + high);
        if (outer_stress(s, r) < 0.0) low = r;
        else high = r;
    }
    return 0.5 * (low + high);
}

static pl_status inflate(verify_body* body, const shell_theory* s, int steps, pl_error* error) {
    const pl_mesh* mesh = body->mesh;
    int* triangles = PL_ALLOC(int, 3 * (size_t)mesh->triangle_count);
    if (!triangles) return pl_fail_memory(error, "a balloon");
    pl_pressure load = {.triangles = triangles};
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int* v = mesh->triangles + 3 * (size_t)t;
        if (pl_norm(pl_vec3_load(mesh->positions + 3 * (size_t)v[0])) > 1.01 * s->inner) continue;
        for (int i = 0; i < 3; i++) triangles[3 * load.count + i] = v[i];
        load.count++;
    }
    pl_status status = PL_OK;
    for (int k = 1; status == PL_OK && k <= steps; k++) {
        load.pressure = s->pressure * k / steps;
        pl_method_info info;
        for (int i = 0; i < 3 * mesh->vertex_count; i++) body->force[i] = 0.0;
        pl_pressure_add(&load, pl_step_positions(body->system), 1.0, body->force);
        pl_method_step step = {
            .time_step = 1.0, .force = body->force, .pressures = &load, .pressure_count = 1};
        status = pl_step_system_step(body->system, &step, &info, error);
        if (status == PL_OK && !info.converged)
            status = pl_fail(error, PL_ERROR_DIVERGED, "the balloon does not come to rest");
    }
    PL_FREE(triangles, int, 3 * (size_t)mesh->triangle_count);
    return status;
}

// mean radius of the inner surface, and the distance of its centre from the origin
static void measure(const verify_body* body, verify_answer* answer, double* drift) {
    const double* x = pl_step_positions(body->system);
    double radius = 0.0, mass = 0.0;
    int count = 0;
    pl_vec3 middle = {0.0, 0.0, 0.0};
    for (int v = 0; v < body->mesh->vertex_count; v++) {
        pl_vec3 at = pl_vec3_load(x + 3 * (size_t)v);
        middle = pl_madd(middle, body->mass[v], at);
        mass += body->mass[v];
        if (pl_norm(pl_vec3_load(body->mesh->positions + 3 * (size_t)v)) > 1.01) continue;
        radius += pl_norm(at);
        count++;
    }
    answer->value = radius / count;
    *drift = pl_norm(middle) / mass;
}

pl_status verify_balloon(double outer, double edge, double pressure, int steps, pl_pool* pool,
                         verify_answer* answer, double* drift, pl_error* error) {
    pl_generate_options options;
    pl_mesh* mesh;
    pl_status status = pl_generate_defaults("shell", &options, error);
    options.inner_radius = 1.0;
    options.outer_radius = outer;
    options.edge = edge;
    if (status == PL_OK) status = pl_generate("shell", &options, &mesh, error);
    if (status != PL_OK) return status;
    pl_step_settings settings = pl_default_step_settings();
    settings.integrator = PL_INTEGRATOR_QUASISTATIC;
    settings.tolerance = 1e-9;
    settings.max_iterations = 50;
    settings.linear_tolerance = 1e-4;
    settings.linear = mesh->vertex_count > 1000 ? PL_LINEAR_MGPCG : PL_LINEAR_DIRECT;
    verify_body body;
    status = verify_body_create(&body, mesh, PL_MATERIAL_NEOHOOKEAN, balloon_young, balloon_poisson,
                                1000.0, &settings, pool, error);
    if (status != PL_OK) return status;
    shell_theory s = {body.material.mu, body.material.lambda, 1.0, outer,
                      pressure * body.material.mu};
    status = inflate(&body, &s, steps, error);
    if (status == PL_OK) measure(&body, answer, drift);
    answer->reference = inner_radius(&s);
    verify_body_free(&body);
    return status;
}
