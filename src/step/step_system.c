// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "step/step_system.h"
#include "base/memory.h"
#include "geometry/box.h"
#include "sparse/vector.h"
#include "step/rigid_start.h"
#include "step/step_assembled.h"
#include "step/step_newton.h"
#include "step/step_pair_solver.h"
#include "step/step_system_data.h"

#include <string.h>

enum { VERTICES_PER_TASK = 4096 };

pl_step_settings pl_default_step_settings(void) {
    return (pl_step_settings){.integrator = PL_INTEGRATOR_EULER,
                              .nonlinear = PL_NONLINEAR_NEWTON,
                              .linear = PL_LINEAR_DIRECT,
                              .tolerance = 1e-5,
                              .max_iterations = 20,
                              .line_search = true,
                              .linear_tolerance = 1e-6,
                              .linear_max_iterations = 1000,
                              .multigrid = {.smoother = PL_SMOOTHER_GAUSS_SEIDEL,
                                            .pre_sweeps = 1,
                                            .post_sweeps = 1,
                                            .stiffness_aware = true,
                                            .fallback = true}};
}

// An iteration of Projective Dynamics costs about a twentieth of a Newton iteration.
enum { PROJECTIVE_ITERATIONS = 20 };

static int iterations_of(const pl_body* body) {
    bool many = body->nonlinear == PL_NONLINEAR_PROJECTIVE && !body->solver.fixed;
    return many ? PROJECTIVE_ITERATIONS * body->solver.iterations : body->solver.iterations;
}

pl_step_settings pl_step_settings_of(const pl_body* body) {
    return (pl_step_settings){.integrator = body->integrator,
                              .nonlinear = body->nonlinear,
                              .linear = body->linear,
                              .tolerance = body->solver.tolerance,
                              .max_iterations = iterations_of(body),
                              .all_iterations = body->solver.fixed,
                              .line_search = body->solver.line_search,
                              .linear_tolerance = body->solver.linear_tolerance,
                              .linear_max_iterations = body->solver.linear_iterations,
                              .multigrid = body->multigrid,
                              .damping_mass = body->damping.mass,
                              .damping_stiffness = body->damping.stiffness};
}

void pl_step_system_destroy(pl_step_system* s) {
    if (!s) return;
    int count = 3 * s->vertex_count;
    // they refer to the sets
    if (s->projective.data) s->projective.functions->destroy(s->projective.data);
    if (s->direct.data) s->direct.functions->destroy(s->direct.data);
    PL_FREE(s->mass, double, s->vertex_count);
    pl_block_matrix_free(&s->mass_matrix);
    for (int k = 0; k < s->set_count; k++) pl_element_set_free(&s->sets[k]);
    for (int k = 0; k < PL_STATE_VECTORS; k++) {
        PL_FREE(s->state[k], double, count);
        PL_FREE(s->saved[k], double, count);
    }
    PL_FREE(s->y, double, count);
    PL_FREE(s->reference, double, count);
    PL_FREE(s->start, double, count);
    pl_step_holds_free(&s->holds);
    pl_array_free(&s->pins);
    pl_step_pressure_free(&s->pressure);
    pl_array_free(&s->terms);
    pl_step_meeting_destroy(s->meeting);
    pl_step_reactions_free(&s->reactions);
    pl_block_matrix_free(&s->damping_matrix);
    pl_minimiser_free(&s->minimiser);
    PL_FREE(s->midpoint_saved, double, s->pieces.count);
    pl_midpoint_destroy(s->midpoint);
    pl_step_pieces_free(&s->pieces);
    pl_step_pieces_free(&s->whole);
    pl_step_pieces_free(&s->islands);
    pl_free_bodies_free(&s->free_bodies);
    pl_rigid_start_destroy(s->rigid_start);
    PL_FREE(s, pl_step_system, 1);
}

static bool allocate(pl_step_system* s) {
    size_t count = 3 * (size_t)s->vertex_count;
    double** vectors[] = {&s->y, &s->reference, &s->start};
    bool ok = true;
    for (int k = 0; k < 3; k++) ok = ok && (*vectors[k] = PL_ALLOC(double, count));
    for (int k = 0; k < PL_STATE_VECTORS; k++) {
        ok = ok && (s->state[k] = PL_ALLOC(double, count));
        ok = ok && (s->saved[k] = PL_ALLOC(double, count));
    }
    return ok && (s->mass = PL_ALLOC(double, s->vertex_count));
}

pl_solver_input pl_step_solver_input(pl_step_system* s, const double* rest) {
    return (pl_solver_input){.A = &s->minimiser.A,
                             .rest = rest,
                             .sets = s->sets,
                             .set_count = s->set_count,
                             .settings = &s->settings,
                             .pool = s->pool};
}

static pl_status setup_projective(pl_step_system* s, const pl_solver_input* input,
                                  pl_error* error) {
    pl_status status = PL_OK;
    if (s->solvers && s->solvers->projective)
        status = s->solvers->projective(input, &s->projective, error);
    if (status == PL_OK && !s->projective.data)
        status = pl_assembled_projective(input, s->settings.linear, &s->projective, error);
    if (status == PL_OK) status = pl_minimiser_setup_relax(&s->minimiser, input, s->solvers, error);
    return status;
}

// Creates the linear solver; multigrid reads the stiffness at rest, to keep soft and stiff parts
// separate.
static pl_status setup_linear(pl_step_system* s, const double* rest, pl_error* error) {
    pl_block_matrix* A = &s->minimiser.A;
    for (int k = 0; k < s->set_count; k++)
        if (A->block == 3) pl_element_set_hessian(&s->sets[k], s->pool, rest, true, 1.0, A);
        else pl_element_set_projective(&s->sets[k], s->pool, A);
    pl_solver_input input = pl_step_solver_input(s, rest);
    pl_status status = A->block == 3
                           ? pl_minimiser_setup_linear(&s->minimiser, &input, s->solvers, error)
                           : setup_projective(s, &input, error);
    if (A->values) pl_block_matrix_zero(A);
    return status;
}

static pl_status setup_pieces(pl_step_system* s, const double* rest, const int* neighbour_offsets,
                              const int* neighbours, pl_error* error) {
    pl_status status = pl_step_pieces_setup(&s->pieces, rest, s->vertex_count, neighbour_offsets,
                                            neighbours, s->sets, s->set_count, error);
    if (status != PL_OK || s->settings.integrator != PL_INTEGRATOR_MIDPOINT) return status;
    s->midpoint_saved = PL_ALLOC(double, s->pieces.count);
    if (!s->midpoint_saved && s->pieces.count) return pl_fail_memory(error, "a system of bodies");
    return pl_midpoint_create(&s->pieces, &s->midpoint, error);
}

static pl_status setup_matrices(pl_step_system* s, const double* rest, const int* neighbour_offsets,
                                const int* neighbours, pl_error* error) {
    int block = s->settings.nonlinear == PL_NONLINEAR_PROJECTIVE ? 1 : 3;
    pl_status status =
        pl_minimiser_setup(&s->minimiser, &s->pieces, block, neighbour_offsets, neighbours, error);
    if (status == PL_OK && (s->settings.damping_stiffness > 0.0 || s->settings.damping_may_change))
        status = pl_block_matrix_setup(&s->damping_matrix, s->vertex_count, 3, neighbour_offsets,
                                       neighbours, error);
    if (status == PL_OK && s->settings.integrator == PL_INTEGRATOR_QUASISTATIC)
        status = pl_free_bodies_setup(&s->free_bodies, s->vertex_count, neighbour_offsets,
                                      neighbours, error);
    else if (status == PL_OK && block == 1)
        status = pl_rigid_start_create(s->vertex_count, neighbour_offsets, neighbours,
                                       &s->rigid_start, error);
    for (int k = 0; status == PL_OK && k < s->set_count; k++) {
        status = pl_element_set_locate_by(s->pool, &s->sets[k], &s->minimiser.A, error);
        if (status == PL_OK && (block == 3 || pl_minimiser_may_relax(&s->settings)))
            status = pl_element_set_gather(&s->sets[k], s->vertex_count, error);
    }
    return status == PL_OK ? setup_linear(s, rest, error) : status;
}

static pl_status add_term(pl_step_system* s, const pl_step_term* term, pl_error* error) {
    const pl_step_term** added = pl_array_add(&s->terms, 1);
    if (!added) return pl_fail_memory(error, "a term of a step");
    *added = term;
    return PL_OK;
}

pl_status pl_step_add_term(pl_step_system* s, const pl_step_term* term, pl_error* error) {
    PL_ASSERT(!term->low_rank || !term->energies); // U may join any pieces
    if (!term->energies && s->pieces.count > 1 && s->whole.count == 0) {
        pl_status status =
            pl_step_pieces_join(&s->whole, s->state[PL_STATE_POSITIONS], s->vertex_count, error);
        if (status != PL_OK) return status;
        s->minimiser.pieces = s->minimiser.apart = &s->whole;
        s->minimiser.islands = NULL;
    }
    return add_term(s, term, error);
}

static pl_status add_meeting(pl_step_system* s, pl_error* error) {
    const bool has_pieces = s->minimiser.apart->count > 1;
    pl_status status = pl_step_meeting_create(&s->pieces, &s->meeting, error);
    if (status == PL_OK && has_pieces && s->islands.count == 0)
        status = pl_step_islands_setup(&s->islands, &s->pieces, error);
    if (status == PL_OK)
        status = pl_pair_solver_wrap(&s->minimiser.newton, s->meeting, s->pool, error);
    if (status != PL_OK) {
        pl_step_meeting_destroy(s->meeting);
        s->meeting = NULL;
        return status;
    }
    if (has_pieces) s->minimiser.islands = &s->islands;
    s->meeting_term = pl_step_meeting_term(s->meeting);
    return PL_OK;
}

pl_status pl_step_meet(pl_step_system* s, pl_surface_set* surfaces, pl_error* error) {
    if (!s->meeting && !surfaces) return PL_OK;
    if (!s->meeting) {
        // reserve room for the term before changes that cannot be undone
        if (!pl_array_reserve(&s->terms, s->terms.count + 1))
            return pl_fail_memory(error, "a term of a step");
        pl_status status = add_meeting(s, error);
        if (status == PL_OK) status = add_term(s, &s->meeting_term, error);
        if (status != PL_OK) return status;
    }
    s->meeting->surfaces = surfaces;
    return PL_OK;
}

// diagonal of the bounding box
static double extent(const double* positions, int vertex_count) {
    pl_box box = pl_box_of_points(positions, vertex_count);
    return vertex_count ? pl_distance(box.low, box.high) : 0.0;
}

pl_status pl_step_system_create(const double* positions, const double* mass, int vertex_count,
                                const int* neighbour_offsets, const int* neighbours,
                                pl_element_set* sets, int set_count,
                                const pl_step_settings* settings, const pl_step_solvers* solvers,
                                pl_pool* pool, pl_step_system** out, pl_error* error) {
    *out = NULL;
    PL_ASSERT(set_count <= PL_MAX_ELEMENT_SETS);
    pl_step_system* s = PL_ALLOC(pl_step_system, 1);
    if (!s) {
        for (int k = 0; k < set_count; k++) pl_element_set_free(&sets[k]);
        return pl_fail_memory(error, "a system of bodies");
    }
    s->vertex_count = vertex_count;
    s->settings = *settings;
    s->solvers = solvers;
    s->pool = pool;
    s->pins = pl_array_of(sizeof(pl_pin));
    pl_step_pressure_setup(&s->pressure);
    s->pressure_term = pl_step_pressure_term(&s->pressure);
    s->terms = pl_array_of(sizeof(const pl_step_term*));
    s->set_count = set_count;
    memcpy(s->sets, sets, (size_t)set_count * sizeof(pl_element_set));
    memset(sets, 0, (size_t)set_count * sizeof(pl_element_set));
    pl_status status = allocate(s) ? PL_OK : pl_fail_memory(error, "a system of bodies");
    if (status == PL_OK) status = add_term(s, &s->pressure_term, error);
    if (status == PL_OK) status = pl_step_holds_setup(&s->holds, vertex_count, error);
    if (status == PL_OK) status = pl_step_reactions_setup(&s->reactions, vertex_count, error);
    if (status == PL_OK) status = setup_pieces(s, positions, neighbour_offsets, neighbours, error);
    if (status == PL_OK)
        status = setup_matrices(s, positions, neighbour_offsets, neighbours, error);
    if (status != PL_OK) {
        pl_step_system_destroy(s);
        return status;
    }
    memcpy(s->mass, mass, (size_t)vertex_count * sizeof(double));
    memcpy(s->state[PL_STATE_POSITIONS], positions, 3 * (size_t)vertex_count * sizeof(double));
    s->size = extent(positions, vertex_count);
    *out = s;
    return PL_OK;
}

void pl_step_use_mass_matrix(pl_step_system* s, pl_block_matrix* M) {
    PL_ASSERT(M->block == 1 && M->row_count == s->vertex_count);
    pl_block_matrix_free(&s->mass_matrix);
    s->mass_matrix = *M;
    *M = (pl_block_matrix){0};
}

static bool has_mass_matrix(const pl_step_system* s) { return s->mass_matrix.values != NULL; }

double* pl_step_positions(pl_step_system* s) { return s->state[PL_STATE_POSITIONS]; }
double* pl_step_velocities(pl_step_system* s) { return s->state[PL_STATE_VELOCITIES]; }
const double* pl_step_masses(pl_step_system* s) { return s->mass; }
const pl_projective_solver* pl_step_projective_solver(const pl_step_system* s) {
    return &s->projective;
}

int pl_step_aggregates(pl_step_system* s, int level, int* nodes) {
    const pl_mg_hierarchy* h = NULL;
    const int* rows = NULL; // the row of each vertex
    const pl_newton_solver* newton = &s->minimiser.newton;
    if (s->projective.data && s->projective.functions->levels && !s->projective_fails)
        h = s->projective.functions->levels(s->projective.data);
    else if (newton->data && newton->functions->levels)
        h = newton->functions->levels(newton->data, &rows);
    if (!h || level < 1 || level >= h->level_count) return 0;
    for (int v = 0; v < s->vertex_count; v++) {
        int node = rows ? rows[v] : v;
        for (int l = 0; l < level; l++) node = h->transfers[l].parent[node];
        nodes[v] = node;
    }
    return h->node_counts[level];
}

void pl_step_restart(pl_step_system* s) {
    s->history = 0;
    if (s->midpoint) pl_midpoint_restart(s->midpoint);
    if (s->projective.data && s->projective.functions->restart)
        s->projective.functions->restart(s->projective.data);
}

pl_step_model pl_step_system_model(pl_step_system* s) {
    const pl_newton_solver* newton = &s->minimiser.newton;
    if (s->projective.data && s->projective.functions->forget)
        s->projective.functions->forget(s->projective.data);
    if (newton->data && newton->functions->forget) newton->functions->forget(newton->data);
    s->minimiser.rest_stale = true;
    return (pl_step_model){
        s->vertex_count, s->mass,      has_mass_matrix(s) ? &s->mass_matrix : NULL,
        s->sets,         s->set_count, &s->settings,
        &s->pieces};
}

static double kinetic_part(int begin, int end, void* user) {
    const pl_step_system* s = user;
    const double* v = s->state[PL_STATE_VELOCITIES];
    double sum = 0.0;
    for (int i = 3 * begin; i < 3 * end; i++) sum += s->mass[i / 3] * v[i] * v[i];
    return sum;
}

pl_method_energies pl_step_system_energies(pl_step_system* s) {
    pl_method_energies energies = {.contact = s->contact_energy};
    const double* v = s->state[PL_STATE_VELOCITIES];
    double* Mv = s->minimiser.scratch;
    if (has_mass_matrix(s)) {
        pl_block_matrix_apply(&s->mass_matrix, s->pool, 3, v, Mv);
        energies.kinetic = 0.5 * pl_vector_dot(s->pool, 3 * s->vertex_count, Mv, v);
    } else {
        energies.kinetic =
            0.5 * pl_parallel_sum(s->pool, kinetic_part, s->vertex_count, VERTICES_PER_TASK, s);
    }
    for (int k = 0; k < s->set_count; k++)
        energies.elastic +=
            pl_element_set_energy(&s->sets[k], s->pool, s->state[PL_STATE_POSITIONS]);
    const pl_step_coupling* coupling = s->settings.coupling;
    if (coupling)
        energies.elastic += coupling->energy(coupling->data, s->state[PL_STATE_POSITIONS]);
    return energies;
}

static bool has_solver_state(const pl_step_system* s) {
    return s->projective.data && s->projective.functions->state_size;
}

size_t pl_step_state_size(const pl_step_system* s) {
    return sizeof(int64_t) + PL_STATE_VECTORS * 3 * (size_t)s->vertex_count * sizeof(double) +
           (s->midpoint ? pl_midpoint_state_size(s->midpoint) : 0) +
           (has_solver_state(s) ? s->projective.functions->state_size(s->projective.data) : 0);
}

void pl_step_state_save(const pl_step_system* s, void* out) {
    char* to = out;
    int64_t history = s->history;
    memcpy(to, &history, sizeof history);
    to += sizeof history;
    size_t size = 3 * (size_t)s->vertex_count * sizeof(double);
    for (int k = 0; k < PL_STATE_VECTORS; k++, to += size) memcpy(to, s->state[k], size);
    if (s->midpoint) {
        pl_midpoint_state_save(s->midpoint, to);
        to += pl_midpoint_state_size(s->midpoint);
    }
    if (has_solver_state(s)) s->projective.functions->state_save(s->projective.data, to);
}

void pl_step_state_load(pl_step_system* s, const void* in) {
    const char* from = in;
    int64_t history;
    memcpy(&history, from, sizeof history);
    s->history = (int)history;
    from += sizeof history;
    size_t size = 3 * (size_t)s->vertex_count * sizeof(double);
    for (int k = 0; k < PL_STATE_VECTORS; k++, from += size) memcpy(s->state[k], from, size);
    if (s->midpoint) {
        pl_midpoint_state_load(s->midpoint, from);
        from += pl_midpoint_state_size(s->midpoint);
    }
    if (has_solver_state(s)) s->projective.functions->state_load(s->projective.data, from);
}

void pl_step_set_careful(pl_step_system* system, const pl_body* body, bool is_careful) {
    enum { CAREFUL_ITERATIONS = 100 };
    pl_step_settings* settings = pl_step_system_model(system).settings;
    pl_step_settings own = pl_step_settings_of(body);
    settings->integrator = own.integrator;
    settings->max_iterations = own.max_iterations;
    settings->all_iterations = own.all_iterations;
    settings->line_search = own.line_search;
    if (!is_careful) return;
    if (own.integrator != PL_INTEGRATOR_QUASISTATIC) settings->integrator = PL_INTEGRATOR_EULER;
    if (own.max_iterations < CAREFUL_ITERATIONS) settings->max_iterations = CAREFUL_ITERATIONS;
    settings->all_iterations = false;
    settings->line_search = true;
}
