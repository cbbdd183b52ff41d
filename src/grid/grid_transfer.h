// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Restriction R and prolongation P (Zhu 2010, section 6), for fields in x order and for fields
// split by colour. R averages a component 1/4 1/2 1/4 along its own axis and 1/2 1/2 across it, and
// pressures evenly. P is linear along the axis of a component and 3/4 1/4 across it; pressures are
// copied.
//
// Fields are in units of the level's own cell: with cells twice as large, a residual of positions
// is multiplied by four and one of pressures by two.
#ifndef PL_GRID_TRANSFER_H
#define PL_GRID_TRANSFER_H

#include "grid/grid_lanes.h"

typedef enum pl_grid_order {
    PL_GRID_BY_X,
    PL_GRID_BY_COLOUR // even x first in each chunk (pl_place_of)
} pl_grid_order;

// Four of the eight coarse cells over a chunk. In fields split by colour those of odd x are PL_HALF
// after those of even x.
typedef float pl_quarter __attribute__((vector_size(16)));
typedef float pl_quarter_loose __attribute__((vector_size(16), aligned(4), may_alias));

// Position of a coarse cell in a field, from a chunk's `parents`: a multiple of eight in x order.
PL_WIDE int pl_parent_at(int parent, pl_grid_order order) {
    return order == PL_GRID_BY_X ? parent + (parent & (PL_HALF / 2)) : parent;
}

// ------------------------------------------------------------------ restriction (grid_transfer.c)

// What a restriction writes: f[0], f[1], f[2], g of the coarse level, in the order of its masks.
typedef struct pl_grid_restriction {
    const pl_grid_level *fine, *coarse;
    float* to[4];
    const pl_grid_masks* masks; // of the coarse level
    pl_grid_order order;
} pl_grid_restriction;

// A row of a fine level and its coarse rows. Rows of even y are on coarse faces across y; rows
// between two of them contribute to both. The same holds for z.
typedef struct pl_grid_fine_row {
    const pl_grid_restriction* job;
    int y, z;      // of the fine level
    int low, high; // planes of the coarse level that are filled now
} pl_grid_fine_row;

// Calls restrict_row, which adds its values with pl_restrict_chunk, for all rows of the fine level;
// some rows come twice, for different planes.
void pl_grid_restrict_rows(const pl_grid_restriction* job,
                           void (*restrict_row)(const pl_grid_fine_row* row, const void* user),
                           const void* user, pl_pool* pool);
// Restricts stored values: faces across x, y, z and cells.
void pl_grid_restrict_fields(const pl_grid_restriction* job, const float* const from[4],
                             pl_pool* pool);

// Where a component (3: cells) of a row goes: rows relative to a chunk's parents (-1: none).
typedef struct pl_restrict_targets {
    float* field;
    int first, second;
    float weight;
} pl_restrict_targets;

PL_WIDE pl_restrict_targets pl_restrict_targets_of(const pl_grid_fine_row* r, int a) {
    int plane = pl_grid_halve(r->z) - r->job->coarse->low[2];
    const bool two = (a == 1 && r->y & 1) || (a == 2 && r->z & 1);
    pl_restrict_targets t = {.field = r->job->to[a],
                             .first = plane >= r->low && plane < r->high ? 4 : -1,
                             .second = -1,
                             .weight = a == 3 || two ? 0.5f : 1.0f};
    if (a == 2 && two) plane++;
    if (two && plane >= r->low && plane < r->high) t.second = a == 1 ? 5 : 7;
    if (t.first < 0) t.first = t.second, t.second = -1;
    return t;
}

PL_WIDE void pl_add_quarter(float* to, pl_quarter a) {
    *(pl_quarter_loose*)to = *(const pl_quarter_loose*)to + a;
}
PL_WIDE void pl_add_to_parents(float* field, int parent, pl_half sum, pl_grid_order order) {
    if (parent == PL_GRID_NO_PARENT) return;
    float* to = field + pl_parent_at(parent, order);
    if (order == PL_GRID_BY_X) {
        pl_store_half(to, pl_load_half(to) + sum);
        return;
    }
    pl_add_quarter(to, __builtin_shufflevector(sum, sum, 0, 2, 4, 6));
    pl_add_quarter(to + PL_HALF, __builtin_shufflevector(sum, sum, 1, 3, 5, 7));
}

// Averages the even and odd values of a chunk along x and adds them to eight coarse values. carry:
// the odd values of the previous chunk on entry, of this one on return.
PL_WIDE void pl_restrict_chunk(pl_restrict_targets t, const int* parents, const pl_half r[2], int a,
                               pl_half* carry, pl_grid_order order) {
    const pl_half even = r[0], odd = r[1];
    pl_half sum;
    if (a == 0) {
        sum = t.weight * (0.25f * (pl_shift_half(*carry, odd) + odd) + 0.5f * even);
        *carry = odd;
    } else sum = (0.5f * t.weight) * (even + odd);
    pl_add_to_parents(t.field, parents[t.first], sum, order);
    if (t.second >= 0) pl_add_to_parents(t.field, parents[t.second], sum, order);
}

// Contribution of the last value before a chunk to the coarse face at that chunk.
PL_WIDE void pl_restrict_last(const pl_grid_fine_row* r, int chunk, float carry,
                              pl_grid_order order) {
    if (carry == 0.0f) return;
    const pl_restrict_targets t = pl_restrict_targets_of(r, 0);
    const int parent = r->job->fine->parents[chunk][4];
    if (t.first >= 0 && parent != PL_GRID_NO_PARENT)
        t.field[pl_parent_at(parent, order)] += 0.25f * t.weight * carry;
}

// ------------------------------------------------------------------ prolongation

// Weight of the coarse row below, at or above (-1 to 1) a row, along one axis: of faces across that
// axis, which are on a coarse face or half way to the next, or of others.
PL_WIDE float pl_prolong_weight(bool across, bool odd, int d) {
    if (across) return odd ? (d < 0 ? 0.0f : 0.5f) : (d ? 0.0f : 1.0f);
    return d == 0 ? 0.75f : d == (odd ? 1 : -1) ? 0.25f : 0.0f;
}

// The two to four coarse rows that a row of faces across an axis is interpolated from.
typedef struct pl_prolong_rows {
    int count;
    int parent[4];
    float weight[4];
} pl_prolong_rows;

PL_WIDE pl_prolong_rows pl_prolong_rows_of(int a, bool odd_y, bool odd_z) {
    pl_prolong_rows s = {0};
    for (int n = 0; n < 9; n++) {
        const float w = pl_prolong_weight(a == 1, odd_y, n % 3 - 1) *
                        pl_prolong_weight(a == 2, odd_z, n / 3 - 1);
        if (w > 0.0f) s.parent[s.count] = n, s.weight[s.count++] = w;
    }
    return s;
}

// The eight coarse values over a chunk, in x order.
PL_WIDE pl_half pl_load_parents(const float* field, int parent, pl_grid_order order) {
    const float* from = field + pl_parent_at(parent, order);
    if (order == PL_GRID_BY_X) return pl_load_half(from);
    const pl_quarter even = *(const pl_quarter_loose*)from,
                     odd = *(const pl_quarter_loose*)(from + PL_HALF);
    return __builtin_shufflevector(even, odd, 0, 4, 1, 5, 2, 6, 3, 7);
}

// Prolonged values of the faces of a chunk across an axis, of even and of odd x.
PL_WIDE void pl_prolong_chunk(const float* u, const int* parents, const pl_prolong_rows* s, int a,
                              pl_grid_order order, pl_half out[2]) {
    // split by colour, the cells beside the eight are in the other half of the coarse chunk or in
    // the adjacent one
    const bool upper = parents[s->parent[0]] & (PL_HALF / 2), by_x = order == PL_GRID_BY_X;
    const int before = by_x || !upper ? -1 : PL_HALF - 1, after = by_x    ? PL_HALF
                                                                  : upper ? PL_HALF + PL_HALF / 2
                                                                          : PL_HALF / 2;
    pl_half own = {0};
    float first = 0.0f, last = 0.0f;
    for (int k = 0; k < s->count; k++) {
        const int parent = parents[s->parent[k]];
        const float *from = u + pl_parent_at(parent, order), weight = s->weight[k];
        own = pl_fma_half(pl_splat_half(weight), pl_load_parents(u, parent, order), own);
        last += weight * from[after];
        if (a > 0) first += weight * from[before];
    }
    const pl_half high = pl_unshift_half(own, pl_splat_half(last));
    if (a == 0) {
        out[0] = own, out[1] = 0.5f * (own + high);
        return;
    }
    const pl_half most = 0.75f * own, low = pl_shift_half(pl_splat_half(first), own);
    out[0] = most + 0.25f * low, out[1] = most + 0.25f * high;
}

#endif
