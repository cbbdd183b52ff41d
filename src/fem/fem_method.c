// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Method "fem" of the world.
#include "fem/fem_method.h"
#include "base/notes.h"
#include "fem/fem_build.h"
#include "fem/fem_system.h"
#include "fem/fem_update.h"

static pl_fem_settings settings_of(const pl_body* body) {
    return (pl_fem_settings){.integrator = body->integrator,
                             .nonlinear = body->nonlinear,
                             .linear = body->linear,
                             .tolerance = body->solver.tolerance,
                             .max_iterations = body->solver.iterations,
                             .all_iterations = body->solver.fixed,
                             .line_search = body->solver.line_search,
                             .linear_tolerance = body->solver.linear_tolerance,
                             .linear_max_iterations = body->solver.linear_iterations,
                             .multigrid = body->multigrid,
                             .damping_mass = body->damping.mass,
                             .damping_stiffness = body->damping.stiffness};
}

// Other coarse spaces are there to be compared (pliant-bench s0-table3), not to be run.
static void note_coarse_space(const pl_body* body, pl_notes* notes) {
    bool used = body->linear == PL_LINEAR_MULTIGRID || body->linear == PL_LINEAR_MGPCG;
    if (used && body->multigrid.space != PL_SPACE_AFFINE)
        pl_note(
            notes, PL_NOTE_INFO,
            "body \"%s\": multigrid.space is not used by fem in this version, coarse nodes move "
            "affinely; leave it out",
            body->name);
    if (used && body->multigrid.weights != PL_WEIGHTS_CONSTANT)
        pl_note(notes, PL_NOTE_INFO,
                "body \"%s\": multigrid.weights is not used by fem in this version, weights are "
                "constant; leave it out",
                body->name);
}

static pl_status create(const pl_method_body* bodies, int body_count, int vertex_count,
                        pl_pool* pool, void** out, pl_notes* notes, pl_error* error) {
    *out = NULL;
    for (int b = 0; b < body_count; b++) note_coarse_space(bodies[b].body, notes);
    pl_fem_parts parts;
    pl_status status = pl_fem_parts_create(bodies, body_count, vertex_count, &parts, error);
    if (status != PL_OK) return status;
    pl_fem_settings settings = settings_of(bodies[0].body);
    settings.damping_may_change = bodies[0].may_change;
    pl_fem_system* system;
    status = pl_fem_system_create(parts.positions, parts.mass, vertex_count,
                                  parts.neighbour_offsets, parts.neighbours, parts.sets,
                                  parts.set_count, &settings, pool, &system, error);
    if (status == PL_OK && parts.mass_matrix.values)
        pl_fem_use_mass_matrix(system, &parts.mass_matrix);
    pl_fem_parts_free(&parts);
    *out = system;
    return status;
}

static void destroy(void* system) { pl_fem_system_destroy(system); }
static pl_status step(void* system, const pl_method_step* s, pl_method_info* info,
                      pl_error* error) {
    return pl_fem_system_step(system, s, info, error);
}
static double* positions(void* system) { return pl_fem_positions(system); }
static double* velocities(void* system) { return pl_fem_velocities(system); }
static const double* masses(void* system) { return pl_fem_masses(system); }
static pl_method_energies energies(void* system) { return pl_fem_system_energies(system); }
static size_t state_size(const void* system) { return pl_fem_state_size(system); }
static void state_save(const void* system, void* out) { pl_fem_state_save(system, out); }
static void state_load(void* system, const void* in) { pl_fem_state_load(system, in); }

static void restart(void* system) { pl_fem_restart(system); }
static pl_status update(void* system, const pl_method_body* bodies, int body_count,
                        pl_error* error) {
    return pl_fem_update(system, bodies, body_count, error);
}

const pl_method_functions pl_fem_method = {.name = "fem",
                                           .create = create,
                                           .destroy = destroy,
                                           .step = step,
                                           .positions = positions,
                                           .velocities = velocities,
                                           .masses = masses,
                                           .energies = energies,
                                           .state_size = state_size,
                                           .state_save = state_save,
                                           .state_load = state_load,
                                           .update = update,
                                           .restart = restart};
