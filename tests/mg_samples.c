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

// ---------------------------------------------------------------- 4 unknowns

// no volume in K: Poisson's ratio 0
static const mg_material shear = {1e5, 0.0, 1000.0, 2.0, NULL};

pl_mg_blocks mg_mixed_blocks(const mg_mixed* s) {
    return (pl_mg_blocks){s->solid.A.row_count, s->solid.A.offsets, s->solid.A.columns, s->values};
}

double* mg_mixed_at(mg_mixed* s, int i, int j) {
    return s->values + 16 * (size_t)pl_block_matrix_find(&s->solid.A, i, j);
}

static mg_mixed create(const pl_mesh* mesh) {
    mg_mixed s = {.solid = mg_sample_create(mesh, &shear, 0.0)};
    pl_random random = {19};
    s.entry_count = pl_block_matrix_entry_count(&s.solid.A);
    s.count = 4 * s.solid.A.row_count;
    s.values = PL_ALLOC(double, 16 * (size_t)s.entry_count);
    s.b = PL_ALLOC(double, s.count);
    s.x = PL_ALLOC(double, s.count);
    for (int e = 0; e < s.entry_count; e++)
        for (int k = 0; k < 9; k++)
            s.values[16 * e + 4 * (k / 3) + k % 3] = s.solid.A.values[9 * e + k];
    for (int i = 0; i < s.count; i++)
        s.b[i] = i % 4 < 3 ? s.solid.b[i / 4 * 3 + i % 4] : pl_random_uniform(&random, -1.0, 1.0);
    return s;
}

void mg_mixed_free(mg_mixed* s) {
    mg_sample_free(&s->solid);
    PL_FREE(s->values, double, 16 * (size_t)s->entry_count);
    PL_FREE(s->b, double, s->count);
    PL_FREE(s->x, double, s->count);
}

mg_mixed mg_mixed_definite(const pl_mesh* mesh) {
    mg_mixed s = create(mesh);
    const pl_block_matrix* A = &s.solid.A;
    for (int i = 0; i < A->row_count; i++)
        for (int e = A->offsets[i]; e < A->offsets[i + 1]; e++) {
            if (A->columns[e] == i) s.values[16 * e + 15] += 1e3;
            else s.values[16 * e + 15] = -MG_MIXED_MU, mg_mixed_at(&s, i, i)[15] += MG_MIXED_MU;
        }
    return s;
}

static void add_pressure(mg_mixed* s, int i, int j, const double g[3], double c) {
    double *ij = mg_mixed_at(s, i, j), *ji = mg_mixed_at(s, j, i);
    for (int k = 0; k < 3; k++)
        ij[12 + k] += MG_MIXED_MU * g[k], ji[4 * k + 3] += MG_MIXED_MU * g[k];
    ij[15] -= MG_MIXED_MU * c;
}

// P1/P1 with pressures in units of mu: V/4 g_j for the divergence, V / 4 (mu / kappa) for the
// compliance and alpha V g_i . g_j h^2 for the stabilisation, h = 1.
mg_mixed mg_mixed_saddle_of(const pl_mesh* mesh, double mu_over_kappa, double alpha) {
    mg_mixed s = create(mesh);
    for (int t = 0; t < mesh->tet_count; t++) {
        const int* tet = mesh->tets + 4 * (size_t)t;
        double g[4][3], volume = mg_tet_gradients(mesh, tet, g);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                double G[3], dot = 0.0;
                for (int c = 0; c < 3; c++) {
                    G[c] = 0.25 * volume * g[j][c];
                    dot += g[i][c] * g[j][c];
                }
                double compliance = i == j ? 0.25 * volume * mu_over_kappa : 0.0;
                add_pressure(&s, tet[i], tet[j], G, compliance + alpha * volume * dot);
            }
    }
    const pl_block_matrix* A = &s.solid.A;
    for (int i = 0; i < A->row_count; i++)
        for (int e = A->offsets[i]; e < A->offsets[i + 1]; e++)
            for (int k = 0; k < 16; k++) {
                bool row = k / 4 < 3 && s.solid.positions[3 * i] < 0.5;
                bool column = k % 4 < 3 && s.solid.positions[3 * A->columns[e]] < 0.5;
                if (row || column)
                    s.values[16 * e + k] = A->columns[e] == i && k % 5 == 0 ? MG_MIXED_MU : 0.0;
            }
    for (int i = 0; i < s.count; i++)
        if (i % 4 < 3 && s.solid.positions[i / 4 * 3] < 0.5) s.b[i] = 0.0;
    return s;
}

mg_mixed mg_mixed_saddle(const pl_mesh* mesh, double mu_over_kappa) {
    return mg_mixed_saddle_of(mesh, mu_over_kappa, 0.25);
}

mg_mixed mg_mixed_flat(const pl_mesh* sheet) {
    mg_mixed s = create(sheet);
    const pl_block_matrix* A = &s.solid.A;
    for (int i = 0; i < A->row_count; i++)
        for (int e = A->offsets[i]; e < A->offsets[i + 1]; e++) {
            int j = A->columns[e];
            double g[3], own[3] = {0};
            for (int c = 0; c < 3; c++)
                g[c] = 0.1 * (s.solid.positions[3 * j + c] - s.solid.positions[3 * i + c]);
            if (i == j) continue;
            add_pressure(&s, i, j, g, -0.2);
            add_pressure(&s, i, i, own, 0.21);
        }
    return s;
}

void mg_mixed_multiply(const mg_mixed* s, const double* x, double* y) {
    const pl_block_matrix* A = &s->solid.A;
    for (int i = 0; i < s->count; i++) {
        y[i] = 0.0;
        for (int e = A->offsets[i / 4]; e < A->offsets[i / 4 + 1]; e++)
            for (int c = 0; c < 4; c++)
                y[i] += s->values[16 * e + 4 * (i % 4) + c] * x[4 * A->columns[e] + c];
    }
}

pl_mg_settings mg_mixed_settings(int count, const int* levels) {
    return (pl_mg_settings){.unknowns = 4,
                            .levels = levels,
                            .level_count = count,
                            .smoother = PL_SMOOTHER_GAUSS_SEIDEL,
                            .pre_sweeps = 1,
                            .post_sweeps = 1,
                            .omega = 0.7f};
}

pl_block_mg* mg_mixed_setup(const mg_mixed* s, const pl_mg_settings* settings, pl_pool* pool) {
    pl_error error;
    pl_block_mg* mg;
    pl_mg_blocks A = mg_mixed_blocks(s);
    CHECK_OK(pl_block_mg_setup(&mg, &A, s->solid.positions, settings, pool, &error), &error);
    CHECK(pl_block_mg_update(mg, &A));
    return mg;
}

void mg_random_vector(pl_random* random, int count, double* x) {
    for (int i = 0; i < count; i++) x[i] = pl_random_uniform(random, -1.0, 1.0);
}
