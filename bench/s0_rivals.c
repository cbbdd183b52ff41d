// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "s0_rivals.h"
#include "base/memory.h"
#include "math/float4.h"

#include <stdio.h>
#include <string.h>

enum { BLOCK = 2048, WARM_UP = 10 };
static const double TIME_STEP = 1.0 / 30.0;

typedef struct pass {
    rival_frame* r;
    float a, omega, damping;
} pass;

static pl_scalar_fine* fine_of(const rival_frame* r) { return pl_scalar_mg_fine(r->p->mg); }

static int places_of(const rival_frame* r) { return fine_of(r)->order.place_count; }

static bool allocate(rival_frame* r) {
    size_t n = (size_t)r->e->vertex_count, places = 4 * (size_t)places_of(r);
    double** longs[] = {&r->y, &r->x, &r->reference, &r->no_force, &r->b, &r->direction};
    float** floats[] = {&r->u, &r->before, &r->r, &r->d, &r->Ad};
    bool ok = true;
    for (int k = 0; k < 6; k++) ok = ok && (*longs[k] = PL_ALLOC(double, 3 * n));
    for (int k = 0; k < 5; k++) ok = ok && (*floats[k] = PL_ALLOC(float, places));
    ok = ok && (r->y4 = PL_ALLOC(float, 4 * n)) && (r->fixed = PL_ALLOC(bool, n));
    return ok && (r->scratch = PL_ALLOC(double, 6 * n));
}

void rival_frame_free(rival_frame* r) {
    if (!r->e) return;
    size_t n = (size_t)r->e->vertex_count, places = 4 * (size_t)places_of(r);
    double* longs[] = {r->y, r->x, r->reference, r->no_force, r->b, r->direction};
    float* floats[] = {r->u, r->before, r->r, r->d, r->Ad};
    for (int k = 0; k < 6; k++) PL_FREE(longs[k], double, 3 * n);
    for (int k = 0; k < 5; k++) PL_FREE(floats[k], float, places);
    PL_FREE(r->y4, float, 4 * n);
    PL_FREE(r->fixed, bool, n);
    PL_FREE(r->scratch, double, 6 * n);
    pl_linear_destroy(r->direct);
    pl_block_matrix_free(&r->A);
    *r = (rival_frame){0};
}

static bool make_direct(rival_frame* r) {
    s0_example* e = r->e;
    return pl_block_matrix_setup(&r->A, e->vertex_count, 1, e->neighbour_offsets, e->neighbours,
                                 &e->error) == PL_OK &&
           pl_element_set_locate(&e->set, &r->A, &e->error) == PL_OK &&
           (pl_step_projective(&r->f, &r->A), true) &&
           pl_linear_setup(PL_LINEAR_DIRECT, &r->A, 3, e->pool, &r->direct, &e->error) == PL_OK &&
           pl_linear_update(r->direct, &e->error) == PL_OK;
}

bool rival_frame_create(rival_frame* r, s0_example* e) {
    *r = (rival_frame){.e = e, .p = pl_fem_projective_of(e->system), .count = 3 * e->vertex_count};
    bool ok = allocate(r);
    double w = 1.0 / (TIME_STEP * TIME_STEP);
    for (int i = 0; ok && i < r->count; i++) {
        r->reference[i] = pl_step_positions(e->system)[i];
        // with the outer forces in it, the gradient at y is that of elements and pins alone
        r->y[i] = r->reference[i] + TIME_STEP * pl_step_velocities(e->system)[i] +
                  e->force[i] / (w * e->mass[i / 3]);
        size_t number = 4 * (size_t)r->p->number[i / 3];
        r->y4[number + (size_t)(i % 3)] = (float)(r->y[i] - r->reference[i % 3]);
        r->y4[number + 3] = (float)(w * e->mass[i / 3]);
    }
    r->f = (pl_step_objective){.vertex_count = e->vertex_count,
                               .set_count = 1,
                               .sets = &e->set,
                               .mass = e->mass,
                               .pool = e->pool,
                               .inertia = w,
                               .y = r->y,
                               .velocity_time = TIME_STEP,
                               .reference = r->reference,
                               .force = r->no_force,
                               .fixed = r->fixed,
                               .pins = e->pins,
                               .pin_count = e->pin_count};
    ok = ok && make_direct(r);
    if (!ok) fprintf(stderr, "pliant-bench s0-race: %s\n", e->error.text);
    return ok;
}

// ---------------------------------------------------------------- what all do

static void elements_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const rival_frame* r = ((const pass*)user)->r;
    for (int k = begin; k < end; k++) {
        size_t at = 4 * (size_t)k;
        pl_f4 u = pl_load4(r->u + 4 * (size_t)r->p->place_of[k]);
        pl_store4(r->p->x + at, pl_load4(r->y4 + at) + u);
        pl_store4(r->p->quasi.gradient + at, (pl_f4){0});
    }
}

// b = -dg/dx, at the places of the smoother
static void residual_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const rival_frame* r = ((const pass*)user)->r;
    float* b = fine_of(r)->b;
    for (int k = begin; k < end; k++) {
        size_t at = 4 * (size_t)k, place = 4 * (size_t)r->p->place_of[k];
        pl_f4 g = pl_scale_add4(r->y4[at + 3], pl_load4(r->u + place),
                                pl_load4(r->p->quasi.gradient + at));
        pl_store4(b + place, -g);
    }
}

static pl_vec3 position_of(const rival_frame* r, int vertex) {
    const float* u = r->u + 4 * (size_t)fine_of(r)->order.place[vertex];
    return pl_add(pl_vec3_load(r->y + 3 * (size_t)vertex), (pl_vec3){u[0], u[1], u[2]});
}

static void find_gradient(rival_frame* r) {
    pl_projective_fast* p = r->p;
    pass w = {.r = r};
    pl_parallel_for(p->pool, elements_task, p->vertex_count, BLOCK, &w);
    for (int k = 0; k < PL_PROJECTIVE_LAWS; k++) {
        if (p->tets[k].batch_count == 0) continue;
        if (r->iteration == 0)
            pl_tet_batches_gradient(&p->tets[k], p->pool, p->x, p->quasi.gradient);
        else pl_tet_batches_gradient_warm(&p->tets[k], p->pool, p->x, p->quasi.gradient);
    }
    if (p->spring_set)
        pl_spring_batches_gradient(&p->springs, p->pool, p->x, NULL, p->quasi.gradient);
    for (int k = 0; k < r->e->pin_count; k++) {
        const pl_pin* pin = &r->e->pins[k];
        pl_vec3 d = pl_scale(pin->stiffness, pl_sub(position_of(r, pin->vertex), pin->target));
        float* g = p->quasi.gradient + 4 * (size_t)p->number[pin->vertex];
        pl_store4(g, pl_load4(g) + (pl_f4){(float)d.x, (float)d.y, (float)d.z, 0.0f});
    }
    pl_parallel_for(p->pool, residual_task, p->vertex_count, BLOCK, &w);
}

// ---------------------------------------------------------------- Chebyshev (Wang 2015)

static double omega_of(int k, double rho, double omega) {
    if (k < WARM_UP) return 1.0;
    return k == WARM_UP ? 2.0 / (2.0 - rho * rho) : 4.0 / (4.0 - rho * rho * omega);
}

static void chebyshev_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pass* w = user;
    const rival_frame* r = w->r;
    const pl_scalar_fine* f = fine_of(r);
    for (int p = begin; p < end; p++) {
        size_t at = 4 * (size_t)p;
        pl_f4 u = pl_load4(r->u + at), before = pl_load4(r->before + at);
        pl_f4 next = pl_scale_add4(w->damping * f->inverse[p], pl_load4(f->b + at), u - before);
        pl_store4(r->u + at, pl_scale_add4(w->omega, next, before));
        pl_store4(r->before + at, u);
    }
}

// ---------------------------------------------------------------- PCG with the diagonal

static double dot4(pl_f4 a, pl_f4 b) {
    return ((double)a[0] * (double)b[0] + (double)a[1] * (double)b[1]) +
           (double)a[2] * (double)b[2];
}

// r.D^-1 r of b, which is the first residual
static double first_part(int begin, int end, void* user) {
    const rival_frame* r = ((const pass*)user)->r;
    const pl_scalar_fine* f = fine_of(r);
    double sum = 0.0;
    for (int p = begin; p < end; p++) {
        pl_f4 b = pl_load4(f->b + 4 * (size_t)p), z = f->inverse[p] * b;
        pl_store4(r->r + 4 * (size_t)p, b);
        pl_store4(r->d + 4 * (size_t)p, z);
        pl_store4(f->x + 4 * (size_t)p, (pl_f4){0});
        sum += dot4(b, z);
    }
    return sum;
}

static double curvature_part(int begin, int end, void* user) {
    const rival_frame* r = ((const pass*)user)->r;
    double sum = 0.0;
    for (size_t at = 4 * (size_t)begin; at < 4 * (size_t)end; at += 4)
        sum += dot4(pl_load4(r->d + at), pl_load4(r->Ad + at));
    return sum;
}

// x += a d, r -= a A d; r.D^-1 r
static double step_part(int begin, int end, void* user) {
    const pass* w = user;
    const rival_frame* r = w->r;
    const pl_scalar_fine* f = fine_of(r);
    double sum = 0.0;
    for (int p = begin; p < end; p++) {
        size_t at = 4 * (size_t)p;
        pl_store4(f->x + at, pl_scale_add4(w->a, pl_load4(r->d + at), pl_load4(f->x + at)));
        pl_f4 left = pl_scale_add4(-w->a, pl_load4(r->Ad + at), pl_load4(r->r + at));
        pl_store4(r->r + at, left);
        sum += dot4(left, f->inverse[p] * left);
    }
    return sum;
}

// d = D^-1 r + a d
static void direction_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pass* w = user;
    const rival_frame* r = w->r;
    const pl_scalar_fine* f = fine_of(r);
    for (int p = begin; p < end; p++) {
        size_t at = 4 * (size_t)p;
        pl_f4 z = f->inverse[p] * pl_load4(r->r + at);
        pl_store4(r->d + at, pl_scale_add4(w->a, pl_load4(r->d + at), z));
    }
}

static void solve_pcg(rival_frame* r, int count) {
    pl_pool* pool = r->p->pool;
    int places = places_of(r);
    pass w = {.r = r};
    double rz = pl_parallel_sum(pool, first_part, places, BLOCK, &w);
    for (int k = 0; k < count && rz > 0.0; k++) {
        pl_scalar_fine_apply(fine_of(r), pool, r->d, r->Ad);
        w.a = (float)(rz / pl_parallel_sum(pool, curvature_part, places, BLOCK, &w));
        double next = pl_parallel_sum(pool, step_part, places, BLOCK, &w);
        w.a = (float)(next / rz);
        rz = next;
        if (k + 1 < count) pl_parallel_for(pool, direction_task, places, BLOCK, &w);
    }
}

// ---------------------------------------------------------------- direct

static void solve_direct(rival_frame* r) {
    pl_scalar_fine* f = fine_of(r);
    pl_linear_options options = {.tolerance = 1e-6, .max_iterations = 1};
    pl_linear_info info;
    for (int i = 0; i < r->count; i++)
        r->b[i] = (double)f->b[4 * (size_t)f->order.place[i / 3] + (size_t)(i % 3)];
    memset(r->direction, 0, (size_t)r->count * sizeof(double));
    pl_linear_solve(r->direct, &options, r->b, r->direction, &info);
    for (int i = 0; i < r->count; i++)
        f->x[4 * (size_t)f->order.place[i / 3] + (size_t)(i % 3)] = (float)r->direction[i];
}

// ---------------------------------------------------------------- an iteration

static void add_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const rival_frame* r = ((const pass*)user)->r;
    const float* x = fine_of(r)->x;
    for (size_t at = 4 * (size_t)begin; at < 4 * (size_t)end; at += 4)
        pl_store4(r->u + at, pl_load4(r->u + at) + pl_load4(x + at));
}

void rival_start(rival_frame* r) {
    size_t size = 4 * (size_t)places_of(r) * sizeof(float);
    memset(r->u, 0, size);
    memset(r->before, 0, size);
    r->iteration = 0;
    r->omega = 1.0;
}

void rival_iterate(rival_frame* r, const rival* who) {
    find_gradient(r);
    pl_linear_options options = {.tolerance = 0.0, .max_iterations = who->count};
    pl_linear_info info;
    pass w = {.r = r, .damping = who->damping};
    switch (who->kind) {
    case MULTIGRID: pl_scalar_mg_cycle(r->p->mg); break;
    case MGPCG: pl_scalar_mg_solve_float(r->p->mg, &options, &info); break;
    case VIVACE: pl_scalar_fine_smooth(fine_of(r), r->p->pool, 2 * who->count, false, true); break;
    case PCG: solve_pcg(r, who->count); break;
    case DIRECT: solve_direct(r); break;
    case CHEBYSHEV:
        r->omega = omega_of(r->iteration, (double)who->rho, r->omega);
        w.omega = (float)r->omega;
        pl_parallel_for(r->p->pool, chebyshev_task, places_of(r), BLOCK, &w);
        break;
    }
    if (who->kind != CHEBYSHEV) pl_parallel_for(r->p->pool, add_task, places_of(r), BLOCK, &w);
    r->iteration++;
}

double rival_energy(rival_frame* r) {
    for (int v = 0; v < r->e->vertex_count; v++)
        pl_vec3_store(r->x + 3 * (size_t)v, position_of(r, v));
    return pl_step_energy(&r->f, r->x, r->scratch);
}
