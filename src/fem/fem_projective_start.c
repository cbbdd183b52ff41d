// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The start of a step of Projective Dynamics in float.
#include "base/tuned.h"
#include "fem/fem_projective_work.h"

#include <math.h>
#include <string.h>

enum { BLOCK = PL_PROJECTIVE_BLOCK };

// u is that of a step of the same length
static bool is_warm(const pl_projective_work* w) { return w->p->u_inertia == w->f->inertia; }

// true if the vertex rotates about the first one of its body so fast that straight flight along the
// velocity is a bad start
static bool turns_fast(const pl_projective_work* w, int row) {
    const pl_projective_motion* m = w->motion;
    size_t i = 3 * (size_t)row, first = 3 * (size_t)w->p->root[row];
    pl_vec3 r = pl_sub(pl_vec3_load(m->positions + i), pl_vec3_load(m->positions + first));
    pl_vec3 v = pl_sub(pl_vec3_load(m->velocities + i), pl_vec3_load(m->velocities + first));
    double fast = is_warm(w) ? pl_tuned.fast_warm_turn : pl_tuned.fast_turn;
    return m->step * m->step * pl_norm2(v) > fast * fast * pl_norm2(r);
}

static void store_flight(const pl_projective_fast* p, int row, pl_vec3 y, float weight) {
    size_t at = 4 * (size_t)p->number[row];
    pl_f4 high = pl_float4_of(y), low;
    for (int c = 0; c < 3; c++) low[c] = (float)((&y.x)[c] - (double)high[c]);
    high[3] = weight;
    low[3] = p->edge[row];
    pl_store4(p->y + at, high);
    pl_store4(p->y_low + at, low);
}

// Start of the step: computes y, with the weight of the vertex as fourth value. Vertices are read
// in the order of the state, which may be any, and written by number. Returns the sum of squared
// forces.
static double fly_part(int begin, int end, void* user) {
    const pl_projective_work* w = user;
    pl_projective_fast* p = w->p;
    double sum = 0.0;
    bool turns = false;
    for (int row = begin; row < end; row++) {
        if (row + PL_PROJECTIVE_AHEAD < end)
            pl_prefetch_write(p->y + 4 * (size_t)p->number[row + PL_PROJECTIVE_AHEAD]);
        const double* origin = w->motion->positions + 3 * (size_t)p->root[row];
        store_flight(p, row, pl_sub(pl_projective_flight(w, row), pl_vec3_load(origin)),
                     (float)(w->inertia * w->f->mass[row]));
        sum += pl_norm2(pl_vec3_load(w->f->force + 3 * (size_t)row));
        turns = turns || turns_fast(w, row);
    }
    p->block_turns[begin / BLOCK] = turns;
    return sum;
}

// puts held vertices at their targets
void pl_projective_place_held(const pl_projective_work* w) {
    pl_projective_fast* p = w->p;
    for (int k = 0; k < w->f->pin_count; k++) {
        const pl_pin* pin = &w->f->pins[k];
        if (!pin->hard) continue;
        size_t at = 4 * (size_t)p->number[pin->vertex];
        const double* origin = w->motion->positions + 3 * (size_t)p->root[pin->vertex];
        store_flight(p, pin->vertex, pl_sub(pin->target, pl_vec3_load(origin)), p->y[at + 3]);
    }
}

double pl_projective_fly(pl_projective_work* w) {
    return pl_parallel_sum(w->p->pool, fly_part, w->p->vertex_count, BLOCK, w);
}

static void positions_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pl_projective_work* w = user;
    for (int v = begin; v < end; v++)
        pl_vec3_store(w->x_out + 3 * (size_t)v, pl_projective_position(w, v));
}

void pl_projective_write_positions(const pl_projective_work* w) {
    pl_parallel_for(w->p->pool, positions_task, w->p->vertex_count, BLOCK, (void*)w);
    for (int k = 0; k < w->f->pin_count; k++)
        if (w->f->pins[k].hard)
            pl_vec3_store(w->x_out + 3 * (size_t)w->f->pins[k].vertex, w->f->pins[k].target);
}

// Sets u so that it leads to x_out in bodies that were moved rigidly, or to the last positions in
// pieces that stay. In the others u becomes 0 if the step is at its start (at_start).
typedef struct start_work {
    const pl_projective_work* w;
    const double* stays; // per piece: above 0 if it stays; NULL: rigid motions
} start_work;

static void start_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const start_work* s = user;
    const pl_projective_work* w = s->w;
    const pl_rigid_start* rigid = w->motion->rigid_start;
    const double* target = s->stays ? w->motion->positions : w->x_out;
    for (int row = begin; row < end; row++) {
        size_t at = 4 * (size_t)w->p->number[row], i = 3 * (size_t)row;
        bool moved =
            !w->p->held[row] && (s->stays ? s->stays[pl_rigid_start_piece(rigid, row)] > 0.0
                                          : pl_rigid_start_moved(rigid, row));
        pl_f4 u = w->at_start ? (pl_f4){0} : pl_load4(w->p->u + at);
        if (moved) u = pl_float4_of(pl_sub(pl_vec3_load(target + i), pl_projective_flight(w, row)));
        pl_store4(w->p->u + at, u);
        pl_store4(w->p->x + at, pl_load4(pl_projective_base(w) + at) + u);
    }
}

void pl_projective_start_at(pl_projective_work* w, const double* stays) {
    start_work s = {w, stays};
    pl_parallel_for(w->p->pool, start_task, w->p->vertex_count, BLOCK, &s);
    w->at_start = false;
}

static void warm_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pl_projective_work* w = user;
    const float* base = pl_projective_base(w);
    for (int k = begin; k < end; k++) {
        size_t at = 4 * (size_t)k;
        if (w->p->held[w->p->vertex_of[k]]) pl_store4(w->p->u + at, (pl_f4){0});
        pl_store4(w->p->x + at, pl_load4(base + at) + pl_load4(w->p->u + at));
    }
}

void pl_projective_warm_start(pl_projective_work* w) {
    if (!w->at_start || !is_warm(w)) return;
    pl_parallel_for(w->p->pool, warm_task, w->p->vertex_count, BLOCK, w);
    w->at_start = false;
}

// Rotates the start of bodies that rotate fast (rigid_start.h).
void pl_projective_turn_start(pl_projective_work* w) {
    const pl_projective_motion* m = w->motion;
    bool turns = false;
    for (int b = 0; b * BLOCK < w->p->vertex_count; b++) turns = turns || w->p->block_turns[b];
    if (!turns) return;
    pl_projective_write_positions(w);
    if (pl_rigid_start_move(m->rigid_start, w->p->pool, w->f->mass, m->positions, NULL, w->x_out)) {
        pl_projective_start_at(w, NULL);
        w->p->is_cold = true; // the rotations of the last step are far off
    }
}

// If a piece flies deep into an obstacle, contact puts all vertices inside it on the surface at
// once, and a few iterations do not free them again. Returns true if, for some pieces, the contacts
// at x_out have more energy than the motion that led their vertices there; these pieces get a value
// above 0.
bool pl_projective_find_deep(const pl_projective_work* w) {
    pl_rigid_start* pieces = w->motion->rigid_start;
    double* energy = pl_rigid_start_values(pieces);
    int piece_count = pl_rigid_start_piece_count(pieces);
    const double* before = w->motion->positions;
    bool some = false;
    memset(energy, 0, (size_t)piece_count * sizeof(double));
    for (int k = 0; k < w->f->contact_count; k++) {
        const pl_contact* contact = &w->f->contacts[k];
        size_t i = 3 * (size_t)contact->vertex;
        double depth = fmax(pl_step_contact_depth(w->f, contact, w->x_out), 0.0);
        double depth_before = fmax(pl_step_contact_depth(w->f, contact, before), 0.0);
        pl_vec3 moved = pl_sub(pl_vec3_load(w->x_out + i), pl_vec3_load(before + i));
        energy[pl_rigid_start_piece(pieces, contact->vertex)] +=
            contact->stiffness * (depth * depth - depth_before * depth_before) -
            w->inertia * w->f->mass[contact->vertex] * pl_norm2(moved);
    }
    for (int p = 0; p < piece_count; p++) some = some || energy[p] > 0.0;
    return some;
}
