// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// x <- x - a A^-1 dPhi/dx with A the Hessian, projected to be positive semi-definite where it is
// not definite. The step length a is halved until Phi falls enough (fem_search.c).
#include "fem/fem_minimise.h"
#include "base/memory.h"
#include "base/timer.h"
#include "fem/fem_contacts.h"
#include "fem/fem_friction.h"
#include "fem/fem_search.h"
#include "sparse/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { VALUES_PER_TASK = 8192, VERTICES_PER_TASK = 2730 };
// MIN_PROJECTED_FRACTION: smallest share of the projected Hessian to blend in.
static const double MIN_PROJECTED_FRACTION = 0.25;
static const double MAX_LINEARISED_RESIDUAL = 1.0;
// Linear systems of cloth are solved to ROUGH_TOLERANCE; the last ones so far that END_PART of the
// tolerance would be left of the forces, if these were linear.
static const double ROUGH_TOLERANCE = 0.1, END_PART = 0.3;
// Systems that would have to be solved farther than this are not the last ones.
static const double MIN_END_TOLERANCE = 0.01;
// Cloth that folds may take so many times the iterations that bodies are given.
enum { FOLDING = 4 };

// what a minimisation knows from one iteration to the next
typedef struct progress {
    double projected; // part of the projected Hessian in the last matrix
    bool last;        // no iteration follows that is known of
    bool solved;      // the last linear system was solved to its tolerance
    double residual;  // before this iteration
} progress;

void pl_minimiser_free(pl_minimiser* m) {
    if (m->pieces) pl_search_free(&m->search, m->pieces->count);
    pl_linear_destroy(m->solver);
    pl_newton_multigrid_destroy(m->newton);
    pl_spring_relax_destroy(m->relax);
    pl_block_matrix_free(&m->A);
    PL_FREE(m->known_values, double, m->known_count);
    pl_quasi_newton_free(&m->quasi);
    PL_FREE(m->x, double, m->count);
    PL_FREE(m->trial, double, m->count);
    PL_FREE(m->gradient, double, m->count);
    PL_FREE(m->trial_gradient, double, m->count);
    PL_FREE(m->further, double, m->count);
    PL_FREE(m->further_gradient, double, m->count);
    PL_FREE(m->direction, double, m->count);
    PL_FREE(m->scratch, double, 2 * (size_t)m->count);
    pl_array_free(&m->contacts);
    pl_array_free(&m->found);
    PL_FREE(m->contact_mark, int, m->count / 3);
    PL_FREE(m->contact_at, int, m->count / 3);
    PL_FREE(m->friction_dual, double, m->count);
    PL_FREE(m->rest_stiffness, double, m->count / 3);
    *m = (pl_minimiser){0};
}

pl_status pl_minimiser_setup(pl_minimiser* m, const pl_fem_pieces* pieces, int block,
                             const int* neighbour_offsets, const int* neighbours, pl_error* error) {
    int vertex_count = pieces->vertex_count;
    *m = (pl_minimiser){.pieces = pieces,
                        .count = 3 * vertex_count,
                        .value = NAN,
                        .contacts = pl_array_of(sizeof(pl_contact)),
                        .found = pl_array_of(sizeof(pl_contact))};
    m->contact_mark = PL_ALLOC(int, vertex_count);
    m->x = PL_ALLOC(double, m->count);
    m->trial = PL_ALLOC(double, m->count);
    m->gradient = PL_ALLOC(double, m->count);
    m->trial_gradient = PL_ALLOC(double, m->count);
    m->further = PL_ALLOC(double, m->count);
    m->further_gradient = PL_ALLOC(double, m->count);
    m->direction = PL_ALLOC(double, m->count);
    m->scratch = PL_ALLOC(double, 2 * (size_t)m->count);
    m->contact_at = PL_ALLOC(int, vertex_count);
    m->friction_dual = PL_ALLOC(double, m->count);
    if (!m->contact_mark || !m->friction_dual || !m->contact_at || !m->x || !m->trial ||
        !m->gradient || !m->trial_gradient || !m->further || !m->further_gradient ||
        !m->direction || !m->scratch)
        return pl_fail_memory(error, "the solver of a step");
    pl_status status = pl_search_setup(&m->search, pieces->count, error);
    if (status != PL_OK) return status;
    return pl_block_matrix_setup(&m->A, vertex_count, block, neighbour_offsets, neighbours, error);
}

static size_t value_count(const pl_minimiser* m) {
    return (size_t)pl_block_matrix_entry_count(&m->A) * (size_t)(m->A.block * m->A.block);
}

// A has its values at rest.
static pl_status keep_rest_stiffness(pl_minimiser* m, pl_error* error) {
    m->rest_stiffness = PL_ALLOC(double, m->count / 3);
    if (!m->rest_stiffness && m->count) return pl_fail_memory(error, "the solver of a step");
    for (int v = 0; v < m->count / 3; v++) {
        const double* D = m->A.values + 9 * (size_t)m->A.diagonal[v];
        m->rest_stiffness[v] = (D[0] + D[4] + D[8]) / 3.0;
    }
    return PL_OK;
}

pl_status pl_minimiser_setup_linear(pl_minimiser* m, const double* rest, const pl_element_set* sets,
                                    int set_count, const pl_fem_settings* settings, pl_pool* pool,
                                    pl_error* error) {
    bool is_multigrid =
        settings->linear == PL_LINEAR_MULTIGRID || settings->linear == PL_LINEAR_MGPCG;
    // the multigrid of Projective Dynamics comes with the step that uses it (fem_projective_fast.h)
    if (m->A.block == 1 && is_multigrid) return PL_OK;
    if (settings->integrator == PL_INTEGRATOR_QUASISTATIC && m->A.block == 3) {
        pl_status status = keep_rest_stiffness(m, error);
        if (status != PL_OK) return status;
    }
    // a fixed number of iterations is what it was in the paper
    if (settings->nonlinear == PL_NONLINEAR_NEWTON && settings->line_search &&
        !settings->all_iterations) {
        pl_status status = pl_spring_relax_create(&m->A, sets, set_count, &m->relax, error);
        if (status != PL_OK) return status;
    }
    if (settings->coupling) return PL_OK; // which solves
    if (is_multigrid) {
        pl_status status = pl_newton_multigrid_create(&m->A, rest, sets, set_count, settings, pool,
                                                      &m->newton, error);
        PL_FREE(m->A.values, double, value_count(m));
        m->A.values = NULL;
        return status;
    }
    if (m->A.block == 1) {
        m->known_count = (size_t)pl_block_matrix_entry_count(&m->A);
        m->known_values = PL_ALLOC(double, m->known_count);
        if (!m->known_values) return pl_fail_memory(error, "the matrix of a step");
        pl_status status = pl_quasi_newton_setup(&m->quasi, m->count / 3, pool, error);
        if (status != PL_OK) return status;
    }
    return pl_linear_setup(settings->linear, &m->A, m->A.block == 1 ? 3 : 1, pool, &m->solver,
                           error);
}

static double noise_part(int begin, int end, void* user) {
    const pl_minimiser* m = user;
    double sum = 0.0;
    for (int i = begin; i < end; i++) {
        double stiffness = m->A.values[9 * (size_t)m->A.diagonal[i / 3] + 4 * (size_t)(i % 3)];
        sum += stiffness * stiffness * m->x[i] * m->x[i];
    }
    return sum;
}

static double vertex_noise_part(int begin, int end, void* user) {
    const pl_minimiser* m = user;
    if (m->newton) return pl_newton_multigrid_force_square(m->newton, begin, end, m->x);
    return noise_part(3 * begin, 3 * end, user);
}

static double rest_noise_part(int begin, int end, void* user) {
    const pl_minimiser* m = user;
    double sum = 0.0;
    for (int v = begin; v < end; v++) {
        pl_vec3 force = pl_scale(m->rest_stiffness[v], pl_vec3_load(m->x + 3 * (size_t)v));
        sum += pl_dot(force, force);
    }
    return sum;
}

// Where a body is stretched beyond measure, forces are all round-off. That excuses nothing: no more
// is allowed than this many times what would be round-off at rest.
static void limit_force_noise(pl_minimiser* m, pl_pool* pool) {
    const double most = 100.0;
    double* squares = m->search.tried;
    if (!m->rest_stiffness || m->rest_stale) return;
    pl_pieces_sum(m->pieces, NULL, pool, rest_noise_part, 0, m, squares);
    for (int k = 0; k < m->pieces->count; k++)
        m->search.piece[k].noise =
            fmin(m->search.piece[k].noise, most * 4.0 * DBL_EPSILON * sqrt(squares[k]));
}

// What round-off leaves of the forces of each piece: differences of positions times the stiffness
// at hand.
static void find_force_noise(pl_minimiser* m, pl_pool* pool) {
    double* squares = m->search.tried;
    if (m->pieces->count > 1)
        pl_pieces_sum(m->pieces, NULL, pool, vertex_noise_part, 0, m, squares);
    else if (m->newton) squares[0] = pl_newton_multigrid_force_square(m->newton, 0, -1, m->x);
    else squares[0] = pl_parallel_sum(pool, noise_part, m->count, VALUES_PER_TASK, m);
    for (int k = 0; k < m->pieces->count; k++)
        m->search.piece[k].noise = 4.0 * DBL_EPSILON * sqrt(squares[k]);
    limit_force_noise(m, pool);
}

// The matrix of Projective Dynamics seldom changes, and factoring it costs as much as many solves:
// what was prepared for the same values still holds.
pl_status pl_minimiser_update_solver(pl_minimiser* m, pl_method_info* info, pl_error* error) {
    size_t size = m->known_count * sizeof(double);
    if (m->is_known && memcmp(m->known_values, m->A.values, size) == 0) return PL_OK;
    m->is_known = false;
    info->linear_updates++;
    pl_status status = pl_linear_update(m->solver, error);
    if (status != PL_OK || !m->known_values) return status;
    memcpy(m->known_values, m->A.values, size);
    m->is_known = true;
    return PL_OK;
}

// The Hessian, and what the linear solver makes of it. Multigrid takes it in float, where that is
// enough.
static pl_status prepare_newton(pl_minimiser* m, const pl_fem_objective* f,
                                const pl_fem_settings* settings, double projected,
                                pl_method_info* info, pl_error* error) {
    double start = pl_seconds();
    bool in_float = settings->nonlinear != PL_NONLINEAR_LINEARISED &&
                    pl_newton_multigrid_assemble(m->newton, f, m->x, projected);
    if (!in_float && !m->A.values) m->A.values = PL_ALLOC(double, value_count(m));
    if (!in_float && !m->A.values) return pl_fail_memory(error, "the matrix of a step");
    if (!in_float) pl_fem_hessian(f, m->x, projected, &m->A);
    double assembled = pl_seconds();
    info->assembly_seconds += assembled - start;
    info->linear_updates++;
    pl_newton_multigrid_update(m->newton, in_float ? NULL : &m->A);
    info->linear_seconds += pl_seconds() - assembled;
    return PL_OK;
}

static pl_status prepare_matrix(pl_minimiser* m, const pl_fem_objective* f,
                                const pl_fem_settings* settings, double projected,
                                pl_method_info* info, pl_error* error) {
    if (m->newton) return prepare_newton(m, f, settings, projected, info, error);
    double start = pl_seconds();
    pl_fem_hessian(f, m->x, projected, &m->A);
    double assembled = pl_seconds();
    info->assembly_seconds += assembled - start;
    if (f->coupling) info->linear_updates++;
    pl_status status = f->coupling ? f->coupling->update(f->coupling->data, f, m->x, &m->A, error)
                                   : pl_minimiser_update_solver(m, info, error);
    info->linear_seconds += pl_seconds() - assembled;
    return status;
}

// Gradients of pieces may differ by many orders. Scaled to the length 1, all pieces are solved to
// the same part of their own gradient; those at their minimum do not move. A single piece is not
// scaled.
static double scale_of(const pl_minimiser* m, int piece) {
    if (m->pieces->count == 1) return 1.0;
    double norm = m->search.norms[piece];
    return m->search.open[piece] && norm > 0.0 ? 1.0 / norm : 0.0;
}

// trial = -scale gradient
static void opposite_task(int begin, int end, int worker, void* user) {
    const pl_minimiser* m = user;
    (void)worker;
    for (int v = begin; v < end; v++) {
        double scale = scale_of(m, m->pieces->piece_of[v]);
        for (int i = 3 * v; i < 3 * v + 3; i++) {
            m->trial[i] = -scale * m->gradient[i];
            m->direction[i] = 0.0;
        }
    }
}

// direction /= scale
static void unscale_task(int begin, int end, int worker, void* user) {
    const pl_minimiser* m = user;
    (void)worker;
    for (int v = begin; v < end; v++) {
        double scale = scale_of(m, m->pieces->piece_of[v]);
        for (int i = 3 * v; i < 3 * v + 3; i++)
            m->direction[i] = scale > 0.0 ? m->direction[i] / scale : 0.0;
    }
}

// While forces fall slowly, as where cloth folds, an exact direction is no better than a rough one.
// Near the end it need be no better than what the tolerance asks for (inexact Newton).
static double linear_tolerance(const pl_minimiser* m, const pl_fem_settings* settings,
                               const progress* s) {
    if (!m->relax) return settings->linear_tolerance;
    double enough = END_PART * settings->tolerance / s->residual;
    if (!(enough > MIN_END_TOLERANCE)) enough = ROUGH_TOLERANCE;
    return fmax(settings->linear_tolerance, fmin(enough, ROUGH_TOLERANCE));
}

// direction = -A^-1 gradient
static pl_status solve_direction(pl_minimiser* m, const pl_fem_objective* f,
                                 const pl_fem_settings* settings, double projected,
                                 const progress* s, pl_linear_info* linear, pl_method_info* info,
                                 pl_error* error) {
    pl_status status = prepare_matrix(m, f, settings, projected, info, error);
    if (status != PL_OK) return status;
    double start = pl_seconds();
    pl_linear_options options = {linear_tolerance(m, settings, s), settings->linear_max_iterations};
    pl_parallel_for(f->pool, opposite_task, m->count / 3, VERTICES_PER_TASK, m);
    if (f->coupling)
        f->coupling->solve(f->coupling->data, &options, m->trial, m->direction, linear);
    else if (m->newton)
        pl_newton_multigrid_solve(m->newton, &options, !s->last, m->trial, m->direction, linear);
    else pl_linear_solve(m->solver, &options, m->trial, m->direction, linear);
    if (m->pieces->count > 1)
        pl_parallel_for(f->pool, unscale_task, m->count / 3, VERTICES_PER_TASK, m);
    // what rounding leaves in held directions
    pl_holds_project(f->holds, f->hold_count, m->direction);
    if (f->free_bodies)
        pl_free_bodies_keep_place(f->free_bodies, f->mass, f->force, m->x, m->direction);
    for (int k = 0; k < linear->history_count; k++)
        pl_trace_add(&info->trace, info->residual * (double)linear->history[k]);
    info->linear_iterations += linear->iterations;
    info->linear_residual = linear->residual;
    info->switch_count += linear->switched;
    info->rigid_mode_count = linear->tiny_pivot_count;
    info->linear_seconds += pl_seconds() - start;
    return PL_OK;
}

static void swap_direction(pl_minimiser* m) {
    double* direction = m->direction;
    m->direction = m->trial;
    m->trial = direction;
}

// A straight step along a stiff constraint leaves it in second order, and a line search would cut
// the step for that (the Maratos effect).
static void bend_direction(pl_minimiser* m, const pl_fem_objective* f,
                           const pl_fem_settings* settings) {
    bool may_bend = settings->line_search && settings->nonlinear != PL_NONLINEAR_LINEARISED;
    double* bent = may_bend ? m->trial : NULL;
    if (!f->coupling->bend(f->coupling->data, f, m->x, m->direction, bent)) return;
    swap_direction(m);
    if (pl_search_descends(m, f)) return;
    swap_direction(m);
    pl_search_descends(m, f);
}

// Projecting every element makes the matrix definite, and stiffer than it is: slender bodies in
// bending then take many iterations, and cloth hardly leaves the saddle that it buckles from. So
// the Hessian is taken as it is where the solver sees that it is definite (Longva 2023, section 4),
// else mixed with the projected one, with as little of it as it takes.
static pl_status find_direction(pl_minimiser* m, const pl_fem_objective* f,
                                const pl_fem_settings* settings, progress* s, pl_method_info* info,
                                pl_error* error) {
    pl_linear_info linear;
    bool tells = pl_linear_sees_indefinite(settings->linear);
    double part = !tells ? 1.0 : s->projected <= MIN_PROJECTED_FRACTION ? 0.0 : 0.5 * s->projected;
    if (f->pressure) f->pressure->without_stiffness = false;
    for (;;) {
        pl_status status = solve_direction(m, f, settings, part, s, &linear, info, error);
        if (status != PL_OK) return status;
        bool descends = pl_search_descends(m, f);
        if (descends && !linear.indefinite) break;
        // the stiffness of a pressure is never definite, and has no projected form
        bool drops_pressure = part >= 1.0 && f->pressure && !f->pressure->without_stiffness;
        if (part >= 1.0 && !drops_pressure) break;
        if (drops_pressure) f->pressure->without_stiffness = true;
        else part = part > 0.0 ? fmin(2.0 * part, 1.0) : MIN_PROJECTED_FRACTION;
    }
    s->projected = part;
    s->solved = linear.converged;
    if (f->coupling) bend_direction(m, f, settings);
    return PL_OK;
}

// A linearised step is one solve; what is left of the forces is not expected to vanish. It counts
// as done if its system was solved and the forces left are not above those that it started with.
static bool is_linearised_done(const progress* s, const pl_method_info* info) {
    return s->solved && info->residual <= MAX_LINEARISED_RESIDUAL;
}

// Laws with a barrier (Neo-Hookean) have an infinite energy and no forces where an element is
// inverted: that is no minimum, however small the forces are.
static pl_status check_energy(pl_minimiser* m, const pl_fem_objective* f, pl_method_info* info,
                              pl_error* error) {
    return pl_search_is_finite(m, f) ? PL_OK : pl_fail_inverted(info, error);
}

pl_status pl_fail_inverted(pl_method_info* info, pl_error* error) {
    info->converged = false;
    return pl_fail(error, PL_ERROR_DIVERGED,
                   "the elastic energy is not finite: elements are inverted, and their law has no "
                   "forces there; move attachments more slowly, make the time step smaller, or use "
                   "the law stable_neohookean");
}

typedef struct flight_job {
    pl_minimiser* m;
    const pl_fem_objective* f;
} flight_job;

// direction = y - x, trial = y
static void flight_task(int begin, int end, int worker, void* user) {
    const flight_job* job = user;
    pl_minimiser* m = job->m;
    (void)worker;
    for (int v = begin; v < end; v++)
        for (int i = 3 * v; i < 3 * v + 3; i++) {
            m->direction[i] = job->f->fixed[v] ? 0.0 : job->f->y[i] - m->x[i];
            m->trial[i] = m->x[i] + m->direction[i];
        }
}

// Cloth that flies goes to where inertia takes it, and relaxes there, among the contacts of that
// place. That costs no linear system, and is as good as the first step of Newton's method, which
// knows none of those contacts.
static pl_status fly(pl_minimiser* m, pl_fem_objective* f, pl_detect detect, void* detect_user,
                     int round, pl_error* error) {
    flight_job job = {m, f};
    pl_parallel_for(f->pool, flight_task, m->count / 3, VERTICES_PER_TASK, &job);
    pl_holds_project(f->holds, f->hold_count, m->direction);
    double* x = m->x;
    m->x = m->trial;
    pl_status status = pl_fem_contacts_find(m, f, detect, detect_user, round, error);
    m->x = x;
    if (status == PL_OK) status = pl_spring_relax_contacts(m->relax, f, error);
    if (status != PL_OK) return status;
    if (!m->gradient_known || f->contact_count > 0)
        pl_fem_gradient(f, m->x, m->gradient, m->scratch);
    if (pl_search_descends(m, f)) pl_search_line(m, f);
    return PL_OK;
}

pl_status pl_minimise(pl_minimiser* m, pl_fem_objective* f, const pl_fem_settings* settings,
                      pl_detect detect, void* detect_user, pl_method_info* info, pl_error* error) {
    bool linearised = settings->nonlinear == PL_NONLINEAR_LINEARISED;
    int max_iterations = linearised ? 1 : settings->max_iterations * (m->relax ? FOLDING : 1);
    bool may_fly = m->relax && f->inertia > 0.0;
    progress s = {0};
    info->stalled = false;
    f->round_contacts = true;
    pl_search_begin(m, f);
    if (m->newton) pl_newton_multigrid_begin(m->newton);
    if (f->coupling) f->coupling->begin(f->coupling->data);
    memset(m->contact_mark, 0, (size_t)f->vertex_count * sizeof(int));
    m->contacts.count = m->found.count = 0;
    if (m->relax) pl_spring_relax_begin(m->relax, f);
    for (int k = 0, round = 0;; round++) {
        pl_status status = pl_fem_contacts_find(m, f, detect, detect_user, round, error);
        if (status == PL_OK && m->relax) status = pl_spring_relax_contacts(m->relax, f, error);
        if (status != PL_OK) return status;
        if (!m->gradient_known || f->contact_count > 0)
            pl_fem_gradient(f, m->x, m->gradient, m->scratch);
        bool any_open = pl_friction_judge(m, f, settings, round == 0, info);
        if (!isfinite(info->residual))
            return pl_fail(error, PL_ERROR_DIVERGED,
                           "iteration %d of the step has forces that are not finite", k);
        if (k >= max_iterations) break;
        if (!any_open && !(f->coupling && f->coupling->go_on(f->coupling->data, f, m->x))) break;
        if (!any_open) {
            pl_search_forget(m);
            continue;
        }
        if (round == 0 && may_fly) {
            status = fly(m, f, detect, detect_user, ++round, error);
            if (status != PL_OK) return status;
            continue;
        }
        s.residual = info->residual;
        s.last = !settings->all_iterations || k + 1 >= max_iterations;
        status = find_direction(m, f, settings, &s, info, error);
        if (status != PL_OK) return status;
        if (k == 0 || !(f->inertia > 0.0)) find_force_noise(m, f->pool);
        info->iterations++;
        k++;
        if (!settings->line_search || linearised) pl_search_full_step(m, f);
        else if (!pl_search_line(m, f)) {
            info->stalled = true;
            break;
        }
    }
    info->contact_count = (int)m->found.count;
    if (linearised && info->iterations > 0) info->converged = is_linearised_done(&s, info);
    return check_energy(m, f, info, error);
}
