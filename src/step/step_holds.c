// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// P projects each vertex to its free directions. A step is solved for P x: gradients become P g,
// and the matrix P A P + s (I - P), which is diagonal in the held directions. So every solver that
// takes a matrix supports held directions.
//
// Pins k at a vertex hold H_k (x - t_k) = 0. With S = sum of H_k and its pseudo-inverse S+, the
// free directions are I - S+ S and the place is S+ sum of H_k t_k.
#include "step/step_holds.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

// Directions count as equal if the square of their angle [rad^2] is below this.
static const double SAME_DIRECTION = 1e-12;

pl_status pl_step_holds_setup(pl_step_holds* h, int vertex_count, pl_error* error) {
    *h = (pl_step_holds){.vertex_count = vertex_count, .holds = pl_array_of(sizeof(pl_hold))};
    h->fixed = PL_ALLOC(bool, vertex_count);
    h->hold_of = PL_ALLOC(int, vertex_count);
    if (vertex_count == 0 || (h->fixed && h->hold_of)) return PL_OK;
    pl_step_holds_free(h);
    return pl_fail_memory(error, "held vertices");
}

void pl_step_holds_free(pl_step_holds* h) {
    PL_FREE(h->fixed, bool, h->vertex_count);
    PL_FREE(h->hold_of, int, h->vertex_count);
    pl_array_free(&h->holds);
    *h = (pl_step_holds){0};
}

static bool is_diagonal(const pl_mat3* S) {
    const double* m = S->m;
    return m[1] == 0.0 && m[2] == 0.0 && m[3] == 0.0 && m[5] == 0.0 && m[6] == 0.0 && m[7] == 0.0;
}

int pl_held_span(pl_mat3 S, pl_mat3* span, pl_mat3* inverse) {
    pl_mat3 V = pl_mat3_identity();
    double values[3] = {S.m[0], S.m[4], S.m[8]};
    if (!is_diagonal(&S)) pl_mat3_eigen(S, values, &V);
    *span = *inverse = pl_mat3_diagonal(0.0, 0.0, 0.0);
    int count = 0;
    for (int k = 0; k < 3; k++) {
        if (!(values[k] > SAME_DIRECTION)) continue;
        pl_vec3 v = pl_mat3_column(&V, k);
        *span = pl_mat3_add(*span, pl_outer(v, v));
        *inverse = pl_mat3_madd(*inverse, 1.0 / values[k], pl_outer(v, v));
        count++;
    }
    return count;
}

// The entry of a vertex. Until all pins have been added, `free` holds S and `place` the sum of H t.
static pl_hold* hold_at(pl_step_holds* h, int vertex) {
    if (h->hold_of[vertex]) return (pl_hold*)h->holds.data + (h->hold_of[vertex] - 1);
    pl_hold* hold = pl_array_add(&h->holds, 1);
    if (!hold) return NULL;
    *hold = (pl_hold){.vertex = vertex};
    h->hold_of[vertex] = (int)h->holds.count;
    return hold;
}

static void close_hold(pl_hold* hold) {
    pl_mat3 span, inverse;
    pl_held_span(hold->free, &span, &inverse);
    hold->place = pl_mat3_apply(&inverse, hold->place);
    hold->free = pl_mat3_sub(pl_mat3_identity(), span);
}

pl_status pl_step_holds_mark(pl_step_holds* h, const pl_pin* pins, int pin_count, pl_error* error) {
    if (h->vertex_count) memset(h->fixed, 0, (size_t)h->vertex_count * sizeof(bool));
    pl_hold* holds = h->holds.data;
    for (size_t k = 0; k < h->holds.count; k++) h->hold_of[holds[k].vertex] = 0;
    h->holds.count = 0;
    for (int k = 0; k < pin_count; k++)
        if (pins[k].hard && !pins[k].partial) h->fixed[pins[k].vertex] = true;
    for (int k = 0; k < pin_count; k++) {
        const pl_pin* pin = &pins[k];
        if (!pin->hard || !pin->partial || h->fixed[pin->vertex]) continue;
        pl_hold* hold = hold_at(h, pin->vertex);
        if (!hold) return pl_fail_memory(error, "held vertices");
        hold->free = pl_mat3_add(hold->free, pin->held);
        hold->place = pl_add(hold->place, pl_mat3_apply(&pin->held, pin->target));
    }
    holds = h->holds.data;
    for (size_t k = 0; k < h->holds.count; k++) close_hold(&holds[k]);
    return PL_OK;
}

void pl_step_holds_place(const pl_step_holds* h, const pl_pin* pins, int pin_count, double* x) {
    for (int k = 0; k < pin_count; k++)
        if (pins[k].hard && !pins[k].partial)
            pl_vec3_store(x + 3 * (size_t)pins[k].vertex, pins[k].target);
    const pl_hold* holds = h->holds.data;
    for (size_t k = 0; k < h->holds.count; k++) {
        double* at = x + 3 * (size_t)holds[k].vertex;
        pl_vec3 moved = pl_mat3_apply(&holds[k].free, pl_vec3_load(at));
        pl_vec3_store(at, pl_add(moved, holds[k].place));
    }
}

void pl_holds_project(const pl_hold* holds, int count, double* vector) {
    for (int k = 0; k < count; k++) {
        double* at = vector + 3 * (size_t)holds[k].vertex;
        pl_vec3_store(at, pl_mat3_apply(&holds[k].free, pl_vec3_load(at)));
    }
}

void pl_block_between(const pl_mat3* left, const pl_mat3* right, double block[9]) {
    pl_mat3 B;
    memcpy(B.m, block, sizeof B.m);
    if (left) B = pl_mat3_mul(*left, B);
    if (right) B = pl_mat3_mul(B, *right);
    memcpy(block, B.m, sizeof B.m);
}

static void eliminate_hold(const pl_hold* hold, pl_block_matrix* A) {
    int v = hold->vertex;
    double* diagonal = A->values + 9 * (size_t)A->diagonal[v];
    double size = (diagonal[0] + diagonal[4] + diagonal[8]) / 3.0;
    for (int e = A->offsets[v]; e < A->offsets[v + 1]; e++) {
        pl_block_between(&hold->free, NULL, A->values + 9 * (size_t)e);
        int mirror = pl_block_matrix_find(A, A->columns[e], v);
        pl_block_between(NULL, &hold->free, A->values + 9 * (size_t)mirror);
    }
    for (int i = 0; i < 9; i++)
        diagonal[i] += (size > 0.0 ? size : 1.0) * ((i % 4 == 0 ? 1.0 : 0.0) - hold->free.m[i]);
}

void pl_holds_eliminate(const pl_hold* holds, int count, pl_block_matrix* A) {
    for (int k = 0; k < count; k++) eliminate_hold(&holds[k], A);
}
