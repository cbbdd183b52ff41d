// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Method "grid" of the world: bodies in lattices. The world's vertices are the embedded vertices of
// the bodies' meshes. Changes that the host makes to them between steps are applied to the lattice
// (grid_body.h).
#include "grid/grid_method.h"
#include "base/array.h"
#include "base/memory.h"
#include "base/timer.h"
#include "grid/grid_step.h"

#include <math.h>
#include <string.h>

typedef struct grid_system {
    pl_grid_body* bodies;
    int body_count;
    int vertex_count;
    double *positions, *velocities; // 3 per vertex, read and written by the world
    double *last_positions, *last_velocities;
    int point_count;                          // of all bodies, see grid_body.h
    double* start;                            // 3 per point: at the start of a step
    double* points;                           // 3 per point: now
    double* force;                            // 3 per point; zero on points that are not vertices
    double *untouched, *untouched_velocities; // copies of the values that the world last got
    double* mass;
    pl_array contacts;
} grid_system;

static void destroy(void* system) {
    grid_system* s = system;
    if (!s) return;
    for (int b = 0; b < s->body_count; b++) pl_grid_body_free(&s->bodies[b]);
    PL_FREE(s->bodies, pl_grid_body, s->body_count);
    size_t n = 3 * (size_t)s->vertex_count;
    PL_FREE(s->positions, double, n), PL_FREE(s->velocities, double, n);
    PL_FREE(s->last_positions, double, n), PL_FREE(s->last_velocities, double, n);
    const size_t m = 3 * (size_t)s->point_count;
    PL_FREE(s->start, double, m), PL_FREE(s->points, double, m), PL_FREE(s->force, double, m);
    PL_FREE(s->untouched, double, n), PL_FREE(s->untouched_velocities, double, n);
    PL_FREE(s->mass, double, s->vertex_count);
    pl_array_free(&s->contacts);
    PL_FREE(s, grid_system, 1);
}

// updates the world's vertices from the lattices
static void show(grid_system* s) {
    for (int b = 0; b < s->body_count; b++) {
        size_t first = 3 * (size_t)s->bodies[b].first_vertex;
        pl_grid_body_vertices(&s->bodies[b], s->positions + first, s->velocities + first);
    }
    size_t bytes = 3 * (size_t)s->vertex_count * sizeof(double);
    memcpy(s->last_positions, s->positions, bytes);
    memcpy(s->last_velocities, s->velocities, bytes);
}

// updates the points for contacts and springs
static void show_points(grid_system* s) {
    for (int b = 0; b < s->body_count; b++)
        pl_grid_body_points(&s->bodies[b], s->bodies[b].state.u,
                            s->points + 3 * (size_t)s->bodies[b].first_point);
}

static pl_status allocate_points(grid_system* s, pl_error* error) {
    const size_t n = 3 * (size_t)s->point_count;
    s->start = PL_ALLOC(double, n);
    s->points = PL_ALLOC(double, n);
    s->force = PL_ALLOC(double, n);
    return s->start && s->points && s->force ? PL_OK
                                             : pl_fail_memory(error, "a system of lattices");
}

static pl_status fill(grid_system* s, const pl_method_body* bodies, pl_pool* pool, pl_notes* notes,
                      pl_error* error) {
    size_t n = 3 * (size_t)s->vertex_count;
    double** arrays[] = {&s->positions,       &s->velocities, &s->last_positions,
                         &s->last_velocities, &s->untouched,  &s->untouched_velocities};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        *arrays[k] = PL_ALLOC(double, n);
        if (!*arrays[k]) return pl_fail_memory(error, "a system of lattices");
    }
    s->mass = PL_ALLOC(double, s->vertex_count);
    if (!s->mass) return pl_fail_memory(error, "a system of lattices");
    for (int b = 0; b < s->body_count; b++) {
        pl_status status = pl_grid_body_create(&bodies[b], pool, &s->bodies[b], notes, error);
        if (status == PL_OK) status = pl_grid_note_layout(&s->bodies[b], error);
        if (status != PL_OK) return status;
        s->bodies[b].first_point = s->point_count;
        s->point_count += s->bodies[b].point_count;
        pl_grid_body_masses(&s->bodies[b], &bodies[b], s->mass + bodies[b].first_vertex);
    }
    show(s);
    return allocate_points(s, error);
}

static pl_status create(const pl_method_body* bodies, int body_count, int vertex_count,
                        pl_pool* pool, void** out, pl_notes* notes, pl_error* error) {
    *out = NULL;
    grid_system* s = PL_ALLOC(grid_system, 1);
    if (!s) return pl_fail_memory(error, "a system of lattices");
    s->contacts = pl_array_of(sizeof(pl_contact));
    s->vertex_count = vertex_count;
    s->bodies = PL_ALLOC(pl_grid_body, body_count);
    pl_status status = s->bodies ? PL_OK : pl_fail_memory(error, "a system of lattices");
    if (status == PL_OK) {
        s->body_count = body_count;
        status = fill(s, bodies, pool, notes, error);
    }
    if (status == PL_OK) *out = s;
    else destroy(s);
    return status;
}

// Applies what the host wrote into the positions and velocities of a body since the last step or
// the last call.
static pl_status take_over(grid_system* s, pl_grid_body* b, pl_error* error) {
    const size_t first = 3 * (size_t)b->first_vertex;
    const size_t bytes = 3 * (size_t)b->vertex_count * sizeof(double);
    const double *x = s->positions + first, *v = s->velocities + first;
    double *last_x = s->last_positions + first, *last_v = s->last_velocities + first;
    if (memcmp(v, last_v, bytes) != 0) {
        const pl_status status = pl_grid_apply_velocity_edits(b, v, last_v, error);
        if (status != PL_OK) return status;
        memcpy(last_v, v, bytes);
    }
    if (memcmp(x, last_x, bytes) == 0) return PL_OK;
    const pl_status status = pl_grid_apply_position_edits(b, x, last_x, error);
    if (status == PL_OK) memcpy(last_x, x, bytes);
    return status;
}

// whether forces depend on vertex positions, so that every cycle needs those
static bool has_reactions(const pl_method_step* step) {
    if (step->detect) return true;
    for (int k = 0; k < step->pin_count; k++)
        if (!step->pins[k].hard) return true;
    return false;
}

// records the attachments and forces of the pieces of a body
static void load_pieces(pl_grid_body* b, const pl_grid_loads* loads) {
    const double cell_mass = b->density * pow(b->frame.cell, 3.0);
    pl_grid_pieces_reset(&b->pieces);
    for (int k = 0; k < loads->pin_count; k++)
        if (pl_grid_is_own(b, loads->pins[k].vertex))
            pl_grid_pieces_hold(&b->pieces, loads->pins[k].vertex - b->first_vertex);
    for (int k = 0; k < b->pieces.count; k++) {
        double weight[3];
        for (int a = 0; a < 3; a++)
            weight[a] = cell_mass * b->pieces.pieces[k].cell_count * loads->gravity[a];
        pl_grid_pieces_push(&b->pieces, k, weight);
    }
    for (int v = 0; v < b->vertex_count; v++)
        pl_grid_pieces_push(&b->pieces, b->pieces.of_vertex[v], loads->force + 3 * (size_t)v);
}

static pl_status check_held(pl_grid_body* b, const pl_grid_loads* loads, pl_error* error) {
    if (b->dynamic) return PL_OK;
    bool held = false;
    for (int k = 0; k < loads->pin_count && !held; k++)
        held = pl_grid_is_own(b, loads->pins[k].vertex);
    if (!held)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "body \"%s\" is held nowhere and has no equilibrium; attach it, or use "
                       "integrator \"euler\"",
                       b->name);
    if (b->pieces.count < 2) return PL_OK;
    load_pieces(b, loads);
    const int loose = pl_grid_pieces_find_loose(&b->pieces);
    if (loose < 0) return PL_OK;
    const pl_grid_piece* piece = &b->pieces.pieces[loose];
    double at[3];
    for (int a = 0; a < 3; a++)
        at[a] = b->frame.origin[a] +
                b->frame.cell * pl_grid_unfolded(&b->frame, a, piece->cell[a] + 0.5);
    return pl_fail(error, PL_ERROR_UNSUPPORTED,
                   "body \"%s\": its lattice has %d pieces, and the one of %d cells near "
                   "(%g, %g, %g) is pushed and nothing holds it, so that it has no equilibrium; "
                   "attach the piece, use larger cells or padding that join it to the others, or "
                   "use integrator \"euler\"",
                   b->name, b->pieces.count, piece->cell_count, at[0], at[1], at[2]);
}

static pl_status solve(grid_system* s, const pl_method_step* step, pl_grid_loads* loads,
                       pl_method_info* info, pl_error* error) {
    bool reactions = has_reactions(step);
    pl_status status = PL_OK;
    int cycles = 1;
    for (int b = 0; b < s->body_count; b++)
        cycles = s->bodies[b].max_cycles > cycles ? s->bodies[b].max_cycles : cycles;
    for (int k = 0; status == PL_OK && k < cycles; k++) {
        double began = pl_deadline_now(step->deadline);
        if (reactions) {
            show_points(s);
            status = pl_detect_all(step->detect, step->detect_user, s->start, s->points,
                                   &s->contacts, error);
            loads->contacts = s->contacts.data, loads->contact_count = (int)s->contacts.count;
        }
        info->residual = 0.0;
        info->converged = true;
        for (int b = 0; status == PL_OK && b < s->body_count; b++) {
            pl_grid_body* body = &s->bodies[b];
            loads->force = s->force + 3 * (size_t)body->first_point;
            double residual =
                pl_grid_step_cycle(body, loads, s->points + 3 * (size_t)body->first_point);
            info->residual = fmax(info->residual, residual);
            info->converged = info->converged && residual <= body->tolerance;
            if (!isfinite(residual))
                return pl_fail(error, PL_ERROR_DIVERGED,
                               "body \"%s\": cycle %d has forces that are not finite", body->name,
                               k);
        }
        info->linear_iterations++;
        pl_trace_add(&info->trace, info->residual);
        if (info->converged) break;
        if (k + 1 < cycles && !pl_deadline_has_room(step->deadline, began)) {
            info->is_cut = true;
            break;
        }
    }
    info->iterations = 1;
    info->contact_count = (int)s->contacts.count;
    return status;
}

// forces on vertices without gravity, which acts on cells
static void set_forces(grid_system* s, const pl_method_step* step) {
    for (int k = 0; k < s->body_count; k++) {
        const pl_grid_body* b = &s->bodies[k];
        for (size_t i = 0; i < 3 * (size_t)b->vertex_count; i++) {
            size_t from = 3 * (size_t)b->first_vertex + i;
            s->force[3 * (size_t)b->first_point + i] =
                step->force[from] - s->mass[from / 3] * step->gravity[i % 3];
        }
    }
}

static pl_status check_step(void* system, const pl_method_step* step, pl_error* error) {
    grid_system* s = system;
    pl_grid_loads loads = {.pins = step->pins, .pin_count = step->pin_count};
    pl_status status = PL_OK;
    set_forces(s, step);
    memcpy(loads.gravity, step->gravity, sizeof loads.gravity);
    for (int b = 0; status == PL_OK && b < s->body_count; b++) {
        loads.force = s->force + 3 * (size_t)s->bodies[b].first_point;
        status = check_held(&s->bodies[b], &loads, error);
    }
    return status;
}

// Reserves memory for the reports of contacts.
static pl_status make_room(const pl_grid_loads* loads, pl_error* error) {
    if (!loads->reports) return PL_OK;
    loads->reports->count = 0;
    return pl_array_reserve(loads->reports, (size_t)loads->contact_count)
               ? PL_OK
               : pl_fail_memory(error, "contacts");
}

static pl_status run_step(grid_system* s, const pl_method_step* step, pl_method_info* info,
                          pl_error* error) {
    pl_grid_loads loads = {.time_step = step->time_step,
                           .pins = step->pins,
                           .pin_count = step->pin_count,
                           .start = s->start,
                           .may_repeat = step->is_coupled,
                           .is_repeated = step->is_repeated,
                           .pin_forces = step->pin_forces,
                           .obstacle_forces = step->obstacle_forces,
                           .obstacle_count = step->obstacle_count,
                           .reports = step->contacts};
    set_forces(s, step);
    memcpy(loads.gravity, step->gravity, sizeof loads.gravity);
    pl_status status = PL_OK;
    for (int b = 0; status == PL_OK && b < s->body_count; b++)
        status = take_over(s, &s->bodies[b], error);
    for (int b = 0; status == PL_OK && b < s->body_count; b++) {
        loads.force = s->force + 3 * (size_t)s->bodies[b].first_point;
        status = pl_grid_step_begin(&s->bodies[b], &loads, error);
        if (status == PL_OK) status = check_held(&s->bodies[b], &loads, error);
        // not earlier: Dirichlet cells may change at the start of the step
        if (status == PL_OK && has_reactions(step))
            pl_grid_body_points(&s->bodies[b], s->bodies[b].before,
                                s->start + 3 * (size_t)s->bodies[b].first_point);
    }
    if (status == PL_OK) status = solve(s, step, &loads, info, error);
    if (status == PL_OK) status = make_room(&loads, error);
    if (status != PL_OK) return status;
    for (int b = 0; b < s->body_count; b++) {
        loads.force = s->force + 3 * (size_t)s->bodies[b].first_point;
        pl_grid_step_end(&s->bodies[b], &loads);
    }
    show(s);
    for (int b = 0; b < s->body_count; b++) info->turned_count += pl_grid_has_turned(&s->bodies[b]);
    return PL_OK;
}

// ------------------------------------------------------------------ functions for the world

static double* positions(void* system) { return ((grid_system*)system)->positions; }
static double* velocities(void* system) { return ((grid_system*)system)->velocities; }
static const double* masses(void* system) { return ((grid_system*)system)->mass; }

static const int* colliding(const void* system, int body, int* first, int* count) {
    const pl_grid_body* b = &((const grid_system*)system)->bodies[body];
    *first = b->first_point;
    *count = b->colliding_count;
    return b->colliding;
}

static pl_method_energies energies(void* system) {
    grid_system* s = system;
    pl_method_energies sum = {0};
    for (int b = 0; b < s->body_count; b++) {
        pl_method_energies e = pl_grid_body_energies(&s->bodies[b]);
        sum.kinetic += e.kinetic, sum.elastic += e.elastic;
    }
    return sum;
}

static pl_status momentum(void* system, int body, pl_vec3* linear, pl_vec3* angular,
                          pl_error* error) {
    grid_system* s = system;
    const pl_status status = take_over(s, &s->bodies[body], error);
    if (status == PL_OK) pl_grid_body_momentum(&s->bodies[body], linear, angular);
    return status;
}

// Calls visit for every array of the state; body is NULL if the array is not a lattice field.
typedef void (*visitor)(const pl_grid_body* body, void* values, size_t count, size_t item,
                        char* at);

static size_t visit_body(pl_grid_body* body, visitor visit, char* at) {
    const size_t size = (size_t)body->first_chunk_count * PL_GRID_CHUNK;
    double* fields[] = {body->state.u[0],      body->state.u[1],       body->state.u[2],
                        body->state.p,         body->velocity[0],      body->velocity[1],
                        body->velocity[2],     body->past[0],          body->past[1],
                        body->past[2],         body->past_velocity[0], body->past_velocity[1],
                        body->past_velocity[2]};
    const int count = body->second_order ? 13 : 7;
    size_t total = 0;
    for (int k = 0; k < count; k++, total += size * sizeof(double))
        if (visit) visit(body, fields[k], size, sizeof(double), at + total);
    if (visit) visit(NULL, &body->past_known, 1, sizeof(double), at + total);
    total += sizeof(double);
    if (!body->uses_corot) return total;
    if (visit) visit(body, body->turn, size, sizeof(pl_quat), at + total);
    return total + size * sizeof(pl_quat);
}

static size_t visit_state(const grid_system* s, visitor visit, char* at) {
    size_t total = 0, n = 3 * (size_t)s->vertex_count;
    double* own[] = {s->positions, s->velocities, s->last_positions, s->last_velocities};
    for (int k = 0; k < 4; k++, total += n * sizeof(double))
        if (visit) visit(NULL, own[k], n, sizeof(double), at + total);
    for (int b = 0; b < s->body_count; b++)
        total += visit_body(&s->bodies[b], visit, visit ? at + total : NULL);
    return total;
}

static void save_array(const pl_grid_body* body, void* values, size_t count, size_t item,
                       char* at) {
    if (body) pl_grid_save_field(body, values, item, at);
    else if (count) memcpy(at, values, count * item);
}
static void load_array(const pl_grid_body* body, void* values, size_t count, size_t item,
                       char* at) {
    if (body) pl_grid_load_field(body, at, item, values);
    else if (count) memcpy(values, at, count * item);
}

static size_t state_size(const void* system) { return visit_state(system, NULL, NULL); }
static void state_save(const void* system, void* out) { visit_state(system, save_array, out); }
static void state_load(void* system, const void* in) { visit_state(system, load_array, (char*)in); }

static void restart(void* system) {
    grid_system* s = system;
    for (int b = 0; b < s->body_count; b++) s->bodies[b].past_known = 0.0;
}

// Uses backward Euler, which damps motion that BDF2 preserves.
static void careful(void* system, const pl_method_body* bodies, bool forces_euler) {
    grid_system* s = system;
    for (int b = 0; b < s->body_count; b++)
        s->bodies[b].forces_euler =
            forces_euler && bodies[b].body->integrator == PL_INTEGRATOR_BDF2;
}

static void undo(grid_system* s) {
    for (int k = 0; k < s->body_count; k++) {
        pl_grid_body* b = &s->bodies[k];
        if (!b->in_step) continue;
        size_t bytes = (size_t)b->lattice.levels[0].field_size * sizeof(double);
        for (int a = 0; a < 3; a++) memcpy(b->state.u[a], b->before[a], bytes);
        if (b->uses_corot)
            memcpy(b->turn, b->turn_before, bytes / sizeof(double) * sizeof(pl_quat));
        memcpy(b->state.p, b->pressure_before, bytes);
    }
    // host edits are in the lattices now: do not apply them again
    size_t bytes = 3 * (size_t)s->vertex_count * sizeof(double);
    memcpy(s->positions, s->untouched, bytes);
    memcpy(s->velocities, s->untouched_velocities, bytes);
    memcpy(s->last_positions, s->positions, bytes);
    memcpy(s->last_velocities, s->velocities, bytes);
}

static pl_status step(void* system, const pl_method_step* step, pl_method_info* info,
                      pl_error* error) {
    grid_system* s = system;
    double begin = pl_seconds();
    *info = (pl_method_info){0};
    for (int b = 0; b < s->body_count; b++) s->bodies[b].in_step = false;
    size_t bytes = 3 * (size_t)s->vertex_count * sizeof(double);
    memcpy(s->untouched, s->positions, bytes);
    memcpy(s->untouched_velocities, s->velocities, bytes);
    pl_status status = run_step(s, step, info, error);
    if (status != PL_OK) undo(s);
    info->seconds = info->linear_seconds = pl_seconds() - begin;
    return status;
}

static pl_status update(void* system, const pl_method_body* bodies, int body_count,
                        pl_error* error) {
    grid_system* s = system;
    pl_status status = PL_OK;
    for (int b = 0; status == PL_OK && b < body_count; b++) {
        status = pl_grid_body_update(&s->bodies[b], &bodies[b], error);
        if (status == PL_OK)
            pl_grid_body_masses(&s->bodies[b], &bodies[b], s->mass + bodies[b].first_vertex);
    }
    return status;
}

static pl_status outline(void* system, int body, pl_array* corners, pl_array* edges,
                         pl_error* error) {
    grid_system* s = system;
    return pl_grid_outline(&s->bodies[body], corners, edges, error);
}

const pl_method_functions pl_grid_method = {.name = "grid",
                                            .create = create,
                                            .destroy = destroy,
                                            .step = step,
                                            .check_step = check_step,
                                            .positions = positions,
                                            .velocities = velocities,
                                            .masses = masses,
                                            .colliding = colliding,
                                            .energies = energies,
                                            .momentum = momentum,
                                            .state_size = state_size,
                                            .state_save = state_save,
                                            .state_load = state_load,
                                            .update = update,
                                            .careful = careful,
                                            .outline = outline,
                                            .restart = restart};
