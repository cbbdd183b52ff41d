// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "s3_solvers.h"
#include "base/memory.h"
#include "math/mat3.h"
#include "mixed/mixed_cycles.h"
#include "multigrid/block_multigrid.h"
#include "s3_world.h"
#include "sparse/krylov.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 2 };

struct s3_solver {
    s3_solver_kind kind;
    s3_system* s;
    pl_pool* pool;
    int inner;
    pl_mixed_cycles* cycles;
    pl_block_mg* vanka;
    bool is_relaxed; // vanka
    double omega;    // uzawa
    pl_krylov_work work;
    double* diagonal; // 10 per vertex: the inverse block of K, and W of pressures
    double *b, *u, *r, *p, *q, *z;
};

const char* s3_solver_name(s3_solver_kind kind) {
    static const char* const names[] = {"multigrid", "vanka", "minres", "uzawa"};
    return names[kind];
}

static size_t count_of(const s3_solver* m) { return 4 * (size_t)m->s->vertex_count; }

void s3_solver_destroy(s3_solver* m) {
    if (!m) return;
    size_t n = (size_t)m->s->vertex_count;
    double* vectors[] = {m->b, m->u, m->r, m->p, m->q, m->z};
    pl_mixed_cycles_destroy(m->cycles);
    pl_block_mg_destroy(m->vanka);
    pl_krylov_work_free(&m->work);
    PL_FREE(m->diagonal, double, 10 * n);
    for (int k = 0; k < 6; k++) PL_FREE(vectors[k], double, 4 * n);
    PL_FREE(m, s3_solver, 1);
}

// ---- the coarse levels of Vanka alone: nothing

static pl_status setup_nothing(void* user, const pl_coarsest* coarsest, pl_error* error) {
    (void)user, (void)coarsest, (void)error;
    return PL_OK;
}
static bool factor_nothing(void* user, const pl_coarsest* coarsest) {
    (void)user, (void)coarsest;
    return true;
}
static void solve_nothing(void* user, const pl_coarsest* coarsest, const float* b, float* x) {
    (void)user, (void)b;
    memset(x, 0, PL_NODE * (size_t)coarsest->level->node_count * sizeof(float));
}
static const pl_mg_bottom_operations nothing = {setup_nothing, factor_nothing, solve_nothing};

static pl_mg_blocks blocks_of(const s3_system* s) {
    return (pl_mg_blocks){s->A.row_count, s->A.offsets, s->A.columns, s->A.values};
}

static pl_status setup(s3_solver* m, pl_error* error) {
    size_t bytes = count_of(m) * sizeof(double);
    pl_mg_blocks blocks = blocks_of(m->s);
    pl_multigrid keys = {
        .smoother = PL_SMOOTHER_GAUSS_SEIDEL, .pre_sweeps = SWEEPS, .post_sweeps = SWEEPS};
    static const int one_node[] = {1};
    pl_mg_settings settings = {.unknowns = 4,
                               .levels = one_node,
                               .level_count = 1,
                               .smoother = PL_SMOOTHER_GAUSS_SEIDEL,
                               .pre_sweeps = m->inner,
                               .v_cycle = true,
                               .bottom = {.operations = &nothing}};
    switch (m->kind) {
    case S3_BY_MULTIGRID:
        return pl_mixed_cycles_create(&m->s->A, m->s->rest, &keys, NAN, m->pool, &m->cycles, error);
    case S3_BY_VANKA:
        return pl_block_mg_setup(&m->vanka, &blocks, m->s->rest, &settings, m->pool, error);
    case S3_BY_MINRES: return pl_krylov_work_setup(&m->work, PL_MINRES_VECTORS, bytes, error);
    default: return PL_OK;
    }
}

s3_solver* s3_solver_create(s3_solver_kind kind, s3_system* s, int inner, pl_pool* pool,
                            pl_error* error) {
    s3_solver* m = PL_ALLOC(s3_solver, 1);
    if (!m) return NULL;
    *m = (s3_solver){.kind = kind, .s = s, .inner = inner, .pool = pool, .omega = 1.0};
    double** vectors[] = {&m->b, &m->u, &m->r, &m->p, &m->q, &m->z};
    bool ok = (m->diagonal = PL_ALLOC(double, 10 * (size_t)s->vertex_count)) != NULL;
    for (int k = 0; k < 6; k++) ok = (*vectors[k] = PL_ALLOC(double, count_of(m))) && ok;
    pl_status status = ok ? setup(m, error) : pl_fail_memory(error, "a solver");
    if (status == PL_OK) return m;
    s3_solver_destroy(m);
    return NULL;
}

// ---- MINRES and Uzawa

// The inverses of the blocks of K, and 1 / W with W the volume over mu and the diagonal of B.
static void find_diagonal(s3_solver* m) {
    const pl_block_matrix* A = &m->s->A;
    double *W = m->q, *volumes = m->z; // free here
    pl_mixed_softness(&m->s->set, m->s->vertex_count, W, volumes);
    for (size_t v = 0; v < (size_t)m->s->vertex_count; v++) {
        const double* a = A->values + 16 * (size_t)A->diagonal[v];
        pl_mat3 K = {{a[0], a[1], a[2], a[4], a[5], a[6], a[8], a[9], a[10]}};
        pl_mat3 inverse = {{0}};
        pl_mat3_inverse(K, &inverse);
        memcpy(m->diagonal + 10 * v, inverse.m, 9 * sizeof(double));
        m->diagonal[10 * v + 9] = 1.0 / (m->s->units[v] * m->s->units[v] * W[v] - a[15]);
    }
}

static void apply(void* user, const void* x, void* y) {
    const s3_solver* m = user;
    pl_block_matrix_apply(&m->s->A, m->pool, 1, x, y);
}

// K alone: pressures stay 0
static void apply_positions(void* user, const void* x, void* y) {
    apply(user, x, y);
    for (size_t i = 3; i < count_of(user); i += 4) ((double*)y)[i] = 0.0;
}

static void precondition(void* user, const void* r, void* z) {
    const s3_solver* m = user;
    const double* from = r;
    double* to = z;
    for (size_t v = 0; v < (size_t)m->s->vertex_count; v++) {
        const double* D = m->diagonal + 10 * v;
        for (size_t i = 0; i < 3; i++)
            to[4 * v + i] = D[3 * i] * from[4 * v] + D[3 * i + 1] * from[4 * v + 1] +
                            D[3 * i + 2] * from[4 * v + 2];
        to[4 * v + 3] = D[9] * from[4 * v + 3];
    }
}

static pl_krylov krylov_of(s3_solver* m, const pl_krylov_operations* operations) {
    pl_krylov k = {.operations = operations,
                   .user = m,
                   .pool = m->pool,
                   .count = (int)count_of(m),
                   .b = m->b,
                   .x = m->u,
                   .r = m->r,
                   .p = m->p,
                   .q = m->q,
                   .z = m->z};
    k.scale = pl_vector_norm(m->pool, k.count, m->b);
    return k;
}

static void solve_by_minres(s3_solver* m, const pl_linear_options* options) {
    static const pl_krylov_operations operations = {.apply = apply, .precondition = precondition};
    pl_linear_info info = {0};
    find_diagonal(m);
    pl_krylov k = krylov_of(m, &operations);
    if (pl_krylov_begin(&k, options, &info) == PL_KRYLOV_GOING)
        pl_krylov_minres(&k, &m->work, options, &info);
}

// r = b - A u
static void find_residual(s3_solver* m) {
    apply(m, m->u, m->r);
    pl_vector_xpay(m->pool, (int)count_of(m), m->b, -1.0, m->r);
}

// The positions go first, by conjugate gradients on K; the pressures follow. Returns the part of
// the residual that is left.
static double run_uzawa(s3_solver* m, int steps) {
    enum { POSITION_STEPS = 8 };
    static const pl_krylov_operations operations = {.apply = apply_positions,
                                                    .precondition = precondition};
    const pl_linear_options options = {.tolerance = 1e-2, .max_iterations = POSITION_STEPS};
    const int count = (int)count_of(m);
    memset(m->u, 0, count_of(m) * sizeof(double));
    for (int k = 0; k < steps; k++) {
        pl_linear_info info = {0};
        find_residual(m);
        for (size_t i = 3; i < count_of(m); i += 4) m->r[i] = 0.0;
        pl_krylov cg = krylov_of(m, &operations);
        cg.scale = pl_vector_norm(m->pool, count, m->r);
        pl_linear_note(&info, 1.0);
        if (cg.scale > 0.0) pl_krylov_cg(&cg, &options, &info);
        find_residual(m);
        for (size_t v = 0; v < (size_t)m->s->vertex_count; v++)
            m->u[4 * v + 3] -= m->omega * m->diagonal[10 * v + 9] * m->r[4 * v + 3];
    }
    find_residual(m);
    return pl_vector_norm(m->pool, count, m->r) / pl_vector_norm(m->pool, count, m->b);
}

// The relaxation is the largest power of a half that does not diverge.
static void solve_by_uzawa(s3_solver* m) {
    find_diagonal(m);
    while (!(run_uzawa(m, m->inner) < 1.0) && m->omega > 1e-3) m->omega *= 0.5;
}

// ---- iterations

static bool solve(s3_solver* m) {
    const pl_linear_options options = {.tolerance = 1e-2, .max_iterations = m->inner};
    pl_mg_blocks blocks = blocks_of(m->s);
    pl_linear_info info = {0};
    memset(m->u, 0, count_of(m) * sizeof(double));
    switch (m->kind) {
    case S3_BY_MULTIGRID:
        if (!pl_mixed_cycles_update(m->cycles, false)) return false;
        pl_mixed_cycles_solve(m->cycles, &options, m->b, m->u, &info);
        return true;
    case S3_BY_VANKA:
        pl_block_mg_update(m->vanka, &blocks);
        if (!m->is_relaxed) pl_block_mg_relax(m->vanka);
        m->is_relaxed = true;
        pl_block_mg_apply(m->vanka, m->b, m->u);
        return true;
    case S3_BY_MINRES: solve_by_minres(m, &options); return true;
    default: solve_by_uzawa(m); return true;
    }
}

bool s3_solver_iterate(s3_solver* m, double* x, double* assembly_seconds) {
    s3_system* s = m->s;
    double start = s3_cpu_seconds();
    s3_system_linearise(s, x, m->pool);
    s3_system_residual(s, x, m->pool, m->b);
    *assembly_seconds += s3_cpu_seconds() - start;
    if (!solve(m)) return false;
    for (size_t v = 0; v < (size_t)s->vertex_count; v++) {
        for (size_t c = 0; c < 3; c++) x[3 * v + c] += m->u[4 * v + c];
        s->pressure[v] += s->units[v] * m->u[4 * v + 3];
    }
    return true;
}
