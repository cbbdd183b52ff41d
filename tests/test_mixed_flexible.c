// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Solves with the flexibility of pressures.
#include "base/memory.h"
#include "base/random.h"
#include "mixed/mixed_flexible.h"
#include "mixed_samples.h"
#include "test.h"

#include <math.h>
#include <string.h>

static double largest(int n, const double* x) {
    double size = 0.0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
    return size;
}

// alpha decides between iterations and a factor
static void check_solve(double poisson, double alpha, double slack) {
    mixed_sample s = mixed_sample_make(4, PL_MATERIAL_STABLE_NEOHOOKEAN, poisson, alpha, false);
    mixed_sample_mix(&s, s.p);
    pl_material* materials = pl_mixed_materials(&s.set);
    for (int e = 0; e < s.set.count; e += 2) materials[e].mu *= 1e4, materials[e].lambda *= 1e4;
    pl_error error;
    pl_block_matrix B;
    double D[MIXED_SAMPLE_VERTICES], b[MIXED_SAMPLE_VERTICES], x[MIXED_SAMPLE_VERTICES],
        left[MIXED_SAMPLE_VERTICES], least, most;
    CHECK_OK(pl_block_matrix_setup(&B, s.n, 1, s.pattern.offsets, s.pattern.items, &error), &error);
    pl_mixed_flexibility(&s.set, alpha, &B);
    pl_mixed_slack(&s.set, slack, s.n, D);
    for (int v = 0; v < s.n; v++) B.values[B.diagonal[v]] += D[v];
    pl_mixed_flexibility_bounds(&s.set, alpha, slack, &least, &most);
    CHECK(0.0 < least && least <= 1.0 && 1.0 <= most);
    pl_mixed_flexible* f;
    CHECK_OK(pl_mixed_flexible_create(&B, NULL, &f, &error), &error);
    CHECK_OK(pl_mixed_flexible_update(f, least, most, &error), &error);
    pl_random random = {3};
    for (int v = 0; v < s.n; v++)
        b[v] = B.values[B.diagonal[v]] * pl_random_normal(&random), x[v] = 0.3 * v;
    pl_mixed_flexible_solve(f, b, x);
    pl_block_matrix_apply(&B, NULL, 1, x, left);
    for (int v = 0; v < s.n; v++) left[v] -= b[v];
    CHECK(largest(s.n, left) <= 2e-12 * sqrt(s.n) * largest(s.n, b));
    b[1] = NAN;
    pl_mixed_flexible_solve(f, b, x);
    CHECK(!isfinite(x[1]));
    pl_mixed_flexible_destroy(f);
    pl_block_matrix_free(&B);
    mixed_sample_free(&s);
}

TEST(mixed_flexible_solves_to_its_tolerance)
{
    check_solve(0.3, 1.0, 0.3);
    check_solve(0.4999, 1.0, 0.3);
    check_solve(0.5, 4.0, 0.3);
    check_solve(0.4999, 0.0, 0.3);
    check_solve(0.4999, 30.0, 0.3);
    check_solve(0.49, 1.0, 0.0);
}

TEST(mixed_flexible_survives_every_failing_allocation)
{
    mixed_sample s = mixed_sample_make(1, PL_MATERIAL_STABLE_NEOHOOKEAN, 0.49, 1.0, false);
    pl_error error;
    pl_block_matrix B;
    CHECK_OK(pl_block_matrix_setup(&B, s.n, 1, s.pattern.offsets, s.pattern.items, &error), &error);
    size_t before = pl_byte_count();
    for (int64_t nth = 1;; nth++) {
        pl_mixed_flexible* f = NULL;
        pl_inject_failure(nth);
        pl_status status = pl_mixed_flexible_create(&B, NULL, &f, &error);
        pl_inject_failure(0);
        if (status == PL_OK) {
            pl_mixed_flexible_destroy(f);
            break;
        }
        CHECK_INT(status, PL_ERROR_MEMORY);
        CHECK(!f);
        CHECK_INT(pl_byte_count(), before);
    }
    pl_block_matrix_free(&B);
    mixed_sample_free(&s);
}
