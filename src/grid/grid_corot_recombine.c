// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cycles of the general lattice with pressures as variables (Zhu 2010, section 7), recombined.
//
// Equation 14 has positions and pressures side by side, and so have cycles inside. With the
// pressures substituted outside, what a cycle leaves of a core cell's T comes back as a force
// lambda / mu times as large, which the next cycle has to take away again: the armadillo of the
// bench, its hands and feet pulled at once at nu = 0.475, converges by 0.54 per cycle so (rotations
// frozen), and by 0.35 if the state keeps the pressures that cycles find.
//
// Where we differ from the paper: the correction of a cycle is recombined with the last few ones,
// as those of the linear law are (grid_recombine.h). Rotations change from cycle to cycle and so do
// the equations; the images of older corrections, differences of true residuals, are then a little
// wrong. That costs some of the rate but no accuracy, as the next residual is computed anew. What
// is found in this way is a point where forces vanish, while conjugate directions also go downhill:
// those are for what does not converge here (pl_grid_corot_correct).
#include "grid/grid_corot.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 4096 };
// of a residual by one cycle: the way back is found by recombination
static const double MOST_GROWTH = 4.0;

typedef struct move_job {
    const pl_corot_level* level;
    pl_grid_state* state;
    float* const* moved;
    double factor;
} move_job;

// the correction as the state takes it: pressures of other cells follow from positions
static void take_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const move_job* j = user;
    for (int i = begin; i < end; i++) {
        const uint16_t flags = j->level->flags[i];
        for (int a = 0; a < 3; a++)
            j->moved[a][i] = flags & (PL_COROT_FACE << a) ? j->level->u[a][i] : 0.0f;
        j->moved[3][i] = flags & PL_COROT_CORE ? j->level->s[i] : 0.0f;
    }
}

static void move_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const move_job* j = user;
    for (int a = 0; a < 4; a++) {
        double* to = a < 3 ? j->state->u[a] : j->state->p;
        for (int i = begin; i < end; i++) to[i] += j->factor * (double)j->moved[a][i];
    }
}

static void move(const pl_grid_corot* c, pl_grid_state* state, float* const moved[4],
                 double factor) {
    const pl_corot_level* l = &c->levels[0];
    pl_parallel_for(c->pool, move_task, l->layout->field_size, BLOCK,
                    &(move_job){l, state, moved, factor});
}

bool pl_grid_corot_recombine(pl_grid_corot* c, pl_grid_state* state, double h, bool turn_cells,
                             double residual) {
    pl_corot_level* l = &c->levels[0];
    pl_grid_recombine* past = &c->history;
    float* const r[4] = {l->f[0], l->f[1], l->f[2], l->g};
    size_t bytes = past->size * sizeof(float);
    double shares[PL_GRID_HISTORY];
    for (int a = 0; a < 4; a++) memcpy(past->image[past->next][a], r[a], bytes);
    pl_grid_corot_cycle(c);
    pl_parallel_for(c->pool, take_task, (int)past->size, BLOCK,
                    &(move_job){.level = l, .moved = c->own_move});
    move(c, state, c->own_move, 1.0);
    c->own_residual = pl_grid_corot_residual(c, state, h, turn_cells);
    if (!(c->own_residual <= MOST_GROWTH * residual)) {
        move(c, state, c->own_move, -1.0);
        return false;
    }
    for (int a = 0; a < 4; a++) {
        memcpy(past->change[past->next][a], c->own_move[a], bytes);
        memset(c->past_move[a], 0, bytes);
    }
    pl_grid_recombine_shares(past, r, shares, c->pool);
    for (int k = 0; k < past->count; k++)
        if (shares[k] != 0.0)
            pl_grid_fields_add(past->size, shares[k], past->change[k], c->past_move, c->pool);
    move(c, state, c->past_move, 1.0);
    return true;
}

void pl_grid_corot_separate(pl_grid_corot* c, pl_grid_state* state) {
    move(c, state, c->past_move, -1.0);
    pl_grid_recombine_reset(&c->history);
}

void pl_grid_corot_take_back(pl_grid_corot* c, pl_grid_state* state) {
    move(c, state, c->own_move, -1.0);
}

void pl_grid_corot_substitute(const pl_grid_corot* c, pl_grid_state* state, double h) {
    const pl_corot_level* l = &c->levels[0];
    for (int i = 0; i < l->layout->field_size; i++) {
        if (!(l->flags[i] & PL_COROT_CORE)) continue;
        // the stress is (p - 2 mu h) R
        pl_mat3 R = pl_quat_to_mat3(c->turn[i]);
        double product = 0.0;
        for (int e = 0; e < 9; e++) product += c->stress[e][i] * R.m[e];
        state->p[i] = product / 3.0 + 2.0 * (double)l->mu[i] * h;
    }
}
