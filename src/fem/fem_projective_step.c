// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A step of Projective Dynamics in float (S0 Algorithm 4): gradient, one solve with the constant
// matrix, update, repeat. All work on vertices is fused into as few parallel passes as possible.
//
//   paper   here
//   y       where the vertex would move without elements: from + (w tau v + f/m) / (w + drag)
//   x       y + u; the iterations find u
//   A_0     the fixed matrix, with pins and contacts as springs on its diagonal
//
// The iterations are those of step_projective_loop.c.
//
// With a fixed number of iterations the reported residual is that before the last one, because
// computing the final one would cost another gradient.
#include "base/timer.h"
#include "fem/fem_projective_work.h"
#include "sparse/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Round-off of forces, as a fraction of its bound: for a bear in contact, forces end at 0.1 to 0.6
// of it. If that is too low, forces below STALL_NOISE times as much that have not decreased for
// STALL iterations also count as round-off.
enum { STALL = 15, MIN_WARM_ITERATIONS = 4 };
static const double NOISE = 0.5, STALL_NOISE = 10.0;

enum { BLOCK = PL_PROJECTIVE_BLOCK };

static double largest(double a, double b) { return a > b ? a : b; }

// Contact forces after fewer than MIN_WARM_ITERATIONS are too inaccurate to start the next step
// from.
static bool has_enough_iterations(const pl_projective_work* w) {
    return !w->settings->all_iterations || w->settings->max_iterations >= MIN_WARM_ITERATIONS;
}

// Few iterations leave a torque. Without a line search the forces at the end are unknown.
static bool wants_balance(const pl_projective_work* w) {
    return w->settings->all_iterations && w->settings->line_search && has_enough_iterations(w) &&
           !w->at_start && !w->on_the_way;
}

// Forces of lasting contacts change little from step to step, and u is their effect: its last value
// is the initial guess. Without contacts, free flight is a better one.
static bool is_start_for_next(const pl_projective_work* w) {
    return has_enough_iterations(w) && w->f->contact_count > 0 && !w->at_start && !w->on_the_way;
}

static void add_force(const pl_projective_work* w, int vertex, pl_vec3 gradient) {
    float* g = w->p->quasi.gradient + 4 * (size_t)w->p->number[vertex];
    if (!w->p->held[vertex]) pl_store4(g, pl_load4(g) + pl_float4_of(gradient));
}

// Adds the forces of elements and pins to a gradient that is zero.
static void sum_forces(const pl_projective_work* w) {
    pl_projective_fast* p = w->p;
    const float *x = pl_projective_high(w), *low = pl_projective_low(w);
    float* g = p->quasi.gradient;
    for (int k = 0; k < PL_PROJECTIVE_LAWS; k++) {
        if (p->tets[k].batch_count == 0) continue;
        pl_tet_batches_gradient_split(&p->tets[k], p->pool, x, low, !p->is_cold, g);
    }
    p->is_cold = false;
    if (p->spring_set) pl_spring_batches_gradient(&p->springs, p->pool, x, low, g);
    for (int k = 0; k < w->f->pin_count; k++) {
        const pl_pin* pin = &w->f->pins[k];
        pl_vec3 d = pl_sub(pl_projective_position(w, pin->vertex), pin->target);
        if (!pin->hard) add_force(w, pin->vertex, pl_scale(pin->stiffness, d));
    }
}

static void drag_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pl_projective_work* w = user;
    const double* drag = w->m->scratch + w->m->count;
    double scale = w->f->damping_stiffness / w->f->velocity_time;
    for (int v = begin; v < end; v++)
        add_force(w, v, pl_scale(scale, pl_vec3_load(drag + 3 * (size_t)v)));
}

// adds stiffness damping at x_out, with the matrix in double
static void add_drag(pl_projective_work* w) {
    if (!(w->f->damping_stiffness > 0.0)) return;
    pl_step_stiffness_drag(w->f, w->x_out, w->m->scratch, w->m->scratch + w->m->count);
    pl_parallel_for(w->p->pool, drag_task, w->p->vertex_count, BLOCK, w);
}

// Adds inertia, and removes held directions; returns the square of the gradient.
static double inertia_gradient_part(int begin, int end, void* user) {
    const pl_projective_work* w = user;
    const pl_projective_fast* p = w->p;
    const float* inverse = pl_scalar_mg_fine(p->mg)->inverse;
    float* gradient = p->quasi.gradient;
    double sum[3] = {0};
    for (int k = begin; k < end; k++) {
        size_t at = 4 * (size_t)k;
        pl_f4 g = pl_load4(gradient + at);
        if (!w->at_start) g = pl_scale_add4(p->y[at + 3], pl_load4(p->u + at), g);
        if (inverse[p->place_of[k]] == 0.0f) g = (pl_f4){0};
        pl_store4(gradient + at, g);
        for (int c = 0; c < 3; c++) sum[c] += (double)g[c] * (double)g[c];
    }
    return sum[0] + sum[1] + sum[2];
}

static double residual_part(int begin, int end, void* user) {
    const float* g = ((const pl_projective_work*)user)->p->quasi.gradient;
    double sum[3] = {0};
    for (size_t at = 4 * (size_t)begin; at < 4 * (size_t)end; at += 4)
        for (size_t c = 0; c < 3; c++) sum[c] += (double)g[at + c] * (double)g[at + c];
    return sum[0] + sum[1] + sum[2];
}

// u += length d; updates what depends on u, and clears the gradient
static void advance_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pl_projective_work* w = user;
    const pl_projective_fast* p = w->p;
    const float* base = pl_projective_base(w);
    for (size_t at = 4 * (size_t)begin; at < 4 * (size_t)end; at += 4) {
        pl_f4 u = w->at_start ? (pl_f4){0} : pl_load4(p->u + at);
        u = pl_scale_add4((float)w->length, pl_load4(p->quasi.direction + at), u);
        pl_store4(p->u + at, u);
        pl_store4(p->x + at, pl_load4(base + at) + u);
        pl_store4(p->quasi.gradient + at, (pl_f4){0});
    }
}

// For the last of a fixed number of iterations, after which only the new state is needed. Returns a
// finite number if the solution is finite.
static double last_part(int begin, int end, void* user) {
    const pl_scalar_fine* fine = pl_scalar_mg_fine(((const pl_projective_work*)user)->p->mg);
    pl_f4 sum = {0};
    for (size_t at = 4 * (size_t)begin; at < 4 * (size_t)end; at += 4)
        sum += 0.0f * pl_load4(fine->x + at);
    return (double)(sum[0] + sum[1] + sum[2]);
}

static void clear_task(int begin, int end, int worker, void* user) {
    (void)worker;
    float* g = ((const pl_projective_work*)user)->p->quasi.gradient;
    memset(g + 4 * (size_t)begin, 0, 4 * sizeof(float) * (size_t)(end - begin));
}

// sum of squares of the forces that change the motion
static double inertia_part(int begin, int end, void* user) {
    const pl_projective_fast* p = ((const pl_projective_work*)user)->p;
    double sum = 0.0;
    if (((const pl_projective_work*)user)->at_start) return 0.0;
    for (int k = begin; k < end; k++)
        for (int c = 0; c < 3; c++) {
            double force =
                (double)p->y[4 * (size_t)k + 3] * (double)p->u[4 * (size_t)k + (size_t)c];
            sum += force * force;
        }
    return sum;
}

// Sum of squares of the round-off in forces: from the low parts, and from deformations, which are
// differences along edges.
static double noise_part(int begin, int end, void* user) {
    const pl_projective_fast* p = ((const pl_projective_work*)user)->p;
    const pl_scalar_fine* fine = pl_scalar_mg_fine(p->mg);
    const float* low = pl_projective_low(user);
    double sum = 0.0;
    for (int k = begin; k < end; k++) {
        size_t at = 4 * (size_t)k;
        double stiffness = fine->fixed_diagonal[p->place_of[k]], edge = (double)p->y_low[at + 3];
        double square = edge * edge;
        for (size_t c = 0; c < 3; c++) square += (double)low[at + c] * (double)low[at + c];
        sum += stiffness * stiffness * square;
    }
    return NOISE * NOISE * FLT_EPSILON * FLT_EPSILON * sum;
}

// energy of the distance to y, to which inertia and external forces pull
static double motion_energy_part(int begin, int end, void* user) {
    const pl_projective_fast* p = ((const pl_projective_work*)user)->p;
    double sum = 0.0;
    for (size_t at = 4 * (size_t)begin; at < 4 * (size_t)end; at += 4)
        for (size_t c = 0; c < 3; c++)
            sum += 0.5 * (double)p->y[at + 3] * (double)p->u[at + c] * (double)p->u[at + c];
    return sum;
}

// The same sums over vertices in the order of the state, for connected pieces.
static double piece_residual_part(int begin, int end, void* user) {
    const pl_projective_fast* p = ((const pl_projective_work*)user)->p;
    double sum = 0.0;
    for (int row = begin; row < end; row++)
        sum += residual_part(p->number[row], p->number[row] + 1, user);
    return sum;
}

static double piece_inertia_part(int begin, int end, void* user) {
    const pl_projective_fast* p = ((const pl_projective_work*)user)->p;
    double sum = 0.0;
    for (int row = begin; row < end; row++)
        sum += inertia_part(p->number[row], p->number[row] + 1, user);
    return sum;
}

static double piece_noise_part(int begin, int end, void* user) {
    const pl_projective_fast* p = ((const pl_projective_work*)user)->p;
    double sum = 0.0;
    for (int row = begin; row < end; row++)
        sum += noise_part(p->number[row], p->number[row] + 1, user);
    return sum;
}

static double over_vertices(const pl_projective_work* w, pl_partial part) {
    return pl_parallel_sum(w->p->pool, part, w->p->vertex_count, BLOCK, (void*)w);
}

static void commit_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pl_projective_work* w = user;
    const pl_projective_motion* m = w->motion;
    const pl_scalar_fine* fine = pl_scalar_mg_fine(w->p->mg);
    for (int row = begin; row < end; row++) {
        size_t i = 3 * (size_t)row;
        if (row + PL_PROJECTIVE_AHEAD < end && w->on_the_way)
            pl_prefetch(fine->x + 4 * (size_t)fine->order.place[row + PL_PROJECTIVE_AHEAD]);
        if (row + PL_PROJECTIVE_AHEAD < end && !w->at_start)
            pl_prefetch(w->p->u + 4 * (size_t)w->p->number[row + PL_PROJECTIVE_AHEAD]);
        pl_vec3 x = w->p->held[row] ? pl_vec3_load(w->x_out + i) : pl_projective_position(w, row);
        pl_vec3 v = pl_scale(1.0 / m->step, pl_sub(x, pl_projective_from(m, i)));
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

static void commit(const pl_projective_work* w) {
    for (int k = 0; k < w->f->pin_count; k++)
        if (w->f->pins[k].hard)
            pl_vec3_store(w->x_out + 3 * (size_t)w->f->pins[k].vertex, w->f->pins[k].target);
    pl_parallel_for(w->p->pool, commit_task, w->p->vertex_count, BLOCK, (void*)w);
}

// finds contacts at x_out
static pl_status find_contacts(const pl_projective_work* w, bool first, pl_error* error) {
    pl_projective_solver solver = pl_projective_fast_view(w->p);
    return pl_projective_detect(&solver, w->m, w->f, w->detect, w->detect_user, w->x_out, first,
                                error);
}

// computes the load of each piece, as evaluate() computes that of the whole
static void start_piece_loads(pl_projective_work* w) {
    const pl_minimiser* m = w->m;
    const pl_search* s = &m->search;
    pl_pieces_norm(m->pieces, w->p->pool, w->f->force, s->tried);
    pl_pieces_sum(m->pieces, NULL, w->p->pool, piece_residual_part, 0, w, s->norms);
    for (int k = 0; k < m->pieces->count; k++)
        s->piece[k].load = largest(s->tried[k], sqrt(s->norms[k]));
}

// Returns what contacts add to the square of the gradient; adds it to `pieces` too unless that is
// NULL.
static double add_contact_squares(const pl_projective_work* w, double* pieces) {
    const pl_projective_fast* p = w->p;
    const pl_quasi_contact* contacts = p->quasi.contacts.data;
    double sum = 0.0;
    for (size_t k = 0; k < p->quasi.contacts.count; k++) {
        const pl_quasi_contact* c = &contacts[k];
        const float* g = p->quasi.gradient + 4 * (size_t)c->vertex;
        double added = 0.0;
        for (int i = 0; i < 3; i++)
            added += (double)c->gradient[i] * (2.0 * (double)g[i] + (double)c->gradient[i]);
        sum += added;
        if (pieces) pieces[w->m->pieces->piece_of[p->vertex_of[c->vertex]]] += added;
    }
    return sum;
}

// Contacts, springs and the gradient at the current u. The load of the step includes the forces at
// its start, except those of contacts: how deep the start is inside an obstacle says nothing about
// the forces at the end.
static pl_status evaluate(void* user, int iteration, pl_error* error) {
    pl_projective_work* w = user;
    pl_step_objective* f = w->f;
    bool first = iteration == 0;
    w->iteration = iteration;
    if (w->detect || f->damping_stiffness > 0.0) pl_projective_write_positions(w);
    pl_status status = find_contacts(w, first, error);
    if (status == PL_OK && first && w->settings->line_search && !w->stays)
        w->is_deep = f->contact_count > 0 && pl_projective_find_deep(w);
    if (status == PL_OK && (w->detect || first))
        status = pl_projective_fast_attach(w->p, f, w->x_out, error);
    if (status != PL_OK) return status;
    sum_forces(w);
    add_drag(w);
    w->norm = sqrt(over_vertices(w, inertia_gradient_part));
    if (first && w->m->pieces->count > 1) start_piece_loads(w);
    if (first) w->load = largest(w->load, w->norm);
    status = pl_projective_add_contacts(&w->p->quasi, f, w->x_out, w->p->number, error);
    w->norm = sqrt(fmax(w->norm * w->norm + add_contact_squares(w, NULL), 0.0));
    return status;
}

// Phi at x_out, up to a constant. Contacts are those of f; friction is ignored.
static double objective_at(const pl_projective_work* w, double motion) {
    double sum = motion + pl_step_elastic_energy(w->f, w->x_out);
    for (int k = 0; k < w->f->pin_count; k++) {
        const pl_pin* pin = &w->f->pins[k];
        pl_vec3 d = pl_sub(pl_vec3_load(w->x_out + 3 * (size_t)pin->vertex), pin->target);
        if (!pin->hard) sum += 0.5 * pin->stiffness * pl_norm2(d);
    }
    for (int k = 0; k < w->f->contact_count; k++) {
        double depth = fmax(pl_step_contact_depth(w->f, &w->f->contacts[k], w->x_out), 0.0);
        sum += 0.5 * w->f->contacts[k].stiffness * depth * depth;
    }
    return sum;
}

// Compares the result with the initial positions of the deep pieces. If these were better, the
// pieces return to them and w->stays becomes true.
static pl_status stay_if_better(pl_projective_work* w, pl_error* error) {
    pl_projective_fast* p = w->p;
    pl_step_objective* f = w->f;
    float* kept = p->quasi.direction; // no longer needed
    size_t size = 4 * (size_t)p->vertex_count * sizeof(float);
    int contact_count = f->contact_count;
    pl_projective_write_positions(w);
    double ended = objective_at(w, over_vertices(w, motion_energy_part));
    memcpy(kept, p->u, size);
    pl_projective_start_at(w, pl_rigid_start_values(w->motion->rigid_start));
    pl_projective_write_positions(w);
    pl_status status = find_contacts(w, true, error);
    if (status != PL_OK) return status;
    w->stays = objective_at(w, over_vertices(w, motion_energy_part)) < ended;
    if (w->stays) return PL_OK;
    memcpy(p->u, kept, size);
    f->contact_count = contact_count;
    return PL_OK;
}

// Tests whether each connected piece is balanced relative to its own load, as below for a single
// piece. Reports the worst residual. Returns true if all are balanced, or as nearly as float
// allows.
static bool judge_pieces(pl_projective_work* w, bool first, bool* float_is_enough) {
    const pl_minimiser* m = w->m;
    const pl_step_settings* settings = w->settings;
    const pl_search* s = &m->search;
    pl_method_info* info = w->info;
    if (first) pl_pieces_sum(m->pieces, NULL, w->p->pool, piece_noise_part, 0, w, s->after);
    pl_pieces_sum(m->pieces, NULL, w->p->pool, piece_residual_part, 0, w, s->norms);
    add_contact_squares(w, s->norms);
    pl_pieces_sum(m->pieces, NULL, w->p->pool, piece_inertia_part, 0, w, s->inertia);
    bool at_the_end = true;
    info->residual = 0.0;
    info->converged = *float_is_enough = true;
    for (int k = 0; k < m->pieces->count; k++) {
        pl_piece_search* piece = &s->piece[k];
        double norm = sqrt(fmax(s->norms[k], 0.0));
        if (first) piece->noise = sqrt(s->after[k]);
        double size = largest(piece->load, sqrt(s->inertia[k]));
        double enough = largest(settings->tolerance * size, DBL_MIN);
        if (size > 0.0 && !(norm / size <= info->residual)) info->residual = norm / size;
        info->converged = info->converged && norm <= enough;
        double aim = pl_projective_aim(settings->tolerance) * size;
        at_the_end = at_the_end && norm <= largest(aim, piece->noise);
        *float_is_enough = *float_is_enough && (norm <= enough || enough >= piece->noise);
    }
    return at_the_end;
}

// True if the forces are round-off, although above its estimated bound.
static bool has_stalled(pl_projective_work* w, int iteration) {
    if (iteration == 0 || w->norm < w->best) {
        w->best = w->norm;
        w->best_at = iteration;
    }
    return iteration - w->best_at >= STALL && w->norm < STALL_NOISE * w->noise;
}

static bool judge(void* user, int iteration) {
    pl_projective_work* w = user;
    const pl_step_settings* settings = w->settings;
    pl_method_info* info = w->info;
    bool first = iteration == 0, by_residual = !settings->all_iterations;
    if (first && by_residual) w->noise = sqrt(over_vertices(w, noise_part));
    double size = largest(w->load, by_residual ? sqrt(over_vertices(w, inertia_part)) : 0.0);
    double enough = settings->tolerance * size;
    info->residual = size > 0.0 ? w->norm / size : 0.0;
    info->converged = w->norm <= largest(enough, DBL_MIN);
    bool at_the_end = w->norm <= largest(pl_projective_aim(settings->tolerance) * size, w->noise);
    bool float_is_enough = enough >= w->noise;
    if (w->m->pieces->count > 1 && by_residual)
        at_the_end = judge_pieces(w, first, &float_is_enough);
    at_the_end = (at_the_end || has_stalled(w, iteration)) && (iteration > 0 || w->load == 0.0);
    w->finished = !at_the_end || !by_residual || info->converged || float_is_enough;
    return at_the_end;
}

static void follow_friction(const pl_projective_work* w) {
    for (int k = 0; k < w->f->contact_count; k++) {
        int v = w->f->contacts[k].vertex;
        const float* d = w->p->quasi.direction + 4 * (size_t)w->p->number[v];
        for (size_t c = 0; c < 3; c++) w->m->direction[3 * (size_t)v + c] = (double)d[c];
    }
    pl_projective_follow_friction(w->m, w->f, w->x_out);
}

static pl_status find_direction(void* user, double* slope, pl_error* error) {
    pl_projective_work* w = user;
    pl_projective_fast* p = w->p;
    const pl_step_settings* settings = w->settings;
    const pl_scalar_fine* fine = pl_scalar_mg_fine(p->mg);
    bool is_last = settings->all_iterations && !settings->line_search &&
                   w->iteration + 1 >= settings->max_iterations;
    pl_status status = pl_quasi_newton_begin(&p->quasi, p->place_of, fine->b, error);
    if (status != PL_OK) return status;
    pl_projective_fast_solve(p, settings, w->m->deadline, w->info);
    // the last positions come directly from the solution
    if (is_last && p->quasi.pair_count == 0) {
        *slope = pl_parallel_sum(p->pool, last_part, fine->order.place_count, BLOCK, w);
        w->on_the_way = *slope == 0.0;
        if (w->on_the_way) return PL_OK;
    }
    *slope = pl_quasi_newton_end(&p->quasi, p->place_of, fine->x);
    follow_friction(w);
    return PL_OK;
}

static void advance(void* user, double length) {
    pl_projective_work* w = user;
    if (w->on_the_way) return;
    w->length = length;
    pl_parallel_for(w->p->pool, advance_task, w->p->vertex_count, BLOCK, w);
    w->at_start = false;
}

// Iterates from the initial guess in u.
static pl_status iterate(pl_projective_work* w, pl_error* error) {
    pl_projective_loop loop = {.quasi = &w->p->quasi,
                               .settings = w->settings,
                               .deadline = w->m->deadline,
                               .info = w->info,
                               .user = w,
                               .evaluate = evaluate,
                               .judge = judge,
                               .find_direction = find_direction,
                               .advance = advance};
    pl_parallel_for(w->p->pool, clear_task, w->p->vertex_count, BLOCK, w);
    return pl_projective_iterate(&loop, error);
}

pl_status pl_projective_fast_step(pl_projective_fast* p, pl_minimiser* m, pl_step_objective* f,
                                  const pl_projective_motion* motion,
                                  const pl_step_settings* settings, pl_detect detect,
                                  void* detect_user, pl_method_info* info, bool* finished,
                                  pl_error* error) {
    *finished = true;
    double start = pl_seconds();
    pl_status status = pl_projective_fast_prepare(p, f, error);
    if (status != PL_OK) return status;
    info->assembly_seconds += pl_seconds() - start;
    pl_projective_work w = {.p = p,
                            .m = m,
                            .f = f,
                            .motion = motion,
                            .settings = settings,
                            .detect = detect,
                            .detect_user = detect_user,
                            .info = info,
                            .x_out = m->x,
                            .finished = true,
                            .is_split = !settings->all_iterations,
                            .at_start = true};
    w.inertia = f->inertia + f->damping_mass / f->velocity_time;
    w.flight_time = f->inertia * motion->step / w.inertia;
    w.load = sqrt(pl_projective_fly(&w));
    pl_projective_place_held(&w);
    pl_projective_turn_start(&w);
    pl_projective_warm_start(&w);
    p->u_inertia = 0.0;
    status = iterate(&w, error);
    if (status == PL_OK && w.is_deep && !info->converged) status = stay_if_better(&w, error);
    if (status == PL_OK && w.stays) status = iterate(&w, error);
    if (status == PL_OK && wants_balance(&w)) status = pl_projective_balance(&w, error);
    *finished = w.finished;
    if (m->pieces->count == 1) m->search.piece[0].load = w.load;
    if (status != PL_OK) return status;
    p->u_inertia = is_start_for_next(&w) ? f->inertia : 0.0;
    info->contact_count = f->contact_count;
    info->softened_count = p->softened_pin_count + p->softened_contact_count;
    if (*finished) commit(&w);
    else pl_projective_write_positions(&w);
    return PL_OK;
}
