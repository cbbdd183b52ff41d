// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Modes of a body, with the stiffness, masses and attachments that method fem uses.
#include "world/world_modes.h"
#include "base/memory.h"
#include "world/world_loads.h"

#include <math.h>
#include <pliant/modes.h>
#include <string.h>

static const double TOLERANCE = 1e-12;

static pl_status assemble(const pl_world_body* body, const double* x, const pl_pin* pins,
                          int pin_count, pl_pool* pool, pl_body_modes* m, pl_block_matrix* K,
                          pl_error* error) {
    pl_body_parts* parts = &m->parts;
    pl_method_body alone = {body->def, body->mesh, body->is_cloth, body->materials, 0, false};
    pl_status status = pl_fem_parts_create(&alone, 1, body->mesh->vertex_count, pool, parts, error);
    if (status == PL_OK)
        status = pl_block_matrix_setup(K, parts->vertex_count, 3, parts->neighbour_offsets,
                                       parts->neighbours, error);
    for (int k = 0; status == PL_OK && k < parts->set_count; k++)
        status = pl_element_set_locate(&parts->sets[k], K, error);
    if (status != PL_OK) return status;
    pl_step_objective f = {.vertex_count = parts->vertex_count,
                           .set_count = parts->set_count,
                           .sets = parts->sets,
                           .mass = parts->mass,
                           .pool = pool,
                           .velocity_time = 1.0,
                           .pins = pins,
                           .pin_count = pin_count,
                           .fixed = m->holds.fixed};
    pl_step_hessian(&f, x, 0.0, K);
    return PL_OK;
}

pl_status pl_body_modes_find(const pl_world_body* body, const double* x, const pl_pin* pins,
                             int pin_count, int count, const char* cache, pl_pool* pool,
                             pl_body_modes* out, pl_error* error) {
    pl_block_matrix K = {0};
    *out = (pl_body_modes){0};
    pl_status status = pl_step_holds_setup(&out->holds, body->mesh->vertex_count, error);
    if (status == PL_OK) status = pl_step_holds_mark(&out->holds, pins, pin_count, error);
    if (status == PL_OK) status = assemble(body, x, pins, pin_count, pool, out, &K, error);
    pl_modes_problem problem = {.K = &K,
                                .mass = out->parts.mass,
                                .positions = x,
                                .M = out->parts.mass_matrix.values ? &out->parts.mass_matrix : NULL,
                                .fixed = out->holds.fixed,
                                .holds = out->holds.holds.data,
                                .hold_count = (int)out->holds.holds.count};
    if (status == PL_OK)
        status = pl_modes_find_cached(cache, &problem,
                                      &(pl_modes_settings){.count = count, .tolerance = TOLERANCE},
                                      pool, &out->set, error);
    pl_block_matrix_free(&K);
    if (status != PL_OK) pl_body_modes_free(out);
    return status;
}

void pl_body_modes_free(pl_body_modes* m) {
    pl_mode_set_free(&m->set);
    pl_step_holds_free(&m->holds);
    pl_body_parts_free(&m->parts);
    *m = (pl_body_modes){0};
}

// ---------------------------------------------------------------- of a world

// the pins of a body, in the body's numbering
static pl_status find_pins(pl_world* w, const pl_world_body* body, pl_array* out, pl_error* error) {
    pl_status status = pl_world_place_pins(w, body->system, w->time, w->time, error);
    const pl_array* all = &w->systems[body->system].pins;
    const pl_pin* pins = all->data;
    int last = body->first_vertex + body->mesh->vertex_count;
    for (size_t k = 0; status == PL_OK && k < all->count; k++) {
        if (pins[k].vertex < body->first_vertex || pins[k].vertex >= last) continue;
        pl_pin own = pins[k];
        own.vertex -= body->first_vertex;
        if (!pl_array_push(out, &own)) status = pl_fail_memory(error, "pins");
    }
    return status;
}

// fraction of the mass that moves along each axis e with a mode u of M-norm 1: (u' M e)^2 / e' M e
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
        m->frequency[k] = sqrt(from->lambda[k]) / (2.0 * PL_PI);
        m->residual[k] = from->residual[k];
        find_participation(mass, from->vertex_count, from->shapes + (size_t)k * numbers,
                           m->participation + 3 * (size_t)k);
    }
    memcpy(m->shapes, from->shapes, (size_t)m->count * numbers * sizeof(double));
    *out = m;
    return PL_OK;
}

static pl_status check_method(const pl_world_body* body, pl_error* error) {
    if (body->def->method == PL_METHOD_FEM) return PL_OK;
    return pl_fail(error, PL_ERROR_UNSUPPORTED,
                   "body \"%.100s\" has method %s; modes are those of method fem", body->def->name,
                   pl_method_name((int)body->def->method));
}

// Estimates the number of blocks of K: vertices, plus two for each edge. A solid has about as many
// edges as vertices and tets together; a sheet has three for each two triangles.
static double count_blocks(const pl_mesh* mesh, bool is_cloth) {
    double edges = is_cloth ? 1.5 * mesh->triangle_count
                            : (double)mesh->vertex_count + (double)mesh->tet_count;
    return mesh->vertex_count + 2.0 * edges;
}

pl_status pl_world_modes_size(pl_world* w, int b, int count, pl_modes_size* out, pl_error* error) {
    const pl_world_body* body = &w->bodies[b];
    *out = (pl_modes_size){.vertex_count = body->mesh->vertex_count};
    pl_array pins = pl_array_of(sizeof(pl_pin));
    pl_step_holds holds = {0};
    pl_status status = check_method(body, error);
    if (status == PL_OK) status = find_pins(w, body, &pins, error);
    if (status == PL_OK) status = pl_step_holds_setup(&holds, out->vertex_count, error);
    if (status == PL_OK) status = pl_step_holds_mark(&holds, pins.data, (int)pins.count, error);
    const pl_block_matrix rows = {.row_count = out->vertex_count};
    const pl_modes_problem problem = {.K = &rows,
                                      .fixed = holds.fixed,
                                      .holds = holds.holds.data,
                                      .hold_count = (int)holds.holds.count};
    if (status == PL_OK) out->unknowns = pl_modes_unknowns(&problem);
    out->bytes =
        pl_modes_memory(out->vertex_count, count_blocks(body->mesh, body->is_cloth), count);
    pl_step_holds_free(&holds);
    pl_array_free(&pins);
    return status;
}

pl_status pl_world_modes(pl_world* w, int b, int count, pl_modes** out, pl_error* error) {
    *out = NULL;
    const pl_world_body* body = &w->bodies[b];
    pl_array pins = pl_array_of(sizeof(pl_pin));
    pl_body_modes found = {0};
    pl_status status = check_method(body, error);
    if (status == PL_OK) status = find_pins(w, body, &pins, error);
    pl_error cause = {0};
    if (status == PL_OK) {
        status = pl_body_modes_find(body, pl_world_positions(w, b), pins.data, (int)pins.count,
                                    count, NULL, w->pool, &found, &cause);
        if (status != PL_OK)
            pl_fail(error, status, "body \"%.100s\": %.900s", body->def->name, cause.text);
    }
    if (status == PL_OK) status = give(&found.set, found.parts.mass, out, error);
    pl_body_modes_free(&found);
    pl_array_free(&pins);
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
