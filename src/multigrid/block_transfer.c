// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// b_c = U' r and x += U x_c between a level and the next coarser one (S0 section 4.2).
#include "multigrid/block_galerkin.h"
#include "multigrid/block_size.h"

// nodes per task, for nodes above vertices and above nodes
enum { VERTEX_GATHERS = 16, NODE_GATHERS = 64 };

typedef struct move_job {
    const pl_block_level* fine;
    const pl_mg_transfer* transfer;
    const float* from;
    float* to;
    bool add;
} move_job;

// Drop held unknowns: felt, from a residual before restriction; moved, from a node's motion.
PL_WIDE pl_f4 felt3(const pl_block_level* fine, size_t i, pl_f4 a) {
    (void)fine, (void)i;
    return a;
}
PL_WIDE pl_f4 moved3(const pl_block_level* fine, size_t i, pl_f4 a) {
    (void)fine, (void)i;
    return pl_drop_last(a);
}
PL_WIDE pl_f4 moved4(const pl_block_level* fine, size_t i, pl_f4 a) {
    int held = fine->held[i];
    if (held == 0) return a;
    return (pl_f4)((pl_i4)a & ((pl_i4){held & 1, held & 2, held & 4, held & 8} == 0));
}
PL_WIDE pl_f4 felt4(const pl_block_level* fine, size_t i, pl_f4 a) { return moved4(fine, i, a); }

#define KIND 3
#define N 3
#include "multigrid/block_moves.h"
#define KIND 4
#define N 4
#include "multigrid/block_moves.h"

static bool has_three(const pl_block_level* fine) {
    return fine->kind == PL_BLOCKS_3 || fine->kind == PL_BLOCKS_12;
}

void pl_block_restrict(const pl_block_level* fine, const float* r, const pl_mg_transfer* transfer,
                       float* b, pl_pool* pool) {
    move_job job = {.fine = fine, .transfer = transfer, .from = r, .to = b};
    pl_parallel_for(pool, has_three(fine) ? restrict_task3 : restrict_task4, transfer->coarse_count,
                    fine->stride == PL_VERTEX ? VERTEX_GATHERS : NODE_GATHERS, &job);
}

void pl_block_prolong(const pl_block_level* fine, const pl_mg_transfer* transfer, const float* x,
                      bool add, pl_pool* pool) {
    move_job job = {.fine = fine, .transfer = transfer, .from = x, .add = add};
    pl_mg_for_pieces(&fine->pattern.schedule, pool, has_three(fine) ? prolong_task3 : prolong_task4,
                     &job);
}
