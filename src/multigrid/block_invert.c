// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Inverses of diagonal blocks. With 3 and 12 unknowns they are definite. With 4 and 16, the fourth
// unknown of a vertex is a pressure: blocks [K G'; G -C] are indefinite, but K and C are
// (semi)definite, so that eliminating displacements before pressures needs no pivoting (Vanderbei
// 1995).
//
// Where a node's affine maps have no effect (S0 section 4.4), the null space of the block is known
// exactly. The mean of the diagonal is filled in there, which changes nothing else.
#include "multigrid/block_galerkin.h"
#include "multigrid/block_size.h"

#include <math.h>
#include <string.h>

enum { ROWS_PER_TASK = 2048, NODES_PER_TASK = 64, DISPLACEMENTS = 12 };
// A pivot below this fraction of its diagonal before elimination counts as zero.
static const float TINY_PIVOT = 1e-6f;

static float rank_of(const float* projector) {
    return projector[0] + projector[5] + projector[10] + projector[15];
}

void pl_block_fill_unseen(const pl_block_level* level, pl_unseen unseen, int node, float* out) {
    int m = level->unknowns, u = m / 4;
    const float* D = level->diagonal + (size_t)level->block * (size_t)node;
    const float* first = unseen.projectors + (size_t)unseen.of_node * (size_t)node;
    float trace[2] = {0.0f, 0.0f}, rank[2] = {0.0f, 0.0f}; // of displacements, pressures
    memcpy(out, D, (size_t)level->block * sizeof(float));
    for (int c = 0; c < u; c++) rank[c / 3] += rank_of(first + c * unseen.of_unknown);
    if (!(rank[0] + rank[1] > 0.5f)) return;
    for (int k = 0; k < m; k++) trace[k % u / 3] += D[(m + 1) * k];
    // A node without children may get any values. Pressures get a negative one, unless the matrix
    // says otherwise.
    float seen[2] = {(float)(u < 3 ? 4 : 12) - rank[0], 4.0f - rank[1]};
    float mean = seen[0] > 0.5f && trace[0] > 0.0f ? trace[0] / seen[0] : 1.0f;
    float pressure = seen[1] > 0.5f && trace[1] != 0.0f ? trace[1] / seen[1] : -mean;
    for (int b = 0; b < 4; b++)
        for (int a = 0; a < 4; a++)
            for (int c = 0; c < u; c++)
                out[m * (u * b + c) + u * a + c] +=
                    (c < 3 ? mean : pressure) * first[c * unseen.of_unknown + 4 * a + b];
}

// The inverse of the first three rows and columns of a symmetric block with `rows` rows; zero if it
// is singular.
PL_WIDE void invert_first_three(const float* A, int rows, double inverse[9]) {
    double a = (double)A[0], b = (double)A[1], c = (double)A[2];
    double d = (double)A[rows + 1], e = (double)A[rows + 2], f = (double)A[2 * rows + 2];
    double c0 = d * f - e * e, c1 = c * e - b * f, c2 = b * e - c * d;
    double determinant = a * c0 + b * c1 + c * c2;
    double bound = 1e-12 * fabs(a) * fabs(d) * fabs(f);
    double s = determinant > bound ? 1.0 / determinant : 0.0;
    inverse[0] = c0 * s;
    inverse[1] = inverse[3] = c1 * s;
    inverse[2] = inverse[6] = c2 * s;
    inverse[4] = (a * f - c * c) * s;
    inverse[5] = inverse[7] = (b * c - a * e) * s;
    inverse[8] = (a * d - b * b) * s;
}

static void invert3(const float* A, float* out) {
    double inverse[9];
    invert_first_three(A, 3, inverse);
    for (int k = 0; k < 9; k++) out[k] = (float)inverse[k];
}

// Inverts the first three unknowns, which are definite, and then the Schur complement of the
// fourth, of either sign. An unknown without a pivot does not move.
static void invert4(const float* A, float* out) {
    double inverse[9], Kg[3]; // K^-1, K^-1 g
    double pivot = (double)A[15], size = fabs(pivot);
    invert_first_three(A, 4, inverse);
    for (int i = 0; i < 3; i++) {
        Kg[i] = 0.0;
        for (int j = 0; j < 3; j++) Kg[i] += inverse[3 * i + j] * (double)A[12 + j];
    }
    for (int i = 0; i < 3; i++) {
        pivot -= Kg[i] * (double)A[12 + i];
        size = fmax(size, fabs(Kg[i] * (double)A[12 + i]));
    }
    double s = fabs(pivot) > (double)TINY_PIVOT * size ? 1.0 / pivot : 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            out[4 * i + j] = (float)(inverse[3 * i + j] + Kg[i] * s * Kg[j]);
        out[12 + i] = out[4 * i + 3] = (float)(-Kg[i] * s);
    }
    out[15] = (float)s;
}

typedef struct invert_job {
    pl_block_level* level;
    pl_unseen unseen;
    const int* nodes;
} invert_job;

static int node_at(const invert_job* job, int k) { return job->nodes ? job->nodes[k] : k; }

#define KIND 12
#define N 12
#include "multigrid/block_inverses.h"
#define KIND 16
#define N 16
#include "multigrid/block_inverses.h"
#define KIND 4x3
#define N 4
#include "multigrid/block_inverses.h"

static void invert_task3(int begin, int end, int worker, void* user) {
    const invert_job* job = user;
    (void)worker;
    for (int k = begin; k < end; k++) {
        size_t i = (size_t)node_at(job, k);
        invert3(job->level->diagonal + 9 * i, job->level->inverse + 9 * i);
    }
}

static void invert_task4(int begin, int end, int worker, void* user) {
    const invert_job* job = user;
    (void)worker;
    for (int k = begin; k < end; k++) {
        size_t i = (size_t)node_at(job, k);
        invert4(job->level->diagonal + 16 * i, job->level->inverse + 16 * i);
    }
}

void pl_block_level_invert(pl_block_level* level, pl_unseen unseen, const int* nodes, int count,
                           pl_pool* pool) {
    invert_job job = {level, unseen, nodes};
    static const pl_task tasks[] = {[PL_BLOCKS_3] = invert_task3,
                                    [PL_BLOCKS_4] = invert_task4,
                                    [PL_BLOCKS_12] = invert_task12,
                                    [PL_BLOCKS_16] = invert_task16,
                                    [PL_BLOCKS_4X3] = invert_task4x3};
    bool coarse = level->stride == PL_NODE;
    pl_parallel_for(pool, tasks[level->kind], count, coarse ? NODES_PER_TASK : ROWS_PER_TASK, &job);
}
