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
    double* half_sums;       // 4 per vertex: of the half of each row that the last pass has read
    bool forward;            // the next pass
    // Uzawa, of each entry: the last column and row, 3 and 4, for passes that need no more
    double *forces, *constraints;
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

static void split_blocks(s3_smoother* m) {
    const pl_block_matrix* A = &m->s->A;
    for (size_t e = 0; e < (size_t)pl_block_matrix_entry_count(A); e++) {
        const double* a = A->values + 16 * e;
        for (size_t c = 0; c < 3; c++) m->forces[3 * e + c] = a[4 * c + 3];
        memcpy(m->constraints + 4 * e, a + 12, 4 * sizeof(double));
    }
}

static bool allocate(s3_smoother* m, bool by_cells) {
    const size_t n = (size_t)m->s->vertex_count,
                 entries = (size_t)pl_block_matrix_entry_count(&m->s->A);
    m->vertex_inverses = PL_ALLOC(double, 16 * n);
    m->weights = PL_ALLOC(double, 4 * n);
    m->r = PL_ALLOC(double, 4 * n);
    m->half_sums = PL_ALLOC(double, 4 * n);
    m->forces = PL_ALLOC(double, 3 * entries);
    m->constraints = PL_ALLOC(double, 4 * entries);
    if (by_cells) m->cell_inverses = PL_ALLOC(float, CELL* CELL*(size_t)m->mesh->tet_count);
    return m->vertex_inverses && m->weights && m->r && m->half_sums && m->forces &&
           m->constraints && (!by_cells || m->cell_inverses);
}

s3_smoother* s3_smoother_create(s3_smoother_kind kind, const s3_system* s, const pl_mesh* mesh) {
    s3_smoother* m = PL_ALLOC(s3_smoother, 1);
    if (!m) return NULL;
    *m = (s3_smoother){.kind = kind, .s = s, .mesh = mesh};
    bool by_cells = kind == S3_CELL_VANKA || kind == S3_ADDITIVE_VANKA;
    if (!allocate(m, by_cells)) {
        s3_smoother_destroy(m);
        return NULL;
    }
    if (by_cells) find_cell_inverses(m);
    else find_vertex_inverses(m);
    if (is_uzawa(m)) find_schur(m);
    if (is_uzawa(m)) split_blocks(m);
    if (kind == S3_KACZMARZ) find_row_squares(m);
    return m;
}

void s3_smoother_destroy(s3_smoother* m) {
    if (!m) return;
    const size_t n = (size_t)m->s->vertex_count,
                 entries = (size_t)pl_block_matrix_entry_count(&m->s->A);
    PL_FREE(m->vertex_inverses, double, 16 * n);
    PL_FREE(m->weights, double, 4 * n);
    PL_FREE(m->r, double, 4 * n);
    PL_FREE(m->half_sums, double, 4 * n);
    PL_FREE(m->forces, double, 3 * entries);
    PL_FREE(m->constraints, double, 4 * entries);
    PL_FREE(m->cell_inverses, float, CELL* CELL*(size_t)m->mesh->tet_count);
    PL_FREE(m, s3_smoother, 1);
}

// ---------------------------------------------------------------- sweeps

void s3_smoother_begin(s3_smoother* m) {
    m->forward = true;
    memset(m->half_sums, 0, 4 * (size_t)m->s->vertex_count * sizeof(double));
}

// sum += A u of some entries
static inline void add_entries(const s3_smoother* m, int first, int end, const double* u,
                               double sum[4]) {
    for (int e = first; e < end; e++) {
        const double* a = m->s->A.values + 16 * (size_t)e;
        const double* x = u + 4 * (size_t)m->s->A.columns[e];
        for (int c = 0; c < 4; c++)
            sum[c] +=
                a[4 * c] * x[0] + a[4 * c + 1] * x[1] + a[4 * c + 2] * x[2] + a[4 * c + 3] * x[3];
    }
}

// r = b - A u of a vertex
static void row_residual(const s3_smoother* m, int v, const double* u, double r[4]) {
    const pl_block_matrix* A = &m->s->A;
    double sum[4] = {0.0};
    add_entries(m, A->offsets[v], A->offsets[v + 1], u, sum);
    for (int c = 0; c < 4; c++) r[c] = m->s->b[4 * (size_t)v + (size_t)c] - sum[c];
}

static void all_residuals(s3_smoother* m, const double* u) {
    for (int v = 0; v < m->s->vertex_count; v++) row_residual(m, v, u, m->r + 4 * (size_t)v);
}

// u += omega D^-1 r, the first `count` unknowns of a vertex
static inline void relax_vertex(const s3_smoother* m, int v, double omega, int count,
                                const double* r, double* u) {
    const double* D = m->vertex_inverses + 16 * (size_t)v;
    for (int i = 0; i < count; i++) {
        double change = 0.0;
        for (int j = 0; j < count; j++) change += D[4 * i + j] * r[j];
        u[4 * (size_t)v + (size_t)i] += omega * change;
    }
}

// the half of a row that a pass reads: what it has just changed
static void half_of_row(const s3_smoother* m, int v, int half[2]) {
    const pl_block_matrix* A = &m->s->A;
    half[0] = m->forward ? A->offsets[v] : A->diagonal[v] + 1;
    half[1] = m->forward ? A->diagonal[v] : A->offsets[v + 1];
}

// Gauss-Seidel forward and backward by turns. A pass leaves the sums of the half of the row that it
// has read to the next one, which reads the other half.
static void relax_row(s3_smoother* m, int v, double omega, double* u) {
    const int diagonal = m->s->A.diagonal[v];
    double sum[4] = {0.0}, own[4] = {0.0}, r[4], *kept = m->half_sums + 4 * (size_t)v;
    int half[2];
    half_of_row(m, v, half);
    add_entries(m, half[0], half[1], u, sum);
    add_entries(m, diagonal, diagonal + 1, u, own);
    for (int c = 0; c < 4; c++)
        r[c] = m->s->b[4 * (size_t)v + (size_t)c] - sum[c] - kept[c] - own[c];
    relax_vertex(m, v, omega, 4, r, u);
    memcpy(kept, sum, sizeof sum);
}

static void sweep_vertices(s3_smoother* m, double omega, double* u) {
    const int n = m->s->vertex_count;
    for (int k = 0; k < n; k++) relax_row(m, m->forward ? k : n - 1 - k, omega, u);
    m->forward = !m->forward;
}

// r -= G' p of some entries
static inline void take_forces(const s3_smoother* m, int first, int end, const double* u,
                               double r[3]) {
    for (int e = first; e < end; e++) {
        const double p = u[4 * (size_t)m->s->A.columns[e] + 3];
        for (size_t c = 0; c < 3; c++) r[c] -= m->forces[3 * (size_t)e + c] * p;
    }
}

// sum += K u, r -= G' p of some entries
static inline void add_positions(const s3_smoother* m, int first, int end, const double* u,
                                 double sum[3], double r[3]) {
    for (int e = first; e < end; e++) {
        const double* a = m->s->A.values + 16 * (size_t)e;
        const double* x = u + 4 * (size_t)m->s->A.columns[e];
        for (int c = 0; c < 3; c++) {
            sum[c] += a[4 * c] * x[0] + a[4 * c + 1] * x[1] + a[4 * c + 2] * x[2];
            r[c] -= a[4 * c + 3] * x[3];
        }
    }
}

// As relax_row, with K alone: pressures have changed since the last pass, in all of the row.
static void relax_position(s3_smoother* m, int v, double omega, double* u) {
    const pl_block_matrix* A = &m->s->A;
    double sum[3] = {0.0}, own[3] = {0.0}, r[3], *kept = m->half_sums + 4 * (size_t)v;
    const int diagonal = A->diagonal[v];
    int half[2];
    half_of_row(m, v, half);
    memcpy(r, m->s->b + 4 * (size_t)v, sizeof r);
    add_positions(m, half[0], half[1], u, sum, r);
    add_positions(m, diagonal, diagonal + 1, u, own, r);
    if (m->forward) take_forces(m, diagonal + 1, A->offsets[v + 1], u, r);
    else take_forces(m, A->offsets[v], diagonal, u, r);
    for (int c = 0; c < 3; c++) r[c] -= sum[c] + kept[c] + own[c];
    relax_vertex(m, v, omega, 3, r, u);
    memcpy(kept, sum, sizeof sum);
}

static void sweep_positions(s3_smoother* m, double omega, double* u) {
    const int n = m->s->vertex_count;
    for (int k = 0; k < n; k++) relax_position(m, m->forward ? k : n - 1 - k, omega, u);
    m->forward = !m->forward;
}

static void sweep_positions_at_once(s3_smoother* m, double omega, double* u) {
    const int* offsets = m->s->A.offsets;
    for (int v = 0; v < m->s->vertex_count; v++) {
        double sum[3] = {0.0}, *r = m->r + 4 * (size_t)v;
        memcpy(r, m->s->b + 4 * (size_t)v, 3 * sizeof(double));
        add_positions(m, offsets[v], offsets[v + 1], u, sum, r);
        for (int c = 0; c < 3; c++) r[c] -= sum[c];
    }
    for (int v = 0; v < m->s->vertex_count; v++)
        relax_vertex(m, v, omega, 3, m->r + 4 * (size_t)v, u);
}

static void relax_cell(const s3_smoother* m, int t, double omega, const double* r, double* u) {
    const int* v = m->mesh->tets + 4 * (size_t)t;
    const float* inverse = m->cell_inverses + CELL * CELL * (size_t)t;
    for (int i = 0; i < CELL; i++) {
        double sum = 0.0;
        for (int j = 0; j < CELL; j++) sum += (double)inverse[CELL * i + j] * r[j];
        u[4 * (size_t)v[i / 4] + (size_t)(i % 4)] += omega * sum;
    }
}

static void sweep_cells(s3_smoother* m, double omega, bool one_residual, double* u) {
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
static void relax_pressures(s3_smoother* m, double omega, double* u) {
    const pl_block_matrix* A = &m->s->A;
    for (int v = 0; v < m->s->vertex_count; v++) {
        double sum[4] = {0.0};
        for (int e = A->offsets[v]; e < A->offsets[v + 1]; e++) {
            const double *a = m->constraints + 4 * (size_t)e, *x = u + 4 * (size_t)A->columns[e];
            for (int k = 0; k < 4; k++) sum[k] += a[k] * x[k];
        }
        m->r[v] = m->s->b[4 * (size_t)v + 3] - (sum[0] + sum[1] + sum[2] + sum[3]);
    }
    for (size_t v = 0; v < (size_t)m->s->vertex_count; v++)
        u[4 * v + 3] -= omega * m->weights[4 * v + 3] * m->r[v];
}

// u += omega A D^-1 r; A is symmetric
static void sweep_kaczmarz(s3_smoother* m, double omega, double* u) {
    const pl_block_matrix* A = &m->s->A;
    all_residuals(m, u);
    for (int i = 0; i < 4 * m->s->vertex_count; i++) m->r[i] *= omega * m->weights[i];
    for (int v = 0; v < A->row_count; v++)
        add_entries(m, A->offsets[v], A->offsets[v + 1], m->r, u + 4 * (size_t)v);
}

void s3_smoother_sweep(s3_smoother* m, double omega, double* u) {
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
