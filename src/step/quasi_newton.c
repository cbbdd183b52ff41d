// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The two loops of L-BFGS as four passes over the vectors: all products of a loop are summed in one
// pass, because those between pairs are known. With b = -gradient:
//
// clang-format off
//   from the newest:  alpha_i = (s_i.b - sum over newer j of alpha_j s_i.y_j) / s_i.y_i
//                     A r = b - sum alpha_i y_i
//   from the oldest:  beta_i = (y_i.r + sum over older j of (alpha_j - beta_j) s_j.y_i) / s_i.y_i
//                     direction = r + sum (alpha_i - beta_i) s_i
// clang-format on
#include "step/quasi_newton.h"
#include "base/memory.h"
#include "math/float4.h"

#include <string.h>

enum { PAIRS = PL_QUASI_NEWTON_PAIRS, SUMS = 2 * PAIRS, BLOCK = 2048 };
// A pair is used if the gradient changed along the step by at least this fraction of its value at
// the step's start. A smaller change is round-off, or the function is not convex along the step.
static const double MIN_CURVATURE = 1e-6;

static size_t value_count(const pl_quasi_newton* q) { return 4 * (size_t)q->vertex_count; }
static int block_count(const pl_quasi_newton* q) { return (q->vertex_count + BLOCK - 1) / BLOCK; }
static int slot_of(const pl_quasi_newton* q, int pair) { return (q->first + pair) % PAIRS; }

pl_status pl_quasi_newton_setup(pl_quasi_newton* q, int vertex_count, pl_pool* pool,
                                pl_error* error) {
    *q = (pl_quasi_newton){.vertex_count = vertex_count,
                           .pool = pool,
                           .contacts = pl_array_of(sizeof(pl_quasi_contact)),
                           .bent = pl_array_of(sizeof(float))};
    q->gradient = PL_ALLOC(float, value_count(q));
    q->gradient_before = PL_ALLOC(float, value_count(q));
    q->direction = PL_ALLOC(float, value_count(q));
    q->partials = PL_ALLOC(double, SUMS*(size_t)block_count(q));
    if (!q->gradient || !q->gradient_before || !q->direction || !q->partials)
        return pl_fail_memory(error, "the solver of a step");
    return PL_OK;
}

void pl_quasi_newton_free(pl_quasi_newton* q) {
    PL_FREE(q->gradient, float, value_count(q));
    PL_FREE(q->gradient_before, float, value_count(q));
    PL_FREE(q->direction, float, value_count(q));
    PL_FREE(q->partials, double, SUMS*(size_t)block_count(q));
    for (int k = 0; k < PAIRS; k++) {
        PL_FREE(q->s[k], float, value_count(q));
        PL_FREE(q->y[k], float, value_count(q));
    }
    pl_array_free(&q->contacts);
    pl_array_free(&q->bent);
    *q = (pl_quasi_newton){0};
}

pl_status pl_quasi_newton_reserve(pl_quasi_newton* q, pl_error* error) {
    for (int k = 0; k < PAIRS; k++) {
        if (!q->s[k]) q->s[k] = PL_ALLOC(float, value_count(q));
        if (!q->y[k]) q->y[k] = PL_ALLOC(float, value_count(q));
        if (!q->s[k] || !q->y[k]) return pl_fail_memory(error, "the solver of a step");
    }
    return PL_OK;
}

void pl_quasi_newton_forget(pl_quasi_newton* q) { q->pair_count = 0; }

typedef struct pass_job {
    pl_quasi_newton* q;
    const int* place_of;
    float* b;
    const float* x;
    double length;
    int slot;
    float weight[PAIRS]; // by pairs
} pass_job;

static size_t place(const pass_job* job, int k) {
    return 4 * (size_t)(job->place_of ? job->place_of[k] : k);
}

// Adds a product to partial sums in double, one per coordinate.
static inline void add_product(double sum[4], pl_f4 a, pl_f4 b) {
    for (int c = 0; c < 3; c++) sum[c] += (double)a[c] * (double)b[c];
}

static double* partials_of(const pass_job* job, int begin) {
    return job->q->partials + SUMS * (size_t)(begin / BLOCK);
}

// sum over blocks, in their order
static void collect(const pl_quasi_newton* q, int count, double* sums) {
    memset(sums, 0, (size_t)count * sizeof(double));
    for (int b = 0; b < block_count(q); b++)
        for (int k = 0; k < count; k++) sums[k] += q->partials[SUMS * (size_t)b + (size_t)k];
}

// the new pair
static void pair_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pass_job* job = user;
    const pl_quasi_newton* q = job->q;
    float *s = q->s[job->slot], *y = q->y[job->slot], length = (float)job->length;
    for (size_t at = 4 * (size_t)begin; at < 4 * (size_t)end; at += 4) {
        pl_store4(s + at, pl_splat4(length) * pl_load4(q->direction + at));
        pl_store4(y + at, pl_load4(q->gradient + at) - pl_load4(q->gradient_before + at));
    }
    // s_i.y, and for the new pair also s.gradient_before
    double* partial = partials_of(job, begin);
    for (int k = 0; k <= q->pair_count; k++) {
        const float* a = k < q->pair_count ? q->s[slot_of(q, k)] : s;
        double sum[4] = {0};
        for (size_t at = 4 * (size_t)begin; at < 4 * (size_t)end; at += 4)
            add_product(sum, pl_load4(a + at), pl_load4(y + at));
        partial[k] = sum[0] + sum[1] + sum[2];
    }
    double sum[4] = {0};
    for (size_t at = 4 * (size_t)begin; at < 4 * (size_t)end; at += 4)
        add_product(sum, pl_load4(s + at), pl_load4(q->gradient_before + at));
    partial[q->pair_count + 1] = sum[0] + sum[1] + sum[2];
}

void pl_quasi_newton_learn(pl_quasi_newton* q, double length) {
    if (!q->s[0]) return;
    if (q->pair_count == PAIRS) { // the oldest one is dropped
        q->first = slot_of(q, 1);
        q->pair_count--;
    }
    double sums[PAIRS + 1];
    int count = q->pair_count;
    pass_job job = {.q = q, .length = length, .slot = slot_of(q, count)};
    pl_parallel_for(q->pool, pair_task, q->vertex_count, BLOCK, &job);
    collect(q, count + 2, sums);
    double curvature = sums[count], before = sums[count + 1];
    if (!(curvature > -MIN_CURVATURE * before)) return;
    for (int k = 0; k <= count; k++) q->smooth[slot_of(q, k)][job.slot] = sums[k];
    q->pair_count++;
}

// s_i.gradient
static void steps_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pass_job* job = user;
    const pl_quasi_newton* q = job->q;
    for (int k = 0; k < q->pair_count; k++) {
        const float* s = q->s[slot_of(q, k)];
        double sum[4] = {0};
        for (size_t at = 4 * (size_t)begin; at < 4 * (size_t)end; at += 4)
            add_product(sum, pl_load4(s + at), pl_load4(q->gradient + at));
        partials_of(job, begin)[k] = sum[0] + sum[1] + sum[2];
    }
}

// b = -gradient - sum weight y
static void right_side_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pass_job* job = user;
    const pl_quasi_newton* q = job->q;
    const float* y[PAIRS];
    for (int i = 0; i < q->pair_count; i++) y[i] = q->y[slot_of(q, i)];
    for (int k = begin; k < end; k++) {
        size_t at = 4 * (size_t)k;
        pl_f4 b = -pl_load4(q->gradient + at);
        for (int i = 0; i < q->pair_count; i++)
            b = pl_scale_add4(-job->weight[i], pl_load4(y[i] + at), b);
        pl_store4(job->b + place(job, k), b);
    }
}

static const pl_quasi_contact* contact_of(const pl_quasi_newton* q, size_t k) {
    return (const pl_quasi_contact*)q->contacts.data + k;
}

// sum over contacts of their gradient times a vector
static double along_contacts(const pl_quasi_newton* q, const float* a) {
    double sum = 0.0;
    for (size_t k = 0; k < q->contacts.count; k++) {
        const pl_quasi_contact* c = contact_of(q, k);
        for (size_t i = 0; i < 3; i++)
            sum += (double)c->gradient[i] * (double)a[4 * (size_t)c->vertex + i];
    }
    return sum;
}

// C s of a slot at contact number k
static float* bent_of(const pl_quasi_newton* q, size_t k, int slot) {
    return (float*)q->bent.data + 3 * (k * PAIRS + (size_t)slot);
}

// sum over contacts of a C s
static double along_bent(const pl_quasi_newton* q, const float* a, int slot) {
    double sum = 0.0;
    for (size_t k = 0; k < q->contacts.count; k++)
        for (size_t i = 0; i < 3; i++)
            sum += (double)bent_of(q, k, slot)[i] *
                   (double)a[4 * (size_t)contact_of(q, k)->vertex + i];
    return sum;
}

// Corrects the pairs by the current contacts.
static pl_status bend_pairs(pl_quasi_newton* q, pl_error* error) {
    q->bent.count = 0;
    size_t count = 3 * PAIRS * q->contacts.count;
    if (count && !pl_array_add(&q->bent, count)) return pl_fail_memory(error, "contacts");
    for (int j = 0; j < q->pair_count; j++) {
        int slot = slot_of(q, j);
        for (size_t k = 0; k < q->contacts.count; k++) {
            const pl_quasi_contact* c = contact_of(q, k);
            const float *s = q->s[slot] + 4 * (size_t)c->vertex, *H = c->hessian;
            float* bent = bent_of(q, k, slot);
            bent[0] = H[0] * s[0] + H[1] * s[1] + H[2] * s[2];
            bent[1] = H[1] * s[0] + H[3] * s[1] + H[4] * s[2];
            bent[2] = H[2] * s[0] + H[4] * s[1] + H[5] * s[2];
        }
        for (int i = 0; i <= j; i++) {
            int other = slot_of(q, i);
            q->sy[other][slot] = q->smooth[other][slot] + along_bent(q, q->s[other], slot);
        }
    }
    return PL_OK;
}

// the first loop: alpha; weights get it pair by pair
static void find_alpha(pl_quasi_newton* q, pass_job* job) {
    double sums[PAIRS];
    pl_parallel_for(q->pool, steps_task, q->vertex_count, BLOCK, job);
    collect(q, q->pair_count, sums);
    for (int i = q->pair_count - 1; i >= 0; i--) {
        int slot = slot_of(q, i);
        double product = -sums[i] - along_contacts(q, q->s[slot]);
        for (int j = i + 1; j < q->pair_count; j++)
            product -= q->alpha[slot_of(q, j)] * q->sy[slot][slot_of(q, j)];
        q->alpha[slot] = product / q->sy[slot][slot];
        job->weight[i] = (float)q->alpha[slot];
    }
}

pl_status pl_quasi_newton_begin(pl_quasi_newton* q, const int* place_of, float* b,
                                pl_error* error) {
    pass_job job = {.q = q, .place_of = place_of, .b = b};
    pl_status status = bend_pairs(q, error);
    if (status != PL_OK) return status;
    if (q->pair_count > 0) find_alpha(q, &job);
    pl_parallel_for(q->pool, right_side_task, q->vertex_count, BLOCK, &job);
    for (size_t k = 0; k < q->contacts.count; k++) {
        const pl_quasi_contact* c = contact_of(q, k);
        float* to = b + place(&job, c->vertex);
        for (int i = 0; i < 3; i++) {
            to[i] -= c->gradient[i];
            for (int j = 0; j < q->pair_count; j++)
                to[i] -= job.weight[j] * bent_of(q, k, slot_of(q, j))[i];
        }
    }
    return PL_OK;
}

void pl_quasi_newton_leave(pl_quasi_newton* q) {
    float* before = q->gradient_before;
    q->gradient_before = q->gradient;
    q->gradient = before;
}

// y_i.x; direction = x
static void changes_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pass_job* job = user;
    const pl_quasi_newton* q = job->q;
    for (int k = begin; k < end; k++)
        pl_store4(q->direction + 4 * (size_t)k, pl_load4(job->x + place(job, k)));
    for (int k = 0; k < q->pair_count; k++) {
        const float* y = q->y[slot_of(q, k)];
        double sum[4] = {0};
        for (size_t at = 4 * (size_t)begin; at < 4 * (size_t)end; at += 4)
            add_product(sum, pl_load4(y + at), pl_load4(q->direction + at));
        partials_of(job, begin)[k] = sum[0] + sum[1] + sum[2];
    }
}

// direction += sum weight s; the slope along it
static double direction_part(int begin, int end, void* user) {
    const pass_job* job = user;
    const pl_quasi_newton* q = job->q;
    const float* s[PAIRS];
    for (int i = 0; i < q->pair_count; i++) s[i] = q->s[slot_of(q, i)];
    double sum[4] = {0};
    for (size_t at = 4 * (size_t)begin; at < 4 * (size_t)end; at += 4) {
        pl_f4 d = pl_load4(q->direction + at);
        for (int i = 0; i < q->pair_count; i++)
            d = pl_scale_add4(job->weight[i], pl_load4(s[i] + at), d);
        pl_store4(q->direction + at, d);
        add_product(sum, pl_load4(q->gradient + at), d);
    }
    return sum[0] + sum[1] + sum[2];
}

double pl_quasi_newton_end(pl_quasi_newton* q, const int* place_of, const float* x) {
    pass_job job = {.q = q, .place_of = place_of, .x = x};
    double sums[PAIRS], weights[PAIRS];
    pl_parallel_for(q->pool, changes_task, q->vertex_count, BLOCK, &job);
    collect(q, q->pair_count, sums);
    for (int i = 0; i < q->pair_count; i++) {
        int slot = slot_of(q, i);
        double product = sums[i] + along_bent(q, q->direction, slot);
        for (int j = 0; j < i; j++) product += weights[j] * q->sy[slot_of(q, j)][slot];
        weights[i] = q->alpha[slot] - product / q->sy[slot][slot];
        job.weight[i] = (float)weights[i];
    }
    double slope = pl_parallel_sum(q->pool, direction_part, q->vertex_count, BLOCK, &job);
    return slope + along_contacts(q, q->direction);
}

static double slope_part(int begin, int end, void* user) {
    const pl_quasi_newton* q = user;
    double sum[4] = {0};
    for (size_t at = 4 * (size_t)begin; at < 4 * (size_t)end; at += 4)
        add_product(sum, pl_load4(q->gradient + at), pl_load4(q->direction + at));
    return sum[0] + sum[1] + sum[2];
}

double pl_quasi_newton_slope(const pl_quasi_newton* q) {
    return pl_parallel_sum(q->pool, slope_part, q->vertex_count, BLOCK, (void*)q) +
           along_contacts(q, q->direction);
}
