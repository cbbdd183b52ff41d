// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Gauss-Seidel sweeps over constraints, PL_LANES of them at a time.
//
// Particles are float4: x y z and the inverse mass. They are cut into slabs of consecutive numbers,
// so long that every constraint has its particles in two slabs that follow each other; it belongs
// to the first. All even slabs are swept at the same time, then all odd ones: two barriers in a
// sweep, whatever the number of colours. Inside a slab, which fits the cache, one thread goes
// through colours: constraints that share no particle, PL_LANES in a block. Neither slabs nor
// colours depend on the threads.
#ifndef PL_PBD_SWEEPER_H
#define PL_PBD_SWEEPER_H

#include "base/pool.h"
#include "pbd/constraint_set.h"

#include <stdint.h>

enum { PL_MAX_SETS = 6 };

// The constraints of a set in blocks. Lanes without a constraint hold one between four particles of
// the slab's own that cannot move.
typedef struct pl_block_list {
    pl_constraint_kind kind;
    pl_material_kind law; // of tets
    float stiffness;
    int block_count;
    int* slab_offsets;  // the blocks of each slab
    int32_t* vertices;  // [block][corner][lane]: where the floats of a particle begin
    float* values;      // [block][value][lane]
    float* shares;      // [block][corner][lane] of distances without compliance, else NULL: the
                        // part of their error by which each end moves, -k w_a / (w_a + w_c) and
                        // k w_c / (w_a + w_c); zero if none can move
    float* compliance;  // [block][multiplier][lane], or NULL
    float* multipliers; // the same, or of tets: what each has pushed in this step
    int* source;        // [block][lane]: number in its set, or -1
} pl_block_list;

// What constraints with compliance read of the step.
typedef struct pl_sweep_numbers {
    float inverse_h2;   // 1 / step^2, times the factor of all compliances
    float damping;      // time of Rayleigh's damping of the stiffness over the step
    const float* start; // the particles at the start of the step; NULL without damping
} pl_sweep_numbers;

typedef struct pl_sweeper {
    int particle_count;
    int slab_size, slab_count;
    int list_count;
    pl_block_list lists[PL_MAX_SETS];
    double softness;    // factor of all compliances; 1 after setup
    double damping;     // factor of the stiffness in Rayleigh's damping [s]
    const float* start; // the particles at the start of the step, if damping is not 0
} pl_sweeper;

// The sets in the order in which a slab goes through them.
pl_status pl_sweeper_setup(const pl_constraint_set* sets, int set_count, int particle_count,
                           pl_sweeper* out, pl_error* error);
void pl_sweeper_free(pl_sweeper* sweeper);

// Particles must have room for these many float4; those after particle_count are the sweeper's.
int pl_sweeper_room(const pl_sweeper* sweeper);
void pl_sweeper_fill_room(const pl_sweeper* sweeper, float* particles);

// Takes over the inverse masses of the particles; they stay what they are until the next call.
void pl_sweeper_weigh(pl_sweeper* sweeper, const float* particles);

// Constraints have pushed nothing yet: at the begin of a step.
void pl_sweeper_start(pl_sweeper* sweeper);

// Projects all constraints once, or once in the opposite order.
void pl_sweep(pl_sweeper* sweeper, pl_pool* pool, double time_step, bool backward,
              float* particles);

// Blocks [begin, end) of a list in this order or the opposite one.
void pl_project_blocks(const pl_block_list* list, int begin, int end, bool backward,
                       const pl_sweep_numbers* numbers, float* particles);

// The same for elastic tets.
void pl_project_tets(const pl_block_list* list, int begin, int end, bool backward,
                     const pl_sweep_numbers* numbers, float* particles);

#endif
