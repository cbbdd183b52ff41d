// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Projective Dynamics on multigrid: elements in float, the matrix and its levels, and pins and
// contacts on them.
#include "fem/fem_projective_fast.h"
#include "base/random.h"
#include "base/timer.h"
#include "base/tuned.h"
#include "sparse/linear_fallback.h"

#include <string.h>

// Levels are in float. The block k n n' of a contact that is not along an axis is rounded to 6e-8 k
// in all directions. From about 1e6 times the diagonal of its vertex on, this exceeds the stiffness
// of smooth motions, and bodies collapse. So the stiffness of a pin or contact is limited to this
// multiple of its vertex's stiffness, in forces and matrix alike. Forces act on a vertex only
// through its own stiffness and inertia, so it gives way by at most 1 / MAX_SPRING_RATIO of its
// displacement.
static const double MAX_SPRING_RATIO = 1e4;

// The tolerance that conjugate gradients with cycles must reach in the test of a system. Bodies of
// one material take 2 to 6 iterations.
static const pl_linear_options CYCLE_TEST = {.tolerance = 1e-2, .max_iterations = 12};

static void forget(void* data) {
    pl_projective_fast* p = data;
    p->values_stale = true;
    p->is_checked = false;
}
static void restart(void* data) {
    pl_projective_fast* p = data;
    p->is_cold = true;
    p->u_inertia = 0.0;
}

static bool can_step(const void* data, const pl_step_objective* f) {
    const pl_projective_fast* p = data;
    return p->in_float && f->inertia > 0.0 && !f->mass_matrix && f->term_count == 0;
}

// Compares hard pins only, of which there are few; a vertex may have two.
static bool held_as_before(pl_projective_fast* p, const pl_step_objective* f) {
    int count = 0;
    bool same = true;
    for (int k = 0; k < f->pin_count; k++) {
        int v = f->pins[k].vertex;
        if (!f->pins[k].hard || p->held_now[v]) continue;
        p->held_now[v] = 1;
        same = same && p->held[v];
        count++;
    }
    for (int k = 0; k < f->pin_count; k++) p->held_now[f->pins[k].vertex] = 0;
    same = same && count == p->held_count;
    p->held_count = count;
    return same;
}

static void hold(pl_projective_fast* p, const pl_step_objective* f) {
    memset(p->held, 0, (size_t)p->vertex_count);
    for (int k = 0; k < f->pin_count; k++)
        if (f->pins[k].hard) p->held[f->pins[k].vertex] = 1;
}

// updates the levels for this objective without its pins and contacts
static pl_status prepare_levels(pl_projective_fast* p, pl_step_objective* f, pl_error* error) {
    double drag = f->velocity_time > 0.0 ? f->damping_mass / f->velocity_time : 0.0;
    double stiffness_drag = f->velocity_time > 0.0 ? f->damping_stiffness / f->velocity_time : 0.0;
    bool same = held_as_before(p, f) && p->matrix_is_there && !p->values_stale &&
                p->inertia == f->inertia && p->drag == drag && p->stiffness_drag == stiffness_drag;
    if (same) return PL_OK;
    // the levels get soft pins and contacts as springs, and know which vertices are held
    pl_step_objective bare = *f;
    bare.pin_count = bare.contact_count = 0;
    bare.fixed = NULL;
    pl_step_projective(&bare, p->A);
    if (p->in_float && p->values_stale) pl_projective_fast_update_elements(p);
    hold(p, f);
    p->inertia = f->inertia;
    p->drag = drag;
    p->stiffness_drag = stiffness_drag;
    p->values_stale = false;
    pl_status status = pl_scalar_mg_update(p->mg, p->rest, p->held, error);
    p->matrix_is_there = status == PL_OK;
    return status;
}

// A right-hand side with all frequencies, scaled by the masses.
static void fill_test_load(const pl_step_objective* f, double* b) {
    pl_random random = {1};
    for (int i = 0; i < 3 * f->vertex_count; i++)
        b[i] = f->mass[i / 3] * (1.0 + pl_random_uniform(&random, -1.0, 1.0));
}

// If the values of this objective's matrix, which includes inertia, are new: tests whether, and how
// fast, cycles solve it. Sets *fails if they do not. Float cannot represent stiff parts in
// something 1e8 times softer: such a system is left to the direct solver.
static pl_status check(void* data, pl_step_objective* f, pl_minimiser* m, bool* fails,
                       pl_error* error) {
    pl_projective_fast* p = data;
    pl_status status = PL_OK;
    if (!p->is_checked) {
        pl_linear_info info;
        status = prepare_levels(p, f, error);
        if (status != PL_OK) return status;
        fill_test_load(f, m->gradient);
        memset(m->direction, 0, 3 * (size_t)p->vertex_count * sizeof(double));
        pl_scalar_mg_solve(p->mg, true, &CYCLE_TEST, m->gradient, m->direction, &info);
        p->cycles_fail = !info.converged;
        p->cycles_slow = info.iterations > pl_tuned.max_fast_iterations;
        p->is_checked = true;
    }
    *fails = p->cycles_fail;
    return status;
}

static double max_stiffness(const pl_projective_fast* p, int vertex) {
    const pl_scalar_fine* fine = pl_scalar_mg_fine(p->mg);
    return MAX_SPRING_RATIO * fine->fixed_diagonal[fine->order.place[vertex]];
}

// Limits the stiffness of soft pins; f gets the softened copy if there is one.
static pl_status soften_pins(pl_projective_fast* p, pl_step_objective* f, pl_error* error) {
    p->softened_pin_count = 0;
    for (int k = 0; k < f->pin_count; k++)
        if (!f->pins[k].hard && f->pins[k].stiffness > max_stiffness(p, f->pins[k].vertex))
            p->softened_pin_count++;
    if (p->softened_pin_count == 0) return PL_OK;
    p->pins.count = 0;
    pl_pin* pins = pl_array_add(&p->pins, (size_t)f->pin_count);
    if (!pins) return pl_fail_memory(error, "pins");
    memcpy(pins, f->pins, (size_t)f->pin_count * sizeof(pl_pin));
    for (int k = 0; k < f->pin_count; k++) {
        double most = max_stiffness(p, pins[k].vertex);
        if (pins[k].stiffness > most) pins[k].stiffness = most;
    }
    f->pins = pins;
    return PL_OK;
}

static void soften_contacts(void* data, pl_contact* contacts, int count) {
    pl_projective_fast* p = data;
    p->softened_contact_count = 0;
    for (int k = 0; k < count; k++) {
        double most = max_stiffness(p, contacts[k].vertex);
        if (!(contacts[k].stiffness > most)) continue;
        contacts[k].stiffness = most;
        p->softened_contact_count++;
    }
}

pl_status pl_projective_fast_prepare(pl_projective_fast* p, pl_step_objective* f, pl_error* error) {
    pl_status status = prepare_levels(p, f, error);
    p->softened_contact_count = 0;
    p->direct_first = p->cycles_fail;
    return status == PL_OK ? soften_pins(p, f, error) : status;
}

// the spring at a vertex, created if there is none
static pl_mg_spring* spring_at(pl_projective_fast* p, int vertex) {
    int place = pl_scalar_mg_fine(p->mg)->order.place[vertex];
    if (p->pending_slot[place] == 0) {
        pl_mg_spring* added = pl_array_add(&p->pending, 1);
        if (!added) return NULL;
        *added = (pl_mg_spring){.place = place};
        p->pending_slot[place] = (int)p->pending.count;
    }
    return (pl_mg_spring*)p->pending.data + p->pending_slot[place] - 1;
}

// the Hessian of a contact
static void add_contact(pl_mg_spring* s, const pl_step_objective* f, int k, const double* x) {
    double block[9];
    pl_step_contact_block(f, k, x, 1.0, block);
    s->has_block = true;
    for (int r = 0, at = 0; r < 3; r++)
        for (int c = r; c < 3; c++) s->block[at++] += block[3 * r + c];
}

// sorts the springs by place and clears the marks
static bool order_springs(pl_projective_fast* p) {
    int places = pl_scalar_mg_fine(p->mg)->order.place_count;
    const pl_mg_spring* pending = p->pending.data;
    p->ordered.count = 0;
    pl_mg_spring* ordered = pl_array_add(&p->ordered, p->pending.count);
    if (!ordered && p->pending.count) return false;
    size_t count = 0;
    for (int place = 0; count < p->pending.count && place < places; place++) {
        if (p->pending_slot[place] == 0) continue;
        ordered[count++] = pending[p->pending_slot[place] - 1];
        p->pending_slot[place] = 0;
    }
    return true;
}

pl_status pl_projective_fast_attach(pl_projective_fast* p, const pl_step_objective* f,
                                    const double* x, pl_error* error) {
    bool ok = true;
    p->pending.count = 0;
    for (int k = 0; ok && k < f->pin_count; k++) {
        if (f->pins[k].hard) continue;
        pl_mg_spring* s = spring_at(p, f->pins[k].vertex);
        ok = s != NULL;
        if (ok) s->stiffness += f->pins[k].stiffness;
    }
    for (int k = 0; ok && k < f->contact_count; k++) {
        pl_mg_spring* s = spring_at(p, f->contacts[k].vertex);
        ok = s != NULL;
        if (ok) add_contact(s, f, k, x);
    }
    ok = ok && order_springs(p);
    if (!ok) {
        const pl_mg_spring* left = p->pending.data;
        for (size_t k = 0; k < p->pending.count; k++) p->pending_slot[left[k].place] = 0;
        return pl_fail_memory(error, "pins and contacts");
    }
    return pl_scalar_mg_set_springs(p->mg, p->ordered.data, (int)p->ordered.count, error);
}

// A matrix without inertia is not tested before the step, because contacts may hold the body. Its
// first solve is the test, with as many iterations.
static bool is_first_of_statics(const pl_projective_fast* p) {
    return !p->is_checked && !(p->inertia > 0.0);
}

// Returns false if the cycles have failed. The matrix is definite; in float it may seem indefinite
// where round-off hides its soft motions.
static bool solve_by_cycles(pl_projective_fast* p, pl_linear_options options, bool watched,
                            pl_linear_info* linear) {
    bool checks = watched && is_first_of_statics(p);
    if (checks && options.max_iterations < CYCLE_TEST.max_iterations) options = CYCLE_TEST;
    if (options.max_iterations <= 1) {
        pl_scalar_mg_cycle(p->mg);
        linear->iterations = 1;
        return true;
    }
    pl_scalar_mg_solve_float(p->mg, &options, linear);
    bool fails =
        linear->indefinite || (pl_linear_has_failed(linear) && !pl_linear_is_cut(&options, linear));
    if (checks) {
        p->cycles_fail = fails;
        p->cycles_slow = linear->iterations > pl_tuned.max_fast_iterations;
        p->is_checked = true;
    }
    return !fails;
}

void pl_projective_fast_solve(pl_projective_fast* p, const pl_step_settings* settings,
                              const pl_deadline* deadline, pl_method_info* info) {
    double start = pl_seconds();
    pl_linear_options options = {.tolerance = settings->linear_tolerance,
                                 .max_iterations = settings->linear_max_iterations,
                                 .deadline = deadline};
    bool is_rough = !settings->all_iterations;
    bool is_fast = is_rough && p->is_checked && !p->cycles_slow;
    if (is_fast) options.max_iterations = 1;
    else if (is_rough) options.tolerance = fmax(options.tolerance, pl_tuned.projective_tolerance);
    pl_linear_info linear = {.residual = info->linear_residual};
    bool fallback = settings->multigrid.fallback;
    bool solved = !(fallback && p->direct_first) && solve_by_cycles(p, options, fallback, &linear);
    if (!solved && fallback) {
        p->direct_first = pl_scalar_mg_solve_direct(p->mg, &options, &linear);
        info->switch_count += p->direct_first;
    }
    if (pl_linear_is_cut(&options, &linear)) info->is_cut = true;
    info->linear_iterations += linear.iterations;
    info->linear_residual = linear.residual;
    info->linear_seconds += pl_seconds() - start;
}

enum { COLD = 1, CHECKED = 2, FAILS = 4, SLOW = 8 }; // flags of the state

static size_t rotations_size(const pl_projective_fast* p) {
    size_t size = 0;
    for (int k = 0; k < PL_PROJECTIVE_LAWS; k++)
        size += (size_t)p->tets[k].batch_count * sizeof(pl_quatw);
    return size;
}

static size_t u_size(const pl_projective_fast* p) {
    return sizeof(double) + 4 * (size_t)p->vertex_count * sizeof(float);
}

// The state that later steps depend on besides positions and velocities: the rotations, and u.
static size_t state_size(const void* data) {
    const pl_projective_fast* p = data;
    return sizeof(int64_t) + rotations_size(p) + u_size(p);
}

enum { BATCH_BLOCK = 1024 };

typedef struct rotations_job {
    const pl_tet_batch* batches;
    char* to;
} rotations_job;

static void rotations_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const rotations_job* job = user;
    for (int b = begin; b < end; b++)
        memcpy(job->to + (size_t)b * sizeof(pl_quatw), &job->batches[b].rotation, sizeof(pl_quatw));
}

static void state_save(const void* data, void* out) {
    const pl_projective_fast* p = data;
    char* to = out;
    int64_t flags = (p->is_cold ? COLD : 0) | (p->is_checked ? CHECKED : 0) |
                    (p->cycles_fail ? FAILS : 0) | (p->cycles_slow ? SLOW : 0);
    memcpy(to, &flags, sizeof flags);
    to += sizeof flags;
    for (int k = 0; k < PL_PROJECTIVE_LAWS; k++) {
        rotations_job job = {p->tets[k].batches, to};
        pl_parallel_for(p->pool, rotations_task, p->tets[k].batch_count, BATCH_BLOCK, &job);
        to += (size_t)p->tets[k].batch_count * sizeof(pl_quatw);
    }
    memcpy(to, &p->u_inertia, sizeof(double));
    memcpy(to + sizeof(double), p->u, u_size(p) - sizeof(double));
}

static void state_load(void* data, const void* in) {
    pl_projective_fast* p = data;
    const char* from = in;
    int64_t flags;
    memcpy(&flags, from, sizeof flags);
    p->is_cold = (flags & COLD) != 0;
    p->is_checked = (flags & CHECKED) != 0;
    p->cycles_fail = (flags & FAILS) != 0;
    p->cycles_slow = (flags & SLOW) != 0;
    from += sizeof flags;
    for (int k = 0; k < PL_PROJECTIVE_LAWS; k++)
        for (int b = 0; b < p->tets[k].batch_count; b++, from += sizeof(pl_quatw))
            memcpy(&p->tets[k].batches[b].rotation, from, sizeof(pl_quatw));
    memcpy(&p->u_inertia, from, sizeof(double));
    memcpy(p->u, from + sizeof(double), u_size(p) - sizeof(double));
}

static pl_status prepare(void* data, pl_step_objective* f, pl_error* error) {
    return pl_projective_fast_prepare(data, f, error);
}

static pl_status attach(void* data, const pl_step_objective* f, const double* x,
                        pl_method_info* info, pl_error* error) {
    (void)info;
    return pl_projective_fast_attach(data, f, x, error);
}

static pl_status find_direction(void* data, pl_minimiser* m, const pl_step_objective* f,
                                const pl_step_settings* settings, pl_method_info* info,
                                double* slope, pl_error* error) {
    pl_projective_fast* p = data;
    const pl_scalar_fine* fine = pl_scalar_mg_fine(p->mg);
    (void)f;
    pl_status status = pl_quasi_newton_begin(&p->quasi, p->place_of, fine->b, error);
    if (status != PL_OK) return status;
    pl_projective_fast_solve(p, settings, m->deadline, info);
    *slope = pl_quasi_newton_end(&p->quasi, p->place_of, fine->x);
    return PL_OK;
}

static int softened_count(const void* data) {
    const pl_projective_fast* p = data;
    return p->softened_pin_count + p->softened_contact_count;
}

static pl_status step(void* data, pl_minimiser* m, pl_step_objective* f,
                      const pl_projective_motion* motion, const pl_step_settings* settings,
                      pl_detect detect, void* detect_user, pl_method_info* info, bool* finished,
                      pl_error* error) {
    return pl_projective_fast_step(data, m, f, motion, settings, detect, detect_user, info,
                                   finished, error);
}

static const pl_mg_hierarchy* levels(const void* data) {
    return pl_scalar_mg_hierarchy(((const pl_projective_fast*)data)->mg);
}
static void destroy(void* data) { pl_projective_fast_destroy(data); }

static const pl_projective_functions functions = {.prepare = prepare,
                                                  .soften = soften_contacts,
                                                  .attach = attach,
                                                  .find_direction = find_direction,
                                                  .softened_count = softened_count,
                                                  .check = check,
                                                  .can_step = can_step,
                                                  .step = step,
                                                  .forget = forget,
                                                  .restart = restart,
                                                  .state_size = state_size,
                                                  .state_save = state_save,
                                                  .state_load = state_load,
                                                  .levels = levels,
                                                  .destroy = destroy};

pl_projective_solver pl_projective_fast_view(pl_projective_fast* p) {
    return (pl_projective_solver){&functions, p, &p->quasi, p->number};
}

pl_projective_fast* pl_projective_fast_of(const pl_projective_solver* solver) {
    return solver->functions == &functions ? solver->data : NULL;
}

pl_status pl_projective_fast_solver(const pl_solver_input* input, pl_projective_solver* out,
                                    pl_error* error) {
    pl_linear linear = input->settings->linear;
    pl_projective_fast* p;
    *out = (pl_projective_solver){0};
    if (linear != PL_LINEAR_MULTIGRID && linear != PL_LINEAR_MGPCG) return PL_OK;
    pl_status status =
        pl_projective_fast_setup(&p, input->A, input->rest, input->sets, input->set_count,
                                 input->settings, input->pool, error);
    if (status == PL_OK) *out = pl_projective_fast_view(p);
    return status;
}
