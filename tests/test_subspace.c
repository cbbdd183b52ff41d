// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Eigenvectors that are nearly known (modes/subspace.h), of a diagonal matrix.
#include "modes/subspace.h"
#include "test.h"

#include <string.h>

enum { COUNT = 60, WANTED = 6 };

static void copy(void* user, const double* x, double* result) {
    (void)user;
    memcpy(result, x, COUNT * sizeof *result);
}

// K = diag(1, 2, 3, ...)
static void multiply(void* user, int vectors, const double* x, double* result) {
    (void)user;
    for (int i = 0; i < vectors * COUNT; i++) result[i] = (1 + i % COUNT) * x[i];
}

// (K + 0.1)^-1, up to 20 % off, as a cycle may be
static void divide(void* user, const double* r, double* z) {
    (void)user;
    for (int i = 0; i < COUNT; i++) z[i] = r[i] / (1.1 + i) * (i % 2 ? 0.8 : 1.2);
}

static void keep(void* user, double* x) {
    (void)user;
    (void)x;
}

// The unit vectors, `disturbed` of them with a part of each further one.
static void fill_start(int disturbed, double* vectors) {
    memset(vectors, 0, WANTED * COUNT * sizeof *vectors);
    for (int k = 0; k < WANTED; k++) {
        vectors[k * COUNT + k] = 1.0;
        for (int i = WANTED; k < disturbed && i < COUNT; i++) vectors[k * COUNT + i] = 0.05;
    }
}

// A vector that was right to the tolerance costs nothing after the first iteration, and one that
// was not is improved until it is.
TEST(subspace_goes_on_with_the_vectors_that_need_it)
{
    const pl_davidson_operator A = {
        .mass = copy, .stiffness = multiply, .precondition = divide, .restrict_to = keep};
    const pl_davidson_options options = {.shift = 0.1, .tolerance = 1e-3, .max_iterations = 20};
    pl_subspace* s;
    pl_error error = {0};
    CHECK_OK(pl_subspace_create(COUNT, WANTED, &s, &error), &error);
    for (int disturbed = 0; disturbed < 2; disturbed++) {
        double vectors[WANTED * COUNT], values[WANTED];
        pl_davidson_result result;
        fill_start(disturbed, vectors);
        pl_subspace_improve(s, &A, &options, NULL, values, vectors, &result);
        CHECK(result.converged);
        CHECK(disturbed ? result.iterations > 1 : result.iterations == 1);
        CHECK_INT(result.applications, WANTED + (result.iterations - 1));
        for (int k = 0; k < WANTED; k++) {
            CHECK_NEAR(values[k], k + 1.0, 1e-3 * (k + 1.0));
            CHECK_NEAR(vectors[k * COUNT + k] * vectors[k * COUNT + k], 1.0, 1e-3);
        }
    }
    pl_subspace_destroy(s);
}
