// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Method "mixed" of the world: a system of fem with mixed tets, coupled by their pressures.
#include "mixed/mixed_method.h"
#include "base/memory.h"
#include "elements/body_parts.h"
#include "mixed/mixed_pressure.h"
#include "mixed/mixed_tets.h"
#include "step/step_system.h"

#include <math.h>
#include <string.h>

typedef struct mixed_system {
    pl_step_system* fem;
    pl_mixed_pressure* pressure;
    void* saved; // state before a step
    size_t saved_size;
    double* middle; // positions in the middle of a step, for the midpoint rule, which keeps the
                    // volume there; else NULL
    int vertex_count;
    bool is_linearised;
} mixed_system;

static pl_mixed_options options_of(const pl_body* body) {
    return (pl_mixed_options){.stabilisation = body->mixed.stabilization,
                              .in_matrix_only = body->mixed.stabilize == PL_STABILIZE_MATRIX,
                              .relaxation = body->mixed.relaxation};
}

static void destroy(void* system) {
    mixed_system* s = system;
    if (!s) return;
    pl_step_system_destroy(s->fem);
    pl_mixed_pressure_destroy(s->pressure);
    pl_free(s->saved, s->saved_size);
    PL_FREE(s->middle, double, 3 * (size_t)s->vertex_count);
    PL_FREE(s, mixed_system, 1);
}

static size_t state_size(const void* system) {
    const mixed_system* s = system;
    return pl_step_state_size(s->fem) + pl_mixed_pressure_state_size(s->pressure);
}

static void state_save(const void* system, void* out) {
    const mixed_system* s = system;
    pl_step_state_save(s->fem, out);
    pl_mixed_pressure_state_save(s->pressure, (char*)out + pl_step_state_size(s->fem));
}

static void state_load(void* system, const void* in) {
    mixed_system* s = system;
    pl_step_state_load(s->fem, in);
    pl_mixed_pressure_state_load(s->pressure, (const char*)in + pl_step_state_size(s->fem));
}

// the tets are the only set
static pl_status make_system(mixed_system* s, const pl_body* body, pl_body_parts* parts,
                             pl_pool* pool, pl_error* error) {
    pl_mixed_options options = options_of(body);
    s->is_linearised = body->nonlinear == PL_NONLINEAR_LINEARISED;
    pl_status status =
        pl_mixed_pressure_create(parts->vertex_count, parts->neighbour_offsets, parts->neighbours,
                                 &options, pool, &s->pressure, error);
    if (status == PL_OK)
        status = pl_mixed_tets_take(&parts->sets[0], parts->vertex_count,
                                    pl_mixed_pressure_values(s->pressure), error);
    if (status != PL_OK) return status;
    static const pl_step_solvers solvers = {.newton = pl_mixed_newton};
    pl_step_settings settings = pl_step_settings_of(body);
    settings.coupling = pl_mixed_coupling(s->pressure);
    settings.damping_may_change = true;
    status = pl_step_system_create(parts->positions, parts->mass, parts->vertex_count,
                                   parts->neighbour_offsets, parts->neighbours, parts->sets,
                                   parts->set_count, &settings, &solvers, pool, &s->fem, error);
    if (status != PL_OK) return status;
    if (parts->mass_matrix.values) pl_step_use_mass_matrix(s->fem, &parts->mass_matrix);
    pl_step_model model = pl_step_system_model(s->fem);
    status = pl_mixed_pressure_use(s->pressure, &model.sets[0], model.pieces, error);
    return status == PL_OK ? pl_mixed_pressure_changed(s->pressure, &options, error) : status;
}

static pl_status create(const pl_method_body* bodies, int body_count, int vertex_count,
                        pl_pool* pool, void** out, pl_notes* notes, pl_error* error) {
    (void)notes;
    *out = NULL;
    mixed_system* s = PL_ALLOC(mixed_system, 1);
    if (!s) return pl_fail_memory(error, "a mixed system");
    pl_body_parts parts;
    pl_status status =
        pl_body_parts_create(bodies, body_count, vertex_count, NULL, pool, &parts, error);
    if (status == PL_OK) {
        status = make_system(s, bodies[0].body, &parts, pool, error);
        pl_body_parts_free(&parts);
    }
    if (status == PL_OK) {
        s->saved_size = state_size(s);
        s->saved = pl_alloc(s->saved_size);
        s->vertex_count = vertex_count;
        bool is_midpoint = bodies[0].body->integrator == PL_INTEGRATOR_MIDPOINT;
        if (is_midpoint) s->middle = PL_ALLOC(double, 3 * (size_t)vertex_count);
        if (!s->saved || (is_midpoint && !s->middle))
            status = pl_fail_memory(error, "a mixed system");
    }
    if (status != PL_OK) destroy(s);
    else *out = s;
    return status;
}

// Attachments and colliders may leave an incompressible body less space than its volume. The
// resulting pressures exceed those of any load.
static pl_status check_volume(mixed_system* s, pl_error* error) {
    static const double MAX_CHANGE = 1e-3;
    const double* x = pl_step_positions(s->fem);
    for (int i = 0; s->middle && i < 3 * s->vertex_count; i++)
        s->middle[i] = 0.5 * (s->middle[i] + x[i]);
    double change = pl_mixed_worst_change(s->pressure, s->middle ? s->middle : x);
    if (!(fabs(change) > MAX_CHANGE)) return PL_OK;
    return pl_fail(
        error, PL_ERROR_UNSUPPORTED,
        "attachments or colliders change the volume of a body by %.2g %%, which a Poisson's ratio "
        "of 0.5 does not allow; leave some of the surface free, or use at most 0.4999",
        100.0 * change);
}

static pl_status step(void* system, const pl_method_step* step, pl_method_info* info,
                      pl_error* error) {
    mixed_system* s = system;
    state_save(s, s->saved);
    if (s->middle)
        memcpy(s->middle, pl_step_positions(s->fem), 3 * (size_t)s->vertex_count * sizeof(double));
    pl_status status = pl_step_system_step(s->fem, step, info, error);
    // One linear solve does not keep the volume exactly.
    bool is_solved = info->converged && !s->is_linearised;
    if (status == PL_OK && is_solved) status = check_volume(s, error);
    if (status != PL_OK) state_load(s, s->saved);
    return status;
}

static pl_status check_step(void* system, const pl_method_step* step, pl_error* error) {
    int rigid_mode_count;
    return pl_step_system_check(((mixed_system*)system)->fem, step, &rigid_mode_count, error);
}

static double* positions(void* system) { return pl_step_positions(((mixed_system*)system)->fem); }
static double* velocities(void* system) { return pl_step_velocities(((mixed_system*)system)->fem); }
static const double* masses(void* system) { return pl_step_masses(((mixed_system*)system)->fem); }
static pl_method_energies energies(void* system) {
    return pl_step_system_energies(((mixed_system*)system)->fem);
}

static const double* pressures(void* system) {
    mixed_system* s = system;
    return pl_mixed_pressures_at(s->pressure, pl_step_positions(s->fem));
}

static pl_status update(void* system, const pl_method_body* bodies, int body_count,
                        pl_error* error) {
    mixed_system* s = system;
    pl_step_model model = pl_step_system_model(s->fem);
    pl_material* materials = pl_mixed_materials(&model.sets[0]);
    for (int k = 0; k < body_count; k++)
        for (int e = 0; e < bodies[k].mesh->tet_count; e++) {
            pl_status status = pl_law_of_solid(&bodies[k].materials[e], materials++, error);
            if (status != PL_OK) return status;
        }
    pl_update_masses(&model, bodies, body_count);
    pl_mixed_options options = options_of(bodies[0].body);
    return pl_mixed_pressure_changed(s->pressure, &options, error);
}

static void careful(void* system, const pl_method_body* bodies, bool is_careful) {
    pl_step_set_careful(((mixed_system*)system)->fem, bodies[0].body, is_careful);
}

static void restart(void* system) { pl_step_restart(((mixed_system*)system)->fem); }

const pl_method_functions pl_mixed_method = {.name = "mixed",
                                             .create = create,
                                             .destroy = destroy,
                                             .step = step,
                                             .keeps_apart = true,
                                             .check_step = check_step,
                                             .positions = positions,
                                             .velocities = velocities,
                                             .masses = masses,
                                             .energies = energies,
                                             .pressures = pressures,
                                             .state_size = state_size,
                                             .state_save = state_save,
                                             .state_load = state_load,
                                             .update = update,
                                             .careful = careful,
                                             .restart = restart};
