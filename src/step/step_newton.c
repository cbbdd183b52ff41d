// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// x <- x - a A^-1 dPhi/dx with A the Hessian, projected to be positive semi-definite where it is
// not definite. The step length a is halved until Phi falls enough (step_search.c).
#include "step/step_newton.h"
#include "base/memory.h"
#include "base/timer.h"
#include "base/tuned.h"
#include "sparse/vector.h"
#include "step/step_assembled.h"
#include "step/step_contacts.h"
#include "step/step_friction.h"
#include "step/step_search.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { VERTICES_PER_TASK = 2730 };
static const double MAX_LINEARISED_RESIDUAL = 1.0, NEAR_RESIDUAL = 0.1;
// least_projected is multiplied by this after each linear system that was solved. With 1 a falling
// cloth that folds takes 535 iterations, with 0.8 it takes 452.
static const double EASING = 0.8;

// data that one iteration of a minimisation passes to the next
typedef struct progress {
    double projected;       // share of the projected Hessian in the last matrix
    double least_projected; // share below which linear systems were not solved
    double unseen;          // share to try if a solver cannot tell how much is needed
    bool last;              // no further iteration is planned
    bool solved;            // the last linear system was solved to its tolerance
    bool must_iterate;      // even if forces are below the tolerance
    bool has_changed;       // Phi was at a minimum and then became another function
    double residual;        // before this iteration
    int iteration;
} progress;

void pl_minimiser_free(pl_minimiser* m) {
    pl_search_free(&m->search);
    pl_low_rank_free(&m->low_rank);
    if (m->newton.data) m->newton.functions->destroy(m->newton.data);
    if (m->relax.data) m->relax.functions->destroy(m->relax.data);
    pl_block_matrix_free(&m->A);
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
    PL_FREE(m->bounds, pl_vertex_bound, m->count / 3);
    PL_FREE(m->contact_mark, int, m->count / 3);
    PL_FREE(m->contact_at, int, m->count / 3);
    PL_FREE(m->contact_losses, int, m->count / 3);
    PL_FREE(m->friction_dual, double, m->count);
    PL_FREE(m->rest_stiffness, double, m->count / 3);
    *m = (pl_minimiser){0};
}

pl_status pl_minimiser_setup(pl_minimiser* m, const pl_step_pieces* pieces, int block,
                             const int* neighbour_offsets, const int* neighbours, pl_error* error) {
    int vertex_count = pieces->vertex_count;
    *m = (pl_minimiser){.pieces = pieces,
                        .apart = pieces,
                        .count = 3 * vertex_count,
                        .value = NAN,
                        .low_rank = pl_low_rank_setup(),
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
    m->contact_losses = PL_ALLOC(int, vertex_count);
    m->friction_dual = PL_ALLOC(double, m->count);
    if (!m->contact_mark || !m->friction_dual || !m->contact_at || !m->contact_losses || !m->x ||
        !m->trial || !m->gradient || !m->trial_gradient || !m->further || !m->further_gradient ||
        !m->direction || !m->scratch)
        return pl_fail_memory(error, "the solver of a step");
    pl_status status = pl_search_setup(&m->search, pieces->count, error);
    if (status != PL_OK) return status;
    return pl_block_matrix_setup(&m->A, vertex_count, block, neighbour_offsets, neighbours, error);
}

// A must have its values at rest.
static pl_status keep_rest_stiffness(pl_minimiser* m, pl_error* error) {
    m->rest_stiffness = PL_ALLOC(double, m->count / 3);
    if (!m->rest_stiffness && m->count) return pl_fail_memory(error, "the solver of a step");
    for (int v = 0; v < m->count / 3; v++) {
        const double* D = m->A.values + 9 * (size_t)m->A.diagonal[v];
        m->rest_stiffness[v] = (D[0] + D[4] + D[8]) / 3.0;
    }
    return PL_OK;
}

// A fixed number of iterations does what the paper does, without relaxation.
bool pl_minimiser_may_relax(const pl_step_settings* settings) {
    return settings->nonlinear != PL_NONLINEAR_LINEARISED && settings->line_search &&
           !settings->all_iterations;
}

pl_status pl_minimiser_setup_relax(pl_minimiser* m, const pl_solver_input* input,
                                   const pl_step_solvers* solvers, pl_error* error) {
    if (!solvers || !solvers->relax || !pl_minimiser_may_relax(input->settings)) return PL_OK;
    pl_status status = solvers->relax(input, &m->relax, error);
    if (status != PL_OK || !m->relax.data) return status;
    m->bounds = PL_ALLOC(pl_vertex_bound, m->count / 3);
    return m->bounds ? PL_OK : pl_fail_memory(error, "the solver of a step");
}

pl_status pl_minimiser_setup_linear(pl_minimiser* m, const pl_solver_input* input,
                                    const pl_step_solvers* solvers, pl_error* error) {
    const pl_step_settings* settings = input->settings;
    pl_status status = PL_OK;
    if (settings->integrator == PL_INTEGRATOR_QUASISTATIC) status = keep_rest_stiffness(m, error);
    if (status == PL_OK) status = pl_minimiser_setup_relax(m, input, solvers, error);
    if (status == PL_OK && solvers && solvers->newton)
        status = solvers->newton(input, &m->newton, error);
    if (status == PL_OK && !m->newton.data) status = pl_assembled_newton(input, &m->newton, error);
    return status;
}

static double noise_part(int begin, int end, void* user) {
    const pl_minimiser* m = user;
    return m->newton.functions->force_square(m->newton.data, begin, end, m->x);
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

// In extremely stretched bodies forces are only round-off. That must not count as converged: at
// most this multiple of the round-off at rest is accepted.
static void limit_force_noise(pl_minimiser* m, pl_pool* pool) {
    const double most = 100.0;
    double* squares = m->search.tried;
    if (!m->rest_stiffness || m->rest_stale) return;
    pl_pieces_sum(m->pieces, NULL, pool, rest_noise_part, 0, m, squares);
    for (int k = 0; k < m->pieces->count; k++)
        m->search.piece[k].noise =
            fmin(m->search.piece[k].noise, most * 4.0 * DBL_EPSILON * sqrt(squares[k]));
}

// The round-off in the forces of each piece: round-off of differences of positions, times the
// stiffness.
static void find_force_noise(pl_minimiser* m, pl_pool* pool) {
    double* squares = m->search.tried;
    if (m->pieces->count > 1) pl_pieces_sum(m->pieces, NULL, pool, noise_part, 0, m, squares);
    else squares[0] = noise_part(0, -1, m);
    for (int k = 0; k < m->pieces->count; k++)
        m->search.piece[k].noise = 4.0 * DBL_EPSILON * sqrt(squares[k]);
    limit_force_noise(m, pool);
}

// Gradients of pieces may differ by many orders of magnitude. Scaled to length 1, all pieces are
// solved to the same fraction of their own gradient; those at their minimum do not move. A single
// piece is not scaled.
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

// While forces decrease slowly, for example where cloth folds or bodies touch, an exact direction
// is no better than a rough one. Near the end it need only be as accurate as the tolerance (inexact
// Newton).
static double linear_tolerance(const pl_minimiser* m, const pl_step_objective* f,
                               const pl_step_settings* settings, const progress* s) {
    if (!m->relax.data) {
        bool is_rough = pl_step_joins(f) && !f->coupling;
        return is_rough ? fmax(settings->linear_tolerance, pl_tuned.contact_tolerance)
                        : settings->linear_tolerance;
    }
    double enough = pl_tuned.end_part * settings->tolerance / s->residual;
    if (!(enough > pl_tuned.min_end_tolerance)) enough = pl_tuned.rough_tolerance;
    return fmax(settings->linear_tolerance, fmin(enough, pl_tuned.rough_tolerance));
}

static int linear_iterations(const pl_minimiser* m, const pl_step_objective* f,
                             const pl_step_settings* settings, const progress* s) {
    bool is_multigrid =
        settings->linear == PL_LINEAR_MULTIGRID || settings->linear == PL_LINEAR_MGPCG;
    bool is_rough = m->relax.data && is_multigrid && s->iteration < settings->max_iterations;
    // where the matrix predicted the last step well, a better direction is worth its cost
    bool is_smooth =
        s->iteration > 0 && !m->search.has_relaxed && s->residual < pl_tuned.far_residual;
    int enough = is_smooth ? pl_tuned.smooth_iterations : pl_tuned.rough_iterations;
    int most = settings->linear_max_iterations;
    if (is_multigrid && m->relax.data && pl_step_joins(f) && most > pl_tuned.contact_iterations)
        most = pl_tuned.contact_iterations;
    return is_rough && most > enough ? enough : most;
}

// direction = -A^-1 gradient
static pl_status solve_direction(pl_minimiser* m, const pl_step_objective* f,
                                 const pl_step_settings* settings, double projected,
                                 const progress* s, pl_linear_info* linear, pl_method_info* info,
                                 pl_error* error) {
    const pl_newton_functions* newton = m->newton.functions;
    pl_status status = newton->update(m->newton.data, f, m->x, projected, info, error);
    if (status != PL_OK) return status;
    double start = pl_seconds();
    pl_linear_options options = {.tolerance = linear_tolerance(m, f, settings, s),
                                 .max_iterations = linear_iterations(m, f, settings, s),
                                 .deadline = m->deadline};
    pl_parallel_for(f->pool, opposite_task, m->count / 3, VERTICES_PER_TASK, m);
    if (f->coupling) {
        // the coupling counts the pieces of the system, even while some are joined
        for (int k = 0; k < m->search.piece_count; k++)
            m->search.tried[k] = scale_of(m, pl_search_piece_in_use(m, k));
        f->coupling->scale_next(f->coupling->data, m->search.tried);
    }
    status = pl_low_rank_solve(&m->low_rank, &m->newton, f, m->x, &options, !s->last, m->trial,
                               m->direction, linear, error);
    if (status != PL_OK) return status;
    if (pl_linear_is_cut(&options, linear)) info->is_cut = true;
    if (m->pieces->count > 1)
        pl_parallel_for(f->pool, unscale_task, m->count / 3, VERTICES_PER_TASK, m);
    // removes round-off in held directions
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

// Updates the unknowns of a coupling with the direction. After their elimination the energy may be
// concave where it was convex before: returns false if the direction does not descend in it.
// is_taken: the direction is accepted in any case.
static bool lead_coupling(pl_minimiser* m, const pl_step_objective* f, bool is_taken) {
    if (!f->coupling || !f->coupling->lead(f->coupling->data)) return true;
    pl_search_forget(m);
    if (is_taken) return true;
    pl_search_gradient(m, f);
    return pl_search_descends(m, f);
}

static void leave_coupling(pl_minimiser* m, const pl_step_objective* f) {
    f->coupling->stay(f->coupling->data);
    pl_search_forget(m);
    pl_search_gradient(m, f);
}

// Steps without a convergence test do not ask the coupling whether to continue.
static void follow_coupling(pl_minimiser* m, const pl_step_objective* f,
                            const pl_step_settings* settings) {
    bool is_judged = settings->nonlinear != PL_NONLINEAR_LINEARISED && !settings->all_iterations;
    if (f->coupling && !is_judged && f->coupling->follow(f->coupling->data, m->x))
        pl_search_forget(m);
}

static bool has_indefinite(const pl_step_objective* f) {
    for (int k = 0; k < f->term_count; k++)
        if (f->terms[k]->is_indefinite) return true;
    return false;
}

// The solver of a coupling may not see whether the Hessian is definite. Near a minimum inertia
// usually makes it definite. If a direction does not descend, the Hessian was indefinite, and the
// rest of the step uses a larger share of the projected Hessian.
static bool may_try_unseen(const pl_step_objective* f, const pl_step_settings* settings,
                           const progress* s) {
    return f->coupling && f->inertia > 0.0 && s->residual < NEAR_RESIDUAL &&
           pl_minimiser_may_relax(settings) && s->unseen < 1.0;
}

// Compressed cloth has springs that push, and its Hessian is nearly indefinite: conjugate gradients
// then hardly reduce the residual. That costs more than a matrix that is too stiff.
static void take_solve(const pl_minimiser* m, const pl_step_objective* f,
                       const pl_linear_info* linear, double part, progress* s) {
    s->projected = part;
    s->solved = linear->converged;
    if (linear->converged) s->least_projected *= EASING;
    if (!m->relax.data || !pl_step_joins(f) || linear->converged) return;
    if (linear->residual > pl_tuned.unsolved_residual)
        s->least_projected = part > 0.0 ? fmin(2.0 * part, 1.0) : pl_tuned.min_projected_fraction;
}

// Projecting every element makes the matrix definite but too stiff: slender bodies in bending then
// take many iterations, and cloth hardly leaves the saddle from which it buckles. So the exact
// Hessian is used if the solver sees that it is definite (Longva 2023, section 4); otherwise it is
// blended with the projected one, with as small a share of that as possible.
static pl_status find_direction(pl_minimiser* m, pl_step_objective* f,
                                const pl_step_settings* settings, progress* s, pl_method_info* info,
                                pl_error* error) {
    pl_linear_info linear;
    bool tells = m->newton.sees_indefinite;
    bool tries = may_try_unseen(f, settings, s) && !tells;
    bool keeps = m->relax.data && s->residual > pl_tuned.far_residual;
    double part = s->projected <= pl_tuned.min_projected_fraction ? 0.0 : 0.5 * s->projected;
    if (!tells) part = tries ? s->unseen : 1.0;
    else if (keeps) part = s->projected;
    part = fmax(part, s->least_projected);
    f->leaves_indefinite_out = false;
    for (;;) {
        pl_status status = solve_direction(m, f, settings, part, s, &linear, info, error);
        if (status != PL_OK) return status;
        // without an energy there is no descent to check
        bool descends = pl_search_descends(m, f) || !pl_step_has_energy(f);
        // a single step of full length, and there is no other matrix for a direction
        const bool is_taken =
            settings->nonlinear == PL_NONLINEAR_LINEARISED && part >= 1.0 && !has_indefinite(f);
        const bool is_led =
            descends && !linear.indefinite && (linear.converged || part >= 1.0 || tells);
        if (is_led && lead_coupling(m, f, is_taken)) break;
        // parts without a projected form, such as the stiffness of a pressure
        bool leaves_out = part >= 1.0 && has_indefinite(f) && !f->leaves_indefinite_out;
        if (part >= 1.0 && !leaves_out) {
            if (!is_led) lead_coupling(m, f, is_taken);
            break;
        }
        if (is_led) leave_coupling(m, f);
        if (leaves_out) f->leaves_indefinite_out = true;
        else part = part > 0.0 ? fmin(2.0 * part, 1.0) : pl_tuned.min_projected_fraction;
        if (tries) s->unseen = part;
    }
    take_solve(m, f, &linear, part, s);
    return PL_OK;
}

// A linearised step is one solve, after which forces need not vanish. It has converged if its
// system was solved and the forces are not larger than at its start.
static bool is_linearised_done(const progress* s, const pl_method_info* info) {
    return s->solved && info->residual <= MAX_LINEARISED_RESIDUAL;
}

// Laws with a barrier (Neo-Hookean) have an infinite energy and no forces where an element is
// inverted: that is not a minimum, however small the forces are.
static pl_status check_energy(pl_minimiser* m, const pl_step_objective* f, pl_method_info* info,
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

// Passes the contacts that were found to the relaxation of springs.
static pl_status relax_contacts(pl_minimiser* m, const pl_step_objective* f, pl_error* error) {
    return m->relax.data ? m->relax.functions->contacts(m->relax.data, f, error) : PL_OK;
}

static pl_status find_contacts(pl_minimiser* m, pl_step_objective* f, pl_detect detect,
                               void* detect_user, int round, pl_error* error) {
    pl_status status = pl_step_check_terms(f, error);
    if (status == PL_OK) status = pl_step_contacts_find(m, f, detect, detect_user, round, error);
    return status == PL_OK ? relax_contacts(m, f, error) : status;
}

typedef struct flight_job {
    pl_minimiser* m;
    const pl_step_objective* f;
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

// Flying cloth first moves to its inertial prediction and relaxes there, with the contacts found
// there. That needs no linear solve, and is as good as the first Newton step, which lacks those
// contacts.
static pl_status fly(pl_minimiser* m, pl_step_objective* f, pl_detect detect, void* detect_user,
                     int round, pl_error* error) {
    flight_job job = {m, f};
    pl_parallel_for(f->pool, flight_task, m->count / 3, VERTICES_PER_TASK, &job);
    pl_holds_project(f->holds, f->hold_count, m->direction);
    double* x = m->x;
    m->x = m->trial;
    pl_status status = pl_step_contacts_find(m, f, detect, detect_user, round, error);
    m->x = x;
    if (status == PL_OK) status = relax_contacts(m, f, error);
    if (status != PL_OK) return status;
    pl_search_gradient(m, f);
    if (pl_search_descends(m, f)) pl_search_line(m, f);
    return PL_OK;
}

// Joins pieces that have come near each other into one function. True if some were joined now.
static bool join_pieces(pl_minimiser* m, const pl_step_objective* f) {
    if (!pl_search_join(m, f)) return false;
    pl_search_begin(m, f);
    pl_search_forget(m);
    return true;
}

// Called at a minimum: true if Phi has become another function.
static bool goes_on(const pl_minimiser* m, const pl_step_objective* f, progress* s) {
    bool by_coupling = f->coupling && f->coupling->go_on(f->coupling->data, m->x, &s->must_iterate);
    bool by_terms = pl_step_go_on(f, m->x, 0.0);
    return by_coupling || by_terms;
}

// The same near a minimum, for a function that is about to change.
static bool changes_early(const pl_minimiser* m, const pl_step_objective* f) {
    return pl_step_joins(f) && !f->coupling &&
           pl_step_go_on(f, m->x, pl_vector_norm(f->pool, m->count, m->gradient));
}

static void begin(pl_minimiser* m, pl_step_objective* f) {
    f->round_contacts = true;
    pl_search_begin(m, f);
    if (m->newton.functions->begin) m->newton.functions->begin(m->newton.data);
    memset(m->contact_mark, 0, (size_t)f->vertex_count * sizeof(int));
    m->contacts.count = m->found.count = 0;
    if (m->relax.data) m->relax.functions->begin(m->relax.data, f);
}

// In some steps, cloth that folds and bodies that may touch something take more iterations: a ring
// that lands takes 21 where the steps around it take 5 to 15. If they have reached a minimum of one
// function, they will also reach that of the next, after friction limits or the centres of
// pressures were updated (two soft bodies that strike each other take 130 to 150).
static int most_iterations(const pl_minimiser* m, const pl_step_objective* f, pl_detect detect,
                           const pl_step_settings* settings, const progress* s) {
    if (settings->nonlinear == PL_NONLINEAR_LINEARISED) return 1;
    bool may_touch = (pl_step_joins(f) || detect) && !settings->all_iterations;
    int most =
        settings->max_iterations * (m->relax.data || may_touch ? pl_tuned.folding_factor : 1);
    return may_touch && s->has_changed ? 2 * most : most;
}

// True if there is no time for an iteration like the last one, which began at `before`. Bodies that
// were stopped on their path would lose the rest of it, so they continue.
static bool ends_early(const pl_minimiser* m, double before, pl_method_info* info) {
    if (m->search.is_stopped || pl_deadline_has_room(m->deadline, before)) return false;
    info->is_cut = true;
    return true;
}

// The line search has found no smaller value. Pieces whose forces are only round-off are at their
// minimum: how large round-off is was not known before the first direction.
static void judge_again(pl_minimiser* m, const pl_step_objective* f,
                        const pl_step_settings* settings, pl_method_info* info) {
    pl_search_gradient(m, f);
    pl_friction_judge(m, f, settings, false, info);
}

pl_status pl_minimise(pl_minimiser* m, pl_step_objective* f, const pl_step_settings* settings,
                      pl_detect detect, void* detect_user, pl_method_info* info, pl_error* error) {
    bool linearised = settings->nonlinear == PL_NONLINEAR_LINEARISED;
    bool searches = settings->line_search && !linearised && pl_step_has_energy(f);
    bool may_fly = m->relax.data && f->inertia > 0.0 && searches;
    progress s = {0};
    double began = 0.0;
    info->stalled = false;
    begin(m, f);
    for (int k = 0, round = 0;; round++) {
        double before = began;
        began = pl_deadline_now(m->deadline);
        pl_status status = find_contacts(m, f, detect, detect_user, round, error);
        if (status != PL_OK) return status;
        bool begins = join_pieces(m, f) || round == 0 || s.must_iterate;
        s.must_iterate = false;
        int limit = most_iterations(m, f, detect, settings, &s);
        if (k < limit) follow_coupling(m, f, settings);
        pl_search_gradient(m, f);
        bool any_open = pl_friction_judge(m, f, settings, begins, info);
        if (!isfinite(info->residual))
            return pl_fail(error, PL_ERROR_DIVERGED,
                           "iteration %d of the step has forces that are not finite", k);
        bool is_other = !any_open && !linearised && goes_on(m, f, &s);
        if (any_open && searches && k > 0 && k < limit) is_other = changes_early(m, f);
        if (is_other) {
            info->converged = false;
            s.has_changed = true;
        }
        if (k >= limit || (!any_open && !is_other)) break;
        if (k > 0 && ends_early(m, before, info)) break;
        if (is_other) {
            pl_search_forget(m);
            continue;
        }
        if (round == 0 && may_fly) {
            status = fly(m, f, detect, detect_user, ++round, error);
            if (status != PL_OK) return status;
            continue;
        }
        s.residual = info->residual;
        s.iteration = k;
        s.last = !settings->all_iterations || k + 1 >= limit;
        status = find_direction(m, f, settings, &s, info, error);
        if (status != PL_OK) return status;
        if (k == 0 || !(f->inertia > 0.0)) find_force_noise(m, f->pool);
        info->iterations++;
        k++;
        if (!searches) pl_search_full_step(m, f);
        else if (!pl_search_line(m, f) && !pl_search_joins_more(m, f)) {
            info->stalled = true;
            judge_again(m, f, settings, info);
            break;
        }
    }
    info->contact_count = (int)m->found.count;
    if (linearised && info->iterations > 0) info->converged = is_linearised_done(&s, info);
    pl_status status = pl_step_check_terms(f, error);
    return status == PL_OK ? check_energy(m, f, info, error) : status;
}
