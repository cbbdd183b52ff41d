// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "multigrid/scalar_springs.h"
#include "base/memory.h"
#include "multigrid/small_inverse.h"

#include <string.h>

pl_status pl_level_springs_setup(pl_level_springs* s, int node_count, pl_error* error) {
    *s = (pl_level_springs){.node_count = node_count};
    s->slot = PL_ALLOC(int, node_count);
    s->touched = PL_ALLOC(int, node_count);
    s->sums = PL_ALLOC(double, 16 * (size_t)node_count);
    if (!s->slot || !s->touched || !s->sums) return pl_fail_memory(error, "the springs of a level");
    for (int n = 0; n < node_count; n++) s->slot[n] = -1;
    return PL_OK;
}

static void free_mixed(pl_level_springs* s) {
    PL_FREE(s->mixed_nodes, int, s->mixed_capacity);
    PL_FREE(s->mixed_sums, double, 144 * (size_t)s->mixed_capacity);
    PL_FREE(s->mixed, pl_mixed_block, s->mixed_capacity);
}

void pl_level_springs_free(pl_level_springs* s) {
    PL_FREE(s->slot, int, s->node_count);
    PL_FREE(s->touched, int, s->node_count);
    PL_FREE(s->sums, double, 16 * (size_t)s->node_count);
    free_mixed(s);
    *s = (pl_level_springs){0};
}

void pl_level_springs_clear(pl_level_springs* s, pl_block_level* level) {
    for (int k = 0; k < s->touched_count; k++) s->slot[s->touched[k]] = -1;
    for (int k = 0; k < s->mixed_count; k++) level->mixed_slot[s->mixed_nodes[k]] = -1;
    s->touched_count = s->mixed_count = 0;
}

static pl_status reserve_mixed(pl_level_springs* s, const pl_mg_spring* springs, int count,
                               pl_error* error) {
    int most = 0;
    for (int k = 0; k < count; k++) most += springs[k].has_block;
    most = most < s->node_count ? most : s->node_count;
    if (most <= s->mixed_capacity) return PL_OK;
    pl_level_springs larger = {.mixed_capacity = most + most / 2};
    larger.mixed_nodes = PL_ALLOC(int, larger.mixed_capacity);
    larger.mixed_sums = PL_ALLOC(double, 144 * (size_t)larger.mixed_capacity);
    larger.mixed = PL_ALLOC(pl_mixed_block, larger.mixed_capacity);
    if (!larger.mixed_nodes || !larger.mixed_sums || !larger.mixed) {
        free_mixed(&larger);
        return pl_fail_memory(error, "contacts");
    }
    // pl_level_springs_clear still needs the nodes that had contacts
    if (s->mixed_count > 0)
        memcpy(larger.mixed_nodes, s->mixed_nodes, (size_t)s->mixed_count * sizeof(int));
    free_mixed(s);
    s->mixed_capacity = larger.mixed_capacity;
    s->mixed_nodes = larger.mixed_nodes;
    s->mixed_sums = larger.mixed_sums;
    s->mixed = larger.mixed;
    return PL_OK;
}

// adds X X' times the spring to the sums of its node
static void add_spring(pl_level_springs* s, pl_block_level* level, int node,
                       const pl_mg_spring* spring, const double* X) {
    static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    double* sum = s->sums + 16 * (size_t)s->slot[node];
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) sum[4 * a + b] += spring->stiffness * X[a] * X[b];
    if (!spring->has_block) return;
    if (level->mixed_slot[node] < 0) {
        level->mixed_slot[node] = s->mixed_count;
        s->mixed_nodes[s->mixed_count] = node;
        memset(s->mixed_sums + 144 * (size_t)s->mixed_count++, 0, 144 * sizeof(double));
    }
    double* full = s->mixed_sums + 144 * (size_t)level->mixed_slot[node];
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            full[12 * i + j] += spring->block[at[3 * (i % 3) + j % 3]] * X[i / 3] * X[j / 3];
}

// mixed block of a node = D (x) I + its contacts, and its inverse
static bool finish_mixed(pl_level_springs* s, int slot, const double D[16],
                         const double filled[16]) {
    double full[144], inverse[144];
    pl_mixed_block* block = &s->mixed[slot];
    for (int pass = 0; pass < 2;
         pass++) { // first as it is, then with unseen directions filled for the inverse
        memcpy(full, s->mixed_sums + 144 * (size_t)slot, sizeof full);
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                for (int d = 0; d < 3; d++)
                    full[12 * (3 * a + d) + 3 * b + d] += (pass ? filled : D)[4 * a + b];
        for (int k = 0; pass == 0 && k < 144; k++) block->block[k] = (float)full[k];
    }
    bool definite = pl_invert_raised(12, full, inverse);
    for (int k = 0; k < 144; k++) block->inverse[k] = (float)inverse[k];
    return definite;
}

// The diagonal block of a touched node and its inverse. Returns false if it has no inverse, which
// is then set to 0.
static bool finish_node(pl_level_springs* s, pl_block_level* level, pl_unseen unseen, int node) {
    double D[16], filled[16], inverse[16];
    size_t at = 16 * (size_t)node;
    const double* sums = s->sums + 16 * (size_t)s->slot[node];
    for (int k = 0; k < 16; k++) D[k] = (double)level->fixed[at + (size_t)k] + sums[k];
    double mean = (D[0] + D[5] + D[10] + D[15]) / 4.0;
    if (!(mean > 0.0)) mean = 1.0;
    for (int k = 0; k < 16; k++) {
        filled[k] = D[k] + mean * (double)unseen.projectors[at + (size_t)k];
        level->diagonal[at + (size_t)k] = (float)D[k];
    }
    int slot = level->mixed_slot[node];
    bool definite = slot < 0 || finish_mixed(s, slot, D, filled);
    // held vertices or round-off may leave a direction without stiffness
    definite = pl_invert_raised(4, filled, inverse) && definite;
    for (int k = 0; k < 16; k++) level->inverse[at + (size_t)k] = (float)inverse[k];
    return definite;
}

pl_status pl_level_springs_set(pl_level_springs* s, pl_block_level* level, pl_unseen unseen,
                               const pl_mg_spring* springs, const int* nodes, const double* points,
                               int count, pl_error* error) {
    pl_status status = reserve_mixed(s, springs, count, error);
    if (status != PL_OK) return status;
    // remove the earlier springs
    int before = s->touched_count;
    pl_level_springs_clear(s, level);
    for (int k = 0; k < before; k++)
        memcpy(level->diagonal + 16 * (size_t)s->touched[k],
               level->fixed + 16 * (size_t)s->touched[k], 16 * sizeof(float));
    pl_block_level_invert(level, unseen, s->touched, before, NULL);
    level->mixed = s->mixed;
    for (int k = 0; k < count; k++) {
        int node = nodes[k];
        if (s->slot[node] < 0) {
            s->slot[node] = s->touched_count;
            s->touched[s->touched_count] = node;
            memset(s->sums + 16 * (size_t)s->touched_count++, 0, 16 * sizeof(double));
        }
        add_spring(s, level, node, &springs[k], points + 4 * (size_t)k);
    }
    int failed = 0;
    for (int k = 0; k < s->touched_count; k++)
        failed += !finish_node(s, level, unseen, s->touched[k]);
    if (failed == 0) return PL_OK;
    return pl_fail(error, PL_ERROR_DIVERGED,
                   "%d of %d nodes of a multigrid level have a matrix without an inverse; check "
                   "the masses and stiffnesses for values that are negative or not finite",
                   failed, level->node_count);
}
