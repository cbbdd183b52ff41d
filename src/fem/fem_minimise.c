// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// x <- x - a A^-1 dPhi/dx with A the Hessian, projected to be positive semi-definite (Newton), or
// the constant matrix of Projective Dynamics, whose local-global iteration is just this step with a
// = 1 (Liu 2017). The step length a is halved until Phi falls enough (Armijo).
#include "fem/fem_minimise.h"
#include "base/memory.h"
#include "base/timer.h"
#include "sparse/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_HALVINGS = 30, FRICTION_UPDATES = 3, MAX_PATIENCE = 7 };
static const double ARMIJO = 1e-4;
static const double SETTLED = 1e-2; // residual at which friction follows

// what a minimisation knows from one iteration to the next
typedef struct search {
    double load;  // that forces are compared with
    double noise; // of forces
    int friction_updates;
    int projected_left; // iterations before the exact Hessian is tried again
    int patience;       // how many there will be after the next failure
} search;

void pl_minimiser_free(pl_minimiser* m) {
    pl_linear_destroy(m->solver);
    pl_block_matrix_free(&m->A);
    PL_FREE(m->x, double, m->count);
    PL_FREE(m->trial, double, m->count);
    PL_FREE(m->gradient, double, m->count);
    PL_FREE(m->direction, double, m->count);
    PL_FREE(m->scratch, double, 2 * (size_t)m->count);
    pl_array_free(&m->contacts);
    PL_FREE(m->normal_force, double, m->count / 3);
    *m = (pl_minimiser){0};
}

pl_status pl_minimiser_setup(pl_minimiser* m, int vertex_count, int block,
                             const int* neighbour_offsets, const int* neighbours, pl_linear linear,
                             pl_pool* pool, pl_error* error) {
    *m = (pl_minimiser){.count = 3 * vertex_count, .contacts = pl_array_of(sizeof(pl_contact))};
    m->x = PL_ALLOC(double, m->count);
    m->trial = PL_ALLOC(double, m->count);
    m->gradient = PL_ALLOC(double, m->count);
    m->direction = PL_ALLOC(double, m->count);
    m->scratch = PL_ALLOC(double, 2 * (size_t)m->count);
    m->normal_force = PL_ALLOC(double, vertex_count);
    if (!m->normal_force || !m->x || !m->trial || !m->gradient || !m->direction || !m->scratch)
        return pl_fail_memory(error, "the solver of a step");
    pl_status status =
        pl_block_matrix_setup(&m->A, vertex_count, block, neighbour_offsets, neighbours, error);
    if (status != PL_OK) return status;
    return pl_linear_setup(linear, &m->A, block == 1 ? 3 : 1, pool, &m->solver, error);
}

// contacts of the present positions
static pl_status find_contacts(pl_minimiser* m, pl_fem_objective* f, pl_detect detect, void* user,
                               pl_error* error) {
    f->normal_force = m->normal_force;
    if (!detect) return PL_OK;
    for (;;) {
        int found = detect(user, f->start, m->x, m->contacts.data, (int)m->contacts.capacity);
        m->contacts.count = (size_t)found;
        if (m->contacts.count <= m->contacts.capacity) break;
        if (!pl_array_reserve(&m->contacts, m->contacts.count + m->contacts.count / 2))
            return pl_fail_memory(error, "contacts");
    }
    f->contacts = m->contacts.data;
    f->contact_count = (int)m->contacts.count;
    return PL_OK;
}

static bool has_friction(const pl_fem_objective* f) {
    for (int k = 0; k < f->contact_count; k++)
        if (f->contacts[k].friction > 0.0) return true;
    return false;
}

// what round-off leaves of a force: differences of positions times the stiffness at hand
static double force_noise(const pl_minimiser* m) {
    double sum = 0.0;
    int b = m->A.block;
    for (int i = 0; i < m->count; i++) {
        int c = b == 3 ? i % 3 : 0;
        double stiffness =
            m->A.values[(size_t)m->A.diagonal[i / 3] * (size_t)(b * b) + (size_t)(c * b + c)];
        sum += stiffness * stiffness * m->x[i] * m->x[i];
    }
    return 4.0 * DBL_EPSILON * sqrt(sum);
}

// direction = -A^-1 gradient
static pl_status solve_direction(pl_minimiser* m, const pl_fem_objective* f,
                                 const pl_fem_settings* settings, bool projected,
                                 pl_linear_info* linear, pl_method_info* info, pl_error* error) {
    double start = pl_seconds();
    if (m->A.block == 3) pl_fem_hessian(f, m->x, projected, &m->A);
    else pl_fem_projective(f, &m->A);
    info->assembly_seconds += pl_seconds() - start;
    start = pl_seconds();
    pl_status status = pl_linear_update(m->solver, error);
    if (status != PL_OK) return status;
    pl_linear_options options = {settings->linear_tolerance, settings->linear_max_iterations};
    memset(m->direction, 0, (size_t)m->count * sizeof(double));
    for (int i = 0; i < m->count; i++) m->trial[i] = -m->gradient[i];
    pl_linear_solve(m->solver, &options, m->trial, m->direction, linear);
    info->linear_iterations += linear->iterations;
    info->linear_residual = linear->residual;
    info->rigid_mode_count = linear->tiny_pivot_count;
    info->linear_seconds += pl_seconds() - start;
    return PL_OK;
}

// Projecting every element makes the matrix definite, and stiffer than it is: slender bodies in
// bending then take many iterations. So the Hessian is taken as it is where the solver sees that it
// is definite, and projected where not (Longva 2023, section 4); after that it is some time before
// it is tried again.
static pl_status find_direction(pl_minimiser* m, const pl_fem_objective* f,
                                const pl_fem_settings* settings, search* s, pl_method_info* info,
                                pl_error* error) {
    pl_linear_info linear;
    bool exact = m->A.block == 3 && pl_linear_sees_indefinite(settings->linear) &&
                 s->projected_left == 0;
    if (s->projected_left > 0) s->projected_left--;
    if (exact) {
        pl_status status = solve_direction(m, f, settings, false, &linear, info, error);
        if (status != PL_OK) return status;
        bool descends = pl_vector_dot(f->pool, m->count, m->gradient, m->direction) < 0.0;
        if (descends && !linear.indefinite) {
            s->patience = 0;
            return PL_OK;
        }
        s->projected_left = s->patience;
        s->patience = s->patience < MAX_PATIENCE ? 2 * s->patience + 1 : s->patience;
    }
    return solve_direction(m, f, settings, true, &linear, info, error);
}

// moves x along the direction; false if no step makes Phi smaller
static bool line_search(pl_minimiser* m, const pl_fem_objective* f, bool wanted, double noise) {
    double slope = pl_vector_dot(f->pool, m->count, m->gradient, m->direction);
    double length = 1.0, before = wanted ? pl_fem_energy(f, m->x, m->scratch) : 0.0;
    // below this, differences of Phi are round-off
    double slack = 1e-12 * fabs(before) + noise * pl_vector_norm(f->pool, m->count, m->direction);
    for (int k = 0; k < MAX_HALVINGS; k++, length *= 0.5) {
        for (int i = 0; i < m->count; i++) m->trial[i] = m->x[i] + length * m->direction[i];
        double after = wanted ? pl_fem_energy(f, m->trial, m->scratch) : before;
        if (isfinite(after) && after <= before + ARMIJO * length * fmin(slope, 0.0) + slack) {
            double* swap = m->x;
            m->x = m->trial;
            m->trial = swap;
            return true;
        }
    }
    return false;
}

// true when the residual is small enough, or nothing but round-off
static bool is_converged(pl_minimiser* m, const pl_fem_objective* f,
                         const pl_fem_settings* settings, search* s, pl_method_info* info) {
    double norm = pl_vector_norm(f->pool, m->count, m->gradient);
    if (norm > s->load) s->load = norm;
    info->residual = s->load > 0.0 ? norm / s->load : 0.0;
    info->converged = info->residual <= settings->tolerance || norm <= s->noise;
    return info->converged;
}

// Friction is a part of normal forces that stand still while positions are sought, and follow when
// those have nearly settled: at the begin, and FRICTION_UPDATES times more. True if they moved, so
// that the gradient has to be taken again.
static bool follow_friction(pl_minimiser* m, const pl_fem_objective* f, double residual,
                            int* updates) {
    bool first = *updates == 0;
    if (!first && (*updates > FRICTION_UPDATES || residual > SETTLED || !has_friction(f)))
        return false;
    pl_fem_normal_force(f, m->x, m->normal_force);
    ++*updates;
    return true;
}

pl_status pl_minimise(pl_minimiser* m, pl_fem_objective* f, const pl_fem_settings* settings,
                      pl_detect detect, void* detect_user, pl_method_info* info, pl_error* error) {
    bool linearised = settings->nonlinear == PL_NONLINEAR_LINEARISED;
    int max_iterations = linearised ? 1 : settings->max_iterations;
    search s = {.load = pl_vector_norm(f->pool, m->count, f->force)};
    info->stalled = false;
    for (int k = 0;; k++) {
        pl_status status = find_contacts(m, f, detect, detect_user, error);
        if (status != PL_OK) return status;
        if (k == 0) follow_friction(m, f, 0.0, &s.friction_updates);
        pl_fem_gradient(f, m->x, m->gradient, m->scratch);
        bool over = is_converged(m, f, settings, &s, info) && (k > 0 || s.load == 0.0);
        if (k > 0 && follow_friction(m, f, info->residual, &s.friction_updates)) {
            pl_fem_gradient(f, m->x, m->gradient, m->scratch);
            over = is_converged(m, f, settings, &s, info);
        }
        if (!isfinite(info->residual))
            return pl_fail(error, PL_ERROR_DIVERGED,
                           "iteration %d of the step has forces that are not finite", k);
        if (k >= max_iterations || (over && !settings->all_iterations)) break;
        status = find_direction(m, f, settings, &s, info, error);
        if (status != PL_OK) return status;
        if (k == 0) s.noise = force_noise(m);
        info->iterations++;
        if (!line_search(m, f, settings->line_search && !linearised, s.noise)) {
            info->stalled = true;
            break;
        }
    }
    info->contact_count = f->contact_count;
    return PL_OK;
}
