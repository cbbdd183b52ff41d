// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mg_samples.h"
#include "base/memory.h"
#include "base/random.h"
#include "sample_meshes.h"
#include "test.h"

#include <math.h>

static void add_block(pl_block_matrix* A, int i, int j, double block[3][3]) {
    double* value = A->values + 9 * (size_t)pl_block_matrix_find(A, i, j);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) value[3 * r + c] += block[r][c];
}

static void add_isotropic(pl_block_matrix* A, int i, double k) {
    double block[3][3] = {{k, 0, 0}, {0, k, 0}, {0, 0, k}};
    add_block(A, i, i, block);
}

double mg_tet_gradients(const pl_mesh* mesh, const int* tet, double g[4][3]) {
    double e[3][3], n[3][3];
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
            e[k][c] = mesh->positions[3 * tet[k + 1] + c] - mesh->positions[3 * tet[0] + c];
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) {
            const double *a = e[(k + 1) % 3], *b = e[(k + 2) % 3];
            n[k][c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
        }
    double six = e[0][0] * n[0][0] + e[0][1] * n[0][1] + e[0][2] * n[0][2];
    for (int c = 0; c < 3; c++) {
        g[0][c] = 0.0;
        for (int k = 0; k < 3; k++) {
            g[k + 1][c] = n[k][c] / six;
            g[0][c] -= g[k + 1][c];
        }
    }
    return fabs(six) / 6.0;
}

// K_ij = V (lambda g_i g_j' + mu g_j g_i' + mu (g_i . g_j) I)
static void add_tet(mg_sample* s, const pl_mesh* mesh, int t, const mg_material* m) {
    const int* tet = mesh->tets + 4 * (size_t)t;
    double g[4][3], volume = mg_tet_gradients(mesh, tet, g);
    double young = m->young * (m->contrast ? m->contrast[t] : 1.0);
    double mu = young / (2.0 * (1.0 + m->poisson));
    double lambda = young * m->poisson / ((1.0 + m->poisson) * (1.0 - 2.0 * m->poisson));
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            double block[3][3];
            double dot = g[i][0] * g[j][0] + g[i][1] * g[j][1] + g[i][2] * g[j][2];
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    block[r][c] = volume * (lambda * g[i][r] * g[j][c] + mu * g[j][r] * g[i][c] +
                                            (r == c ? mu * dot : 0.0));
            add_block(&s->A, tet[i], tet[j], block);
        }
        double mass = 0.25 * m->density * volume;
        if (m->time_step > 0.0) add_isotropic(&s->A, tet[i], mass / (m->time_step * m->time_step));
        s->b[3 * tet[i] + 1] -= 9.81 * mass;
    }
}

static void add_spring(mg_sample* s, const pl_mesh* mesh, int i, int j, double k) {
    double d[3], square = 0.0;
    for (int c = 0; c < 3; c++) {
        d[c] = mesh->positions[3 * i + c] - mesh->positions[3 * j + c];
        square += d[c] * d[c];
    }
    double plus[3][3], minus[3][3];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            plus[r][c] = k * (d[r] * d[c] / square + (r == c ? 0.02 : 0.0));
            minus[r][c] = -plus[r][c];
        }
    add_block(&s->A, i, i, plus);
    add_block(&s->A, j, j, plus);
    add_block(&s->A, i, j, minus);
    add_block(&s->A, j, i, minus);
}

static void add_cloth(mg_sample* s, const pl_mesh* mesh, const pl_edges* edges,
                      const mg_material* m) {
    double mass = m->density / mesh->vertex_count;
    for (int e = 0; e < edges->count; e++)
        add_spring(s, mesh, edges->ends[2 * e], edges->ends[2 * e + 1], m->young);
    for (int i = 0; i < mesh->vertex_count; i++) {
        double h = m->time_step > 0.0 ? m->time_step : 1.0;
        add_isotropic(&s->A, i, mass / (h * h));
        s->b[3 * i + 1] -= 9.81 * mass;
    }
}

static double least_x(const mg_sample* s) {
    double least = INFINITY;
    for (int i = 0; i < s->A.row_count; i++) least = fmin(least, s->positions[3 * i]);
    return least;
}

mg_sample mg_sample_create(const pl_mesh* mesh, const mg_material* material, double pin) {
    pl_error error;
    mg_sample s = {0};
    pl_edges edges = sample_edges(mesh);
    pl_adjacency neighbours;
    int n = mesh->vertex_count;
    CHECK_OK(pl_vertex_neighbours(&edges, n, &neighbours, &error), &error);
    CHECK_OK(pl_block_matrix_setup(&s.A, n, 3, neighbours.offsets, neighbours.items, &error),
             &error);
    s.positions = PL_ALLOC(double, 3 * (size_t)n);
    s.b = PL_ALLOC(double, 3 * (size_t)n);
    s.x = PL_ALLOC(double, 3 * (size_t)n);
    memcpy(s.positions, mesh->positions, 3 * (size_t)n * sizeof(double));
    for (int t = 0; t < mesh->tet_count; t++) add_tet(&s, mesh, t, material);
    if (mesh->tet_count == 0) add_cloth(&s, mesh, &edges, material);
    double least = least_x(&s) + 1e-9;
    for (int i = 0; pin > 0.0 && i < n; i++)
        if (s.positions[3 * i] <= least) add_isotropic(&s.A, i, pin);
    double size = 0.0;
    pl_random random = {7};
    for (int i = 0; i < 3 * n; i++) size = fmax(size, fabs(s.b[i]));
    for (int i = 0; i < 3 * n; i++) s.b[i] += 0.2 * size * pl_random_uniform(&random, -1.0, 1.0);
    pl_adjacency_free(&neighbours);
    pl_edges_free(&edges);
    return s;
}

void mg_sample_free(mg_sample* s) {
    size_t count = 3 * (size_t)s->A.row_count;
    PL_FREE(s->positions, double, count);
    PL_FREE(s->b, double, count);
    PL_FREE(s->x, double, count);
    pl_block_matrix_free(&s->A);
    *s = (mg_sample){0};
}

pl_mg_blocks mg_sample_blocks(const mg_sample* s) {
    return (pl_mg_blocks){s->A.row_count, s->A.offsets, s->A.columns, s->A.values};
}

void mg_sample_hold(mg_sample* s) {
    double least = least_x(s) + 1e-9;
    for (int i = 0; i < s->A.row_count; i++) {
        bool held = s->positions[3 * i] <= least;
        for (int e = s->A.offsets[i]; e < s->A.offsets[i + 1]; e++) {
            int j = s->A.columns[e];
            if (!held && s->positions[3 * j] > least) continue;
            double* value = s->A.values + 9 * (size_t)e;
            for (int k = 0; k < 9; k++) value[k] = i == j && k % 4 == 0 ? 1.0 : 0.0;
        }
        for (int c = 0; held && c < 3; c++) s->b[3 * i + c] = 0.0;
    }
}
