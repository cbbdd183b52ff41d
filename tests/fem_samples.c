// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "fem_samples.h"
#include "test.h"

pl_mesh* fem_box(double x, double y, double z, int nx, int ny, int nz) {
    pl_error error;
    pl_mesh* mesh;
    CHECK_OK(verify_box(x, y, z, nx, ny, nz, PL_PATTERN_KUHN, &mesh, &error), &error);
    return mesh;
}

fem_sample fem_sample_create(pl_mesh* mesh, pl_material_kind law, double young, double poisson,
                             double density, const pl_step_settings* settings, pl_pool* pool) {
    fem_sample s;
    pl_error error;
    CHECK_OK(verify_body_create(&s, mesh, law, young, poisson, density, settings, pool, &error),
             &error);
    return s;
}

void fem_sample_free(fem_sample* s) { verify_body_free(s); }

pl_method_info fem_sample_step(fem_sample* s, double time_step, double gravity, const pl_pin* pins,
                               int pin_count) {
    pl_method_info info;
    pl_error error;
    CHECK_OK(verify_body_step(s, time_step, gravity, pins, pin_count, &info, &error), &error);
    return info;
}
