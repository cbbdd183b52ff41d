// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The step length is halved until Phi falls enough (Armijo). Steps of cloth are judged after a few
// local sweeps (pl_relax_functions).
#include "step/step_search.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/tuned.h"
#include "sparse/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_HALVINGS = 30, VERTICES_PER_TASK = 2730 };
static const double ARMIJO = 1e-4;
static const double LONGEST_STEP = 16.0;
// Every step does at least one iteration, except quasistatic ones whose initial forces are below
// this fraction of the tolerance.
static const double BALANCED = 1e-3;
// A piece whose forces are round-off is at its minimum if the last direction was below this
// fraction of its size. If round-off still moves it (thin and stiff, far from the origin), it is
// not.
static const double MAX_ROUND_OFF_STEP = 1e-7, NOISE_MARGIN = 4.0;

void pl_search_free(pl_search* s) {
    int pieces = s->piece_count;
    double* numbers[] = {s->norms, s->inertia, s->slopes,   s->steps, s->lengths,
                         s->after, s->tried,   s->straight, s->parts};
    bool* masks[] = {s->open, s->trying, s->longer, s->chosen};
    for (int k = 0; k < 9; k++) PL_FREE(numbers[k], double, pieces);
    for (int k = 0; k < 4; k++) PL_FREE(masks[k], bool, pieces);
    PL_FREE(s->piece, pl_piece_search, pieces);
    *s = (pl_search){0};
}

pl_status pl_search_setup(pl_search* s, int pieces, pl_error* error) {
    double** numbers[] = {&s->norms, &s->inertia, &s->slopes,   &s->steps, &s->lengths,
                          &s->after, &s->tried,   &s->straight, &s->parts};
    bool** masks[] = {&s->open, &s->trying, &s->longer, &s->chosen};
    s->piece_count = pieces;
    bool ok = (s->piece = PL_ALLOC(pl_piece_search, pieces)) != NULL;
    for (int k = 0; k < 9; k++) ok = (*numbers[k] = PL_ALLOC(double, pieces)) && ok;
    for (int k = 0; k < 4; k++) ok = (*masks[k] = PL_ALLOC(bool, pieces)) && ok;
    return ok || pieces == 0 ? PL_OK : pl_fail_memory(error, "the solver of a step");
}

int pl_search_piece_in_use(const pl_minimiser* m, int k) {
    if (m->pieces->count == 1) return 0;
    return m->pieces->island_of ? m->pieces->island_of[k] : k;
}

bool pl_search_joins_more(const pl_minimiser* m, const pl_step_objective* f) {
    pl_step_pieces* islands = m->islands;
    if (!islands || m->apart->count == 1 || !pl_step_joins(f)) return false;
    int count = 0;
    for (int k = 0; k < islands->capacity; k++) islands->roots[k] = k;
    pl_step_join(f, islands->roots);
    for (int k = 0; k < islands->capacity; k++) count += islands->roots[k] == k;
    return count < m->pieces->count;
}

bool pl_search_join(pl_minimiser* m, const pl_step_objective* f) {
    if (!pl_search_joins_more(m, f)) return false;
    pl_step_islands_update(m->islands, m->apart, m->islands->roots);
    m->pieces = m->islands;
    return true;
}

// parts = the fraction of the path from one position to another that each piece may move. True if
// all paths are free.
static bool find_free_parts(pl_minimiser* m, const pl_step_objective* f, const double* from,
                            const double* to) {
    double* parts = m->search.parts;
    bool is_free = true;
    int count = 0;
    pl_step_free_parts(f, from, to, m->search.piece_count, parts);
    // islands are numbered by their first pieces
    for (int k = 0; k < m->search.piece_count; k++) {
        const int piece = pl_search_piece_in_use(m, k);
        is_free = is_free && parts[k] >= 1.0;
        if (piece == count) parts[count++] = parts[k];
        else parts[piece] = fmin(parts[piece], parts[k]);
    }
    return is_free;
}

void pl_search_begin(pl_minimiser* m, const pl_step_objective* f) {
    pl_pieces_norm(m->pieces, f->pool, f->load ? f->load : f->force, m->search.norms);
    pl_step_follow(f, m->x, m->pieces->piece_of, NULL);
    for (int k = 0; k < m->pieces->count; k++) {
        m->search.piece[k] =
            (pl_piece_search){.load = m->search.norms[k], .friction.error_before = HUGE_VAL};
        m->search.steps[k] = NAN;
    }
    memset(m->friction_dual, 0, (size_t)m->count * sizeof(double));
    m->search.is_finite = false;
    m->search.limits_ways = pl_step_limits_ways(f);
    m->search.is_stopped = false;
}

// At rest only the internal forces of a piece give a scale: those of its elements, on held vertices
// too. The initial unbalanced forces do not if the start is far from rest.
static void find_forces_within(pl_minimiser* m, const pl_step_objective* f) {
    double* forces = m->scratch;
    memset(forces, 0, (size_t)m->count * sizeof(double));
    for (int s = 0; s < f->set_count; s++)
        pl_element_set_gradient(&f->sets[s], f->pool, m->x, forces);
    if (f->coupling) f->coupling->gradient(f->coupling->data, m->x, forces);
    pl_pieces_norm(m->pieces, f->pool, forces, m->search.inertia);
}

// Forces are compared with the largest of the external forces, the initial unbalanced ones, and
// those that change the motion; in quasistatics with the external and internal forces.
bool pl_search_judge(pl_minimiser* m, const pl_step_objective* f, const pl_step_settings* settings,
                     bool first, pl_method_info* info) {
    pl_pieces_norm(m->pieces, f->pool, m->gradient, m->search.norms);
    // a single linearised solve is compared with its initial forces
    bool by_start = f->inertia > 0.0 || settings->nonlinear == PL_NONLINEAR_LINEARISED;
    if (by_start) pl_step_inertia_forces(f, m->pieces, m->x, m->scratch, m->search.inertia);
    else find_forces_within(m, f);
    info->residual = 0.0;
    info->converged = true;
    bool any_open = false;
    for (int k = 0; k < m->pieces->count; k++) {
        pl_piece_search* p = &m->search.piece[k];
        double norm = m->search.norms[k];
        if (first && by_start && norm > p->load) p->load = norm;
        // NaN if a load is NaN: then no force counts as small
        double load = m->search.inertia[k] > p->load ? m->search.inertia[k] : p->load;
        double residual = load == 0.0 ? 0.0 : norm / load;
        bool is_round_off = isfinite(residual) && norm <= NOISE_MARGIN * p->noise &&
                            m->search.steps[k] <= MAX_ROUND_OFF_STEP * m->pieces->size[k];
        // if the load is below round-off, forces are compared with round-off
        if (is_round_off) residual = fmin(residual, settings->tolerance);
        bool done = residual <= settings->tolerance;
        // starting from round-off, an iteration would move a free body at random
        bool begins =
            first && load != 0.0 && (by_start || residual > BALANCED * settings->tolerance);
        m->search.open[k] = settings->all_iterations || !done || begins;
        if (!(residual <= info->residual)) info->residual = residual;
        info->converged = info->converged && done;
        any_open = any_open || m->search.open[k];
    }
    return any_open;
}

bool pl_search_descends(pl_minimiser* m, const pl_step_objective* f) {
    pl_pieces_dot(m->pieces, NULL, f->pool, m->gradient, m->direction, m->search.slopes);
    pl_pieces_norm(m->pieces, f->pool, m->direction, m->search.steps);
    for (int k = 0; k < m->pieces->count; k++)
        if (m->search.open[k] && m->search.norms[k] > 0.0 && !(m->search.slopes[k] < 0.0))
            return false;
    return true;
}

// Records `value` and returns the largest of the last values of Phi. Contacts that appear and
// disappear change Phi, so with contacts only the last value counts.
static double remember_value(pl_piece_search* p, bool contacts, double value) {
    if (contacts) p->value_count = 0;
    p->values[p->value_count++ % PL_SEARCH_MEMORY] = value;
    double largest = value;
    for (int k = 0; k < PL_SEARCH_MEMORY && k < p->value_count; k++)
        largest = fmax(largest, p->values[k]);
    return largest;
}

typedef struct step_job {
    const pl_minimiser* m;
    const bool* chosen;
    double factor;
    double* out;
} step_job;

static void step_task(int begin, int end, int worker, void* user) {
    const step_job* job = user;
    const pl_minimiser* m = job->m;
    (void)worker;
    for (int v = begin; v < end; v++) {
        int piece = m->pieces->piece_of[v];
        if (!job->chosen[piece]) continue;
        double length = job->factor * m->search.lengths[piece];
        for (int i = 3 * v; i < 3 * v + 3; i++) job->out[i] = m->x[i] + length * m->direction[i];
    }
}

// out = x + factor length direction for the chosen pieces; the others stay unchanged in out.
static void try_step(const pl_minimiser* m, pl_pool* pool, const bool* chosen, double factor,
                     double* out) {
    step_job job = {m, chosen, factor, out};
    pl_parallel_for(pool, step_task, m->count / 3, VERTICES_PER_TASK, &job);
}

// true for one piece whose gradients come with values
static bool has_both(const pl_minimiser* m, const pl_step_objective* f) {
    return m->pieces->count == 1 && pl_step_has_both(f);
}

// tried = Phi at the positions `at`, and the gradient there if it costs nothing
static void try_values(pl_minimiser* m, const pl_step_objective* f, const bool* chosen,
                       const double* at, double* gradient) {
    if (has_both(m, f))
        m->search.tried[0] = pl_step_energy_and_gradient(f, at, gradient, m->scratch);
    else pl_step_energies(f, m->pieces, chosen, at, m->scratch, m->search.tried);
}

static bool is_any(const pl_minimiser* m, const bool* which) {
    for (int k = 0; k < m->pieces->count; k++)
        if (which[k]) return true;
    return false;
}

// If paths are checked, all pieces must be at their positions on them.
static void copy_all(const pl_minimiser* m, const double* from, double* to) {
    if (m->search.limits_ways) memcpy(to, from, (size_t)m->count * sizeof(double));
}

// Chooses the tried pieces whose springs should relax (m->search.chosen).
static void choose_to_relax(pl_minimiser* m, const bool* tried) {
    for (int k = 0; k < m->pieces->count; k++) {
        double length = m->search.lengths[k];
        double foreseen = length * (1.0 - 0.5 * length) * m->search.slopes[k];
        double change = m->search.tried[k] - m->search.piece[k].before;
        m->search.chosen[k] = tried[k] && isfinite(m->search.tried[k]) &&
                              !(fabs(change - foreseen) <= pl_tuned.as_foreseen * fabs(foreseen));
    }
}

// tried = Phi of the pieces `which` at `at`; infinite if the path there is not free
static void try_free_values(pl_minimiser* m, const pl_step_objective* f, const bool* which,
                            const double* from, const double* at, double* gradient) {
    const bool is_free = !m->search.limits_ways || find_free_parts(m, f, from, at);
    if (is_free || m->pieces->count > 1) try_values(m, f, which, at, gradient);
    for (int k = 0; !is_free && k < m->pieces->count; k++)
        if (which[k] && m->search.parts[k] < 1.0) m->search.tried[k] = INFINITY;
}

// tried = Phi of the pieces `which` at x + length direction, after relaxing their springs there if
// that pays off.
static void try_relaxed(pl_minimiser* m, const pl_step_objective* f, const bool* which, double* at,
                        double* gradient) {
    try_step(m, f->pool, which, 1.0, at);
    try_values(m, f, which, at, gradient);
    if (!m->relax.data) return;
    choose_to_relax(m, which);
    if (!is_any(m, m->search.chosen)) return;
    memcpy(m->search.straight, m->search.tried, (size_t)m->pieces->count * sizeof(double));
    if (!has_both(m, f)) pl_step_gradient(f, at, gradient, m->scratch);
    m->search.has_relaxed = true;
    copy_all(m, at, m->further);
    m->relax.functions->sweep(m->relax.data, f, gradient, m->pieces->piece_of,
                              m->pieces->count > 1 ? m->search.chosen : NULL,
                              pl_step_bound(f, at, m->bounds) ? m->bounds : NULL, at);
    try_free_values(m, f, m->search.chosen, m->further, at, gradient);
    for (int k = 0; k < m->pieces->count; k++)
        m->search.chosen[k] = m->search.chosen[k] && !(m->search.tried[k] <= m->search.straight[k]);
    if (!is_any(m, m->search.chosen)) return;
    try_step(m, f->pool, m->search.chosen, 1.0, at);
    try_values(m, f, m->search.chosen, at, gradient);
}

// tried = Phi of the pieces `which` at x + 2 length direction
static void try_doubled(pl_minimiser* m, const pl_step_objective* f, const bool* which, double* at,
                        double* gradient) {
    try_step(m, f->pool, which, 2.0, at);
    try_free_values(m, f, which, m->x, at, gradient);
}

static void swap(double** a, double** b) {
    double* before = *a;
    *a = *b;
    *b = before;
}

// accepts the trial as x
static void take_step(pl_minimiser* m, const pl_step_objective* f) {
    m->value = NAN;
    m->gradient_known = false;
    swap(&m->x, &m->trial);
    pl_step_follow(f, m->x, m->pieces->piece_of, m->search.lengths);
    pl_step_friction_dual(f, m->trial, m->pieces->piece_of, m->search.lengths, m->direction,
                          m->friction_dual);
}

// Accepts the gradient of the trial as that of x.
static void take_gradient(pl_minimiser* m) {
    swap(&m->gradient, &m->trial_gradient);
    m->gradient_known = true;
}

typedef struct copy_job {
    const pl_minimiser* m;
    const bool* chosen;
    const double* from;
    double* to;
} copy_job;

static void copy_task(int begin, int end, int worker, void* user) {
    const copy_job* job = user;
    (void)worker;
    for (int v = begin; v < end; v++)
        if (job->chosen[job->m->pieces->piece_of[v]])
            memcpy(job->to + 3 * (size_t)v, job->from + 3 * (size_t)v, 3 * sizeof(double));
}

static void copy_pieces(const pl_minimiser* m, pl_pool* pool, const bool* chosen,
                        const double* from, double* to) {
    copy_job job = {m, chosen, from, to};
    pl_parallel_for(pool, copy_task, m->count / 3, VERTICES_PER_TASK, &job);
}

// Selects pieces whose full step is worth doubling; false if there are none.
static bool choose_longer(const pl_minimiser* m, bool* longer) {
    bool any = false;
    for (int k = 0; k < m->pieces->count; k++) {
        double gain = m->search.after[k] - m->search.piece[k].before;
        longer[k] = longer[k] && m->search.slopes[k] < 0.0 && m->search.lengths[k] < LONGEST_STEP &&
                    gain < pl_tuned.straight_slope * m->search.lengths[k] * m->search.slopes[k];
        any = any || longer[k];
    }
    return any;
}

// If Phi falls at the end of a full step nearly as fast as at its start, or faster, the step leads
// away from a saddle (a sheet that buckles) and the matrix is too stiff to get far. The step is
// then doubled as long as that pays off. Cloth that relaxes gains more by its next iteration than
// by the sweeps of a longer step. longer: the pieces to try. Sets trial to the step with the new
// lengths and m->search.after to Phi there.
static void lengthen(pl_minimiser* m, const pl_step_objective* f, bool* longer) {
    while (choose_longer(m, longer)) {
        copy_all(m, m->trial, m->further);
        try_doubled(m, f, longer, m->further, m->further_gradient);
        for (int k = 0; k < m->pieces->count; k++) {
            longer[k] = longer[k] && m->search.tried[k] < m->search.after[k];
            if (!longer[k]) continue;
            m->search.after[k] = m->search.tried[k];
            m->search.lengths[k] *= 2.0;
        }
        if (!is_any(m, longer)) return;
        if (m->pieces->count > 1) {
            copy_pieces(m, f->pool, longer, m->further, m->trial);
            continue;
        }
        swap(&m->trial, &m->further);
        swap(&m->trial_gradient, &m->further_gradient);
    }
}

// Differences of Phi below the slack are round-off.
static bool is_low_enough(const pl_minimiser* m, int k) {
    const pl_piece_search* p = &m->search.piece[k];
    double bound = p->bound + ARMIJO * m->search.lengths[k] * fmin(m->search.slopes[k], 0.0);
    if (!isfinite(m->search.tried[k])) return false;
    if (m->search.tried[k] <= bound) return true;
    // a step much longer than the piece is a rigid motion that nothing holds
    double way = fmin(m->search.lengths[k] * m->search.steps[k], m->pieces->size[k]);
    return m->search.tried[k] <= bound + 1e-12 * fabs(p->before) + p->noise * way;
}

// Initial step lengths: the whole direction, or the free part of a piece's path to an obstacle.
// Overwrites m->trial.
static void find_longest_steps(pl_minimiser* m, const pl_step_objective* f, const bool* which) {
    for (int k = 0; k < m->pieces->count; k++) m->search.lengths[k] = which[k] ? 1.0 : 0.0;
    m->search.is_stopped = false;
    if (!m->search.limits_ways) return;
    copy_all(m, m->x, m->trial);
    try_step(m, f->pool, which, 1.0, m->trial);
    m->search.is_stopped = !find_free_parts(m, f, m->x, m->trial);
    for (int k = 0; k < m->pieces->count; k++) m->search.lengths[k] *= m->search.parts[k];
}

// Pieces that took steps of different lengths did not follow the checked paths: checks the actual
// ones.
static void keep_way_free(pl_minimiser* m, const pl_step_objective* f) {
    if (!m->search.limits_ways || m->pieces->count == 1) return;
    if (find_free_parts(m, f, m->x, m->trial)) return;
    m->search.is_stopped = true;
    for (int k = 0; k < m->pieces->count; k++) m->search.lengths[k] *= m->search.parts[k];
    for (int v = 0; v < m->count / 3; v++) {
        const double part = m->search.parts[m->pieces->piece_of[v]];
        for (int i = 3 * v; part < 1.0 && i < 3 * v + 3; i++)
            m->trial[i] = m->x[i] + part * (m->trial[i] - m->x[i]);
    }
}

static void start_line(pl_minimiser* m, const pl_step_objective* f) {
    // except for contacts, Phi is the same function as in the last iteration
    bool known = m->pieces->count == 1 && isfinite(m->value);
    if (known) m->search.after[0] = m->value + pl_step_contacts_energy(f, m->x);
    else pl_step_energies(f, m->pieces, m->search.open, m->x, m->scratch, m->search.after);
    find_longest_steps(m, f, m->search.open);
    for (int k = 0; k < m->pieces->count; k++) {
        pl_piece_search* p = &m->search.piece[k];
        m->search.trying[k] = m->search.open[k];
        if (!m->search.open[k]) continue;
        p->before = m->search.after[k];
        p->bound = remember_value(p, f->contact_count > 0, p->before);
    }
}

// Accepts pieces whose Phi fell enough and halves the others' steps. The first attempt also tries
// longer steps.
static void settle(pl_minimiser* m, const pl_step_objective* f, bool is_first) {
    for (int k = 0; k < m->pieces->count; k++) {
        m->search.longer[k] = m->search.trying[k] && is_low_enough(m, k);
        if (m->search.longer[k]) m->search.after[k] = m->search.tried[k];
        m->search.trying[k] = m->search.trying[k] && !m->search.longer[k];
        if (m->search.trying[k]) m->search.lengths[k] *= 0.5;
    }
    if (is_first && !m->relax.data) lengthen(m, f, m->search.longer);
}

// Pieces at their minimum, and those for which no step was found, stay at x. False if no piece
// moves.
static bool stay_where_nothing_helps(pl_minimiser* m, const pl_step_objective* f) {
    bool moves = false, stays = false;
    for (int k = 0; k < m->pieces->count; k++) {
        m->search.chosen[k] = m->search.trying[k] || !m->search.open[k];
        if (m->search.chosen[k]) m->search.lengths[k] = 0.0;
        moves = moves || !m->search.chosen[k];
        stays = stays || m->search.chosen[k];
    }
    if (moves && stays) copy_pieces(m, f->pool, m->search.chosen, m->x, m->trial);
    return moves;
}

// Keeps Phi at x, and its gradient if known, for the next iteration. Contacts may change, so their
// part is removed.
static void keep_without_contacts(pl_minimiser* m, const pl_step_objective* f) {
    m->value = m->search.after[0] - pl_step_contacts_energy(f, m->x);
    if (!has_both(m, f) || (f->hold_count > 0 && f->contact_count > 0)) return;
    take_gradient(m);
    pl_step_add_contacts(f, m->x, -1.0, m->gradient);
}

void pl_search_gradient(pl_minimiser* m, const pl_step_objective* f) {
    if (!m->gradient_known || (f->hold_count > 0 && f->contact_count > 0))
        pl_step_gradient(f, m->x, m->gradient, m->scratch);
    else pl_step_add_contacts(f, m->x, 1.0, m->gradient);
    m->gradient_known = m->gradient_known && f->contact_count == 0;
}

bool pl_search_line(pl_minimiser* m, const pl_step_objective* f) {
    start_line(m, f);
    m->search.has_relaxed = false;
    for (int k = 0; k < MAX_HALVINGS; k++) {
        try_relaxed(m, f, m->search.trying, m->trial, m->trial_gradient);
        settle(m, f, k == 0);
        if (!is_any(m, m->search.trying)) break;
    }
    if (!stay_where_nothing_helps(m, f)) return false;
    keep_way_free(m, f);
    take_step(m, f);
    m->search.is_finite = m->pieces->count == 1;
    if (m->pieces->count == 1) keep_without_contacts(m, f);
    return true;
}

void pl_search_full_step(pl_minimiser* m, const pl_step_objective* f) {
    for (int k = 0; k < m->pieces->count; k++) m->search.chosen[k] = true;
    find_longest_steps(m, f, m->search.chosen);
    try_step(m, f->pool, m->search.chosen, 1.0, m->trial);
    take_step(m, f);
    m->search.is_finite = false;
}

void pl_search_forget(pl_minimiser* m) {
    m->value = NAN;
    m->gradient_known = false;
    for (int k = 0; k < m->pieces->count; k++) m->search.piece[k].value_count = 0;
}

bool pl_search_is_finite(pl_minimiser* m, const pl_step_objective* f) {
    // without an energy, it is the residual that is finite
    if (m->search.is_finite || !pl_step_has_energy(f)) return true;
    return isfinite(pl_step_energy(f, m->x, m->scratch));
}

bool pl_search_take_lower(pl_minimiser* m, const pl_step_objective* f) {
    pl_search* s = &m->search;
    bool is_free = true;
    if (pl_step_limits_ways(f)) {
        // pieces that stay might block those that move, unless they are joined
        is_free = find_free_parts(m, f, m->x, m->trial);
        if (pl_search_join(m, f)) find_free_parts(m, f, m->x, m->trial);
        if (!is_free && m->pieces->count == 1) return false;
    }
    pl_step_energies(f, m->pieces, NULL, m->x, m->scratch, s->after);
    try_values(m, f, NULL, m->trial, m->trial_gradient);
    if (m->pieces->count > 1) {
        for (int k = 0; k < m->pieces->count; k++) {
            s->chosen[k] = s->tried[k] < s->after[k] && (is_free || s->parts[k] >= 1.0);
        }
        copy_pieces(m, f->pool, s->chosen, m->trial, m->x);
        return is_any(m, s->chosen);
    }
    bool is_lower = s->tried[0] < s->after[0];
    m->value = is_lower ? s->tried[0] : s->after[0];
    if (!is_lower) return false;
    swap(&m->x, &m->trial);
    if (has_both(m, f)) take_gradient(m);
    return true;
}

int pl_search_worst_vertex(const pl_minimiser* m) {
    int worst = 0;
    double largest = -1.0;
    for (int v = 0; v < m->count / 3; v++) {
        int k = m->pieces->piece_of[v];
        double load = fmax(m->search.piece[k].load, m->search.inertia[k]);
        double part = pl_norm(pl_vec3_load(m->gradient + 3 * (size_t)v)) / fmax(load, DBL_MIN);
        if (!(part > largest)) continue;
        largest = part;
        worst = v;
    }
    return worst;
}
