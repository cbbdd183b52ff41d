// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Values of the finest level, copied from a matrix in double or written by the caller, and the
// product with them. They are scaled by a power of two, so that floats suffice for any units.
//
// Unknowns that are coupled with no other (hard attachments, eliminated from the matrix) belong to
// a node but do not move with it. With 3 unknowns this holds for whole vertices; with 4 for each
// unknown, because a held vertex still has a pressure.
#include "multigrid/block_multigrid.h"
#include "multigrid/block_size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_PER_TASK = 512 };

typedef struct copy_job {
    pl_block_mg* mg;
    const pl_mg_blocks* A;
} copy_job;

typedef struct multiply_job {
    const pl_block_mg* mg;
    const double* x;
    double* y;
} multiply_job;

typedef double d4 __attribute__((vector_size(32)));
typedef double d4_loose __attribute__((vector_size(32), aligned(8), may_alias));

// a times scale, in float
PL_WIDE pl_f4 scaled4(const double* a, float scale) {
    return __builtin_convertvector(*(const d4_loose*)a * (double)scale, pl_f4);
}

// treats -0 as zero
PL_WIDE pl_i4 without_sign(pl_i4 bits) { return bits & 0x7fffffff; }

// ---------------------------------------------------------------- 3 unknowns

// Blocks are row-major in the matrix and column-major on the levels. Returns the OR of the bits of
// all values.
PL_WIDE pl_i4 copy_block3(const double* from, float scale, float* to) {
    pl_f4 a = scaled4(from, scale), b = scaled4(from + 4, scale);
    float last = (float)(from[8] * (double)scale);
    pl_store8(to, __builtin_shufflevector(a, b, 0, 3, 6, 1, 4, 7, 2, 5));
    to[8] = last;
    return (pl_i4)a | (pl_i4)b | (pl_i4)(pl_f4){last, 0.0f, 0.0f, 0.0f};
}

PL_WIDE void set_held3(pl_block_mg* mg, int i, pl_i4 bits, const float* D) {
    (void)D;
    bits = without_sign(bits);
    mg->held[i] = (bits[0] | bits[1] | bits[2] | bits[3]) == 0;
}

static bool is_coupled(const pl_block_level* level, const pl_mg_half* half, int i) {
    for (size_t k = 9 * (size_t)half->begin[i]; k < 9 * (size_t)half->end[i]; k++)
        if (level->values[k] != 0.0f) return true;
    return false;
}

static void find_held_task3(int begin, int end, int worker, void* user) {
    pl_block_mg* mg = user;
    const pl_block_level* level = &mg->levels[0];
    (void)worker;
    for (int i = begin; i < end; i++)
        mg->held[i] = !is_coupled(level, &level->pattern.lower, i) &&
                      !is_coupled(level, &level->pattern.upper, i);
}

PL_WIDE d4 multiply_block3(const float* A, const double* x, d4 sum) {
    sum += __builtin_convertvector(pl_load4(A), d4) * x[0];
    sum += __builtin_convertvector(pl_load4(A + 3), d4) * x[1];
    return sum + __builtin_convertvector(pl_load4(A + 6), d4) * x[2];
}

// ---------------------------------------------------------------- 4 unknowns

// Returns the OR of the bits of each of its rows.
PL_WIDE pl_i4 copy_block4(const double* from, float scale, float* to) {
    pl_f4 a = scaled4(from, scale), b = scaled4(from + 4, scale);
    pl_f4 c = scaled4(from + 8, scale), d = scaled4(from + 12, scale);
    pl_f4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    pl_f4 cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    pl_f4 ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    pl_f4 cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    pl_f4 columns[4] = {__builtin_shufflevector(ab, cd, 0, 1, 4, 5),
                        __builtin_shufflevector(ab, cd, 2, 3, 6, 7),
                        __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5),
                        __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7)};
    pl_i4 bits = {0};
    for (int k = 0; k < 4; k++) {
        pl_store4(to + 4 * k, columns[k]);
        bits |= (pl_i4)columns[k];
    }
    return bits;
}

// bits: OR over the off-diagonal blocks. D: the diagonal block, whose diagonal entries are ignored.
PL_WIDE void set_held4(pl_block_mg* mg, int i, pl_i4 bits, const float* D) {
    int held = 0;
    for (int k = 0; k < 4; k++) {
        pl_i4 column = (pl_i4)pl_load4(D + 4 * k);
        column[k] = 0;
        bits |= column;
    }
    bits = without_sign(bits);
    for (int c = 0; c < 4; c++) held |= (bits[c] == 0) << c;
    mg->held_unknowns[i] = (unsigned char)held;
    mg->held[i] = held == 15;
}

PL_WIDE pl_i4 bits_of_half(const pl_block_level* level, const pl_mg_half* half, int i) {
    pl_i4 bits = {0};
    for (size_t k = 16 * (size_t)half->begin[i]; k < 16 * (size_t)half->end[i]; k += 4)
        bits |= (pl_i4)pl_load4(level->values + k);
    return bits;
}

static void find_held_task4(int begin, int end, int worker, void* user) {
    pl_block_mg* mg = user;
    const pl_block_level* level = &mg->levels[0];
    (void)worker;
    for (int i = begin; i < end; i++)
        set_held4(mg, i,
                  bits_of_half(level, &level->pattern.lower, i) |
                      bits_of_half(level, &level->pattern.upper, i),
                  level->fixed + 16 * (size_t)i);
}

PL_WIDE d4 multiply_block4(const float* A, const double* x, d4 sum) {
    for (int k = 0; k < 4; k++) sum += __builtin_convertvector(pl_load4(A + 4 * k), d4) * x[k];
    return sum;
}

#define KIND 3
#define N 3
#include "multigrid/block_values.h"
#define KIND 4
#define N 4
#include "multigrid/block_values.h"

// ---------------------------------------------------------------- both

typedef struct unseen_job {
    pl_block_mg* mg;
    int l;
} unseen_job;

static void unseen_task(int begin, int end, int worker, void* user) {
    const unseen_job* job = user;
    pl_block_mg* mg = job->mg;
    (void)worker;
    for (int node = begin; node < end; node++)
        for (int c = 0; c < 4; c++)
            pl_mg_hierarchy_unseen(&mg->hierarchy, job->l, node, mg->held_unknowns, 1 << c,
                                   mg->unseen[job->l] + 64 * (size_t)node + 16 * c);
}

void pl_block_mg_find_unseen(pl_block_mg* mg) {
    enum { NODES_PER_TASK = 32 };
    for (int l = 1; mg->unknowns == 4 && l < mg->hierarchy.level_count; l++) {
        unseen_job job = {mg, l};
        pl_parallel_for(mg->pool, unseen_task, mg->hierarchy.node_counts[l], NODES_PER_TASK, &job);
    }
}

void pl_block_mg_follow_held(pl_block_mg* mg) {
    pl_mg_hierarchy_move(&mg->hierarchy, mg->positions, mg->held);
    pl_block_mg_find_unseen(mg);
}

// the held flags that an update found
static const unsigned char* all_held(const pl_block_mg* mg) {
    return mg->unknowns == 4 ? mg->held_unknowns : mg->held;
}

void pl_block_mg_copy_values(pl_block_mg* mg, const pl_mg_blocks* A) {
    copy_job job = {mg, A};
    bool three = mg->unknowns == 3;
    double trace = pl_parallel_sum(mg->pool, three ? trace_part3 : trace_part4, mg->row_count,
                                   ROWS_PER_TASK, &job);
    double mean = trace / ((double)mg->unknowns * mg->row_count);
    int exponent = 0;
    if (mean > 0.0 && isfinite(mean)) frexp(mean, &exponent);
    mg->scale = (float)ldexp(1.0, -exponent);
    memcpy(mg->held_before, all_held(mg), (size_t)mg->row_count);
    pl_mg_for_pieces(&mg->levels[0].pattern.schedule, mg->pool,
                     three ? copy_rows_task3 : copy_rows_task4, &job);
    if (memcmp(mg->held_before, all_held(mg), (size_t)mg->row_count) != 0)
        pl_block_mg_follow_held(mg);
}

float* pl_block_mg_blocks(pl_block_mg* mg) { return mg->levels[0].values; }

// Leaves values as they were written, unless products with them could leave the range of float.
static void scale_written(pl_block_mg* mg) {
    enum { FAR = 30 };
    pl_block_level* level = &mg->levels[0];
    pl_partial trace = mg->unknowns == 3 ? written_trace_part3 : written_trace_part4;
    double mean = pl_parallel_sum(mg->pool, trace, mg->row_count, ROWS_PER_TASK, level);
    int exponent = 0;
    if (mean > 0.0 && isfinite(mean))
        frexp(mean / ((double)mg->unknowns * mg->row_count), &exponent);
    if (abs(exponent) < FAR) exponent = 0;
    mg->scale = (float)ldexp(1.0, -exponent);
    size_t count = (size_t)level->block * (size_t)(level->pattern.entry_count + level->node_count);
    for (size_t i = 0; exponent != 0 && i < count; i++) level->values[i] *= mg->scale;
}

void pl_block_mg_take_written(pl_block_mg* mg) {
    scale_written(mg);
    memcpy(mg->held_before, all_held(mg), (size_t)mg->row_count);
    pl_mg_for_pieces(&mg->levels[0].pattern.schedule, mg->pool,
                     mg->unknowns == 3 ? find_held_task3 : find_held_task4, mg);
    if (memcmp(mg->held_before, all_held(mg), (size_t)mg->row_count) != 0)
        pl_block_mg_follow_held(mg);
}

void pl_block_mg_multiply(const pl_block_mg* mg, const double* x, double* y) {
    multiply_job job = {mg, x, y};
    pl_mg_for_pieces(&mg->levels[0].pattern.schedule, mg->pool,
                     mg->unknowns == 3 ? multiply_task3 : multiply_task4, &job);
}
