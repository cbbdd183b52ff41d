// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The Newton direction of the eliminated function solves Eq. 6 of the paper with g = 0,
//
//   ( K   G' ) ( d  )   ( f )
//   ( G  -B  ) ( dp ) = ( 0 ),
//
// which is positive definite in d whenever K is. K has the geometric stiffness of the pressures
// that the last direction led to (p + dp), not of those at x: where the constraint is stiff, the
// latter jump with every error of second order.
#include "mixed/mixed_pressure.h"
#include "base/memory.h"
#include "base/timer.h"
#include "mixed/mixed_cycles.h"
#include "mixed/mixed_tets.h"
#include "sparse/direct.h"
#include "sparse/linear_solver.h"
#include "sparse/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_ROUNDS = 20, VERTICES_PER_TASK = 2048, MAX_DIRECT_VERTICES = 50000 };
// Of the forces of the pressure: where p0 moves them less than this, it has arrived.
static const double ARRIVED = 1e-3;
// A bend that is longer than this part of the direction is not one of second order.
static const double MAX_BEND = 0.5;
// mu / kappa from which on linear systems are solved to the tolerance that is asked for.
static const double SOFT = 1e-4;
// kappa / mu above which nothing changes its volume.
static const double STIFF = 9e5;
// A bend need not be exact.
static const double BEND_TOLERANCE = 1e-2;
enum { MAX_BEND_CYCLES = 50, MAX_FAILED_STEPS = 3 };

struct pl_mixed_pressure {
    int vertex_count;
    pl_pool* pool;
    pl_mixed_options options;
    const pl_element_set* set; // borrowed
    pl_step_coupling coupling;

    double* p;     // state: of the geometric stiffness
    double* p0;    // state: centre of the stabilisation
    double* shift; // S p0

    pl_block_matrix B, A; // C + S; the matrix of Eq. 6, 4 unknowns per vertex
    pl_block_matrix* K;   // that of the step, borrowed
    pl_linear_solver* flexible;
    pl_direct* direct;       // NULL: cycles have not failed yet
    pl_mixed_cycles* cycles; // NULL: linear "direct"
    bool cycles_failed;      // in this step
    int failed_steps;        // before it, one after the other
    double unit;             // of the pressures in A [Pa]
    double softness;         // least mu / kappa of all tets
    double stiffness;        // least kappa / mu

    double *phi, *eliminated;          // per vertex: of the last x that was looked at
    double *rhs, *solution, *residual; // 4 per vertex
    double *moved, *forces;            // 3 per vertex
    int rounds;                        // of p0 in this minimisation
};

static size_t vertex_bytes(const pl_mixed_pressure* m) {
    return (size_t)m->vertex_count * sizeof(double);
}

// ---- the energy and its gradient

// p = B^-1 (phi + shift)
static void eliminate(pl_mixed_pressure* m, const double* phi, double* p) {
    static const pl_linear_options options = {.tolerance = 1e-12, .max_iterations = 2000};
    pl_linear_info info;
    for (int v = 0; v < m->vertex_count; v++) m->rhs[v] = phi[v] + m->shift[v];
    memset(p, 0, vertex_bytes(m));
    pl_linear_solve(m->flexible, &options, m->rhs, p, &info);
}

static void evaluate(pl_mixed_pressure* m, const double* x) {
    pl_mixed_constraint(m->set, m->pool, x, m->vertex_count, m->phi);
    eliminate(m, m->phi, m->eliminated);
}

static double energy_part(int begin, int end, void* user) {
    const pl_mixed_pressure* m = user;
    double sum = 0.0;
    for (int v = begin; v < end; v++)
        sum += 0.5 * ((m->phi[v] + m->shift[v]) * m->eliminated[v] - m->shift[v] * m->p0[v]);
    return sum;
}

static double energy(void* data, const double* x) {
    pl_mixed_pressure* m = data;
    evaluate(m, x);
    return pl_parallel_sum(m->pool, energy_part, m->vertex_count, VERTICES_PER_TASK, m);
}

static void energies(void* data, const pl_step_pieces* pieces, const bool* chosen, const double* x,
                     double* sums) {
    pl_mixed_pressure* m = data;
    if (pieces->count == 1) {
        sums[0] += energy(m, x);
        return;
    }
    evaluate(m, x);
    pl_pieces_add(pieces, chosen, m->pool, energy_part, m, sums);
}

static void gradient(void* data, const double* x, double* out) {
    pl_mixed_pressure* m = data;
    evaluate(m, x);
    pl_mixed_add_pressure(m->set, m->pool, x, m->eliminated, out);
}

// ---- directions

// the held part of a row or column of couplings becomes zero
static void hold_coupling(const pl_step_objective* f, int vertex, double* a, int stride) {
    if (f->fixed[vertex]) {
        for (int c = 0; c < 3; c++) a[c * stride] = 0.0;
        return;
    }
    if (!f->hold_of || !f->hold_of[vertex]) return;
    pl_vec3 part = pl_mat3_apply(&f->holds[f->hold_of[vertex] - 1].free,
                                 (pl_vec3){a[0], a[stride], a[2 * stride]});
    a[0] = part.x, a[stride] = part.y, a[2 * stride] = part.z;
}

// The unit of pressures in the matrix, so that its blocks are as large for them as for positions:
// about mu / h without inertia (Ruan 2024, section 7.1).
static double choose_unit(const pl_mixed_pressure* m, const pl_step_objective* f) {
    double sum = 0.0;
    int count = 0;
    for (int v = 0; v < m->vertex_count; v++) {
        const double* K = m->K->values + 9 * (size_t)m->K->diagonal[v];
        double ratio = (K[0] + K[4] + K[8]) / (3.0 * m->B.values[m->B.diagonal[v]]);
        if (f->fixed[v] || !(ratio > 0.0) || !isfinite(ratio)) continue;
        sum += 0.5 * log(ratio);
        count++;
    }
    return count ? exp(sum / count) : 1.0;
}

// K and -B into their places; G is there and loses its held parts
static void join_blocks(pl_mixed_pressure* m, const pl_step_objective* f) {
    for (int v = 0; v < m->vertex_count; v++)
        for (int e = m->K->offsets[v]; e < m->K->offsets[v + 1]; e++) {
            double* block = m->A.values + 16 * (size_t)e;
            const double* from = m->K->values + 9 * (size_t)e;
            for (int i = 0; i < 9; i++) block[4 * (i / 3) + i % 3] = from[i];
            block[15] = -m->unit * m->unit * m->B.values[e];
            for (int c = 0; c < 3; c++) block[12 + c] *= m->unit, block[4 * c + 3] *= m->unit;
            hold_coupling(f, m->K->columns[e], block + 12, 1);
            hold_coupling(f, v, block + 3, 4);
        }
}

// Where cycles fail, the direct solver is made for them.
static pl_status factor(pl_mixed_pressure* m, pl_error* error) {
    pl_status status = m->direct ? PL_OK : pl_direct_setup(&m->A, &m->direct, error);
    return status == PL_OK ? pl_direct_update(m->direct, &m->A, m->pool, error) : status;
}

static pl_status update(void* data, const pl_step_objective* f, const double* x, double projected,
                        pl_method_info* info, pl_error* error) {
    pl_mixed_pressure* m = data;
    double start = pl_seconds();
    pl_step_hessian(f, x, projected, m->K);
    pl_block_matrix_zero(&m->A);
    pl_mixed_add_couplings(m->set, m->pool, x, &m->A);
    m->unit = choose_unit(m, f);
    join_blocks(m, f);
    double assembled = pl_seconds();
    info->assembly_seconds += assembled - start;
    info->linear_updates++;
    pl_status status = PL_OK;
    if (m->cycles && !m->cycles_failed) m->cycles_failed = !pl_mixed_cycles_update(m->cycles);
    if (!m->cycles || m->cycles_failed) status = factor(m, error);
    info->linear_seconds += pl_seconds() - assembled;
    return status;
}

// The diagonal of K + G' diag(B)^-1 G.
static double stiffness_of(const pl_mixed_pressure* m, int v, int c) {
    const pl_block_matrix* A = &m->A;
    double sum = A->values[16 * (size_t)A->diagonal[v] + 5 * (size_t)c];
    for (int e = A->offsets[v]; e < A->offsets[v + 1]; e++) {
        double g = A->values[16 * (size_t)e + 4 * (size_t)c + 3] / m->unit;
        sum += g * g / m->B.values[m->B.diagonal[A->columns[e]]];
    }
    return sum;
}

typedef struct force_job {
    const pl_mixed_pressure* m;
    const double* x;
} force_job;

static double force_part(int begin, int end, void* user) {
    const force_job* job = user;
    double sum = 0.0;
    for (int i = 3 * begin; i < 3 * end; i++) {
        double force = stiffness_of(job->m, i / 3, i % 3) * job->x[i];
        sum += force * force;
    }
    return sum;
}

static double force_square(const void* data, int begin, int end, const double* x) {
    const pl_mixed_pressure* m = data;
    force_job job = {m, x};
    if (end >= 0) return force_part(begin, end, &job);
    return pl_parallel_sum(m->pool, force_part, m->vertex_count, VERTICES_PER_TASK, &job);
}

// solution = A^-1 rhs, with refinement of what round-off left
static void solve_directly(pl_mixed_pressure* m, const pl_linear_options* options,
                           pl_linear_info* info) {
    int count = 4 * m->vertex_count;
    double scale = pl_vector_norm(m->pool, count, m->rhs);
    memset(m->solution, 0, (size_t)count * sizeof(double));
    for (int pass = 0; pass < 3; pass++) {
        pl_block_matrix_apply(&m->A, m->pool, 1, m->solution, m->residual);
        pl_vector_xpay(m->pool, count, m->rhs, -1.0, m->residual);
        double norm = pl_vector_norm(m->pool, count, m->residual);
        pl_linear_note(info, scale == 0.0 ? 0.0 : norm / scale);
        info->converged = info->residual <= options->tolerance;
        if (info->converged || !isfinite(norm)) break;
        pl_direct_solve(m->direct, 1, m->residual, m->residual);
        pl_vector_axpy(m->pool, count, 1.0, m->residual, m->solution);
        info->iterations++;
    }
}

// A solve that the deadline ended has not failed.
static bool is_late(const pl_linear_options* options) {
    return options->deadline && pl_deadline_now(options->deadline) >= options->deadline->end;
}

// By cycles, or directly where they fail. Then the rest of the step is solved directly, and after
// MAX_FAILED_STEPS of them in a row every step.
static void solve_matrix(pl_mixed_pressure* m, const pl_linear_options* options,
                         pl_linear_info* info) {
    if (m->cycles && !m->cycles_failed) {
        // what is left of the constraint counts kappa times in the forces
        double share = fmin(1.0, m->softness / SOFT);
        pl_linear_options own = {.tolerance = share * options->tolerance,
                                 .max_iterations = options->max_iterations,
                                 .deadline = options->deadline};
        pl_mixed_cycles_solve(m->cycles, &own, m->rhs, m->solution, info);
        if (info->converged || is_late(options)) return;
        if (factor(m, NULL) != PL_OK) return;
        m->cycles_failed = true;
        info->switched = true;
    }
    solve_directly(
        m, &(pl_linear_options){.tolerance = fmin(options->tolerance, 1e-10), .max_iterations = 1},
        info);
}

// B is positive definite, so the matrix has as many negative pivots as there are pressures, unless
// the objective curves down somewhere.
static void solve(void* data, const pl_linear_options* options, bool residual_unread,
                  const double* b, double* direction, pl_linear_info* info) {
    pl_mixed_pressure* m = data;
    (void)residual_unread;
    *info = (pl_linear_info){0};
    for (int v = 0; v < m->vertex_count; v++) {
        memcpy(m->rhs + 4 * (size_t)v, b + 3 * (size_t)v, 3 * sizeof(double));
        m->rhs[4 * (size_t)v + 3] = 0.0;
    }
    solve_matrix(m, options, info);
    bool is_direct = m->direct && (!m->cycles || m->cycles_failed);
    pl_direct_info direct = is_direct ? pl_direct_get_info(m->direct) : (pl_direct_info){0};
    info->tiny_pivot_count = direct.tiny_pivot_count;
    info->singular = direct.tiny_pivot_count > 0;
    info->indefinite = direct.negative_pivot_count > m->vertex_count;
    for (int v = 0; v < m->vertex_count; v++)
        memcpy(direction + 3 * (size_t)v, m->solution + 4 * (size_t)v, 3 * sizeof(double));
}

// out = G d: the last rows of the matrix
static void apply_couplings(const pl_mixed_pressure* m, const double* d, double* out) {
    for (int v = 0; v < m->vertex_count; v++) {
        double sum = 0.0;
        for (int e = m->A.offsets[v]; e < m->A.offsets[v + 1]; e++) {
            const double* g = m->A.values + 16 * (size_t)e + 12;
            const double* at = d + 3 * (size_t)m->A.columns[e];
            sum += g[0] * at[0] + g[1] * at[1] + g[2] * at[2];
        }
        out[v] = sum / m->unit;
    }
}

// The pressures go where the direction leads. With phi(x + d) = phi + G d + e, the bent direction
// d + d2 has G d2 - B dp2 = -e.
static bool bend(void* data, const pl_step_objective* f, const double* x, const double* direction,
                 double* bent) {
    pl_mixed_pressure* m = data;
    int n = m->vertex_count;
    double* linear = m->forces; // phi + G d
    apply_couplings(m, direction, linear);
    pl_mixed_constraint(m->set, m->pool, x, n, m->phi);
    for (int v = 0; v < n; v++) linear[v] += m->phi[v];
    eliminate(m, linear, m->p);
    if (!isfinite(pl_vector_norm(m->pool, n, m->p))) memset(m->p, 0, vertex_bytes(m));
    if (!bent) return false;
    for (int i = 0; i < 3 * n; i++) m->moved[i] = x[i] + direction[i];
    pl_mixed_constraint(m->set, m->pool, m->moved, n, m->phi);
    memset(m->rhs, 0, 4 * vertex_bytes(m));
    for (int v = 0; v < n; v++) m->rhs[4 * (size_t)v + 3] = m->unit * (linear[v] - m->phi[v]);
    pl_linear_info info = {0};
    solve_matrix(
        m, &(pl_linear_options){.tolerance = BEND_TOLERANCE, .max_iterations = MAX_BEND_CYCLES},
        &info);
    if (!info.converged) return false;
    for (int v = 0; v < n; v++)
        memcpy(bent + 3 * (size_t)v, m->solution + 4 * (size_t)v, 3 * sizeof(double));
    pl_holds_project(f->holds, f->hold_count, bent);
    double length = pl_vector_norm(m->pool, 3 * n, direction);
    if (!(pl_vector_norm(m->pool, 3 * n, bent) <= MAX_BEND * length)) return false;
    pl_vector_axpy(m->pool, 3 * n, 1.0, direction, bent);
    for (int v = 0; v < n; v++) m->p[v] += m->unit * m->solution[4 * (size_t)v + 3];
    return true;
}

// ---- the stabilisation in the matrix only

static void find_shift(pl_mixed_pressure* m) {
    pl_mixed_stabilise(m->set, m->pool, m->options.stabilisation, m->vertex_count, m->p0, m->shift);
}

// |G' p|
static double force_of(pl_mixed_pressure* m, const double* x, const double* p) {
    memset(m->forces, 0, 3 * vertex_bytes(m));
    pl_mixed_add_pressure(m->set, m->pool, x, p, m->forces);
    return pl_vector_norm(m->pool, 3 * m->vertex_count, m->forces);
}

static bool go_on(void* data, const pl_step_objective* f, const double* x) {
    pl_mixed_pressure* m = data;
    (void)f;
    if (!m->options.in_matrix_only || m->rounds >= MAX_ROUNDS) return false;
    evaluate(m, x);
    double whole = force_of(m, x, m->eliminated);
    for (int v = 0; v < m->vertex_count; v++) m->moved[v] = m->eliminated[v] - m->p0[v];
    double left = force_of(m, x, m->moved);
    if (!(left > ARRIVED * whole)) return false;
    memcpy(m->p0, m->eliminated, vertex_bytes(m));
    find_shift(m);
    m->rounds++;
    return true;
}

static void begin(void* data) {
    pl_mixed_pressure* m = data;
    m->rounds = 0;
    m->failed_steps = m->cycles_failed ? m->failed_steps + 1 : 0;
    m->cycles_failed = m->failed_steps >= MAX_FAILED_STEPS;
}

static void keep(void* data) { (void)data; }

// The solver is the pressures themselves, which outlive it.
pl_status pl_mixed_newton(const pl_solver_input* input, pl_newton_solver* out, pl_error* error) {
    static const pl_newton_functions functions = {.begin = begin,
                                                  .update = update,
                                                  .solve = solve,
                                                  .force_square = force_square,
                                                  .destroy = keep};
    pl_mixed_pressure* m = input->settings->coupling->data;
    m->K = input->A;
    pl_linear linear = input->settings->linear;
    *out = (pl_newton_solver){&functions, m, linear == PL_LINEAR_DIRECT};
    if (linear == PL_LINEAR_DIRECT) return pl_direct_setup(&m->A, &m->direct, error);
    return pl_mixed_cycles_create(&m->A, input->rest, &input->settings->multigrid, m->pool,
                                  &m->cycles, error);
}

// ---- life and state

void pl_mixed_pressure_destroy(pl_mixed_pressure* m) {
    if (!m) return;
    int n = m->vertex_count;
    double* ones[] = {m->p, m->p0, m->shift, m->phi, m->eliminated};
    double* threes[] = {m->moved, m->forces};
    double* fours[] = {m->rhs, m->solution, m->residual};
    for (int k = 0; k < 5; k++) PL_FREE(ones[k], double, n);
    for (int k = 0; k < 2; k++) PL_FREE(threes[k], double, 3 * (size_t)n);
    for (int k = 0; k < 3; k++) PL_FREE(fours[k], double, 4 * (size_t)n);
    pl_linear_destroy(m->flexible);
    pl_direct_destroy(m->direct);
    pl_mixed_cycles_destroy(m->cycles);
    pl_block_matrix_free(&m->B);
    pl_block_matrix_free(&m->A);
    PL_FREE(m, pl_mixed_pressure, 1);
}

static bool allocate(pl_mixed_pressure* m) {
    int n = m->vertex_count;
    double** ones[] = {&m->p, &m->p0, &m->shift, &m->phi, &m->eliminated};
    double** threes[] = {&m->moved, &m->forces};
    double** fours[] = {&m->rhs, &m->solution, &m->residual};
    bool ok = true;
    for (int k = 0; k < 5; k++) ok = (*ones[k] = PL_ALLOC(double, n)) && ok;
    for (int k = 0; k < 2; k++) ok = (*threes[k] = PL_ALLOC(double, 3 * (size_t)n)) && ok;
    for (int k = 0; k < 3; k++) ok = (*fours[k] = PL_ALLOC(double, 4 * (size_t)n)) && ok;
    return ok;
}

static pl_status setup(pl_mixed_pressure* m, const int* neighbour_offsets, const int* neighbours,
                       pl_error* error) {
    int n = m->vertex_count;
    if (!allocate(m)) return pl_fail_memory(error, "pressures");
    pl_status status = pl_block_matrix_setup(&m->B, n, 1, neighbour_offsets, neighbours, error);
    if (status == PL_OK)
        status = pl_block_matrix_setup(&m->A, n, 4, neighbour_offsets, neighbours, error);
    if (status == PL_OK)
        status = pl_linear_setup(n <= MAX_DIRECT_VERTICES ? PL_LINEAR_DIRECT : PL_LINEAR_ICPCG,
                                 &m->B, 1, m->pool, &m->flexible, error);
    return status;
}

pl_status pl_mixed_pressure_create(int vertex_count, const int* neighbour_offsets,
                                   const int* neighbours, const pl_mixed_options* options,
                                   pl_pool* pool, pl_mixed_pressure** out, pl_error* error) {
    pl_mixed_pressure* m = *out = PL_ALLOC(pl_mixed_pressure, 1);
    if (!m) return pl_fail_memory(error, "pressures");
    m->vertex_count = vertex_count;
    m->options = *options;
    m->pool = pool;
    m->coupling = (pl_step_coupling){m, energies, energy, gradient, bend, go_on};
    pl_status status = setup(m, neighbour_offsets, neighbours, error);
    if (status == PL_OK) return PL_OK;
    pl_mixed_pressure_destroy(m);
    *out = NULL;
    return status;
}

void pl_mixed_pressure_use(pl_mixed_pressure* m, const pl_element_set* set) { m->set = set; }

const double* pl_mixed_pressure_values(const pl_mixed_pressure* m) { return m->p; }

const pl_step_coupling* pl_mixed_coupling(const pl_mixed_pressure* m) { return &m->coupling; }

pl_status pl_mixed_pressure_changed(pl_mixed_pressure* m, const pl_mixed_options* options,
                                    pl_error* error) {
    m->options = *options;
    if (!m->options.in_matrix_only) memset(m->p0, 0, vertex_bytes(m));
    pl_mixed_range range = pl_mixed_flexibility(m->set, m->options.stabilisation, &m->B);
    m->softness = range.least;
    m->stiffness = 1.0 / range.most;
    find_shift(m);
    return pl_linear_update(m->flexible, error);
}

const double* pl_mixed_pressures_at(pl_mixed_pressure* m, const double* x) {
    evaluate(m, x);
    return m->eliminated;
}

double pl_mixed_mean_change(pl_mixed_pressure* m, const double* x) {
    double sum = 0.0;
    pl_mixed_constraint(m->set, m->pool, x, m->vertex_count, m->phi);
    for (int v = 0; v < m->vertex_count; v++) sum += m->phi[v];
    return sum / pl_mixed_volume(m->set);
}

bool pl_mixed_is_incompressible(const pl_mixed_pressure* m) { return m->stiffness > STIFF; }

// p, p0, and what is known of the cycles
size_t pl_mixed_pressure_state_size(const pl_mixed_pressure* m) {
    return 2 * vertex_bytes(m) + sizeof(int64_t);
}

void pl_mixed_pressure_state_save(const pl_mixed_pressure* m, void* out) {
    int64_t failed = 2 * (int64_t)m->failed_steps + m->cycles_failed;
    char* to = out;
    memcpy(to, m->p, vertex_bytes(m));
    memcpy(to + vertex_bytes(m), m->p0, vertex_bytes(m));
    memcpy(to + 2 * vertex_bytes(m), &failed, sizeof failed);
}

void pl_mixed_pressure_state_load(pl_mixed_pressure* m, const void* in) {
    int64_t failed;
    const char* from = in;
    memcpy(m->p, from, vertex_bytes(m));
    memcpy(m->p0, from + vertex_bytes(m), vertex_bytes(m));
    memcpy(&failed, from + 2 * vertex_bytes(m), sizeof failed);
    m->failed_steps = (int)(failed / 2);
    m->cycles_failed = failed % 2 != 0;
    find_shift(m);
}
