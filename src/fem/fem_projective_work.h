// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The data of a step of Projective Dynamics in float: fem_projective_start.c makes its start,
// fem_projective_step.c iterates.
#ifndef PL_FEM_PROJECTIVE_WORK_H
#define PL_FEM_PROJECTIVE_WORK_H

#include "fem/fem_projective_fast.h"
#include "math/float4.h"

// Prefetch distance in vertices.
enum { PL_PROJECTIVE_AHEAD = 24 };

typedef struct pl_projective_work {
    pl_projective_fast* p;
    pl_minimiser* m;
    pl_step_objective* f;
    const pl_projective_motion* motion;
    const pl_step_settings* settings;
    pl_detect detect;
    void* detect_user;
    pl_method_info* info;
    double* x_out; // 3 per vertex
    int iteration;
    double length;      // step length along the direction
    double inertia;     // drag included [1/s^2]
    double flight_time; // during which velocity moves y, shortened by drag
    bool is_split;      // elements read their positions as the sum y + low
    bool at_start;      // u = 0, whatever its vector holds
    bool on_the_way;    // the last direction has not been added to u yet
    double load, noise; // what residuals are relative to, and round-off of forces [N]
    double norm;        // of the gradient
    double best;        // the smallest norm, in iteration best_at
    int best_at;
    bool finished; // false: the tolerance is below the precision of float
    bool is_deep;  // some pieces started deep in obstacles
    bool stays;    // these pieces returned to their initial positions
} pl_projective_work;

// Positions of the elements, and low parts that are added to them, or NULL; fourth values may be
// anything. For a fixed number of iterations plain float is enough.
static inline const float* pl_projective_high(const pl_projective_work* w) {
    return w->is_split || w->at_start ? w->p->y : w->p->x;
}
static inline const float* pl_projective_low(const pl_projective_work* w) {
    return !w->is_split ? NULL : w->at_start ? w->p->y_low : w->p->x;
}
static inline const float* pl_projective_base(const pl_projective_work* w) {
    return w->is_split ? w->p->y_low : w->p->y;
}

// the positions from which the integrator starts
static inline pl_vec3 pl_projective_from(const pl_projective_motion* m, size_t i) {
    pl_vec3 x = pl_vec3_load(m->positions + i);
    if (!m->bdf2) return x;
    return pl_scale(1.0 / 3.0, pl_sub(pl_scale(4.0, x), pl_vec3_load(m->positions_before + i)));
}

static inline pl_vec3 pl_projective_flight(const pl_projective_work* w, int row) {
    const pl_projective_motion* m = w->motion;
    size_t i = 3 * (size_t)row;
    pl_vec3 v = pl_vec3_load(m->velocities + i);
    if (m->bdf2)
        v = pl_scale(1.0 / 3.0, pl_sub(pl_scale(4.0, v), pl_vec3_load(m->velocities_before + i)));
    pl_vec3 moved = pl_scale(w->flight_time, v);
    moved = pl_madd(moved, 1.0 / (w->inertia * w->f->mass[row]), pl_vec3_load(w->f->force + i));
    return pl_add(pl_projective_from(m, i), moved);
}

// u of a vertex, plus the last direction if it has not been added yet
static inline pl_f4 pl_projective_found(const pl_projective_work* w, int row) {
    const pl_projective_fast* p = w->p;
    pl_f4 u = w->at_start ? (pl_f4){0} : pl_load4(p->u + 4 * (size_t)p->number[row]);
    if (!w->on_the_way) return u;
    const pl_scalar_fine* fine = pl_scalar_mg_fine(p->mg);
    return u + pl_load4(fine->x + 4 * (size_t)fine->order.place[row]);
}

// y + u in double
static inline pl_vec3 pl_projective_position(const pl_projective_work* w, int row) {
    pl_f4 u = pl_projective_found(w, row);
    return pl_add(pl_projective_flight(w, row),
                  (pl_vec3){(double)u[0], (double)u[1], (double)u[2]});
}

// y of all vertices, with their weights. Returns the sum of squared forces.
double pl_projective_fly(pl_projective_work* w);
// Puts held vertices at their targets.
void pl_projective_place_held(const pl_projective_work* w);
// x_out = y + u
void pl_projective_write_positions(const pl_projective_work* w);
// Rotates the start of bodies that rotate fast (rigid_start.h).
void pl_projective_turn_start(pl_projective_work* w);
// Starts from the u of the last step, if that was as long as this one.
void pl_projective_warm_start(pl_projective_work* w);
// Sets u so that it leads to x_out in bodies that were moved rigidly (stays NULL), or to the last
// positions in pieces with stays > 0.
void pl_projective_start_at(pl_projective_work* w, const double* stays);
// True if some pieces start deep in obstacles; these get a value above 0 (pl_rigid_start_values).
bool pl_projective_find_deep(const pl_projective_work* w);
// Moves each free piece rigidly to where its forces and torques are balanced. The gradient must be
// that at u.
pl_status pl_projective_balance(pl_projective_work* w, pl_error* error);

#endif
