// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Thick sphere under inner pressure p (Lamé), inner radius a, outer radius b:
// u(r) = p a^3 / (E (b^3 - a^3)) ((1 - 2 nu) r + (1 + nu) b^3 / (2 r^2))
#include "base/memory.h"
#include "verify.h"

#include <math.h>

static const double sphere_inner = 1.0, sphere_outer = 2.0, sphere_young = 1e5,
                    sphere_poisson = 0.3;
const double verify_sphere_pressure = 100.0;

static double sphere_displacement(double r) {
    double a3 = pow(sphere_inner, 3.0), b3 = pow(sphere_outer, 3.0);
    return verify_sphere_pressure * a3 / (sphere_young * (b3 - a3)) *
           ((1.0 - 2.0 * sphere_poisson) * r + (1.0 + sphere_poisson) * b3 / (2.0 * r * r));
}

// each inner triangle gives a third of its pressure to its corners; it looks inward
static void add_inner_pressure(const pl_mesh* mesh, double* force) {
    double middle = 0.5 * (sphere_inner + sphere_outer);
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int* v = mesh->triangles + 3 * t;
        pl_vec3 a = pl_vec3_load(mesh->positions + 3 * v[0]),
                b = pl_vec3_load(mesh->positions + 3 * v[1]),
                c = pl_vec3_load(mesh->positions + 3 * v[2]);
        if (pl_norm(a) > middle) continue;
        pl_vec3 area = pl_scale(0.5, pl_cross(pl_sub(b, a), pl_sub(c, a)));
        for (int i = 0; i < 3; i++) {
            double* f = force + 3 * v[i];
            pl_vec3_store(f, pl_madd(pl_vec3_load(f), -verify_sphere_pressure / 3.0, area));
        }
    }
}

void verify_sphere_errors(const verify_body* body, verify_answer* answer, double* l2) {
    double wrong = 0.0, whole = 0.0, inner = 0.0;
    int inner_count = 0;
    for (int v = 0; v < body->mesh->vertex_count; v++) {
        pl_vec3 rest = pl_vec3_load(body->mesh->positions + 3 * v);
        pl_vec3 u = pl_sub(pl_vec3_load(pl_step_positions(body->system) + 3 * v), rest);
        double r = pl_norm(rest), expected = sphere_displacement(r);
        pl_vec3 exact = pl_scale(expected / r, rest);
        wrong += body->mass[v] * pl_norm2(pl_sub(u, exact));
        whole += body->mass[v] * expected * expected;
        if (r > sphere_inner * (1.0 + 1e-6)) continue;
        inner += pl_dot(u, rest) / r;
        inner_count++;
    }
    double scale = sphere_young / verify_sphere_pressure;
    *answer = (verify_answer){scale * inner / inner_count, scale * sphere_displacement(1.0)};
    *l2 = sqrt(wrong / whole);
}

// The load is in equilibrium, so springs a billion times softer than the sphere hold it without
// being felt.
static pl_status inflate(verify_body* body, pl_error* error) {
    int vertex_count = body->mesh->vertex_count;
    pl_pin* pins = PL_ALLOC(pl_pin, vertex_count);
    if (!pins) return pl_fail_memory(error, "pins");
    for (int v = 0; v < vertex_count; v++) {
        pl_vec3 place = pl_vec3_load(body->mesh->positions + 3 * v);
        pins[v] =
            (pl_pin){.vertex = v, .stiffness = 1e-9 * sphere_young, .from = place, .target = place};
    }
    add_inner_pressure(body->mesh, body->force);
    pl_method_step step = {
        .time_step = 1.0, .force = body->force, .pins = pins, .pin_count = vertex_count};
    pl_method_info info;
    pl_status status = pl_step_system_step(body->system, &step, &info, error);
    PL_FREE(pins, pl_pin, vertex_count);
    if (status == PL_OK && !info.converged)
        return pl_fail(error, PL_ERROR_DIVERGED, "the sphere does not come to rest");
    return status;
}

pl_status verify_sphere_body(verify_body* body, pl_mesh* mesh, const pl_step_settings* settings,
                             pl_pool* pool, pl_error* error) {
    return verify_body_create(body, mesh, PL_MATERIAL_LINEAR, sphere_young, sphere_poisson, 1000.0,
                              settings, pool, error);
}

pl_status verify_sphere(double edge, pl_pool* pool, verify_answer* answer, double* l2,
                        pl_error* error) {
    pl_generate_options options;
    pl_status status = pl_generate_defaults("shell", &options, error);
    if (status != PL_OK) return status;
    options.inner_radius = sphere_inner;
    options.outer_radius = sphere_outer;
    options.edge = edge;
    pl_mesh* mesh;
    status = pl_generate("shell", &options, &mesh, error);
    if (status != PL_OK) return status;
    pl_step_settings settings = pl_default_step_settings();
    settings.integrator = PL_INTEGRATOR_QUASISTATIC;
    settings.tolerance = 1e-8;
    settings.linear_tolerance = 1e-10;
    settings.linear = mesh->vertex_count > 4000 ? PL_LINEAR_ICPCG : PL_LINEAR_DIRECT;
    verify_body body;
    status = verify_sphere_body(&body, mesh, &settings, pool, error);
    if (status != PL_OK) return status;
    status = inflate(&body, error);
    if (status == PL_OK) verify_sphere_errors(&body, answer, l2);
    verify_body_free(&body);
    return status;
}
