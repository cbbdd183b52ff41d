// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Gauss-Seidel sweeps over constraints, PL_LANES of them at a time.
//
// Particles are float4: x y z and the inverse mass. They are divided into slabs of consecutive
// numbers, long enough that the particles of every constraint are in two adjacent slabs; the
// constraint belongs to the first. All even slabs are swept in parallel, then all odd ones, so a
// sweep has two barriers, however many colours there are. A slab fits into the cache. One thread
// sweeps it colour by colour; constraints of one colour share no particle and form blocks of
// PL_LANES. Neither slabs nor colours depend on the number of threads.
#ifndef PL_PBD_SWEEPER_H
#define PL_PBD_SWEEPER_H

#include "base/pool.h"
#include "pbd/constraint_set.h"

#include <stdint.h>

enum { PL_MAX_SETS = 6 };

// The constraints of a set in blocks. Unused lanes hold a constraint between four immovable
// particles of the slab.
typedef struct pl_block_list {
    pl_constraint_kind kind;
    pl_material_kind law; // of tets
    float stiffness;
    int block_count;
    int* slab_offsets;  // first block of each slab
    int32_t* vertices;  // [block][corner][lane]: offset of a particle's floats
    float* values;      // [block][value][lane]
    float* shares;      // [block][corner][lane] of distances without compliance, else NULL:
                        // fraction of the error by which each end moves, -k w_a / (w_a + w_c) and k
                        // w_c / (w_a + w_c); zero if neither can move
    float* compliance;  // [block][multiplier][lane], or NULL
    float* multipliers; // the same size; for tets: impulse in this step
    int* source;        // [block][lane]: number of the constraint in its set, or -1
} pl_block_list;

// Values of a step, for constraints with compliance.
typedef struct pl_sweep_numbers {
    float inverse_h2;   // 1 / step^2, including the common factor of all compliances
    float damping;      // time of the stiffness damping divided by the step
    const float* start; // particles at the start of the step; NULL without damping
} pl_sweep_numbers;

typedef struct pl_sweeper {
    int particle_count;
    int slab_size, slab_count;
    int list_count;
    pl_block_list lists[PL_MAX_SETS];
    double softness;    // common factor of all compliances; 1 after setup
    double damping;     // Rayleigh stiffness damping [s]
    const float* start; // particles at the start of the step, if damping is not 0
} pl_sweeper;

// Sets up the sweeper. In a slab, the sets are swept in this order.
pl_status pl_sweeper_setup(const pl_constraint_set* sets, int set_count, int particle_count,
                           pl_sweeper* out, pl_error* error);
void pl_sweeper_free(pl_sweeper* sweeper);

// Size of particle arrays in float4. The entries after particle_count belong to the sweeper.
int pl_sweeper_room(const pl_sweeper* sweeper);
void pl_sweeper_fill_room(const pl_sweeper* sweeper, float* particles);

// Reads the inverse masses of the particles; they must not change until the next call.
void pl_sweeper_weigh(pl_sweeper* sweeper, const float* particles);

// Resets the multipliers; call at the start of a step.
void pl_sweeper_start(pl_sweeper* sweeper);

// Projects all constraints once, or once in the opposite order.
void pl_sweep(pl_sweeper* sweeper, pl_pool* pool, double time_step, bool backward,
              float* particles);

// Projects blocks [begin, end) of a list, forwards or backwards.
void pl_project_blocks(const pl_block_list* list, int begin, int end, bool backward,
                       const pl_sweep_numbers* numbers, float* particles);

// The same for elastic tets.
void pl_project_tets(const pl_block_list* list, int begin, int end, bool backward,
                     const pl_sweep_numbers* numbers, float* particles);

#endif
