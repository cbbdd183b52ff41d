// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Stiff parts in soft flesh: what the default solver of large bodies makes of them, against the
// direct one.
#include "base/memory.h"
#include "verify.h"

#include <math.h>
#include <string.h>

static const double YOUNG = 1e6, GRAVITY = 2.0;
enum { ASPECT = 3 }; // length over width

// point: in widths of the bar
static bool is_stiff(verify_stiff_shape shape, const double point[3]) {
    bool middle = fabs(point[1] - 0.5) < 0.3 && fabs(point[2] - 0.5) < 0.3;
    switch (shape) {
    case VERIFY_STIFF_FLOATING: return middle && fabs(point[0] - 0.5 * ASPECT) < 0.5;
    case VERIFY_STIFF_FIVE: return middle && fmod(5.0 * point[0] / ASPECT, 1.0) > 0.5;
    default: return fabs(point[1] - 0.5) < 0.2 && fabs(point[2] - 0.5) < 0.2;
    }
}

static void fill_contrast(const pl_mesh* mesh, const verify_stiff_case* c, double* contrast) {
    for (int e = 0; e < mesh->tet_count; e++) {
        double point[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < 12; k++)
            point[k % 3] += 0.25 * mesh->positions[3 * mesh->tets[4 * e + k / 3] + k % 3];
        contrast[e] = is_stiff(c->shape, point) ? c->contrast : 1.0;
    }
}

static pl_status create_bar(const verify_stiff_case* c, pl_linear linear, verify_body* body,
                            pl_error* error) {
    pl_step_settings settings = pl_default_step_settings();
    settings.integrator = PL_INTEGRATOR_QUASISTATIC;
    settings.linear = linear;
    settings.tolerance = 1e-6;
    settings.max_iterations = 40;
    pl_mesh* mesh;
    pl_status status = verify_box(ASPECT, 1.0, 1.0, ASPECT * c->cells, c->cells, c->cells,
                                  PL_PATTERN_KUHN, &mesh, error);
    if (status != PL_OK) return status;
    int tet_count = mesh->tet_count;
    double* contrast = PL_ALLOC(double, tet_count);
    if (!contrast) {
        pl_mesh_destroy(mesh);
        return pl_fail_memory(error, "a bar");
    }
    fill_contrast(mesh, c, contrast);
    status = verify_body_create_mixed(body, mesh, c->law, YOUNG, 0.4, 1000.0, contrast, &settings,
                                      NULL, error);
    PL_FREE(contrast, double, tet_count);
    return status;
}

typedef struct bar_rest {
    double moved; // the largest displacement [m]
    int linear_iterations, switches;
    bool converged;
} bar_rest;

// Quasistatic frames until one converges. x: 3 per vertex.
static pl_status solve(const verify_stiff_case* c, pl_linear linear, double* x, bar_rest* out,
                       pl_error* error) {
    enum { MAX_FRAMES = 5 };
    *out = (bar_rest){0};
    verify_body body;
    pl_status status = create_bar(c, linear, &body, error);
    if (status != PL_OK) return status;
    int vertex_count = body.mesh->vertex_count;
    pl_pin* pins = PL_ALLOC(pl_pin, vertex_count);
    int pin_count = pins ? verify_pin_left(body.mesh, 1e-9, pins) : 0;
    if (!pins) status = pl_fail_memory(error, "pins");
    for (int n = 0; status == PL_OK && n < MAX_FRAMES && !out->converged; n++) {
        pl_method_info info;
        status = verify_body_step(&body, 1.0, GRAVITY, pins, pin_count, &info, error);
        out->linear_iterations += info.linear_iterations;
        out->switches += info.switch_count;
        out->converged = info.converged;
    }
    for (int i = 0; i < 3 * vertex_count; i++) {
        x[i] = pl_step_positions(body.system)[i];
        out->moved = fmax(out->moved, fabs(x[i] - body.mesh->positions[i]));
    }
    PL_FREE(pins, pl_pin, vertex_count);
    verify_body_free(&body);
    return status;
}

pl_status verify_stiff_parts(const verify_stiff_case* c, verify_stiff* out, pl_error* error) {
    int count = 3 * (ASPECT * c->cells + 1) * (c->cells + 1) * (c->cells + 1);
    double *x = PL_ALLOC(double, count), *direct = PL_ALLOC(double, count);
    bar_rest rest = {0}, reference = {0};
    *out = (verify_stiff){0};
    pl_status status = x && direct ? solve(c, PL_LINEAR_DIRECT, direct, &reference, error)
                                   : pl_fail_memory(error, "positions");
    // what the direct solver does not solve is nothing to compare with
    if (status == PL_OK && reference.converged) status = solve(c, PL_LINEAR_MGPCG, x, &rest, error);
    if (status == PL_OK && reference.converged) {
        for (int i = 0; i < count; i++)
            out->difference = fmax(out->difference, fabs(x[i] - direct[i]) / reference.moved);
        out->converged = rest.converged;
        out->reference_converged = true;
        out->linear_iterations = rest.linear_iterations;
        out->switches = rest.switches;
    }
    PL_FREE(x, double, count);
    PL_FREE(direct, double, count);
    return status;
}
