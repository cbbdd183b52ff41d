// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Multigrid as the linear solver of fem bodies.
#include "base/memory.h"
#include "fem_samples.h"
#include "step/step_system.h"
#include "test.h"

enum { STEPS = 3 };

// positions of the vertices after some steps; returns the linear iterations
static int swing(pl_linear linear, pl_pool* pool, bool hard, double** out, int* count) {
    pl_step_settings settings = pl_default_step_settings();
    settings.linear = linear;
    settings.tolerance = 1e-9;
    settings.linear_tolerance = 1e-10;
    fem_sample sample =
        fem_sample_create(fem_box(1.0, 0.2, 0.2, 15, 3, 3), PL_MATERIAL_STABLE_NEOHOOKEAN, 1e5, 0.4,
                          1000.0, &settings, pool);
    *count = 3 * sample.mesh->vertex_count;
    const double* x = pl_step_positions(sample.system);
    pl_pin pins[64];
    int pin_count = 0, iterations = 0;
    for (int v = 0; v < *count / 3; v++)
        if (x[3 * v] < 1e-9)
            pins[pin_count++] = (pl_pin){.vertex = v,
                                         .stiffness = 1e5,
                                         .hard = hard,
                                         .from = {x[3 * v], x[3 * v + 1], x[3 * v + 2]},
                                         .target = {x[3 * v], x[3 * v + 1], x[3 * v + 2]}};
    for (int k = 0; k < STEPS; k++) {
        pl_method_info info = fem_sample_step(&sample, 1.0 / 30.0, -9.81, pins, pin_count);
        CHECK(info.converged);
        iterations += info.linear_iterations;
    }
    *out = PL_ALLOC(double, *count);
    memcpy(*out, pl_step_positions(sample.system), (size_t)*count * sizeof(double));
    fem_sample_free(&sample);
    return iterations;
}

LONG_TEST(mg_fem_steps_equal_those_of_the_direct_solver)
{
    for (int hard = 0; hard < 2; hard++) {
        double *direct, *other;
        int count;
        swing(PL_LINEAR_DIRECT, NULL, hard, &direct, &count);
        double low = INFINITY, high = -INFINITY;
        for (pl_linear kind = PL_LINEAR_MULTIGRID; kind <= PL_LINEAR_MGPCG; kind++) {
            int iterations = swing(kind, NULL, hard, &other, &count);
            CHECK(iterations > STEPS);
            for (int i = 0; i < count; i++) {
                CHECK_NEAR(other[i], direct[i], 1e-8);
                if (i % 3 == 1) low = fmin(low, other[i]), high = fmax(high, other[i]);
            }
            PL_FREE(other, double, count);
        }
        CHECK(high - low > 0.21); // it bends: 0.2 at rest
        PL_FREE(direct, double, count);
    }
}
