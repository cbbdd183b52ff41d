// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Modes of a body: its stiffness and masses as method fem has them, held as the scene holds it.
#include "base/memory.h"
#include "fem/fem_build.h"
#include "modes/mode_set.h"
#include "world/world_loads.h"

#include <math.h>
#include <pliant/modes.h>
#include <string.h>

static const double TOLERANCE = 1e-12;

typedef struct modes_work {
    pl_fem_parts parts;
    pl_block_matrix K;
    pl_step_holds holds;
    pl_array pins; // of pl_pin, of the body alone
    const double* x;
} modes_work;

static pl_status find_pins(pl_world* w, const pl_world_body* body, modes_work* work,
                           pl_error* error) {
    pl_status status = pl_world_place_pins(w, body->system, w->time, w->time, error);
    const pl_array* all = &w->systems[body->system].pins;
    const pl_pin* pins = all->data;
    int last = body->first_vertex + body->mesh->vertex_count;
    for (size_t k = 0; status == PL_OK && k < all->count; k++) {
        if (pins[k].vertex < body->first_vertex || pins[k].vertex >= last) continue;
        pl_pin own = pins[k];
        own.vertex -= body->first_vertex;
        if (!pl_array_push(&work->pins, &own)) status = pl_fail_memory(error, "pins");
    }
    if (status == PL_OK)
        status = pl_step_holds_setup(&work->holds, body->mesh->vertex_count, error);
    if (status == PL_OK)
        status = pl_step_holds_mark(&work->holds, work->pins.data, (int)work->pins.count, error);
    return status;
}

static pl_status assemble(pl_world* w, const pl_world_body* body, modes_work* work,
                          pl_error* error) {
    pl_fem_parts* parts = &work->parts;
    pl_method_body alone = {body->def, body->mesh, body->is_cloth, body->materials, 0, false};
    pl_status status =
        pl_fem_parts_create(&alone, 1, body->mesh->vertex_count, w->pool, parts, error);
    if (status == PL_OK)
        status = pl_block_matrix_setup(&work->K, parts->vertex_count, 3, parts->neighbour_offsets,
                                       parts->neighbours, error);
    for (int k = 0; status == PL_OK && k < parts->set_count; k++)
        status = pl_element_set_locate(&parts->sets[k], &work->K, error);
    if (status != PL_OK) return status;
    pl_step_objective f = {.vertex_count = parts->vertex_count,
                           .set_count = parts->set_count,
                           .sets = parts->sets,
                           .mass = parts->mass,
                           .pool = w->pool,
                           .velocity_time = 1.0,
                           .pins = work->pins.data,
                           .pin_count = (int)work->pins.count,
                           .fixed = work->holds.fixed};
    pl_step_hessian(&f, work->x, 0.0, &work->K);
    return PL_OK;
}

// the part of the mass that moves with a mode of M-norm 1: (u' M e)^2 / e' M e
static void find_participation(const double* mass, int vertex_count, const double* u,
                               double out[3]) {
    double total = 0.0, sum[3] = {0.0, 0.0, 0.0};
    for (int v = 0; v < vertex_count; v++) {
        total += mass[v];
        for (int k = 0; k < 3; k++) sum[k] += mass[v] * u[3 * (size_t)v + (size_t)k];
    }
    for (int k = 0; k < 3; k++) out[k] = sum[k] * sum[k] / total;
}

static pl_status give(const pl_mode_set* from, const double* mass, pl_modes** out,
                      pl_error* error) {
    const double pi = 3.14159265358979323846;
    size_t numbers = 3 * (size_t)from->vertex_count;
    pl_modes* m = PL_ALLOC(pl_modes, 1);
    if (!m) return pl_fail_memory(error, "modes");
    *m = (pl_modes){from->vertex_count, from->count, from->rigid_count, NULL, NULL, NULL, NULL};
    m->frequency = PL_ALLOC(double, m->count);
    m->residual = PL_ALLOC(double, m->count);
    m->participation = PL_ALLOC(double, 3 * (size_t)m->count);
    m->shapes = PL_ALLOC(double, (size_t)m->count* numbers);
    if (!m->frequency || !m->residual || !m->participation || !m->shapes) {
        pl_modes_destroy(m);
        return pl_fail_memory(error, "modes");
    }
    for (int k = 0; k < m->count; k++) {
        m->frequency[k] = sqrt(from->lambda[k]) / (2.0 * pi);
        m->residual[k] = from->residual[k];
        find_participation(mass, from->vertex_count, from->shapes + (size_t)k * numbers,
                           m->participation + 3 * (size_t)k);
    }
    memcpy(m->shapes, from->shapes, (size_t)m->count * numbers * sizeof(double));
    *out = m;
    return PL_OK;
}

pl_status pl_world_modes(pl_world* w, int b, int count, pl_modes** out, pl_error* error) {
    *out = NULL;
    const pl_world_body* body = &w->bodies[b];
    if (body->def->method != PL_METHOD_FEM)
        return pl_fail(error, PL_ERROR_UNSUPPORTED,
                       "body \"%.100s\" has method %s; modes are those of method fem",
                       body->def->name, pl_method_name((int)body->def->method));
    modes_work work = {.pins = pl_array_of(sizeof(pl_pin)), .x = pl_world_positions(w, b)};
    pl_mode_set set = {0};
    pl_status status = find_pins(w, body, &work, error);
    if (status == PL_OK) status = assemble(w, body, &work, error);
    pl_modes_problem problem = {.K = &work.K,
                                .mass = work.parts.mass,
                                .positions = work.x,
                                .M = work.parts.mass_matrix.values ? &work.parts.mass_matrix : NULL,
                                .fixed = work.holds.fixed,
                                .holds = work.holds.holds.data,
                                .hold_count = (int)work.holds.holds.count};
    pl_error cause = {0};
    if (status == PL_OK) {
        status =
            pl_modes_find(&problem, &(pl_modes_settings){.count = count, .tolerance = TOLERANCE},
                          w->pool, &set, &cause);
        if (status != PL_OK)
            pl_fail(error, status, "body \"%.100s\": %.900s", body->def->name, cause.text);
    }
    if (status == PL_OK) status = give(&set, work.parts.mass, out, error);
    pl_mode_set_free(&set);
    pl_block_matrix_free(&work.K);
    pl_step_holds_free(&work.holds);
    pl_fem_parts_free(&work.parts);
    pl_array_free(&work.pins);
    return status;
}

void pl_modes_destroy(pl_modes* m) {
    if (!m) return;
    PL_FREE(m->frequency, double, m->count);
    PL_FREE(m->residual, double, m->count);
    PL_FREE(m->participation, double, 3 * (size_t)m->count);
    PL_FREE(m->shapes, double, 3 * (size_t)m->count * (size_t)m->vertex_count);
    PL_FREE(m, pl_modes, 1);
}
