// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Each correction is made orthogonal to the kept ones, so that shares are simple products.
#include "grid/grid_recombine.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 4096 };

// Returns false if allocation fails; some fields may exist then.
static bool create_fields(size_t size, float* out[4]) {
    bool there = true;
    for (int a = 0; a < 4; a++) there &= (out[a] = PL_ALLOC(float, size)) != NULL;
    return there;
}

static void free_fields(size_t size, float* fields[4]) {
    for (int a = 0; a < 4; a++) PL_FREE(fields[a], float, size);
}

static void copy_fields(size_t size, float* const from[4], float* const to[4]) {
    for (int a = 0; a < 4; a++) memcpy(to[a], from[a], size * sizeof(float));
}

pl_status pl_grid_recombine_create(const pl_grid_level* level, int most, pl_grid_recombine* out,
                                   pl_error* error) {
    *out = (pl_grid_recombine){.most = most, .size = (size_t)level->field_size};
    bool there =
        create_fields(out->size, out->own_move) && create_fields(out->size, out->past_move);
    for (int k = 0; there && k < most; k++)
        there = create_fields(out->size, out->change[k]) && create_fields(out->size, out->image[k]);
    if (there) return PL_OK;
    pl_grid_recombine_free(out);
    return pl_fail_memory(error, "the corrections of a lattice");
}

void pl_grid_recombine_free(pl_grid_recombine* h) {
    for (int k = 0; k < h->most; k++) {
        free_fields(h->size, h->change[k]);
        free_fields(h->size, h->image[k]);
    }
    free_fields(h->size, h->own_move);
    free_fields(h->size, h->past_move);
    *h = (pl_grid_recombine){0};
}

void pl_grid_recombine_reset(pl_grid_recombine* h) {
    h->count = h->next = 0;
    h->has_last = false;
}

typedef struct field_job {
    int count;
    float* const* x;
    float* const* y;
    pl_grid_state* state;
    double factor;
} field_job;

enum { SUMS = 8 }; // partial sums, to fill a vector

static double dot_part(int begin, int end, void* user) {
    const field_job* job = user;
    double sums[SUMS] = {0.0}, sum = 0.0;
    for (int a = 0; a < job->count; a++) {
        const float *x = job->x[a] + begin, *y = job->y[a] + begin;
        const int count = end - begin;
        int i = 0;
        for (; i + SUMS <= count; i += SUMS)
            for (int k = 0; k < SUMS; k++) sums[k] += (double)x[i + k] * (double)y[i + k];
        for (; i < count; i++) sum += (double)x[i] * (double)y[i];
    }
    for (int k = 0; k < SUMS; k++) sum += sums[k];
    return sum;
}
double pl_grid_fields_dot(size_t size, int count, float* const* x, float* const* y, pl_pool* pool) {
    return pl_parallel_sum(pool, dot_part, (int)size, BLOCK,
                           &(field_job){.count = count, .x = x, .y = y});
}
static double product(const pl_grid_recombine* h, float* const x[4], float* const y[4],
                      pl_pool* pool) {
    return pl_grid_fields_dot(h->size, 4, x, y, pool);
}

static void add_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const field_job* job = user;
    const float factor = (float)job->factor;
    for (int a = 0; a < job->count; a++) {
        float* restrict y = job->y[a];
        const float* restrict x = job->x ? job->x[a] : NULL;
        if (x)
            for (int i = begin; i < end; i++) y[i] += factor * x[i];
        else
            for (int i = begin; i < end; i++) y[i] *= factor;
    }
}
void pl_grid_fields_add(size_t size, int count, double factor, float* const* x, float* const* y,
                        pl_pool* pool) {
    pl_parallel_for(pool, add_task, (int)size, BLOCK,
                    &(field_job){.count = count, .x = x, .y = y, .factor = factor});
}

static void add(const pl_grid_recombine* h, double factor, float* const* x, float* const y[4],
                pl_pool* pool) {
    pl_grid_fields_add(h->size, 4, factor, x, y, pool);
}

static void move_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const field_job* job = user;
    for (int a = 0; a < job->count; a++) {
        double* to = a < 3 ? job->state->u[a] : job->state->p;
        for (int i = begin; i < end; i++) to[i] += job->factor * (double)job->x[a][i];
    }
}
void pl_grid_state_move(pl_grid_state* state, size_t size, int count, double factor,
                        float* const* correction, pl_pool* pool) {
    pl_parallel_for(
        pool, move_task, (int)size, BLOCK,
        &(field_job){.count = count, .x = correction, .state = state, .factor = factor});
}
static void move(const pl_grid_recombine* h, const pl_grid_iteration* it, float* const d[4],
                 double factor) {
    pl_grid_state_move(it->state, h->size, 4, factor, d, it->pool);
}

// Makes the image of the newest correction orthonormal to the older ones. Returns false if nothing
// remains.
static bool orthonormalise(pl_grid_recombine* h, pl_pool* pool) {
    float **d = h->change[h->next], **q = h->image[h->next];
    double before = product(h, q, q, pool);
    for (int k = 0; k < h->count; k++) {
        if (k == h->next) continue;
        double share = product(h, q, h->image[k], pool);
        add(h, -share, h->image[k], q, pool);
        add(h, -share, h->change[k], d, pool);
    }
    double norm = product(h, q, q, pool);
    // below float round-off
    if (!(norm > 1e-10 * before) || !(norm < INFINITY)) return false;
    add(h, 1.0 / sqrt(norm), NULL, q, pool);
    add(h, 1.0 / sqrt(norm), NULL, d, pool);
    return true;
}

double pl_grid_recombine_shares(pl_grid_recombine* h, float* const residual[4],
                                double shares[PL_GRID_HISTORY], pl_pool* pool) {
    // A d = residual before - residual after
    add(h, -1.0, residual, h->image[h->next], pool);
    bool fresh = orthonormalise(h, pool);
    if (fresh && h->count <= h->next) h->count = h->next + 1;
    for (int k = 0; k < h->count; k++) {
        shares[k] = 0.0;
        if (k == h->next && !fresh) continue;
        shares[k] = product(h, residual, h->image[k], pool);
        add(h, -shares[k], h->image[k], residual, pool);
    }
    if (fresh) h->next = (h->next + 1) % h->most;
    return sqrt(product(h, residual, residual, pool));
}

// ------------------------------------------------------------------ around a cycle

// Moves the state to the best combination; returns the norm of the residual there.
static double finish(pl_grid_recombine* h, const pl_grid_iteration* it) {
    double shares[PL_GRID_HISTORY];
    copy_fields(h->size, h->own_move, h->change[h->next]);
    for (int a = 0; a < 4; a++) memset(h->past_move[a], 0, h->size * sizeof(float));
    const double norm = pl_grid_recombine_shares(h, it->residual, shares, it->pool);
    for (int k = 0; k < h->count; k++)
        if (shares[k] != 0.0) add(h, shares[k], h->change[k], h->past_move, it->pool);
    move(h, it, h->past_move, 1.0);
    return norm;
}

bool pl_grid_recombine_cycle(pl_grid_recombine* h, const pl_grid_iteration* it, double most,
                             pl_grid_recombined* out) {
    copy_fields(h->size, it->residual, h->image[h->next]);
    it->cycle(it);
    it->take(it, h->own_move);
    move(h, it, h->own_move, 1.0);
    out->alone = it->find_residual(it);
    if (!(out->alone <= most)) {
        pl_grid_recombine_take_back(h, it);
        return false;
    }
    out->best = finish(h, it);
    return true;
}

void pl_grid_recombine_separate(pl_grid_recombine* h, const pl_grid_iteration* it) {
    move(h, it, h->past_move, -1.0);
    pl_grid_recombine_reset(h);
}

void pl_grid_recombine_take_back(pl_grid_recombine* h, const pl_grid_iteration* it) {
    move(h, it, h->own_move, -1.0);
}

void pl_grid_recombine_mix(pl_grid_recombine* h, const pl_grid_iteration* it) {
    float **sum = h->past_move, **correction = h->own_move;
    double shares[PL_GRID_HISTORY];
    it->cycle(it);
    it->take(it, correction);
    copy_fields(h->size, correction, sum);
    if (h->has_last) {
        // image[next] holds the correction before the last move, change[next] that move
        pl_grid_recombine_shares(h, sum, shares, it->pool);
        for (int k = 0; k < h->count; k++)
            if (shares[k] != 0.0) add(h, shares[k], h->change[k], sum, it->pool);
    }
    move(h, it, sum, 1.0);
    copy_fields(h->size, sum, h->change[h->next]);
    copy_fields(h->size, correction, h->image[h->next]);
    h->has_last = true;
}
