// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "grid/grid_recombine.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 4096 };

bool pl_grid_fields_create(size_t size, float* out[4]) {
    bool there = true;
    for (int a = 0; a < 4; a++) there &= (out[a] = PL_ALLOC(float, size)) != NULL;
    return there;
}

void pl_grid_fields_free(size_t size, float* fields[4]) {
    for (int a = 0; a < 4; a++) PL_FREE(fields[a], float, size);
}

pl_status pl_grid_recombine_create(const pl_grid_level* level, int most, pl_grid_recombine* out,
                                   pl_error* error) {
    *out = (pl_grid_recombine){.most = most, .size = (size_t)level->field_size};
    bool there = pl_grid_fields_create(out->size, out->work[0]) &&
                 pl_grid_fields_create(out->size, out->work[1]);
    for (int k = 0; there && k < most; k++)
        there = pl_grid_fields_create(out->size, out->change[k]) &&
                pl_grid_fields_create(out->size, out->image[k]);
    if (there) return PL_OK;
    pl_grid_recombine_free(out);
    return pl_fail_memory(error, "the corrections of a lattice");
}

void pl_grid_recombine_free(pl_grid_recombine* h) {
    for (int k = 0; k < h->most; k++) {
        pl_grid_fields_free(h->size, h->change[k]);
        pl_grid_fields_free(h->size, h->image[k]);
    }
    for (int k = 0; k < 2; k++) pl_grid_fields_free(h->size, h->work[k]);
    *h = (pl_grid_recombine){0};
}

void pl_grid_recombine_reset(pl_grid_recombine* h) {
    h->count = h->next = 0;
    h->has_last = false;
}

typedef struct product_job {
    float* const* x;
    float* const* y;
} product_job;

enum { SUMS = 8 }; // side by side, so that they fit in a vector

static double product_part(int begin, int end, void* user) {
    const product_job* job = user;
    double sums[SUMS] = {0.0}, sum = 0.0;
    for (int a = 0; a < 4; a++) {
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
double pl_grid_fields_product(size_t size, float* const x[4], float* const y[4], pl_pool* pool) {
    return pl_parallel_sum(pool, product_part, (int)size, BLOCK, &(product_job){x, y});
}

typedef struct add_job {
    float* const* x;
    float* const* y;
    float factor;
} add_job;

static void add_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const add_job* job = user;
    const float factor = job->factor;
    for (int a = 0; a < 4; a++) {
        float* restrict y = job->y[a];
        const float* restrict x = job->x ? job->x[a] : NULL;
        if (x)
            for (int i = begin; i < end; i++) y[i] += factor * x[i];
        else
            for (int i = begin; i < end; i++) y[i] *= factor;
    }
}
void pl_grid_fields_add(size_t size, double factor, float* const* x, float* const y[4],
                        pl_pool* pool) {
    pl_parallel_for(pool, add_task, (int)size, BLOCK, &(add_job){x, y, (float)factor});
}

static double product(const pl_grid_recombine* h, float* const x[4], float* const y[4],
                      pl_pool* pool) {
    return pl_grid_fields_product(h->size, x, y, pool);
}
static void add(const pl_grid_recombine* h, double factor, float* const* x, float* const y[4],
                pl_pool* pool) {
    pl_grid_fields_add(h->size, factor, x, y, pool);
}

void pl_grid_recombine_begin(pl_grid_recombine* h, const pl_grid_level* level) {
    for (int a = 0; a < 4; a++)
        memcpy(h->image[h->next][a], a < 3 ? level->f[a] : level->g, h->size * sizeof(float));
}

// The correction as the state takes it: in its order, pressures in place of c, nothing outside.
typedef struct change_job {
    const pl_grid_level* level;
    float* const* to;
} change_job;

static void change_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const change_job* job = user;
    const pl_grid_level* l = job->level;
    for (int k = l->row_segments[begin]; k < l->row_segments[end]; k++) {
        const pl_grid_segment* g = &l->segments[k];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++) {
            int at = g->begin + i, place = pl_place_of(at);
            const pl_grid_masks* m = &l->masks[at / PL_GRID_CHUNK];
            float p = pl_grid_bit(m->interior, at) ? l->c[place] : 0.0f, divergence = 0.0f;
            for (int a = 0; a < 3; a++) {
                job->to[a][at] = pl_grid_bit(m->face[a], at) ? l->u[a][place] : 0.0f;
                divergence += l->u[a][pl_place_of(pl_grid_above(g, a, i))] - l->u[a][place];
            }
            job->to[3][at] = pl_grid_bit(m->core, at) ? divergence - p : p;
        }
    }
}

// state += factor d
typedef struct state_job {
    pl_grid_state* state;
    float* const* d;
    double factor;
} state_job;

static void state_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const state_job* job = user;
    for (int a = 0; a < 4; a++) {
        double* to = a < 3 ? job->state->u[a] : job->state->p;
        for (int i = begin; i < end; i++) to[i] += job->factor * (double)job->d[a][i];
    }
}

// The newest correction and its image, orthonormal to the older ones. False if nothing is left.
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
    // less than round-off of float leaves
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

double pl_grid_recombine_end(pl_grid_recombine* h, pl_grid_level* level, pl_grid_state* state,
                             pl_pool* pool) {
    int size = (int)h->size;
    float *residual[4] = {level->f[0], level->f[1], level->f[2], level->g},
          **d = h->change[h->next];
    double shares[PL_GRID_HISTORY];
    pl_parallel_for(pool, change_task, level->size[1] * level->size[2], 64,
                    &(change_job){level, d});
    pl_parallel_for(pool, state_task, size, BLOCK, &(state_job){state, d, 1.0});
    pl_grid_residual(level, state, pool);
    double norm = pl_grid_recombine_shares(h, residual, shares, pool);
    for (int k = 0; k < h->count; k++)
        if (shares[k] != 0.0)
            pl_parallel_for(pool, state_task, size, BLOCK,
                            &(state_job){state, h->change[k], shares[k]});
    return norm;
}

void pl_grid_recombine_mix(pl_grid_recombine* h, pl_grid_level* level, pl_grid_state* state,
                           pl_pool* pool) {
    const size_t bytes = h->size * sizeof(float);
    float **move = h->work[0], **correction = h->work[1];
    double shares[PL_GRID_HISTORY];
    pl_parallel_for(pool, change_task, level->size[1] * level->size[2], 64,
                    &(change_job){level, move});
    for (int a = 0; a < 4; a++) memcpy(correction[a], move[a], bytes);
    if (h->has_last) {
        // image[next] has the correction before the last move, which is in change[next]
        pl_grid_recombine_shares(h, move, shares, pool);
        for (int k = 0; k < h->count; k++)
            if (shares[k] != 0.0) add(h, shares[k], h->change[k], move, pool);
    }
    pl_parallel_for(pool, state_task, (int)h->size, BLOCK, &(state_job){state, move, 1.0});
    for (int a = 0; a < 4; a++) {
        memcpy(h->change[h->next][a], move[a], bytes);
        memcpy(h->image[h->next][a], correction[a], bytes);
    }
    h->has_last = true;
}
