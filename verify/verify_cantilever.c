// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cantilever under its own weight against the inextensible elastica (protocol of Romero 2021),
// theta'' = -Gamma (1 - s) cos theta, theta(0) = 0, theta'(1) = 0, theta measured downward;
// H = int sin theta, W = int cos theta.
#include "base/memory.h"
#include "verify.h"

#include <math.h>

typedef struct elastica {
    double theta, slope, height, width;
} elastica;

static elastica elastica_rate(double gamma, double s, elastica at) {
    return (elastica){at.slope, -gamma * (1.0 - s) * cos(at.theta), sin(at.theta), cos(at.theta)};
}

static elastica elastica_add(elastica a, double h, elastica b) {
    return (elastica){a.theta + h * b.theta, a.slope + h * b.slope, a.height + h * b.height,
                      a.width + h * b.width};
}

// Runge-Kutta from the clamp, where the slope is given, to the free end; no further than straight
// down, beyond which the slope at the clamp is too large and other solutions begin
static elastica elastica_end(double gamma, double slope) {
    enum { STEPS = 2000 };
    elastica at = {0.0, slope, 0.0, 0.0};
    double h = 1.0 / STEPS;
    for (int k = 0; k < STEPS && cos(at.theta) >= 0.0; k++) {
        double s = k * h;
        elastica k1 = elastica_rate(gamma, s, at);
        elastica k2 = elastica_rate(gamma, s + 0.5 * h, elastica_add(at, 0.5 * h, k1));
        elastica k3 = elastica_rate(gamma, s + 0.5 * h, elastica_add(at, 0.5 * h, k2));
        elastica k4 = elastica_rate(gamma, s + h, elastica_add(at, h, k3));
        at = elastica_add(at, h / 6.0, k1);
        at = elastica_add(at, h / 3.0, k2);
        at = elastica_add(at, h / 3.0, k3);
        at = elastica_add(at, h / 6.0, k4);
    }
    return at;
}

double verify_elastica(double gamma) {
    // a straight rod has the largest moment at the clamp, Gamma / 2
    double low = 0.0, high = 0.5 * gamma;
    for (int round = 0; round < 100; round++) {
        double middle = 0.5 * (low + high);
        if (elastica_end(gamma, middle).slope > 0.0) high = middle;
        else low = middle;
    }
    elastica end = elastica_end(gamma, low);
    return end.height / end.width;
}

// how far the middle of the free end is from its rest place: x and y
static pl_vec3 end_displacement(const verify_body* body, double length) {
    pl_vec3 sum = {0, 0, 0};
    int count = 0;
    for (int v = 0; v < body->mesh->vertex_count; v++) {
        pl_vec3 rest = pl_vec3_load(body->mesh->positions + 3 * v);
        if (rest.x < length * (1.0 - 1e-9)) continue;
        sum = pl_add(sum, pl_sub(pl_vec3_load(pl_step_positions(body->system) + 3 * v), rest));
        count++;
    }
    return pl_scale(1.0 / count, sum);
}

// steps of growing load, the last repeated until it has converged
static pl_status bend(verify_body* body, double gravity, int steps, pl_pin* pins, int* iterations,
                      pl_error* error) {
    enum { MAX_REPEATS = 5 };
    int pin_count = verify_pin_left(body->mesh, 1e-9, pins);
    *iterations = 0;
    for (int k = 1; k < steps + MAX_REPEATS; k++) {
        pl_method_info info;
        double load = k < steps ? gravity * k / steps : gravity;
        pl_status status = verify_body_step(body, 1.0, load, pins, pin_count, &info, error);
        if (status != PL_OK) return status;
        *iterations += info.iterations;
        if (k >= steps && info.converged) return PL_OK;
    }
    return pl_fail(error, PL_ERROR_DIVERGED, "the cantilever does not come to rest");
}

// A square section of thickness 2 r: I / A = (2 r)^2 / 12.
pl_status verify_cantilever(const verify_cantilever_case* c, pl_pool* pool, verify_answer* answer,
                            int* iterations, pl_error* error) {
    const double length = 1.0, young = 1e6, density = 1000.0;
    double thickness = 2.0 * length / c->slenderness;
    double gravity =
        c->gamma * young * thickness * thickness / (12.0 * density * length * length * length);
    pl_step_settings settings = pl_default_step_settings();
    settings.integrator = PL_INTEGRATOR_QUASISTATIC;
    settings.tolerance = 1e-6;
    settings.max_iterations = 100;
    pl_mesh* mesh;
    verify_body body;
    pl_status status = verify_box(length, thickness, thickness, c->cells_along, c->cells_across,
                                  (c->cells_across + 1) / 2, PL_PATTERN_BCC, &mesh, error);
    if (status != PL_OK) return status;
    status = verify_body_create(&body, mesh, PL_MATERIAL_STABLE_NEOHOOKEAN, young, 0.3, density,
                                &settings, pool, error);
    if (status != PL_OK) return status;
    int vertex_count = body.mesh->vertex_count;
    pl_pin* pins = PL_ALLOC(pl_pin, vertex_count);
    status = pins ? bend(&body, gravity, c->steps, pins, iterations, error)
                  : pl_fail_memory(error, "pins");
    if (status == PL_OK) {
        pl_vec3 moved = end_displacement(&body, length);
        *answer = (verify_answer){-moved.y / (length + moved.x), verify_elastica(c->gamma)};
    }
    PL_FREE(pins, pl_pin, vertex_count);
    verify_body_free(&body);
    return status;
}
