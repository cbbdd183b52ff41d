// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// peer_modes FILE COUNT: pliant's own modes on two threads. The matrix of the system is a
// stiffness, its right-hand side the masses (as for peer_arpack). Prints
//
//   total     seconds from the matrix to the modes
//   cpu       the same in processor seconds, which other programs disturb less
//   residual  |K u - lambda M u| / |K u|, the largest
//   lowest    the lowest lambda that is not 0
//   highest   the highest one that was asked for
//   peak      MB of memory at most, from when the system was read on
#include "../system_file.h"
#include "base/memory.h"
#include "modes/mode_set.h"
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 2 };

static int find(const system_rows* s, const pl_block_matrix* K, const double* mass, int count,
                pl_pool* pool, pl_error* error) {
    pl_modes_problem p = {.K = K, .mass = mass, .positions = s->positions};
    pl_modes_settings settings = {.count = count, .tolerance = 1e-12};
    pl_mode_set m;
    clock_t cpu_start = clock();
    double start = peer_seconds(), largest = 0.0;
    if (pl_modes_find(&p, &settings, pool, &m, error) != PL_OK) return 1;
    peer_result("total", peer_seconds() - start);
    peer_result("cpu", (double)(clock() - cpu_start) / CLOCKS_PER_SEC);
    for (int k = 0; k < m.count; k++) largest = fmax(largest, m.residual[k]);
    peer_result("residual", largest);
    peer_result("lowest", m.lambda[m.rigid_count]);
    peer_result("highest", m.lambda[m.count - 1]);
    peer_result("peak", peer_peak());
    printf("note %d applications of the preconditioner or the factor\n", m.applications);
    pl_mode_set_free(&m);
    return 0;
}

int main(int argc, char** argv) {
    system_rows s;
    if (argc < 3) {
        fprintf(stderr, "usage: peer_modes FILE COUNT\n");
        return 2;
    }
    if (!system_file_read(argv[1], 0, 1, &s)) return 1;
    peer_reset_peak();
    pl_error error = {.text = "no memory"};
    pl_pool* pool = NULL;
    int* diagonal = PL_ALLOC(int, s.count);
    double* mass = PL_ALLOC(double, s.count);
    int result = diagonal && mass && pl_pool_create(THREADS, &pool, &error) == PL_OK ? 0 : 1;
    for (int i = 0; result == 0 && i < s.count; i++) {
        mass[i] = s.rhs[3 * i];
        for (int e = s.offsets[i]; e < s.offsets[i + 1]; e++)
            if (s.columns[e] == i) diagonal[i] = e;
    }
    pl_block_matrix K = {.row_count = s.count,
                         .block = 3,
                         .offsets = s.offsets,
                         .columns = s.columns,
                         .diagonal = diagonal,
                         .values = s.values};
    if (result == 0) result = find(&s, &K, mass, atoi(argv[2]), pool, &error);
    if (result) fprintf(stderr, "peer_modes: %s\n", error.text);
    PL_FREE(diagonal, int, s.count);
    PL_FREE(mass, double, s.count);
    pl_pool_destroy(pool);
    system_rows_free(&s);
    return result;
}
