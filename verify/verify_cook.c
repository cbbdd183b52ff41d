// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cook's membrane: a tapered panel, clamped at the left, with a shear traction on its right edge.
// Plane strain holds all vertices along the thickness, plane stress those of one side. The
// references are limits of refinement in the literature, at the middle of the right edge.
#include "base/memory.h"
#include "verify.h"

#include <math.h>

typedef struct cook_case {
    double young, poisson, force, reference;
    bool plane_strain;
} cook_case;

static const cook_case cook_cases[VERIFY_COOK_COUNT] = {
    {1.0, 1.0 / 3.0, 1.0, 23.96, false},
    {240.565, 0.3, 100.0, 9.12, true},
};

static int find_pins(const pl_mesh* mesh, bool plane_strain, pl_pin* pins) {
    int count = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        pl_vec3 at = pl_vec3_load(mesh->positions + 3 * (size_t)v);
        pl_pin pin = {.vertex = v, .hard = true, .from = at, .target = at, .partial = true};
        if (at.x < 1e-9) pin.held.m[0] = pin.held.m[4] = 1.0;
        if (plane_strain || at.z < 1e-9) pin.held.m[8] = 1.0;
        if (pl_mat3_trace(pin.held) > 0.0) pins[count++] = pin;
    }
    return count;
}

// each triangle of the right edge gives a third of its load to its corners; 16 is the area
static void add_shear(const pl_mesh* mesh, double total, double* force) {
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int* v = mesh->triangles + 3 * (size_t)t;
        bool at_edge = true;
        for (int i = 0; i < 3; i++)
            at_edge = at_edge && mesh->positions[3 * (size_t)v[i]] > 48.0 - 1e-9;
        double area = 0.5 * pl_norm(pl_doubled_area(mesh->positions, v));
        for (int i = 0; at_edge && i < 3; i++)
            force[3 * (size_t)v[i] + 1] += total / 16.0 * area / 3.0;
    }
}

// displacement along y at (48, 52): the mean of the vertices there
static double middle_displacement(const verify_body* body) {
    const double *rest = body->mesh->positions, *x = pl_step_positions(body->system);
    double sum = 0.0;
    int count = 0;
    for (size_t i = 0; i < 3 * (size_t)body->mesh->vertex_count; i += 3) {
        if (fabs(rest[i] - 48.0) > 1e-9 || fabs(rest[i + 1] - 52.0) > 1e-9) continue;
        sum += x[i + 1] - rest[i + 1];
        count++;
    }
    return sum / count;
}

static pl_status pull(verify_body* body, const cook_case* c, pl_error* error) {
    pl_pin* pins = PL_ALLOC(pl_pin, body->mesh->vertex_count);
    if (!pins) return pl_fail_memory(error, "pins");
    add_shear(body->mesh, c->force, body->force);
    pl_method_step step = {.time_step = 1.0,
                           .force = body->force,
                           .pins = pins,
                           .pin_count = find_pins(body->mesh, c->plane_strain, pins)};
    pl_method_info info;
    pl_status status = pl_step_system_step(body->system, &step, &info, error);
    PL_FREE(pins, pl_pin, body->mesh->vertex_count);
    if (status == PL_OK && !info.converged)
        return pl_fail(error, PL_ERROR_DIVERGED, "the panel does not come to rest");
    return status;
}

pl_status verify_cook(int which, int cells, pl_pool* pool, verify_answer* answer, pl_error* error) {
    const cook_case* c = &cook_cases[which];
    pl_generate_options options;
    pl_mesh* mesh;
    pl_status status = pl_generate_defaults("panel", &options, error);
    options.count_x = options.count_y = cells;
    options.count_z = 1;
    if (status == PL_OK) status = pl_generate("panel", &options, &mesh, error);
    if (status != PL_OK) return status;
    pl_step_settings settings = pl_default_step_settings();
    settings.integrator = PL_INTEGRATOR_QUASISTATIC;
    settings.tolerance = 1e-8;
    verify_body body;
    status = verify_body_create(&body, mesh, PL_MATERIAL_LINEAR, c->young, c->poisson, 1.0,
                                &settings, pool, error);
    if (status != PL_OK) return status;
    status = pull(&body, c, error);
    if (status == PL_OK) *answer = (verify_answer){middle_displacement(&body), c->reference};
    verify_body_free(&body);
    return status;
}
