// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A step of Projective Dynamics (S0 Algorithm 4): gradient, one solution of the constant matrix,
// and on. In float everything that touches all vertices is a pass of all threads, and does as much
// in it as it can; in double, for tolerances that float cannot reach and for elements that it does
// not have, it takes the gradient of the objective.
//
//   paper   here
//   y       where the vertex flies to, forces included: from + (w tau v + f/m) / (w + drag)
//   x       y + u; u is what the iterations find
//   A_0     the fixed matrix, with pins and contacts as springs on its diagonal
//
// A cycle is a matrix that bounds the Hessian wherever Projective Dynamics does, so a full step
// descends. The line search needs no values of the energy: with the slopes at both ends of a step,
// their mean tells whether it went up, and then the step is halved.
//
// With a fixed number of iterations the residual reported is that before the last one: what is left
// at the end would cost another gradient.
#include "base/timer.h"
#include "fem/fem_projective_fast.h"
#include "math/float4.h"
#include "sparse/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

// AHEAD: vertices to the one whose memory is asked for while another is worked on
enum { BLOCK = 2048, FRICTION_UPDATES = 8, MAX_HALVINGS = 8, AHEAD = 24 };
// float is trusted down to so many times its noise
static const double TRUST = 10.0;

typedef struct step_work {
    pl_projective_fast* p;
    const pl_fem_objective* f;
    const pl_projective_motion* motion;
    double* x_out;      // 3 per vertex
    float length;       // of the step along the direction
    double inertia;     // drag included [1/s^2]
    double flight_time; // during which velocity moves y, shortened by drag
    bool at_start;      // u = 0 and x = y, whatever is in their vectors
    bool on_the_way;    // the last direction is not in u yet
} step_work;

// x of the elements; its fourth value may be anything
static const float* present(const step_work* w) { return w->at_start ? w->p->y : w->p->x; }

// where the integrator starts from
static inline pl_vec3 from_of(const pl_projective_motion* m, size_t i) {
    pl_vec3 x = pl_vec3_load(m->positions + i);
    if (!m->bdf2) return x;
    return pl_scale(1.0 / 3.0, pl_sub(pl_scale(4.0, x), pl_vec3_load(m->positions_before + i)));
}

static inline pl_vec3 flight_of(const step_work* w, int row) {
    const pl_projective_motion* m = w->motion;
    size_t i = 3 * (size_t)row;
    pl_vec3 v = pl_vec3_load(m->velocities + i);
    if (m->bdf2)
        v = pl_scale(1.0 / 3.0, pl_sub(pl_scale(4.0, v), pl_vec3_load(m->velocities_before + i)));
    pl_vec3 moved = pl_scale(w->flight_time, v);
    moved = pl_madd(moved, 1.0 / (w->inertia * w->f->mass[row]), pl_vec3_load(w->f->force + i));
    return pl_add(from_of(m, i), moved);
}

static pl_f4 float4_of(pl_vec3 a) { return (pl_f4){(float)a.x, (float)a.y, (float)a.z, 0.0f}; }

// Start of the step: y, with the weight of the vertex in its fourth value. Vertices come in the
// order of the state, which may be any, and go to their numbers. Returns the sum of squared forces.
static double fly_part(int begin, int end, void* user) {
    const step_work* w = user;
    pl_projective_fast* p = w->p;
    double sum = 0.0;
    for (int row = begin; row < end; row++) {
        if (row + AHEAD < end) pl_prefetch_write(p->y + 4 * (size_t)p->number[row + AHEAD]);
        const double* origin = w->motion->positions + 3 * (size_t)p->root[row];
        pl_f4 y = float4_of(pl_sub(flight_of(w, row), pl_vec3_load(origin)));
        y[3] = (float)(w->inertia * w->f->mass[row]);
        pl_store4(p->y + 4 * (size_t)p->number[row], y);
        sum += pl_norm2(pl_vec3_load(w->f->force + 3 * (size_t)row));
    }
    return sum;
}

// vertices that are held are at their targets
static void place_held(const step_work* w) {
    pl_projective_fast* p = w->p;
    for (int k = 0; k < w->f->pin_count; k++) {
        const pl_pin* pin = &w->f->pins[k];
        if (!pin->hard) continue;
        size_t at = 4 * (size_t)p->number[pin->vertex];
        const double* origin = w->motion->positions + 3 * (size_t)p->root[pin->vertex];
        pl_f4 y = float4_of(pl_sub(pin->target, pl_vec3_load(origin)));
        y[3] = p->y[at + 3];
        pl_store4(p->y + at, y);
    }
}

// u of a vertex, and the last direction where it is not in u
static pl_f4 found_of(const step_work* w, int row) {
    const pl_projective_fast* p = w->p;
    pl_f4 u = w->at_start ? (pl_f4){0} : pl_load4(p->u + 4 * (size_t)p->number[row]);
    if (!w->on_the_way) return u;
    const pl_scalar_fine* fine = pl_scalar_mg_fine(p->mg);
    return u + pl_load4(fine->x + 4 * (size_t)fine->order.place[row]);
}

// y + u in double
static pl_vec3 position_of(const step_work* w, int row) {
    pl_f4 u = found_of(w, row);
    return pl_add(flight_of(w, row), (pl_vec3){(double)u[0], (double)u[1], (double)u[2]});
}

static void positions_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const step_work* w = user;
    for (int v = begin; v < end; v++) pl_vec3_store(w->x_out + 3 * (size_t)v, position_of(w, v));
}

static void write_positions(const step_work* w) {
    pl_parallel_for(w->p->pool, positions_task, w->p->vertex_count, BLOCK, (void*)w);
    for (int k = 0; k < w->f->pin_count; k++)
        if (w->f->pins[k].hard)
            pl_vec3_store(w->x_out + 3 * (size_t)w->f->pins[k].vertex, w->f->pins[k].target);
}

static void add_force(const step_work* w, int vertex, pl_vec3 gradient) {
    float* g = w->p->g + 4 * (size_t)w->p->number[vertex];
    pl_store4(g, pl_load4(g) + float4_of(gradient));
}

// g of elements, pins and contacts; g was zero
static void sum_forces(const step_work* w) {
    pl_projective_fast* p = w->p;
    const float* x = present(w);
    for (int k = 0; k < PL_PROJECTIVE_LAWS; k++) {
        if (p->tets[k].batch_count == 0) continue;
        if (p->is_cold) pl_tet_batches_gradient(&p->tets[k], p->pool, x, p->g);
        else pl_tet_batches_gradient_warm(&p->tets[k], p->pool, x, p->g);
    }
    p->is_cold = false;
    if (p->spring_set) pl_spring_batches_gradient(&p->springs, p->pool, x, p->g);
    for (int k = 0; k < w->f->pin_count; k++) {
        const pl_pin* pin = &w->f->pins[k];
        pl_vec3 d = pl_sub(position_of(w, pin->vertex), pin->target);
        if (!pin->hard) add_force(w, pin->vertex, pl_scale(pin->stiffness, d));
    }
    for (int k = 0; k < w->f->contact_count; k++)
        add_force(w, w->f->contacts[k].vertex, pl_fem_contact_gradient(w->f, k, w->x_out));
}

// weight u + g of a vertex
static pl_f4 gradient_of(const step_work* w, int k) {
    const pl_projective_fast* p = w->p;
    pl_f4 g = pl_load4(p->g + 4 * (size_t)k);
    if (w->at_start) return g;
    return pl_fma4(p->y[4 * (size_t)k + 3], pl_load4(p->u + 4 * (size_t)k), g);
}

// b = -gradient, at the places of the smoother; its square
static double residual_part(int begin, int end, void* user) {
    const step_work* w = user;
    const pl_projective_fast* p = w->p;
    pl_scalar_fine* fine = pl_scalar_mg_fine(p->mg);
    double sum[3] = {0};
    for (int k = begin; k < end; k++) {
        size_t place = (size_t)p->place_of[k];
        if (k + AHEAD < end) pl_prefetch_write(fine->b + 4 * (size_t)p->place_of[k + AHEAD]);
        pl_f4 b = -gradient_of(w, k);
        if (fine->inverse[place] == 0.0f) b = (pl_f4){0};
        pl_store4(fine->b + 4 * place, b);
        for (int c = 0; c < 3; c++) sum[c] += (double)b[c] * (double)b[c];
    }
    return sum[0] + sum[1] + sum[2];
}

// u += length d, and what follows from it; the slope before
static double advance_part(int begin, int end, void* user) {
    const step_work* w = user;
    const pl_projective_fast* p = w->p;
    const float* direction = pl_scalar_mg_fine(p->mg)->x;
    double sum[3] = {0};
    for (int k = begin; k < end; k++) {
        size_t at = 4 * (size_t)k;
        if (k + AHEAD < end) pl_prefetch(direction + 4 * (size_t)p->place_of[k + AHEAD]);
        pl_f4 d = pl_load4(direction + 4 * (size_t)p->place_of[k]), gradient = gradient_of(w, k);
        for (int c = 0; c < 3; c++) sum[c] += (double)gradient[c] * (double)d[c];
        pl_f4 u = pl_fma4(w->length, d, w->at_start ? (pl_f4){0} : pl_load4(p->u + at));
        pl_store4(p->u + at, u);
        pl_store4(p->x + at, pl_load4(p->y + at) + u);
        pl_store4(p->g + at, (pl_f4){0});
    }
    return sum[0] + sum[1] + sum[2];
}

// Finite if the direction is; for the last of a fixed number of iterations, after which only the
// new state is asked for.
static double last_part(int begin, int end, void* user) {
    const pl_scalar_fine* fine = pl_scalar_mg_fine(((const step_work*)user)->p->mg);
    pl_f4 sum = {0};
    for (size_t at = 4 * (size_t)begin; at < 4 * (size_t)end; at += 4)
        sum += 0.0f * pl_load4(fine->x + at);
    return (double)(sum[0] + sum[1] + sum[2]);
}

static void clear_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pl_projective_fast* p = ((const step_work*)user)->p;
    memset(p->g + 4 * (size_t)begin, 0, 4 * sizeof(float) * (size_t)(end - begin));
}

// -b.d: the slope at the end of a step
static double slope_part(int begin, int end, void* user) {
    const pl_projective_fast* p = ((const step_work*)user)->p;
    const pl_scalar_fine* fine = pl_scalar_mg_fine(p->mg);
    double sum[3] = {0};
    for (int k = begin; k < end; k++)
        for (size_t c = 0; c < 3; c++) {
            size_t at = 4 * (size_t)p->place_of[k] + c;
            sum[c] -= (double)fine->b[at] * (double)fine->x[at];
        }
    return sum[0] + sum[1] + sum[2];
}

// squares of forces that change the motion
static double inertia_part(int begin, int end, void* user) {
    const pl_projective_fast* p = ((const step_work*)user)->p;
    double sum = 0.0;
    if (((const step_work*)user)->at_start) return 0.0;
    for (int k = begin; k < end; k++)
        for (int c = 0; c < 3; c++) {
            double force =
                (double)p->y[4 * (size_t)k + 3] * (double)p->u[4 * (size_t)k + (size_t)c];
            sum += force * force;
        }
    return sum;
}

// squares of what rounding positions leaves in forces
static double noise_part(int begin, int end, void* user) {
    const pl_projective_fast* p = ((const step_work*)user)->p;
    const float *diagonal = pl_scalar_mg_fine(p->mg)->diagonal, *x = present(user);
    double sum = 0.0;
    for (int k = begin; k < end; k++)
        for (int c = 0; c < 3; c++) {
            double stiffness = (double)diagonal[p->place_of[k]];
            double force = stiffness * (double)x[4 * (size_t)k + (size_t)c];
            sum += force * force;
        }
    return FLT_EPSILON * FLT_EPSILON * sum;
}

// The same sums over vertices in the order of the state, for connected pieces.
static double piece_residual_part(int begin, int end, void* user) {
    const pl_projective_fast* p = ((const step_work*)user)->p;
    const float* b = pl_scalar_mg_fine(p->mg)->b;
    double sum = 0.0;
    for (int row = begin; row < end; row++)
        for (size_t c = 0; c < 3; c++) {
            double force = (double)b[4 * (size_t)p->place_of[p->number[row]] + c];
            sum += force * force;
        }
    return sum;
}

static double piece_inertia_part(int begin, int end, void* user) {
    const pl_projective_fast* p = ((const step_work*)user)->p;
    double sum = 0.0;
    for (int row = begin; row < end; row++)
        sum += inertia_part(p->number[row], p->number[row] + 1, user);
    return sum;
}

static double piece_noise_part(int begin, int end, void* user) {
    const pl_projective_fast* p = ((const step_work*)user)->p;
    double sum = 0.0;
    for (int row = begin; row < end; row++)
        sum += noise_part(p->number[row], p->number[row] + 1, user);
    return sum;
}

static double over_vertices(const step_work* w, pl_partial part) {
    return pl_parallel_sum(w->p->pool, part, w->p->vertex_count, BLOCK, (void*)w);
}

static void commit_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const step_work* w = user;
    const pl_projective_motion* m = w->motion;
    const pl_scalar_fine* fine = pl_scalar_mg_fine(w->p->mg);
    for (int row = begin; row < end; row++) {
        size_t i = 3 * (size_t)row;
        if (row + AHEAD < end && w->on_the_way)
            pl_prefetch(fine->x + 4 * (size_t)fine->order.place[row + AHEAD]);
        if (row + AHEAD < end && !w->at_start)
            pl_prefetch(w->p->u + 4 * (size_t)w->p->number[row + AHEAD]);
        pl_vec3 x = w->p->held[row] ? pl_vec3_load(w->x_out + i) : position_of(w, row);
        pl_vec3 v = pl_scale(1.0 / m->step, pl_sub(x, from_of(m, i)));
        pl_vec3 x0 = pl_vec3_load(m->positions + i), v0 = pl_vec3_load(m->velocities + i);
        if (m->midpoint) {
            v = pl_sub(pl_scale(2.0, v), v0);
            x = pl_sub(pl_scale(2.0, x), x0);
        }
        if (m->keeps_before) {
            pl_vec3_store(m->positions_before + i, x0);
            pl_vec3_store(m->velocities_before + i, v0);
        }
        pl_vec3_store(m->positions + i, x);
        pl_vec3_store(m->velocities + i, v);
    }
}

static void commit(const step_work* w) {
    for (int k = 0; k < w->f->pin_count; k++)
        if (w->f->pins[k].hard)
            pl_vec3_store(w->x_out + 3 * (size_t)w->f->pins[k].vertex, w->f->pins[k].target);
    pl_parallel_for(w->p->pool, commit_task, w->p->vertex_count, BLOCK, (void*)w);
}

// contacts, springs and b at the present u
static pl_status evaluate(step_work* w, pl_minimiser* m, pl_fem_objective* f, pl_detect detect,
                          void* detect_user, int iteration, double* norm, pl_error* error) {
    if (detect) write_positions(w);
    pl_status status = pl_projective_fast_detect(
        m, f, detect, detect_user, w->x_out, iteration == 0, iteration <= FRICTION_UPDATES, error);
    if (status == PL_OK && (detect || iteration == 0))
        status = pl_projective_fast_attach(w->p, f, w->x_out, error);
    if (status != PL_OK) return status;
    sum_forces(w);
    *norm = sqrt(over_vertices(w, residual_part));
    return PL_OK;
}

// A step that went up is made shorter: slope0 is that at its begin.
static pl_status shorten(step_work* w, pl_minimiser* m, pl_fem_objective* f, pl_detect detect,
                         void* detect_user, int iteration, double slope0, double* norm,
                         pl_error* error) {
    float length = 1.0f;
    for (int k = 0; k < MAX_HALVINGS && over_vertices(w, slope_part) > -slope0; k++) {
        length *= 0.5f;
        w->length = -length;
        over_vertices(w, advance_part);
        pl_status status = evaluate(w, m, f, detect, detect_user, iteration, norm, error);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

static double largest(double a, double b) { return a > b ? a : b; }

// Whether each connected piece is in balance against its own load, as below for a single piece. The
// worst residual counts. True if all are, or are as near to it as float gets.
static bool judge_pieces(step_work* w, pl_minimiser* m, const pl_fem_settings* settings, bool first,
                         bool* float_is_enough, pl_method_info* info) {
    pl_search* s = &m->search;
    if (first) {
        pl_pieces_norm(m->pieces, w->p->pool, w->f->force, s->tried);
        pl_pieces_sum(m->pieces, NULL, w->p->pool, piece_noise_part, 0, w, s->after);
    }
    pl_pieces_sum(m->pieces, NULL, w->p->pool, piece_residual_part, 0, w, s->norms);
    pl_pieces_sum(m->pieces, NULL, w->p->pool, piece_inertia_part, 0, w, s->inertia);
    bool at_the_end = true;
    info->residual = 0.0;
    info->converged = *float_is_enough = true;
    for (int k = 0; k < m->pieces->count; k++) {
        pl_piece_search* piece = &s->piece[k];
        double norm = sqrt(s->norms[k]);
        if (first) piece->load = largest(s->tried[k], norm);
        if (first) piece->noise = TRUST * sqrt(s->after[k]);
        double size = largest(piece->load, sqrt(s->inertia[k]));
        double enough = largest(settings->tolerance * size, DBL_MIN);
        if (size > 0.0 && !(norm / size <= info->residual)) info->residual = norm / size;
        info->converged = info->converged && norm <= enough;
        at_the_end = at_the_end && norm <= largest(enough, piece->noise);
        *float_is_enough = *float_is_enough && (norm <= enough || enough >= piece->noise);
    }
    return at_the_end;
}

pl_status pl_projective_fast_step(pl_projective_fast* p, pl_minimiser* m, pl_fem_objective* f,
                                  const pl_projective_motion* motion,
                                  const pl_fem_settings* settings, pl_detect detect,
                                  void* detect_user, pl_method_info* info, bool* finished,
                                  pl_error* error) {
    *finished = true;
    double start = pl_seconds();
    pl_status status = pl_projective_fast_prepare(p, f, error);
    if (status != PL_OK) return status;
    info->assembly_seconds += pl_seconds() - start;
    step_work w = {.p = p, .f = f, .motion = motion, .x_out = m->x, .at_start = true};
    w.inertia = f->inertia + f->damping_mass / f->velocity_time;
    w.flight_time = f->inertia * motion->step / w.inertia;
    double load = sqrt(over_vertices(&w, fly_part));
    double norm = 0.0, noise = 0.0, slope = 0.0;
    pl_parallel_for(p->pool, clear_task, p->vertex_count, BLOCK, &w);
    place_held(&w);
    for (int k = 0;; k++) {
        status = evaluate(&w, m, f, detect, detect_user, k, &norm, error);
        if (status == PL_OK && k > 0 && settings->line_search)
            status = shorten(&w, m, f, detect, detect_user, k, slope, &norm, error);
        if (status != PL_OK) return status;
        if (k == 0) load = largest(load, norm);
        if (k == 0 && !settings->all_iterations)
            noise = TRUST * sqrt(over_vertices(&w, noise_part));
        double size =
            largest(load, settings->all_iterations ? 0.0 : sqrt(over_vertices(&w, inertia_part)));
        info->residual = size > 0.0 ? norm / size : 0.0;
        if (!isfinite(info->residual))
            return pl_fail(error, PL_ERROR_DIVERGED,
                           "iteration %d of the step has forces that are not finite", k);
        info->converged = norm <= largest(settings->tolerance * size, DBL_MIN);
        bool at_the_end = norm <= largest(settings->tolerance * size, noise);
        bool float_is_enough = settings->tolerance * size >= noise;
        if (m->pieces->count > 1 && !settings->all_iterations)
            at_the_end = judge_pieces(&w, m, settings, k == 0, &float_is_enough, info);
        at_the_end = at_the_end && (k > 0 || load == 0.0);
        *finished = !at_the_end || settings->all_iterations || float_is_enough;
        if (k >= settings->max_iterations || (at_the_end && !settings->all_iterations)) break;
        pl_projective_fast_solve(p, settings, info);
        info->iterations++;
        // nobody waits for the forces at the end of a fixed number of iterations
        bool last = settings->all_iterations && !settings->line_search &&
                    info->iterations >= settings->max_iterations;
        int places = pl_scalar_mg_fine(p->mg)->order.place_count;
        w.on_the_way = last && pl_parallel_sum(p->pool, last_part, places, BLOCK, &w) == 0.0;
        if (w.on_the_way) break;
        w.length = 1.0f; // after a last direction that is not finite the forces there tell
        slope = over_vertices(&w, advance_part);
        w.at_start = false;
    }
    info->contact_count = f->contact_count;
    if (*finished) commit(&w);
    else write_positions(&w);
    return PL_OK;
}

typedef struct double_work {
    pl_projective_fast* p;
    pl_minimiser* m;
    double scale; // of b
} double_work;

static void gather_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const double_work* w = user;
    pl_scalar_fine* fine = pl_scalar_mg_fine(w->p->mg);
    for (int place = begin; place < end; place++) {
        int row = fine->order.row[place];
        pl_f4 b = {0};
        if (row >= 0 && fine->inverse[place] != 0.0f)
            b = float4_of(pl_scale(-w->scale, pl_vec3_load(w->m->gradient + 3 * (size_t)row)));
        pl_store4(fine->b + 4 * (size_t)place, b);
    }
}

static void scatter_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const double_work* w = user;
    const pl_scalar_fine* fine = pl_scalar_mg_fine(w->p->mg);
    for (int v = begin; v < end; v++)
        for (size_t c = 0; c < 3; c++)
            w->m->direction[3 * (size_t)v + c] =
                (double)fine->x[4 * (size_t)fine->order.place[v] + c] / w->scale;
}

// direction = -A^-1 gradient; the gradient is scaled, so that small ones are not lost in float
static void find_direction(pl_projective_fast* p, pl_minimiser* m, const pl_fem_settings* settings,
                           pl_method_info* info) {
    double size = pl_vector_max_abs(m->count, m->gradient);
    double_work w = {p, m, size > 0.0 ? 1.0 / size : 1.0};
    pl_parallel_for(p->pool, gather_task, pl_scalar_mg_fine(p->mg)->order.place_count, BLOCK, &w);
    pl_projective_fast_solve(p, settings, info);
    pl_parallel_for(p->pool, scatter_task, p->vertex_count, BLOCK, &w);
}

static pl_status evaluate_double(pl_projective_fast* p, pl_minimiser* m, pl_fem_objective* f,
                                 pl_detect detect, void* detect_user, int iteration,
                                 pl_error* error) {
    pl_status status = pl_projective_fast_detect(m, f, detect, detect_user, m->x, iteration == 0,
                                                 iteration <= FRICTION_UPDATES, error);
    if (status == PL_OK && (detect || iteration == 0))
        status = pl_projective_fast_attach(p, f, m->x, error);
    if (status == PL_OK) pl_fem_gradient(f, m->x, m->gradient, m->scratch);
    return status;
}

pl_status pl_projective_minimise(pl_projective_fast* p, pl_minimiser* m, pl_fem_objective* f,
                                 const pl_fem_settings* settings, pl_detect detect,
                                 void* detect_user, pl_method_info* info, pl_error* error) {
    double start = pl_seconds();
    pl_status status = pl_projective_fast_prepare(p, f, error);
    if (status != PL_OK) return status;
    info->assembly_seconds += pl_seconds() - start;
    double slope = 0.0;
    pl_search_begin(m, f);
    for (int k = 0;; k++) {
        status = evaluate_double(p, m, f, detect, detect_user, k, error);
        float length = 1.0f;
        for (int halving = 0;
             status == PL_OK && k > 0 && settings->line_search && halving < MAX_HALVINGS &&
             pl_vector_dot(p->pool, m->count, m->gradient, m->direction) > -slope;
             halving++) {
            length *= 0.5f;
            pl_vector_axpy(p->pool, m->count, -(double)length, m->direction, m->x);
            status = evaluate_double(p, m, f, detect, detect_user, k, error);
        }
        if (status != PL_OK) return status;
        bool any_open = pl_search_judge(m, f, settings, k == 0, info);
        if (!isfinite(info->residual))
            return pl_fail(error, PL_ERROR_DIVERGED,
                           "iteration %d of the step has forces that are not finite", k);
        bool over = !any_open || (info->converged && info->iterations > 0);
        if (info->iterations >= settings->max_iterations || (over && !settings->all_iterations))
            break;
        find_direction(p, m, settings, info);
        slope = pl_vector_dot(p->pool, m->count, m->gradient, m->direction);
        pl_vector_axpy(p->pool, m->count, 1.0, m->direction, m->x);
        info->iterations++;
    }
    info->contact_count = f->contact_count;
    return PL_OK;
}
