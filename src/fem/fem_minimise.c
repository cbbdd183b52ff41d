// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// x <- x - a A^-1 dPhi/dx with A the Hessian, projected to be positive semi-definite where it is
// not definite (Newton), or the constant matrix of Projective Dynamics, whose local-global
// iteration is just this step with a = 1 (Liu 2017). The step length a is halved until Phi falls
// enough (Armijo). Steps of cloth are judged after a few sweeps that make them fit where they are
// (spring_relax.h).
#include "fem/fem_minimise.h"
#include "base/memory.h"
#include "base/timer.h"
#include "sparse/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_HALVINGS = 30, MEMORY = 4, VALUES_PER_TASK = 8192 };
// Friction is a part of normal forces. They follow in so many iterations, then they stand still, so
// that what is minimised is one function and the end is sure.
enum { FRICTION_UPDATES = 8 };
static const double ARMIJO = 1e-4;
// of the first slope: where more is left of it after a step, the step was short
static const double STRAIGHT = 0.6, LONGEST_STEP = 16.0;
// of the projected Hessian, where it takes some
static const double LEAST_PART = 0.25;
// of what a step was to gain: nearer to it, the step goes as foreseen
static const double AS_FORESEEN = 0.02;

// what a minimisation knows from one iteration to the next
typedef struct search {
    double load;           // that forces are compared with
    double noise;          // of forces
    double values[MEMORY]; // the last ones of Phi
    int value_count;
    double projected; // part of the projected Hessian in the last matrix
    double slope;     // of Phi along the direction
    bool last;        // no iteration follows that is known of
    bool relaxes;     // what is tried, where it does not go as foreseen
} search;

void pl_minimiser_free(pl_minimiser* m) {
    pl_linear_destroy(m->solver);
    pl_newton_multigrid_destroy(m->newton);
    pl_spring_relax_destroy(m->relax);
    pl_block_matrix_free(&m->A);
    PL_FREE(m->known_values, double, m->known_count);
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
    PL_FREE(m->normal_force, double, m->count / 3);
    PL_FREE(m->friction_dual, double, m->count);
    *m = (pl_minimiser){0};
}

pl_status pl_minimiser_setup(pl_minimiser* m, int vertex_count, int block,
                             const int* neighbour_offsets, const int* neighbours, pl_error* error) {
    *m = (pl_minimiser){.count = 3 * vertex_count,
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
    m->normal_force = PL_ALLOC(double, vertex_count);
    m->friction_dual = PL_ALLOC(double, m->count);
    if (!m->contact_mark || !m->friction_dual || !m->normal_force || !m->x || !m->trial ||
        !m->gradient || !m->trial_gradient || !m->further || !m->further_gradient ||
        !m->direction || !m->scratch)
        return pl_fail_memory(error, "the solver of a step");
    return pl_block_matrix_setup(&m->A, vertex_count, block, neighbour_offsets, neighbours, error);
}

static size_t value_count(const pl_minimiser* m) {
    return (size_t)pl_block_matrix_entry_count(&m->A) * (size_t)(m->A.block * m->A.block);
}

pl_status pl_minimiser_setup_linear(pl_minimiser* m, const double* rest, const pl_element_set* sets,
                                    int set_count, const pl_fem_settings* settings, pl_pool* pool,
                                    pl_error* error) {
    bool is_multigrid =
        settings->linear == PL_LINEAR_MULTIGRID || settings->linear == PL_LINEAR_MGPCG;
    // the multigrid of Projective Dynamics comes with the step that uses it (fem_projective_fast.h)
    if (m->A.block == 1 && is_multigrid) return PL_OK;
    // a fixed number of iterations is what it was in the paper
    if (settings->nonlinear == PL_NONLINEAR_NEWTON && settings->line_search &&
        !settings->all_iterations) {
        pl_status status = pl_spring_relax_create(&m->A, sets, set_count, &m->relax, error);
        if (status != PL_OK) return status;
    }
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
    }
    return pl_linear_setup(settings->linear, &m->A, m->A.block == 1 ? 3 : 1, pool, &m->solver,
                           error);
}

static pl_status detect_contacts(pl_minimiser* m, const pl_fem_objective* f, pl_detect detect,
                                 void* user, pl_error* error) {
    const double* end = pl_fem_end_positions(f, m->x, m->scratch);
    for (;;) {
        int found = detect(user, f->start, end, m->found.data, (int)m->found.capacity);
        m->found.count = (size_t)found;
        if (m->found.count <= m->found.capacity) return PL_OK;
        if (!pl_array_reserve(&m->found, m->found.count + m->found.count / 2))
            return pl_fail_memory(error, "contacts");
    }
}

// The contacts of the present positions, and those of earlier iterations whose vertices have left:
// they exert nothing, but a line search that does not know them walks back into the obstacle.
static pl_status find_contacts(pl_minimiser* m, pl_fem_objective* f, pl_detect detect, void* user,
                               int iteration, pl_error* error) {
    f->normal_force = m->normal_force;
    f->friction_dual = m->friction_dual;
    if (!detect) return PL_OK;
    pl_status status = detect_contacts(m, f, detect, user, error);
    if (status != PL_OK) return status;
    const pl_contact* found = m->found.data;
    for (size_t k = 0; k < m->found.count; k++) m->contact_mark[found[k].vertex] = iteration + 1;
    pl_contact* contacts = m->contacts.data;
    size_t kept = 0;
    for (size_t k = 0; k < m->contacts.count; k++)
        if (m->contact_mark[contacts[k].vertex] <= iteration &&
            pl_fem_contact_depth(f, &contacts[k], m->x) <= 0.0)
            contacts[kept++] = contacts[k];
    m->contacts.count = kept;
    contacts = pl_array_add(&m->contacts, m->found.count);
    if (!contacts && m->found.count) return pl_fail_memory(error, "contacts");
    if (m->found.count) memcpy(contacts, found, m->found.count * sizeof(pl_contact));
    f->contacts = m->contacts.data;
    f->contact_count = (int)m->contacts.count;
    return PL_OK;
}

static double noise_part(int begin, int end, void* user) {
    const pl_minimiser* m = user;
    int b = m->A.block;
    double sum = 0.0;
    for (int i = begin; i < end; i++) {
        int c = b == 3 ? i % 3 : 0;
        double stiffness =
            m->A.values[(size_t)m->A.diagonal[i / 3] * (size_t)(b * b) + (size_t)(c * b + c)];
        sum += stiffness * stiffness * m->x[i] * m->x[i];
    }
    return sum;
}

// what round-off leaves of a force: differences of positions times the stiffness at hand
static double force_noise(pl_minimiser* m, pl_pool* pool) {
    double force = m->newton
                       ? pl_newton_multigrid_force(m->newton, m->x)
                       : sqrt(pl_parallel_sum(pool, noise_part, m->count, VALUES_PER_TASK, m));
    return 4.0 * DBL_EPSILON * force;
}

// The matrix of Projective Dynamics seldom changes, and factoring it costs as much as many solves:
// what was prepared for the same values still holds.
static pl_status update_solver(pl_minimiser* m, pl_method_info* info, pl_error* error) {
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
    if (m->A.block == 3) pl_fem_hessian(f, m->x, projected, &m->A);
    else pl_fem_projective(f, &m->A);
    double assembled = pl_seconds();
    info->assembly_seconds += assembled - start;
    pl_status status = update_solver(m, info, error);
    info->linear_seconds += pl_seconds() - assembled;
    return status;
}

typedef struct step_job {
    const pl_minimiser* m;
    double length;
    double* out;
} step_job;

static void opposite_task(int begin, int end, int worker, void* user) {
    const step_job* job = user;
    (void)worker;
    for (int i = begin; i < end; i++) {
        job->out[i] = -job->m->gradient[i];
        job->m->direction[i] = 0.0;
    }
}

// direction = -A^-1 gradient
static pl_status solve_direction(pl_minimiser* m, const pl_fem_objective* f,
                                 const pl_fem_settings* settings, double projected, bool last,
                                 pl_linear_info* linear, pl_method_info* info, pl_error* error) {
    pl_status status = prepare_matrix(m, f, settings, projected, info, error);
    if (status != PL_OK) return status;
    double start = pl_seconds();
    pl_linear_options options = {settings->linear_tolerance, settings->linear_max_iterations};
    step_job job = {.m = m, .out = m->trial};
    pl_parallel_for(f->pool, opposite_task, m->count, VALUES_PER_TASK, &job);
    if (m->newton)
        pl_newton_multigrid_solve(m->newton, &options, !last, m->trial, m->direction, linear);
    else pl_linear_solve(m->solver, &options, m->trial, m->direction, linear);
    info->linear_iterations += linear->iterations;
    info->linear_residual = linear->residual;
    info->switch_count += linear->switched;
    info->rigid_mode_count = linear->tiny_pivot_count;
    info->linear_seconds += pl_seconds() - start;
    return PL_OK;
}

// Projecting every element makes the matrix definite, and stiffer than it is: slender bodies in
// bending then take many iterations, and cloth hardly leaves the saddle that it buckles from. So
// the Hessian is taken as it is where the solver sees that it is definite (Longva 2023, section 4),
// else mixed with the projected one, with as little of it as it takes.
static pl_status find_direction(pl_minimiser* m, const pl_fem_objective* f,
                                const pl_fem_settings* settings, search* s, pl_method_info* info,
                                pl_error* error) {
    pl_linear_info linear;
    bool tells = m->A.block == 3 && pl_linear_sees_indefinite(settings->linear);
    double part = !tells ? 1.0 : s->projected <= LEAST_PART ? 0.0 : 0.5 * s->projected;
    for (;;) {
        pl_status status = solve_direction(m, f, settings, part, s->last, &linear, info, error);
        if (status != PL_OK) return status;
        s->slope = pl_vector_dot(f->pool, m->count, m->gradient, m->direction);
        if (part >= 1.0 || (s->slope < 0.0 && !linear.indefinite)) break;
        part = part > 0.0 ? fmin(2.0 * part, 1.0) : LEAST_PART;
    }
    s->projected = part;
    return PL_OK;
}

// The largest of the last values of Phi, of which `value` becomes one. Contacts that come and go
// make Phi another function, so with them only the last counts.
static double remember_value(search* s, bool contacts, double value) {
    if (contacts) s->value_count = 0;
    s->values[s->value_count++ % MEMORY] = value;
    double largest = value;
    for (int k = 0; k < MEMORY && k < s->value_count; k++) largest = fmax(largest, s->values[k]);
    return largest;
}

static void step_task(int begin, int end, int worker, void* user) {
    const step_job* job = user;
    (void)worker;
    for (int i = begin; i < end; i++)
        job->out[i] = job->m->x[i] + job->length * job->m->direction[i];
}

// out = x + length direction
static void try_step(pl_minimiser* m, pl_pool* pool, double length, double* out) {
    step_job job = {m, length, out};
    pl_parallel_for(pool, step_task, m->count, VALUES_PER_TASK, &job);
}

// Phi at what is tried, and its gradient where that costs nothing
static double try_value(pl_minimiser* m, const pl_fem_objective* f, const double* at,
                        double* gradient) {
    return pl_fem_gathers(f) ? pl_fem_energy_and_gradient(f, at, gradient, m->scratch)
                             : pl_fem_energy(f, at, m->scratch);
}

// The same, of x + length direction after the springs were relaxed there, if that pays. `before`:
// Phi at x.
static double try_relaxed(pl_minimiser* m, const pl_fem_objective* f, const search* s,
                          double before, double length, double* at, double* gradient) {
    try_step(m, f->pool, length, at);
    double value = try_value(m, f, at, gradient);
    double foreseen = length * (1.0 - 0.5 * length) * s->slope;
    bool fits = fabs(value - before - foreseen) <= AS_FORESEEN * fabs(foreseen);
    if (!s->relaxes || fits || !isfinite(value)) return value;
    if (!pl_fem_gathers(f)) pl_fem_gradient(f, at, gradient, m->scratch);
    pl_spring_relax_sweep(m->relax, f, gradient, at);
    double relaxed = try_value(m, f, at, gradient);
    if (relaxed <= value) return relaxed;
    try_step(m, f->pool, length, at);
    return try_value(m, f, at, gradient);
}

static void swap(double** a, double** b) {
    double* before = *a;
    *a = *b;
    *b = before;
}

// x becomes what was tried
static void take_step(pl_minimiser* m, const pl_fem_objective* f, double length) {
    m->value = NAN;
    m->gradient_known = false;
    swap(&m->x, &m->trial);
    pl_fem_friction_dual(f, m->trial, length, m->direction, m->friction_dual);
}

// Where Phi falls nearly as fast at the end of a full step as at its begin, or faster, the step
// leads away from a saddle (cloth that buckles) and the matrix is too stiff to get far: it is
// doubled as long as that pays. trial becomes the step of the length that is returned, and *after
// what Phi is there.
static double lengthen(pl_minimiser* m, const pl_fem_objective* f, const search* s, double before,
                       double* after) {
    double length = 1.0;
    while (s->slope < 0.0 && length < LONGEST_STEP &&
           *after - before < STRAIGHT * length * s->slope) {
        double further =
            try_relaxed(m, f, s, before, 2.0 * length, m->further, m->further_gradient);
        if (!(further < *after)) break;
        swap(&m->trial, &m->further);
        swap(&m->trial_gradient, &m->further_gradient);
        *after = further;
        length *= 2.0;
    }
    return length;
}

void pl_minimiser_take_gradient(pl_minimiser* m) {
    swap(&m->gradient, &m->trial_gradient);
    m->gradient_known = true;
}

// Below the slack, differences of Phi are round-off.
static bool is_low_enough(const pl_minimiser* m, const pl_fem_objective* f, const search* s,
                          double before, double bound, double after) {
    if (!isfinite(after)) return false;
    if (after <= bound) return true;
    double noise = s->noise * pl_vector_norm(f->pool, m->count, m->direction);
    return after <= bound + 1e-12 * fabs(before) + noise;
}

// Moves x along the direction; false if no step makes Phi small enough. Phi may grow, but not above
// the largest of its last values (Grippo, Lampariello, Lucidi 1986): where slender bodies bend,
// full steps that first lead uphill arrive earlier.
static bool line_search(pl_minimiser* m, const pl_fem_objective* f, search* s) {
    // without contacts Phi is the function that it was in the iteration before
    bool known = f->contact_count == 0 && isfinite(m->value);
    double before = known ? m->value : pl_fem_energy(f, m->x, m->scratch), length = 1.0;
    double bound = remember_value(s, f->contact_count > 0, before);
    for (int k = 0; k < MAX_HALVINGS; k++, length *= 0.5) {
        double after = try_relaxed(m, f, s, before, length, m->trial, m->trial_gradient);
        if (!is_low_enough(m, f, s, before, bound + ARMIJO * length * fmin(s->slope, 0.0), after))
            continue;
        if (k == 0) length = lengthen(m, f, s, before, &after);
        take_step(m, f, length);
        if (f->contact_count > 0) return true;
        m->value = after;
        if (pl_fem_gathers(f)) pl_minimiser_take_gradient(m);
        return true;
    }
    return false;
}

// True when the residual is small enough, or nothing but round-off. Forces are compared with the
// largest of the outer forces, the unbalanced ones at the begin, and those that change the motion.
static bool is_converged(pl_minimiser* m, const pl_fem_objective* f,
                         const pl_fem_settings* settings, search* s, bool first,
                         pl_method_info* info) {
    double norm = pl_vector_norm(f->pool, m->count, m->gradient);
    if (first && norm > s->load) s->load = norm;
    double inertia = pl_fem_inertia_force(f, m->x, m->scratch);
    double load = inertia > s->load ? inertia : s->load; // NaN, if a load is: nothing is small then
    info->residual = load == 0.0 ? 0.0 : norm / load;
    info->converged =
        info->residual <= settings->tolerance || (isfinite(info->residual) && norm <= s->noise);
    return info->converged;
}

pl_status pl_minimise(pl_minimiser* m, pl_fem_objective* f, const pl_fem_settings* settings,
                      pl_detect detect, void* detect_user, pl_method_info* info, pl_error* error) {
    bool linearised = settings->nonlinear == PL_NONLINEAR_LINEARISED;
    int max_iterations = linearised ? 1 : settings->max_iterations;
    search s = {.load = pl_vector_norm(f->pool, m->count, f->force), .relaxes = m->relax != NULL};
    info->stalled = false;
    memset(m->friction_dual, 0, (size_t)m->count * sizeof(double));
    memset(m->contact_mark, 0, (size_t)f->vertex_count * sizeof(int));
    m->contacts.count = m->found.count = 0;
    if (s.relaxes) pl_spring_relax_begin(m->relax, f);
    for (int k = 0;; k++) {
        pl_status status = find_contacts(m, f, detect, detect_user, k, error);
        if (status == PL_OK && s.relaxes) status = pl_spring_relax_contacts(m->relax, f, error);
        if (status != PL_OK) return status;
        if (k <= FRICTION_UPDATES) pl_fem_normal_force(f, m->x, m->normal_force);
        if (!m->gradient_known || f->contact_count > 0)
            pl_fem_gradient(f, m->x, m->gradient, m->scratch);
        bool over = is_converged(m, f, settings, &s, k == 0, info) && (k > 0 || s.load == 0.0);
        if (!isfinite(info->residual))
            return pl_fail(error, PL_ERROR_DIVERGED,
                           "iteration %d of the step has forces that are not finite", k);
        if (k >= max_iterations || (over && !settings->all_iterations)) break;
        s.last = !settings->all_iterations || k + 1 >= max_iterations;
        status = find_direction(m, f, settings, &s, info, error);
        if (status != PL_OK) return status;
        if (k == 0) s.noise = force_noise(m, f->pool);
        info->iterations++;
        if (!settings->line_search || linearised) {
            try_step(m, f->pool, 1.0, m->trial);
            take_step(m, f, 1.0);
        } else if (!line_search(m, f, &s)) {
            info->stalled = true;
            break;
        }
    }
    info->contact_count = (int)m->found.count;
    if (linearised) info->converged = true; // one solve is all that was asked for
    return PL_OK;
}
