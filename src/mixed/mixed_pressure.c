// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A direction solves Eq. 6 of the paper at (x, p), with p the eliminated pressures,
//
//   ( K   G' ) ( d  )   ( f            )
//   ( G  -B  ) ( dp ) = ( D (centre - p) ),
//
// The reduced matrix in d is positive definite whenever K is. Then the centre moves to p + dp. With
// that centre, d is a descent direction: the slope along it is -d.K d - |G d|^2, in the norm of (B
// + D)^-1. K uses the geometric stiffness of the centre. The pressures at x would not do: where the
// constraint is stiff, they jump with every second-order error.
#include "mixed/mixed_pressure.h"
#include "base/memory.h"
#include "base/timer.h"
#include "mixed/mixed_flexible.h"
#include "mixed/mixed_float.h"
#include "mixed/mixed_linear.h"
#include "mixed/mixed_schur.h"
#include "mixed/mixed_tets.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

enum { MAX_ROUNDS = 20, VERTICES_PER_TASK = 2048 };
// Centres have converged when their error is below this fraction of the pressure forces,
static const double ARRIVED = 1e-3;
// and when the slack of all vertices of a piece holds less than this fraction of its volume.
static const double MAX_LOSS = 1e-5;
// Lower bound of mu / kappa in the function that the line search sees.
static const double SLACK = 0.3;

struct pl_mixed_pressure {
    int vertex_count;
    pl_pool* pool;
    pl_mixed_options options;
    const pl_element_set* set;    // borrowed
    const pl_step_pieces* pieces; // borrowed
    int piece_count;              // of `pieces`
    pl_step_coupling coupling;

    double* centre;        // state: centre of D; its pressures give the geometric stiffness
    double* p0;            // state: centre of the stabilisation, if that is only in the matrix
    double* shift;         // D centre + S p0
    double* D;             // diagonal
    double* centre_before; // before the last direction
    bool has_slack;        // D is not zero

    pl_block_matrix B, A; // C + S; the matrix of Eq. 6, 4 unknowns per vertex
    pl_block_matrix slack_B;
    pl_block_matrix* K;          // matrix of the step, borrowed
    pl_mixed_flexible* flexible; // solves with slack_B
    pl_mixed_linear* linear;     // solves with A
    const double* scales;        // of pieces, if the next solve is for a direction
    // What A was assembled from, borrowed, and at which x, while only multigrid has its values.
    const pl_step_objective* f;
    double* matrix_x; // 3 per vertex
    double projected;
    bool in_levels;
    pl_mixed_float* fast; // writes A to multigrid; NULL: linear "direct"

    double *phi, *eliminated; // per vertex: at known_x
    double* solved_rhs;       // per vertex: of `eliminated`
    bool is_solved;           // `eliminated` is valid for the current B + D
    double* known_x;          // 3 per vertex: x of the last evaluation
    bool is_known;            // phi and `eliminated` are those of known_x and of the current shift
    double *at_x, *change;    // per vertex: p and dp of the last direction
    double* units;            // units of the pressures in A, per vertex [Pa]
    double *rhs, *solution;   // 4 per vertex
    double *forces, *difference;       // 3 per vertex; 1 per vertex
    double *piece_volume, *piece_loss; // rest volume; volume missing
    bool* is_incompressible;           // per piece
    int rounds;                        // updates of the centre in this minimisation
};

static size_t vertex_bytes(const pl_mixed_pressure* m) {
    return (size_t)m->vertex_count * sizeof(double);
}

// ---- energy and gradient

static void find_shift(pl_mixed_pressure* m) {
    m->is_known = false;
    if (m->options.in_matrix_only)
        pl_mixed_stabilise(m->set, m->pool, m->options.stabilisation, m->vertex_count, m->p0,
                           m->shift);
    else memset(m->shift, 0, vertex_bytes(m));
    for (int v = 0; v < m->vertex_count; v++) m->shift[v] += m->D[v] * m->centre[v];
}

// p = (B + D)^-1 (phi + shift). A step asks for the pressures at one x several times (energies,
// forces, outputs), so they are cached.
static void evaluate(pl_mixed_pressure* m, const double* x) {
    if (m->is_known && memcmp(m->known_x, x, 3 * vertex_bytes(m)) == 0) return;
    pl_mixed_constraint(m->set, m->pool, x, m->phi);
    memcpy(m->known_x, x, 3 * vertex_bytes(m));
    m->is_known = true;
    for (int v = 0; v < m->vertex_count; v++) m->rhs[v] = m->phi[v] + m->shift[v];
    if (m->is_solved && memcmp(m->rhs, m->solved_rhs, vertex_bytes(m)) == 0) return;
    memcpy(m->solved_rhs, m->rhs, vertex_bytes(m));
    // The initial guess uses only state that a checkpoint has, so that a resumed run gives the same
    // bits.
    for (int v = 0; v < m->vertex_count; v++) m->eliminated[v] = m->D[v] > 0.0 ? m->centre[v] : 0.0;
    pl_mixed_flexible_solve(m->flexible, m->solved_rhs, m->eliminated);
    m->is_solved = true;
}

// shift * centres at a vertex: D centre^2 + p0.S p0
static double centre_square(const pl_mixed_pressure* m, int v) {
    double of_slack = m->D[v] * m->centre[v];
    return of_slack * m->centre[v] + (m->shift[v] - of_slack) * m->p0[v];
}

static double energy_part(int begin, int end, void* user) {
    const pl_mixed_pressure* m = user;
    double sum = 0.0;
    for (int v = begin; v < end; v++)
        sum += 0.5 * ((m->phi[v] + m->shift[v]) * m->eliminated[v] - centre_square(m, v));
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

// zeroes the held part of a row or column of couplings
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

// Chooses units of pressures that make their blocks as large as those of positions: about mu / h
// without inertia (Ruan 2024, section 7.1). Each vertex has its own unit, because mu may jump.
static void choose_units(pl_mixed_pressure* m, const pl_step_objective* f) {
    double sum = 0.0;
    int count = 0;
    for (int v = 0; v < m->vertex_count; v++) {
        const double* K = m->K->values + 9 * (size_t)m->K->diagonal[v];
        double ratio = (K[0] + K[4] + K[8]) / (3.0 * m->B.values[m->B.diagonal[v]]);
        bool is_known = !f->fixed[v] && ratio > 0.0 && isfinite(ratio);
        m->units[v] = is_known ? sqrt(ratio) : 0.0;
        if (is_known) sum += log(m->units[v]), count++;
    }
    const double mean = count ? exp(sum / count) : 1.0; // used for held vertices
    for (int v = 0; v < m->vertex_count; v++)
        if (m->units[v] == 0.0) m->units[v] = mean;
}

// Copies K and -B into A. G is already there and loses its held parts.
static void join_blocks(pl_mixed_pressure* m, const pl_step_objective* f) {
    for (int v = 0; v < m->vertex_count; v++)
        for (int e = m->K->offsets[v]; e < m->K->offsets[v + 1]; e++) {
            double* block = m->A.values + 16 * (size_t)e;
            const double* from = m->K->values + 9 * (size_t)e;
            for (int i = 0; i < 9; i++) block[4 * (i / 3) + i % 3] = from[i];
            const int w = m->K->columns[e];
            block[15] = -m->units[v] * m->units[w] * m->B.values[e];
            for (int c = 0; c < 3; c++)
                block[12 + c] *= m->units[v], block[4 * c + 3] *= m->units[w];
            hold_coupling(f, w, block + 12, 1);
            hold_coupling(f, v, block + 3, 4);
        }
}

// assembles A in double with the current units
static void fill(void* data) {
    pl_mixed_pressure* m = data;
    pl_step_hessian(m->f, m->matrix_x, m->projected, m->K);
    pl_block_matrix_zero(&m->A);
    pl_mixed_add_couplings(m->set, m->pool, m->matrix_x, &m->A);
    if (!m->in_levels) choose_units(m, m->f);
    join_blocks(m, m->f);
    m->in_levels = false;
}

static pl_status update(void* data, const pl_step_objective* f, const double* x, double projected,
                        pl_method_info* info, pl_error* error) {
    pl_mixed_pressure* m = data;
    double start = pl_seconds();
    m->f = f;
    m->projected = projected;
    memcpy(m->matrix_x, x, 3 * vertex_bytes(m));
    m->in_levels = m->fast && pl_mixed_linear_takes_levels(m->linear) &&
                   pl_mixed_float_assemble(m->fast, f, x, m->centre, projected, m->units);
    const bool in_levels = m->in_levels;
    if (!in_levels) fill(m);
    evaluate(m, x);
    memcpy(m->at_x, m->eliminated, vertex_bytes(m));
    double assembled = pl_seconds();
    info->assembly_seconds += assembled - start;
    info->linear_updates++;
    pl_status status = pl_mixed_linear_update(m->linear, in_levels, projected < 1.0, error);
    info->linear_seconds += pl_seconds() - assembled;
    return status;
}

// `schur` of pl_mixed_matrices
static bool schur(void* user, double* W, pl_block_matrix* sum) {
    pl_mixed_pressure* m = user;
    const pl_mixed_schur from = {m->set, m->f, &m->A, &m->B, m->units, m->difference};
    return pl_mixed_schur_find(&from, W, sum);
}

typedef struct force_job {
    const pl_mixed_pressure* m;
    const double* x;
} force_job;

static double force_part(int begin, int end, void* user) {
    const force_job* job = user;
    const pl_mixed_pressure* m = job->m;
    double sum = 0.0;
    for (int v = begin; v < end; v++) {
        const float* known = m->in_levels ? pl_mixed_float_stiffness(m->fast, v) : NULL;
        for (int c = 0; c < 3; c++) {
            const int i = 3 * v + c;
            double force = known ? (double)known[c]
                                 : pl_mixed_schur_stiffness(&m->A, &m->slack_B, m->units, i);
            force *= job->x[i];
            sum += force * force;
        }
    }
    return sum;
}

static double force_square(const void* data, int begin, int end, const double* x) {
    const pl_mixed_pressure* m = data;
    force_job job = {m, x};
    if (end >= 0) return force_part(begin, end, &job);
    return pl_parallel_sum(m->pool, force_part, m->vertex_count, VERTICES_PER_TASK, &job);
}

static void scale_next(void* data, const double* scales) {
    ((pl_mixed_pressure*)data)->scales = scales;
}

// Residual of the constraint at x, scaled like the forces.
static double missing(const pl_mixed_pressure* m, int v) {
    if (!m->scales || m->D[v] == 0.0) return 0.0;
    return m->scales[m->pieces->piece_of[v]] * m->D[v] * (m->centre[v] - m->at_x[v]);
}

typedef struct solve_job {
    pl_mixed_pressure* m;
    const double* b;
    double* direction;
} solve_job;

static void set_rhs_task(int begin, int end, int worker, void* user) {
    const solve_job* job = user;
    pl_mixed_pressure* m = job->m;
    (void)worker;
    for (int v = begin; v < end; v++) {
        memcpy(m->rhs + 4 * (size_t)v, job->b + 3 * (size_t)v, 3 * sizeof(double));
        m->rhs[4 * (size_t)v + 3] = m->units[v] * missing(m, v);
    }
}

static void take_solution_task(int begin, int end, int worker, void* user) {
    const solve_job* job = user;
    pl_mixed_pressure* m = job->m;
    (void)worker;
    for (int v = begin; v < end; v++) {
        const double* from = m->solution + 4 * (size_t)v;
        memcpy(job->direction + 3 * (size_t)v, from, 3 * sizeof(double));
        double scale = m->scales ? m->scales[m->pieces->piece_of[v]] : 0.0;
        if (m->scales) m->change[v] = scale > 0.0 ? m->units[v] * from[3] / scale : 0.0;
    }
}

static void solve(void* data, const pl_linear_options* options, bool residual_unread,
                  const double* b, double* direction, pl_linear_info* info) {
    pl_mixed_pressure* m = data;
    solve_job job = {m, b, direction};
    (void)residual_unread;
    pl_parallel_for(m->pool, set_rhs_task, m->vertex_count, VERTICES_PER_TASK, &job);
    pl_mixed_linear_solve(m->linear, options, m->rhs, m->solution, info);
    pl_parallel_for(m->pool, take_solution_task, m->vertex_count, VERTICES_PER_TASK, &job);
    m->scales = NULL;
}

static bool lead(void* data) {
    pl_mixed_pressure* m = data;
    memcpy(m->centre_before, m->centre, vertex_bytes(m));
    for (int v = 0; v < m->vertex_count; v++) m->centre[v] = m->at_x[v] + m->change[v];
    if (!isfinite(pl_vector_norm(m->pool, m->vertex_count, m->centre)))
        memset(m->centre, 0, vertex_bytes(m));
    if (m->has_slack) find_shift(m);
    return m->has_slack;
}

static void stay(void* data) {
    pl_mixed_pressure* m = data;
    memcpy(m->centre, m->centre_before, vertex_bytes(m));
    find_shift(m);
}

// ---- updates of the centre

// |G' p|
static double force_of(pl_mixed_pressure* m, const double* x, const double* p) {
    memset(m->forces, 0, 3 * vertex_bytes(m));
    pl_mixed_add_pressure(m->set, m->pool, x, p, m->forces);
    return pl_vector_norm(m->pool, 3 * m->vertex_count, m->forces);
}

// |G' (p - centre)| over vertices where the centre has a weight; D NULL: over all
static double force_from(pl_mixed_pressure* m, const double* x, const double* centre,
                         const double* D) {
    for (int v = 0; v < m->vertex_count; v++)
        m->difference[v] = D && D[v] == 0.0 ? 0.0 : m->eliminated[v] - centre[v];
    return force_of(m, x, m->difference);
}

// A uniform error of a body's pressure hardly shows in the forces, but it does in the volume.
static double volume_lost(const pl_mixed_pressure* m) {
    double worst = 0.0;
    for (int k = 0; k < m->pieces->count; k++) m->piece_loss[k] = 0.0;
    for (int v = 0; v < m->vertex_count; v++)
        m->piece_loss[m->pieces->piece_of[v]] += m->D[v] * fabs(m->eliminated[v] - m->centre[v]);
    for (int k = 0; k < m->pieces->count; k++)
        if (m->piece_volume[k] > 0.0) worst = fmax(worst, m->piece_loss[k] / m->piece_volume[k]);
    return worst;
}

static void move_centres(pl_mixed_pressure* m) {
    memcpy(m->centre, m->eliminated, vertex_bytes(m));
    if (m->options.in_matrix_only) memcpy(m->p0, m->eliminated, vertex_bytes(m));
    find_shift(m);
}

static bool follow(void* data, const double* x) {
    pl_mixed_pressure* m = data;
    if (!m->options.in_matrix_only) return false;
    evaluate(m, x);
    memcpy(m->p0, m->eliminated, vertex_bytes(m));
    find_shift(m);
    return true;
}

static bool go_on(void* data, const double* x, bool* iterates) {
    pl_mixed_pressure* m = data;
    bool by_rounds = m->options.in_matrix_only || m->has_slack;
    if (!by_rounds || m->rounds >= MAX_ROUNDS) return false;
    evaluate(m, x);
    double left = 0.0, whole = force_of(m, x, m->eliminated);
    if (m->has_slack) left = force_from(m, x, m->centre, m->D);
    if (m->options.in_matrix_only) left = fmax(left, force_from(m, x, m->p0, NULL));
    bool has_lost = m->has_slack && volume_lost(m) > MAX_LOSS;
    if (!(left > ARRIVED * whole) && !has_lost) return false;
    *iterates = has_lost;
    move_centres(m);
    m->rounds++;
    return true;
}

static void begin(void* data) {
    pl_mixed_pressure* m = data;
    m->rounds = 0;
    m->scales = NULL;
    pl_mixed_linear_begin(m->linear);
}

static pl_status join(void* data, const pl_join* J, pl_error* error) {
    return pl_mixed_linear_join(((pl_mixed_pressure*)data)->linear, J, error);
}

static void keep(void* data) { (void)data; }

// Multigrid chooses its levels by the stiffness at rest.
static void copy_stiffness(pl_mixed_pressure* m) {
    for (int e = 0; e < pl_block_matrix_entry_count(&m->A); e++)
        for (int i = 0; i < 9; i++)
            m->A.values[16 * (size_t)e + (size_t)(4 * (i / 3) + i % 3)] =
                m->K->values[9 * (size_t)e + (size_t)i];
}

// The solver's data is the pressures themselves, which outlive it.
pl_status pl_mixed_newton(const pl_solver_input* input, pl_newton_solver* out, pl_error* error) {
    static const pl_newton_functions functions = {.begin = begin,
                                                  .update = update,
                                                  .solve = solve,
                                                  .join = join,
                                                  .force_square = force_square,
                                                  .destroy = keep};
    pl_mixed_pressure* m = input->settings->coupling->data;
    m->K = input->A;
    *out = (pl_newton_solver){&functions, m, input->settings->linear == PL_LINEAR_DIRECT};
    copy_stiffness(m);
    const pl_mixed_matrices matrices = {
        .A = &m->A, .K = m->K, .schur = schur, .fill = fill, .user = m};
    pl_status status = pl_mixed_linear_create(&matrices, input->rest, input->settings,
                                              m->options.relaxation, m->pool, &m->linear, error);
    pl_block_mg* levels = status == PL_OK ? pl_mixed_linear_levels(m->linear) : NULL;
    if (!levels || input->settings->integrator == PL_INTEGRATOR_QUASISTATIC) return status;
    const pl_element_set* set = input->sets;
    status = pl_mixed_float_create(set, pl_mixed_tet_data(set), input->rest, &m->A, levels, m->pool,
                                   &m->fast, error);
    // otherwise pl_mixed_pressure_changed will do it
    if (status == PL_OK && m->set) pl_mixed_float_refresh(m->fast, &m->B, &m->slack_B);
    return status;
}

// ---- life and state

enum { ONES = 12 };

static void list_ones(pl_mixed_pressure* m, double** ones[ONES]) {
    double** all[ONES] = {&m->centre,     &m->p0,         &m->shift,      &m->D,
                          &m->phi,        &m->eliminated, &m->at_x,       &m->change,
                          &m->difference, &m->units,      &m->solved_rhs, &m->centre_before};
    memcpy(ones, all, sizeof all);
}

void pl_mixed_pressure_destroy(pl_mixed_pressure* m) {
    if (!m) return;
    size_t n = (size_t)m->vertex_count, pieces = (size_t)m->piece_count;
    double** ones[ONES];
    list_ones(m, ones);
    for (int k = 0; k < ONES; k++) PL_FREE(*ones[k], double, n);
    PL_FREE(m->forces, double, 3 * n);
    PL_FREE(m->matrix_x, double, 3 * n);
    PL_FREE(m->known_x, double, 3 * n);
    pl_mixed_float_destroy(m->fast);
    PL_FREE(m->rhs, double, 4 * n);
    PL_FREE(m->solution, double, 4 * n);
    PL_FREE(m->piece_volume, double, pieces);
    PL_FREE(m->piece_loss, double, pieces);
    PL_FREE(m->is_incompressible, bool, pieces);
    pl_mixed_flexible_destroy(m->flexible);
    pl_mixed_linear_destroy(m->linear);
    pl_block_matrix_free(&m->B);
    pl_block_matrix_free(&m->slack_B);
    pl_block_matrix_free(&m->A);
    PL_FREE(m, pl_mixed_pressure, 1);
}

static bool allocate(pl_mixed_pressure* m) {
    size_t n = (size_t)m->vertex_count;
    double** ones[ONES];
    bool ok = true;
    list_ones(m, ones);
    for (int k = 0; k < ONES; k++) ok = (*ones[k] = PL_ALLOC(double, n)) && ok;
    m->forces = PL_ALLOC(double, 3 * n);
    m->matrix_x = PL_ALLOC(double, 3 * n);
    m->known_x = PL_ALLOC(double, 3 * n);
    m->rhs = PL_ALLOC(double, 4 * n);
    m->solution = PL_ALLOC(double, 4 * n);
    return ok && m->forces && m->matrix_x && m->known_x && m->rhs && m->solution;
}

static pl_status setup(pl_mixed_pressure* m, const int* neighbour_offsets, const int* neighbours,
                       pl_error* error) {
    int n = m->vertex_count;
    if (!allocate(m)) return pl_fail_memory(error, "pressures");
    pl_block_matrix* ones[] = {&m->B, &m->slack_B};
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < 2; k++)
        status = pl_block_matrix_setup(ones[k], n, 1, neighbour_offsets, neighbours, error);
    if (status == PL_OK)
        status = pl_block_matrix_setup(&m->A, n, 4, neighbour_offsets, neighbours, error);
    if (status == PL_OK)
        status = pl_mixed_flexible_create(&m->slack_B, m->pool, &m->flexible, error);
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
    m->coupling =
        (pl_step_coupling){m, energies, energy, gradient, scale_next, lead, stay, follow, go_on};
    pl_status status = setup(m, neighbour_offsets, neighbours, error);
    if (status == PL_OK) return PL_OK;
    pl_mixed_pressure_destroy(m);
    *out = NULL;
    return status;
}

pl_status pl_mixed_pressure_use(pl_mixed_pressure* m, const pl_element_set* set,
                                const pl_step_pieces* pieces, pl_error* error) {
    m->set = set;
    m->pieces = pieces;
    m->piece_count = pieces->count;
    m->piece_volume = PL_ALLOC(double, pieces->count);
    m->piece_loss = PL_ALLOC(double, pieces->count);
    m->is_incompressible = PL_ALLOC(bool, pieces->count);
    bool ok = m->piece_volume && m->piece_loss && m->is_incompressible;
    return ok || pieces->count == 0 ? PL_OK : pl_fail_memory(error, "pressures");
}

const double* pl_mixed_pressure_values(const pl_mixed_pressure* m) { return m->centre; }

const pl_step_coupling* pl_mixed_coupling(const pl_mixed_pressure* m) { return &m->coupling; }

pl_status pl_mixed_pressure_changed(pl_mixed_pressure* m, const pl_mixed_options* options,
                                    pl_error* error) {
    m->options = *options;
    if (m->linear) pl_mixed_linear_set_relaxation(m->linear, options->relaxation);
    if (!m->options.in_matrix_only) memset(m->p0, 0, vertex_bytes(m));
    pl_mixed_flexibility(m->set, m->options.stabilisation, &m->B);
    m->has_slack = pl_mixed_slack(m->set, SLACK, m->vertex_count, m->D);
    size_t entries = (size_t)pl_block_matrix_entry_count(&m->B);
    memcpy(m->slack_B.values, m->B.values, entries * sizeof(double));
    for (int v = 0; v < m->vertex_count; v++) m->slack_B.values[m->B.diagonal[v]] += m->D[v];
    pl_mixed_piece_volumes(m->set, m->pieces, m->piece_volume, m->is_incompressible);
    m->is_solved = false;
    find_shift(m);
    if (m->fast) pl_mixed_float_refresh(m->fast, &m->B, &m->slack_B);
    double least, most;
    pl_mixed_flexibility_bounds(m->set, m->options.stabilisation, SLACK, &least, &most);
    return pl_mixed_flexible_update(m->flexible, least, most, error);
}

const double* pl_mixed_pressures_at(pl_mixed_pressure* m, const double* x) {
    evaluate(m, x);
    return m->eliminated;
}

double pl_mixed_worst_change(pl_mixed_pressure* m, const double* x) {
    double worst = 0.0;
    int count = m->pieces->count;
    m->is_known = false;
    pl_mixed_constraint(m->set, m->pool, x, m->phi);
    for (int k = 0; k < count; k++) m->piece_loss[k] = 0.0;
    for (int v = 0; v < m->vertex_count; v++) m->piece_loss[m->pieces->piece_of[v]] += m->phi[v];
    for (int k = 0; k < count; k++) {
        if (!(m->piece_volume[k] > 0.0)) continue;
        double change = m->piece_loss[k] / m->piece_volume[k];
        if (m->is_incompressible[k] && !(fabs(change) <= fabs(worst))) worst = change;
    }
    return worst;
}

// The centres and the state of the solver.
size_t pl_mixed_pressure_state_size(const pl_mixed_pressure* m) {
    return 2 * vertex_bytes(m) + sizeof(pl_mixed_linear_state);
}

void pl_mixed_pressure_state_save(const pl_mixed_pressure* m, void* out) {
    pl_mixed_linear_state linear = pl_mixed_linear_get_state(m->linear);
    char* to = out;
    memcpy(to, m->centre, vertex_bytes(m));
    memcpy(to + vertex_bytes(m), m->p0, vertex_bytes(m));
    memcpy(to + 2 * vertex_bytes(m), &linear, sizeof linear);
}

void pl_mixed_pressure_state_load(pl_mixed_pressure* m, const void* in) {
    pl_mixed_linear_state linear;
    const char* from = in;
    memcpy(m->centre, from, vertex_bytes(m));
    memcpy(m->p0, from + vertex_bytes(m), vertex_bytes(m));
    memcpy(&linear, from + 2 * vertex_bytes(m), sizeof linear);
    pl_mixed_linear_set_state(m->linear, &linear);
    find_shift(m);
}
