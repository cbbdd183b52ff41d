// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "s3_smoothers.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { CELL = 16 };

struct s3_smoother {
    s3_smoother_kind kind;
    const s3_system* s;
    const pl_mesh* mesh;
    double* vertex_inverses; // 16 per vertex: of the whole block, or of K's alone (Uzawa)
    double* weights;         // 4 per vertex: Uzawa: Schur complement's diagonal; Kaczmarz: A A'
    float* cell_inverses;    // 256 per tet
    double* r;               // 4 per vertex
};

const char* s3_smoother_name(s3_smoother_kind kind) {
    static const char* const names[] = {"vertex_vanka", "cell_vanka",  "additive_vanka",
                                        "jacobi_uzawa", "gauss_uzawa", "kaczmarz"};
    return names[kind];
}

// ---------------------------------------------------------------- set-up

// Gauss-Jordan with row pivots; a zero pivot leaves its row out
static void invert(int n, double* a, double* out) {
    for (int i = 0; i < n * n; i++) out[i] = i % (n + 1) == 0;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        if (a[best * n + k] == 0.0) continue;
        for (int j = 0; j < n; j++) {
            double t = a[k * n + j], o = out[k * n + j];
            a[k * n + j] = a[best * n + j], a[best * n + j] = t;
            out[k * n + j] = out[best * n + j], out[best * n + j] = o;
        }
        double scale = 1.0 / a[k * n + k];
        for (int j = 0; j < n; j++) a[k * n + j] *= scale, out[k * n + j] *= scale;
        for (int i = 0; i < n; i++) {
            double factor = a[i * n + k];
            if (i == k || factor == 0.0) continue;
            for (int j = 0; j < n; j++)
                a[i * n + j] -= factor * a[k * n + j], out[i * n + j] -= factor * out[k * n + j];
        }
    }
}

static bool is_uzawa(const s3_smoother* m) {
    return m->kind == S3_JACOBI_UZAWA || m->kind == S3_GAUSS_UZAWA;
}

static void find_vertex_inverses(s3_smoother* m) {
    const pl_block_matrix* A = &m->s->A;
    for (int v = 0; v < A->row_count; v++) {
        double block[16];
        memcpy(block, A->values + 16 * (size_t)A->diagonal[v], sizeof block);
        if (is_uzawa(m)) // K's part alone
            for (int c = 0; c < 3; c++) block[12 + c] = block[4 * c + 3] = 0.0;
        invert(4, block, m->vertex_inverses + 16 * (size_t)v);
    }
}

// the diagonal of B + G D^-1 G', D the blocks of K
static void find_schur(s3_smoother* m) {
    const pl_block_matrix* A = &m->s->A;
    for (int v = 0; v < A->row_count; v++) {
        double sum = -A->values[16 * (size_t)A->diagonal[v] + 15];
        for (int e = A->offsets[v]; e < A->offsets[v + 1]; e++) {
            const double* g = A->values + 16 * (size_t)e + 12;
            const double* D = m->vertex_inverses + 16 * (size_t)A->columns[e];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) sum += g[i] * D[4 * i + j] * g[j];
        }
        m->weights[4 * (size_t)v + 3] = 1.0 / sum;
    }
}

static void find_row_squares(s3_smoother* m) {
    const pl_block_matrix* A = &m->s->A;
    for (int v = 0; v < A->row_count; v++)
        for (int c = 0; c < 4; c++) {
            double sum = 0.0;
            for (int e = A->offsets[v]; e < A->offsets[v + 1]; e++)
                for (int k = 0; k < 4; k++) {
                    double a = A->values[16 * (size_t)e + (size_t)(4 * c + k)];
                    sum += a * a;
                }
            m->weights[4 * (size_t)v + (size_t)c] = 1.0 / sum;
        }
}

static void find_cell_inverses(s3_smoother* m) {
    const pl_block_matrix* A = &m->s->A;
    for (int t = 0; t < m->mesh->tet_count; t++) {
        const int* v = m->mesh->tets + 4 * (size_t)t;
        double a[CELL * CELL], inverse[CELL * CELL];
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                const double* block = A->values + 16 * (size_t)pl_block_matrix_find(A, v[i], v[j]);
                for (int k = 0; k < 16; k++) a[(4 * i + k / 4) * CELL + 4 * j + k % 4] = block[k];
            }
        invert(CELL, a, inverse);
        for (int k = 0; k < CELL * CELL; k++)
            m->cell_inverses[CELL * CELL * (size_t)t + (size_t)k] = (float)inverse[k];
    }
}

s3_smoother* s3_smoother_create(s3_smoother_kind kind, const s3_system* s, const pl_mesh* mesh) {
    s3_smoother* m = PL_ALLOC(s3_smoother, 1);
    if (!m) return NULL;
    *m = (s3_smoother){.kind = kind, .s = s, .mesh = mesh};
    size_t n = (size_t)s->vertex_count;
    bool by_cells = kind == S3_CELL_VANKA || kind == S3_ADDITIVE_VANKA;
    m->vertex_inverses = PL_ALLOC(double, 16 * n);
    m->weights = PL_ALLOC(double, 4 * n);
    m->r = PL_ALLOC(double, 4 * n);
    if (by_cells) m->cell_inverses = PL_ALLOC(float, CELL* CELL*(size_t)mesh->tet_count);
    if (!m->vertex_inverses || !m->weights || !m->r || (by_cells && !m->cell_inverses)) {
        s3_smoother_destroy(m);
        return NULL;
    }
    if (by_cells) find_cell_inverses(m);
    else find_vertex_inverses(m);
    if (is_uzawa(m)) find_schur(m);
    if (kind == S3_KACZMARZ) find_row_squares(m);
    return m;
}

void s3_smoother_destroy(s3_smoother* m) {
    if (!m) return;
    size_t n = (size_t)m->s->vertex_count;
    PL_FREE(m->vertex_inverses, double, 16 * n);
    PL_FREE(m->weights, double, 4 * n);
    PL_FREE(m->r, double, 4 * n);
    PL_FREE(m->cell_inverses, float, CELL* CELL*(size_t)m->mesh->tet_count);
    PL_FREE(m, s3_smoother, 1);
}

// ---------------------------------------------------------------- sweeps

// r = b - A u in rows first .. end - 1 of a vertex. Inlined, so that Uzawa does not pay for rows
// that it does not need.
static inline void some_rows(const s3_smoother* m, int v, int first, int end, const double* u,
                             double r[4]) {
    const pl_block_matrix* A = &m->s->A;
    memcpy(r, m->s->b + 4 * (size_t)v, 4 * sizeof(double));
    for (int e = A->offsets[v]; e < A->offsets[v + 1]; e++) {
        const double *a = A->values + 16 * (size_t)e, *x = u + 4 * (size_t)A->columns[e];
        for (int c = first; c < end; c++)
            r[c] -=
                a[4 * c] * x[0] + a[4 * c + 1] * x[1] + a[4 * c + 2] * x[2] + a[4 * c + 3] * x[3];
    }
}

static void row_residual(const s3_smoother* m, int v, const double* u, double r[4]) {
    some_rows(m, v, 0, 4, u, r);
}

static void all_residuals(s3_smoother* m, const double* u) {
    for (int v = 0; v < m->s->vertex_count; v++) row_residual(m, v, u, m->r + 4 * (size_t)v);
}

// x += omega D^-1 r, the first `count` unknowns of a vertex
static void relax_vertex(const s3_smoother* m, int v, const double omega[4], int count,
                         const double* r, double* u) {
    const double* D = m->vertex_inverses + 16 * (size_t)v;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            u[4 * (size_t)v + (size_t)i] += omega[i] * D[4 * i + j] * r[j];
}

static void sweep_vertices(s3_smoother* m, const double omega[4], double* u) {
    for (int v = 0; v < m->s->vertex_count; v++) {
        double r[4];
        some_rows(m, v, 0, 4, u, r);
        relax_vertex(m, v, omega, 4, r, u);
    }
}

static void sweep_positions(s3_smoother* m, const double omega[4], double* u) {
    for (int v = 0; v < m->s->vertex_count; v++) {
        double r[4];
        some_rows(m, v, 0, 3, u, r);
        relax_vertex(m, v, omega, 3, r, u);
    }
}

static void sweep_positions_at_once(s3_smoother* m, const double omega[4], double* u) {
    for (int v = 0; v < m->s->vertex_count; v++) some_rows(m, v, 0, 3, u, m->r + 4 * (size_t)v);
    for (int v = 0; v < m->s->vertex_count; v++)
        relax_vertex(m, v, omega, 3, m->r + 4 * (size_t)v, u);
}

static void relax_cell(const s3_smoother* m, int t, const double omega[4], const double* r,
                       double* u) {
    const int* v = m->mesh->tets + 4 * (size_t)t;
    const float* inverse = m->cell_inverses + CELL * CELL * (size_t)t;
    for (int i = 0; i < CELL; i++) {
        double sum = 0.0;
        for (int j = 0; j < CELL; j++) sum += (double)inverse[CELL * i + j] * r[j];
        u[4 * (size_t)v[i / 4] + (size_t)(i % 4)] += omega[i % 4] * sum;
    }
}

static void sweep_cells(s3_smoother* m, const double omega[4], bool one_residual, double* u) {
    if (one_residual) all_residuals(m, u);
    for (int t = 0; t < m->mesh->tet_count; t++) {
        const int* v = m->mesh->tets + 4 * (size_t)t;
        double r[CELL];
        for (int i = 0; i < 4; i++)
            if (one_residual) memcpy(r + 4 * i, m->r + 4 * (size_t)v[i], 4 * sizeof(double));
            else row_residual(m, v[i], u, r + 4 * i);
        relax_cell(m, t, omega, r, u);
    }
}

// p -= omega S^-1 (rows of pressures), after the positions
static void relax_pressures(s3_smoother* m, const double omega[4], double* u) {
    for (int v = 0; v < m->s->vertex_count; v++) some_rows(m, v, 3, 4, u, m->r + 4 * (size_t)v);
    for (size_t v = 0; v < (size_t)m->s->vertex_count; v++)
        u[4 * v + 3] -= omega[3] * m->weights[4 * v + 3] * m->r[4 * v + 3];
}

// u += omega A D^-1 r; A is symmetric
static void sweep_kaczmarz(s3_smoother* m, const double omega[4], double* u) {
    const pl_block_matrix* A = &m->s->A;
    all_residuals(m, u);
    for (int i = 0; i < 4 * m->s->vertex_count; i++) m->r[i] *= omega[i % 4] * m->weights[i];
    for (int v = 0; v < A->row_count; v++)
        for (int e = A->offsets[v]; e < A->offsets[v + 1]; e++) {
            const double *a = A->values + 16 * (size_t)e, *r = m->r + 4 * (size_t)A->columns[e];
            for (int c = 0; c < 16; c++) u[4 * (size_t)v + (size_t)(c / 4)] += a[c] * r[c % 4];
        }
}

void s3_smoother_sweep(s3_smoother* m, double of_positions, double of_pressures, double* u) {
    const double omega[4] = {of_positions, of_positions, of_positions, of_pressures};
    switch (m->kind) {
    case S3_VERTEX_VANKA: sweep_vertices(m, omega, u); break;
    case S3_CELL_VANKA: sweep_cells(m, omega, false, u); break;
    case S3_ADDITIVE_VANKA: sweep_cells(m, omega, true, u); break;
    case S3_JACOBI_UZAWA:
        sweep_positions_at_once(m, omega, u);
        relax_pressures(m, omega, u);
        break;
    case S3_GAUSS_UZAWA:
        sweep_positions(m, omega, u);
        relax_pressures(m, omega, u);
        break;
    default: sweep_kaczmarz(m, omega, u);
    }
}
