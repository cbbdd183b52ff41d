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

// the positions after quasistatic frames, which may take several to converge; x is the caller's
static pl_status solve(const verify_stiff_case* c, pl_linear linear, double* x, double* moved,
                       pl_method_info* last, int* linear_iterations, pl_error* error) {
    enum { MAX_FRAMES = 5 };
    pl_fem_settings settings = pl_default_fem_settings();
    settings.integrator = PL_INTEGRATOR_QUASISTATIC;
    settings.linear = linear;
    settings.tolerance = 1e-6;
    settings.max_iterations = 40;
    pl_mesh* mesh;
    pl_status status = verify_box(ASPECT, 1.0, 1.0, ASPECT * c->cells, c->cells, c->cells,
                                  PL_PATTERN_KUHN, &mesh, error);
    if (status != PL_OK) return status;
    double* contrast = PL_ALLOC(double, mesh->tet_count);
    pl_pin* pins = PL_ALLOC(pl_pin, mesh->vertex_count);
    fill_contrast(mesh, c, contrast);
    int pin_count = verify_pin_left(mesh, 1e-9, pins), vertex_count = mesh->vertex_count;
    verify_body body;
    status = verify_body_create_mixed(&body, mesh, c->law, YOUNG, 0.4, 1000.0, contrast, &settings,
                                      NULL, error);
    PL_FREE(contrast, double, mesh->tet_count);
    *last = (pl_method_info){0};
    *linear_iterations = 0;
    for (int n = 0; status == PL_OK && n < MAX_FRAMES && !last->converged; n++) {
        int switches = last->switch_count;
        status = verify_body_step(&body, 1.0, GRAVITY, pins, pin_count, last, error);
        *linear_iterations += last->linear_iterations;
        last->switch_count += switches;
    }
    PL_FREE(pins, pl_pin, vertex_count);
    if (status == PL_OK) {
        *moved = 0.0;
        for (int i = 0; i < 3 * vertex_count; i++) {
            x[i] = pl_fem_positions(body.system)[i];
            *moved = fmax(*moved, fabs(x[i] - body.mesh->positions[i]));
        }
        verify_body_free(&body);
    }
    return status;
}

pl_status verify_stiff_parts(const verify_stiff_case* c, verify_stiff* out, pl_error* error) {
    int count = 3 * (ASPECT * c->cells + 1) * (c->cells + 1) * (c->cells + 1), unused;
    double *x = PL_ALLOC(double, count), *direct = PL_ALLOC(double, count), moved, other;
    pl_method_info info, reference;
    *out = (verify_stiff){0};
    pl_status status = solve(c, PL_LINEAR_DIRECT, direct, &moved, &reference, &unused, error);
    if (status == PL_OK)
        status = solve(c, PL_LINEAR_MGPCG, x, &other, &info, &out->linear_iterations, error);
    if (status == PL_OK) {
        for (int i = 0; i < count; i++)
            out->difference = fmax(out->difference, fabs(x[i] - direct[i]) / moved);
        out->converged = info.converged;
        out->reference_converged = reference.converged;
        out->switches = info.switch_count;
    }
    PL_FREE(x, double, count);
    PL_FREE(direct, double, count);
    return status;
}
