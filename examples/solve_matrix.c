// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// pliant's multigrid on your own matrix: a block of 24 x 24 x 24 points on the floor, with springs
// between neighbouring points. Nothing else of pliant is used.
#include <pliant/multigrid.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 24, POINTS = SIDE * SIDE * SIDE };

static int offsets[POINTS + 1], columns[27 * POINTS];
static double values[9 * 27 * POINTS], positions[3 * POINTS], b[3 * POINTS], x[3 * POINTS];

// the row of a point: a spring along d is the block k d d' / |d|^2
static void add_row(int i, int* count) {
    int own = -1, at[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)};
    double sum[9] = {1e-3, 0, 0, 0, 1e-3, 0, 0, 0, 1e-3}; // inertia
    for (int k = 0; k < 27; k++) {
        int d[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1}, inside = 1;
        for (int c = 0; c < 3; c++) inside = inside && at[c] + d[c] >= 0 && at[c] + d[c] < SIDE;
        if (!inside) continue;
        int square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        for (int e = 0; e < 9 && square; e++) {
            double k_e = (double)(d[e / 3] * d[e % 3]) / square;
            values[9 * *count + e] = -k_e;
            sum[e] += k_e;
        }
        if (!square) own = *count;
        columns[(*count)++] = i + d[0] + SIDE * (d[1] + SIDE * d[2]);
    }
    for (int c = 0; c < 3; c++) {
        if (at[1] == 0) sum[4 * c] += 10.0; // the floor holds it
        positions[3 * i + c] = at[c];
    }
    for (int e = 0; e < 9; e++) values[9 * own + e] = sum[e];
    b[3 * i + 1] = -1e-3; // gravity
}

int main(void) {
    pl_error error;
    pl_mg_solver* solver;
    pl_mg_info info;
    for (int i = 0, count = 0; i < POINTS; i++, offsets[i] = count) add_row(i, &count);
    pl_mg_blocks A = {POINTS, offsets, columns, values};
    pl_mg_def def = pl_default_mg_def();
    if (pl_mg_create(&def, &A, positions, &solver, &error) != PL_OK) {
        fprintf(stderr, "%s\n", error.text);
        return EXIT_FAILURE;
    }
    pl_mg_solve(solver, b, x, 1e-8, 100, &info);
    printf("%d unknowns: %d iterations to %.1e, %.0f ms set-up, %.0f ms update, %.0f ms solve\n",
           3 * POINTS, info.iterations, info.residual, 1e3 * info.setup_seconds,
           1e3 * info.update_seconds, 1e3 * info.solve_seconds);
    printf("the top sinks by %.4f\n", -x[3 * (POINTS - 1) + 1]);
    pl_mg_destroy(solver);
    return info.converged ? EXIT_SUCCESS : EXIT_FAILURE;
}
