// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Method "fem" of the world.
#include "fem/fem_method.h"
#include "base/notes.h"
#include "fem/fem_build.h"
#include "fem/fem_system.h"
#include "fem/fem_update.h"

// Notes where the multigrid of fem deviates from the scene's settings.
static void note_unused(const pl_step_settings* settings, pl_notes* notes) {
    const pl_multigrid* m = &settings->multigrid;
    if (settings->linear != PL_LINEAR_MULTIGRID && settings->linear != PL_LINEAR_MGPCG) return;
    if (settings->nonlinear != PL_NONLINEAR_PROJECTIVE) return;
    int sweeps = m->pre_sweeps > 0 ? m->pre_sweeps : 1;
    if (m->pre_sweeps != sweeps || m->post_sweeps != sweeps)
        pl_note(notes, PL_NOTE_MENDED,
                "multigrid.pre_sweeps is %d and post_sweeps %d: the cycle of Projective Dynamics "
                "is symmetric and takes %d on each side; give the same number, at least 1, to both",
                m->pre_sweeps, m->post_sweeps, sweeps);
}

static pl_status create(const pl_method_body* bodies, int body_count, int vertex_count,
                        pl_pool* pool, void** out, pl_notes* notes, pl_error* error) {
    *out = NULL;
    pl_body_parts parts;
    pl_status status = pl_fem_parts_create(bodies, body_count, vertex_count, pool, &parts, error);
    if (status != PL_OK) return status;
    pl_step_settings settings = pl_step_settings_of(bodies[0].body);
    settings.damping_may_change = bodies[0].may_change;
    note_unused(&settings, notes);
    pl_step_system* system;
    status = pl_fem_system_create(parts.positions, parts.mass, vertex_count,
                                  parts.neighbour_offsets, parts.neighbours, parts.sets,
                                  parts.set_count, &settings, pool, &system, error);
    if (status == PL_OK && parts.mass_matrix.values)
        pl_step_use_mass_matrix(system, &parts.mass_matrix);
    pl_body_parts_free(&parts);
    *out = system;
    return status;
}

static void destroy(void* system) { pl_step_system_destroy(system); }
static pl_status step(void* system, const pl_method_step* s, pl_method_info* info,
                      pl_error* error) {
    return pl_step_system_step(system, s, info, error);
}
static pl_status check_step(void* system, const pl_method_step* s, pl_error* error) {
    int rigid_mode_count;
    return pl_step_system_check(system, s, &rigid_mode_count, error);
}
static double* positions(void* system) { return pl_step_positions(system); }
static double* velocities(void* system) { return pl_step_velocities(system); }
static const double* masses(void* system) { return pl_step_masses(system); }
static pl_method_energies energies(void* system) { return pl_step_system_energies(system); }
static size_t state_size(const void* system) { return pl_step_state_size(system); }
static void state_save(const void* system, void* out) { pl_step_state_save(system, out); }
static void state_load(void* system, const void* in) { pl_step_state_load(system, in); }

static void restart(void* system) { pl_step_restart(system); }
static pl_status update(void* system, const pl_method_body* bodies, int body_count,
                        pl_error* error) {
    return pl_fem_update(system, bodies, body_count, error);
}

static void careful(void* system, const pl_method_body* bodies, bool is_careful) {
    pl_step_set_careful(system, bodies[0].body, is_careful);
}

static int aggregates(void* system, int level, int* nodes) {
    return pl_step_aggregates(system, level, nodes);
}

const pl_method_functions pl_fem_method = {.name = "fem",
                                           .create = create,
                                           .destroy = destroy,
                                           .step = step,
                                           .check_step = check_step,
                                           .positions = positions,
                                           .velocities = velocities,
                                           .masses = masses,
                                           .energies = energies,
                                           .state_size = state_size,
                                           .state_save = state_save,
                                           .state_load = state_load,
                                           .update = update,
                                           .careful = careful,
                                           .keeps_apart = true,
                                           .aggregates = aggregates,
                                           .restart = restart};
