// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The rotation R that minimises the sum of m |R (x - c_x) - (y - c_y)|^2 is the polar factor of the
// sum of m (y - c_y) (x - c_x)'. Sums are taken over chunks of the vertices of a piece and added in
// order, so that they do not depend on the threads.
#include "step/rigid_start.h"
#include "base/fail.h"
#include "base/memory.h"
#include "math/polar.h"
#include "mesh/disjoint_sets.h"

#include <math.h>
#include <string.h>

enum { CHUNK_SIZE = 1024, MOVE_BLOCK = 2048 };
static const double MIN_TURN = 0.1; // [rad]; below it, straight flight is accurate to 0.5 %
static const double MIN_RANK = 1e-9;

// sums of m, m x, m y, m y x'; coordinates are relative to the first vertex of the piece
typedef struct piece_sums {
    double mass;
    pl_vec3 x, y;
    pl_mat3 yx;
} piece_sums;

typedef struct piece_motion {
    pl_vec3 from, to; // centres of mass
    pl_mat3 turn;
    bool turns;
} piece_motion;

struct pl_rigid_start {
    int vertex_count, piece_count, chunk_count;
    int* piece;         // of each vertex
    int* vertices;      // piece by piece, ascending
    int* piece_offsets; // piece_count + 1
    int* chunk_offsets; // chunk_count + 1, in vertices
    piece_sums* sums;   // per chunk
    piece_motion* motions;
    double* values; // per piece
};

void pl_rigid_start_destroy(pl_rigid_start* s) {
    if (!s) return;
    PL_FREE(s->piece, int, s->vertex_count);
    PL_FREE(s->vertices, int, s->vertex_count);
    PL_FREE(s->piece_offsets, int, s->piece_count + 1);
    PL_FREE(s->chunk_offsets, int, s->chunk_count + 1);
    PL_FREE(s->sums, piece_sums, s->chunk_count);
    PL_FREE(s->motions, piece_motion, s->piece_count);
    PL_FREE(s->values, double, s->piece_count);
    PL_FREE(s, pl_rigid_start, 1);
}

// numbers the connected pieces by their lowest vertex
static pl_status find_pieces(pl_rigid_start* s, const int* offsets, const int* neighbours,
                             pl_error* error) {
    int n = s->vertex_count;
    int* root = PL_ALLOC(int, n);
    s->piece = PL_ALLOC(int, n);
    s->vertices = PL_ALLOC(int, n);
    if (n > 0 && (!root || !s->piece || !s->vertices)) {
        PL_FREE(root, int, n);
        return pl_fail_memory(error, "the pieces of a system");
    }
    for (int v = 0; v < n; v++) root[v] = v;
    for (int v = 0; v < n; v++)
        for (int e = offsets[v]; e < offsets[v + 1]; e++) pl_set_join(root, v, neighbours[e]);
    for (int v = 0; v < n; v++) s->piece[v] = -1;
    for (int v = 0; v < n; v++) {
        int first = pl_set_root(root, v);
        if (s->piece[first] < 0) s->piece[first] = s->piece_count++;
        s->piece[v] = s->piece[first];
    }
    PL_FREE(root, int, n);
    return PL_OK;
}

// vertices by piece
static pl_status sort_vertices(pl_rigid_start* s, pl_error* error) {
    s->piece_offsets = PL_ALLOC(int, s->piece_count + 1);
    s->motions = PL_ALLOC(piece_motion, s->piece_count);
    s->values = PL_ALLOC(double, s->piece_count);
    if (!s->piece_offsets || (s->piece_count && (!s->motions || !s->values)))
        return pl_fail_memory(error, "the pieces of a system");
    int* at = s->piece_offsets; // after this loop, the starts of the next pieces
    for (int v = 0; v < s->vertex_count; v++) at[s->piece[v] + 1]++;
    for (int p = 0; p < s->piece_count; p++) at[p + 1] += at[p];
    for (int v = s->vertex_count - 1; v >= 0; v--) s->vertices[--at[s->piece[v] + 1]] = v;
    // each end was counted down to the start of its piece
    for (int p = 0; p < s->piece_count; p++) at[p] = at[p + 1];
    at[s->piece_count] = s->vertex_count;
    return PL_OK;
}

// splits the pieces into chunks: counts them, or lists where they start
static int list_chunks(const pl_rigid_start* s, int* offsets) {
    int count = 0;
    for (int p = 0; p < s->piece_count; p++)
        for (int at = s->piece_offsets[p]; at < s->piece_offsets[p + 1]; at += CHUNK_SIZE) {
            if (offsets) offsets[count] = at;
            count++;
        }
    if (offsets) offsets[count] = s->vertex_count;
    return count;
}

pl_status pl_rigid_start_create(int vertex_count, const int* neighbour_offsets,
                                const int* neighbours, pl_rigid_start** out, pl_error* error) {
    *out = NULL;
    pl_rigid_start* s = PL_ALLOC(pl_rigid_start, 1);
    if (!s) return pl_fail_memory(error, "the pieces of a system");
    s->vertex_count = vertex_count;
    pl_status status = find_pieces(s, neighbour_offsets, neighbours, error);
    if (status == PL_OK) status = sort_vertices(s, error);
    if (status == PL_OK) {
        s->chunk_count = list_chunks(s, NULL);
        s->chunk_offsets = PL_ALLOC(int, s->chunk_count + 1);
        s->sums = PL_ALLOC(piece_sums, s->chunk_count);
        if (!s->chunk_offsets || (s->chunk_count && !s->sums))
            status = pl_fail_memory(error, "the pieces of a system");
    }
    if (status != PL_OK) {
        pl_rigid_start_destroy(s);
        return status;
    }
    list_chunks(s, s->chunk_offsets);
    *out = s;
    return PL_OK;
}

int pl_rigid_start_piece_count(const pl_rigid_start* s) { return s->piece_count; }
int pl_rigid_start_piece(const pl_rigid_start* s, int vertex) { return s->piece[vertex]; }
double* pl_rigid_start_values(pl_rigid_start* s) { return s->values; }
bool pl_rigid_start_moved(const pl_rigid_start* s, int vertex) {
    return s->motions[s->piece[vertex]].turns;
}

typedef struct move_work {
    pl_rigid_start* s;
    const double *mass, *x;
    double* y;
    const bool* fixed;
} move_work;

static int first_vertex(const pl_rigid_start* s, int piece) {
    return s->vertices[s->piece_offsets[piece]];
}

static void sums_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const move_work* w = user;
    const pl_rigid_start* s = w->s;
    for (int c = begin; c < end; c++) {
        piece_sums sum = {0};
        size_t first = 3 * (size_t)first_vertex(s, s->piece[s->vertices[s->chunk_offsets[c]]]);
        pl_vec3 origin = pl_vec3_load(w->x + first);
        for (int k = s->chunk_offsets[c]; k < s->chunk_offsets[c + 1]; k++) {
            size_t i = 3 * (size_t)s->vertices[k];
            double m = w->mass[s->vertices[k]];
            pl_vec3 x = pl_sub(pl_vec3_load(w->x + i), origin);
            pl_vec3 y = pl_sub(pl_vec3_load(w->y + i), origin);
            sum.mass += m;
            sum.x = pl_madd(sum.x, m, x);
            sum.y = pl_madd(sum.y, m, y);
            sum.yx = pl_mat3_madd(sum.yx, m, pl_outer(y, x));
        }
        s->sums[c] = sum;
    }
}

static piece_motion fit(piece_sums sum, pl_vec3 origin) {
    piece_motion motion = {.turns = false};
    pl_vec3 x = pl_scale(1.0 / sum.mass, sum.x), y = pl_scale(1.0 / sum.mass, sum.y);
    pl_mat3 A = pl_mat3_madd(sum.yx, -sum.mass, pl_outer(y, x));
    // the rotation of points on a line about that line is undetermined
    double size = pl_mat3_dot(A, A);
    if (!(pl_mat3_norm(pl_mat3_cofactor(A)) > MIN_RANK * size)) return motion;
    if (!pl_polar(A, &motion.turn, NULL)) return motion;
    motion.from = pl_add(origin, x);
    motion.to = pl_add(origin, y);
    motion.turns = 0.5 * (pl_mat3_trace(motion.turn) - 1.0) < cos(MIN_TURN);
    return motion;
}

static bool fit_pieces(const move_work* w) {
    const pl_rigid_start* s = w->s;
    bool any = false;
    for (int p = 0, c = 0; p < s->piece_count; p++) {
        piece_sums sum = {0};
        for (; c < s->chunk_count && s->chunk_offsets[c] < s->piece_offsets[p + 1]; c++) {
            sum.mass += s->sums[c].mass;
            sum.x = pl_add(sum.x, s->sums[c].x);
            sum.y = pl_add(sum.y, s->sums[c].y);
            sum.yx = pl_mat3_add(sum.yx, s->sums[c].yx);
        }
        s->motions[p] = fit(sum, pl_vec3_load(w->x + 3 * (size_t)first_vertex(s, p)));
        any = any || s->motions[p].turns;
    }
    return any;
}

static void move_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const move_work* w = user;
    for (int v = begin; v < end; v++) {
        const piece_motion* motion = &w->s->motions[w->s->piece[v]];
        if (!motion->turns || (w->fixed && w->fixed[v])) continue;
        pl_vec3 r = pl_sub(pl_vec3_load(w->x + 3 * (size_t)v), motion->from);
        pl_vec3_store(w->y + 3 * (size_t)v, pl_add(motion->to, pl_mat3_apply(&motion->turn, r)));
    }
}

bool pl_rigid_start_move(pl_rigid_start* s, pl_pool* pool, const double* mass, const double* x,
                         const bool* fixed, double* y) {
    move_work w = {s, mass, x, y, fixed};
    pl_parallel_for(pool, sums_task, s->chunk_count, 1, &w);
    if (!fit_pieces(&w)) return false;
    pl_parallel_for(pool, move_task, s->vertex_count, MOVE_BLOCK, &w);
    return true;
}
