// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "modes/mode_set.h"
#include "base/memory.h"
#include "modes/davidson.h"
#include "modes/mode_direct.h"
#include "modes/mode_multigrid.h"
#include "sparse/vector.h"

#include <math.h>

// Number of vertices above which multigrid is faster than the direct solver (docs/modes.md).
enum { MULTIGRID_FROM = 400 };

// Bytes for each block of K: two matrices in double, the matrix of multigrid in float with its
// levels, and elements. Measured on bears of 2000 and 6000 vertices.
static const double BLOCK_BYTES = 300.0;
// Long vectors besides those of the method.
enum { WORK_VECTORS = 12 };

typedef struct finder {
    const pl_modes_problem* p;
    const pl_modes_settings* settings;
    pl_pool* pool;
    pl_modes_direct* direct;       // or NULL
    pl_modes_multigrid* multigrid; // or NULL
    double largest;
    int unknowns;
} finder;

static void measure_mode(const finder* f, pl_mode_set* m, int k, double* Ku, double* Mu) {
    int count = 3 * m->vertex_count;
    const double* u = m->shapes + (size_t)k * (size_t)count;
    pl_modes_stiffness(f->p, f->pool, u, Ku);
    pl_modes_mass(f->p, f->pool, u, Mu);
    double lambda = pl_vector_dot(f->pool, count, u, Ku) / pl_vector_dot(f->pool, count, u, Mu);
    bool is_rigid = fabs(lambda) < PL_RIGID_LAMBDA * f->largest;
    double size = pl_vector_norm(f->pool, count, Ku);
    pl_vector_axpy(f->pool, count, -lambda, Mu, Ku);
    m->residual[k] = is_rigid || size == 0.0 ? 0.0 : pl_vector_norm(f->pool, count, Ku) / size;
    m->lambda[k] = is_rigid ? 0.0 : lambda;
    m->rigid_count += is_rigid;
}

static pl_status measure(const finder* f, pl_mode_set* m, pl_error* error) {
    size_t count = 3 * (size_t)m->vertex_count;
    double* Ku = PL_ALLOC(double, count);
    double* Mu = PL_ALLOC(double, count);
    pl_status status = Ku && Mu ? PL_OK : pl_fail_memory(error, "modes");
    for (int k = 0; status == PL_OK && k < m->count; k++) measure_mode(f, m, k, Ku, Mu);
    PL_FREE(Ku, double, count);
    PL_FREE(Mu, double, count);
    return status;
}

static pl_status set_room(pl_mode_set* m, int room, pl_error* error) {
    pl_mode_set next = {.vertex_count = m->vertex_count, .applications = m->applications};
    pl_mode_set_free(m);
    *m = next;
    m->count = m->room = room;
    m->lambda = PL_ALLOC(double, room);
    m->residual = PL_ALLOC(double, room);
    m->shapes = PL_ALLOC(double, 3 * (size_t)room * (size_t)m->vertex_count);
    return m->lambda && m->residual && m->shapes ? PL_OK : pl_fail_memory(error, "modes");
}

// If multigrid does not converge, frees its memory; the direct solver follows.
static pl_status find_by_multigrid(finder* f, pl_mode_set* m, bool* found, pl_error* error) {
    const pl_modes_settings* s = f->settings;
    *found = false;
    pl_status status = PL_OK;
    if (!f->multigrid)
        status = pl_modes_multigrid_create(f->p, true, f->pool, &f->multigrid, error);
    if (status == PL_OK)
        status =
            pl_modes_multigrid_find(f->multigrid, m->count, s->tolerance, s->start_count, s->start,
                                    m->lambda, m->shapes, &m->applications, found, error);
    if (*found) return PL_OK;
    pl_modes_multigrid_destroy(f->multigrid);
    f->multigrid = NULL;
    // PL_ERROR_DIVERGED: multigrid cannot use this matrix
    return status == PL_ERROR_DIVERGED ? PL_OK : status;
}

static bool suits_multigrid(int vertex_count, int wanted) {
    return vertex_count >= MULTIGRID_FROM && wanted <= PL_DAVIDSON_MAX;
}

double pl_modes_memory(int vertex_count, double blocks, int count) {
    int wanted = count + PL_RIGID_MODES;
    double vector = 3.0 * sizeof(double) * vertex_count;
    double found = BLOCK_BYTES * blocks + (wanted + WORK_VECTORS) * vector;
    return found + (suits_multigrid(vertex_count, wanted)
                        ? pl_davidson_vectors(wanted) * vector
                        : pl_modes_direct_memory(vertex_count, wanted));
}

// Fills `m`, whose count is the number of modes to find.
static pl_status find(finder* f, pl_mode_set* m, pl_error* error) {
    bool found = false, suits = suits_multigrid(f->p->K->row_count, m->count);
    if (f->settings->solver == PL_MODES_MULTIGRID) suits = m->count <= PL_DAVIDSON_MAX;
    if (f->settings->solver == PL_MODES_DIRECT) suits = false;
    pl_status status = PL_OK;
    if (suits && !f->direct && f->p->positions) status = find_by_multigrid(f, m, &found, error);
    if (status == PL_OK && !found && !f->direct)
        status = pl_modes_direct_create(f->p, f->pool, &f->direct, error);
    if (status == PL_OK && !found)
        status = pl_modes_direct_find(f->direct, m->count, m->lambda, m->shapes, &m->applications,
                                      error);
    return status == PL_OK ? measure(f, m, error) : status;
}

static bool is_held(const pl_modes_problem* p) {
    bool held = p->hold_count > 0;
    for (int v = 0; p->fixed && !held && v < p->K->row_count; v++) held = p->fixed[v];
    return held;
}

// A body of several pieces has six rigid modes for each piece, and a held body may have some. If
// too few of the modes found are not rigid, searches for more.
static pl_status find_enough(finder* f, pl_mode_set* m, pl_error* error) {
    int count = f->settings->count, room = count + (is_held(f->p) ? 0 : PL_RIGID_MODES);
    for (;;) {
        if (room > f->unknowns) room = f->unknowns;
        pl_status status = set_room(m, room, error);
        if (status == PL_OK) status = find(f, m, error);
        int others = m->count - m->rigid_count;
        if (status != PL_OK || others >= count || room == f->unknowns) return status;
        room = count + m->rigid_count + PL_RIGID_MODES;
    }
}

static pl_status check(const pl_modes_problem* p, const pl_modes_settings* settings,
                       pl_error* error) {
    int unknowns = pl_modes_unknowns(p);
    if (settings->count < 1 || settings->count > unknowns)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "%d modes are wanted, but the body has %d unknowns; ask for 1 to %d modes",
                       settings->count, unknowns, unknowns);
    for (int v = 0; v < p->K->row_count; v++)
        if (!(p->mass[v] > 0.0) && !(p->fixed && p->fixed[v]))
            return pl_fail(
                error, PL_ERROR_ARGUMENT,
                "vertex %d has no mass, because no element uses it; remove it from the mesh", v);
    return PL_OK;
}

pl_status pl_modes_find(const pl_modes_problem* problem, const pl_modes_settings* settings,
                        pl_pool* pool, pl_mode_set* out, pl_error* error) {
    *out = (pl_mode_set){.vertex_count = problem->K->row_count};
    pl_status status = check(problem, settings, error);
    if (status != PL_OK) return status;
    finder f = {.p = problem,
                .settings = settings,
                .pool = pool,
                .largest = pl_modes_largest(problem),
                .unknowns = pl_modes_unknowns(problem)};
    status = find_enough(&f, out, error);
    // a held body has fewer rigid modes than assumed
    if (status == PL_OK && out->count > out->rigid_count + settings->count)
        out->count = out->rigid_count + settings->count;
    pl_modes_direct_destroy(f.direct);
    pl_modes_multigrid_destroy(f.multigrid);
    if (status != PL_OK) pl_mode_set_free(out);
    return status;
}

void pl_mode_set_free(pl_mode_set* m) {
    PL_FREE(m->lambda, double, m->room);
    PL_FREE(m->residual, double, m->room);
    PL_FREE(m->shapes, double, 3 * (size_t)m->room * (size_t)m->vertex_count);
    *m = (pl_mode_set){0};
}
