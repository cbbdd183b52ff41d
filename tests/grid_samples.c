// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "grid_samples.h"
#include "base/random.h"
#include "test.h"

pl_grid_cells sample_box_cells(int n) {
    const int low[3] = {-2, 0, 0}, size[3] = {n + 4, n, n};
    pl_grid_cells cells;
    pl_error error;
    CHECK_OK(pl_grid_cells_create(low, size, &cells, &error), &error);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (int i = -2; i < n + 2; i++)
                cells.kinds[pl_grid_cells_index(&cells, i, j, k)] =
                    i < 0 || i >= n ? PL_CELL_DIRICHLET : PL_CELL_INTERIOR;
    return cells;
}

pl_grid_cells sample_ball_cells(int r) {
    const int low[3] = {-r, -r, -r}, size[3] = {3 * r, 2 * r, 2 * r};
    pl_grid_cells cells;
    pl_error error;
    CHECK_OK(pl_grid_cells_create(low, size, &cells, &error), &error);
    for (int k = -r; k < r; k++)
        for (int j = -r; j < r; j++)
            for (int i = -r; i < 2 * r; i++) {
                uint8_t* kind = &cells.kinds[pl_grid_cells_index(&cells, i, j, k)];
                double x = i + 0.5, y = j + 0.5, z = k + 0.5;
                if (x * x + y * y + z * z < (double)r * r)
                    *kind = i < -r / 2 ? PL_CELL_DIRICHLET : PL_CELL_INTERIOR;
                if (i >= 0 && j == 0 && k == 0) *kind = PL_CELL_INTERIOR;
            }
    return cells;
}

void fill_random(const pl_grid_level* level, pl_grid_state* state, uint64_t seed) {
    pl_random random = {seed};
    for (int i = 0; i < level->field_size; i++) {
        const pl_grid_masks* m = &level->masks[i / PL_GRID_CHUNK];
        for (int a = 0; a < 3; a++)
            state->u[a][i] =
                pl_grid_bit(m->face[a], i) ? pl_random_uniform(&random, -1.0, 1.0) : 0.0;
        state->p[i] = pl_grid_bit(m->interior, i) ? pl_random_uniform(&random, -1.0, 1.0) : 0.0;
    }
}

float sample_trace(const pl_corot_level* l, float* const u[3], const int* base, int i) {
    const int *S = pl_corot_stride, n = base[13] + i;
    float sum = 0.0f;
    for (int a = 0; a < 3; a++) {
        const float* v = u[a];
        const int next = base[13 + S[a]] + i;
        if (l->cell_weight[a][n] > 0.0f) sum += l->R[4 * a][n] * (v[next] - v[n]);
        for (int e = 0; e < 2; e++) {
            const int b = e == 0 ? (a == 0) : (a == 2 ? 1 : 2), c = 3 - a - b;
            const int up = base[13 + S[b]] + i, far = base[13 + S[a] + S[b]] + i;
            float part = 0.0f;
            if (l->edge_weight[c][n] > 0.0f) part += v[n] - v[base[13 - S[b]] + i];
            if (l->edge_weight[c][up] > 0.0f) part += v[up] - v[n];
            if (l->edge_weight[c][next] > 0.0f) part += v[next] - v[base[13 + S[a] - S[b]] + i];
            if (l->edge_weight[c][far] > 0.0f) part += v[far] - v[next];
            sum += 0.25f * l->R[3 * a + b][n] * part;
        }
    }
    return sum;
}
