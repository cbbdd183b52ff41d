// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// S0 Algorithm 3 and the update of Algorithm 4 for the scalar matrix: levels, their values, and the
// cycle. The paper uses 3x3 and 12x12 blocks for Projective Dynamics too. Here they are numbers and
// 4x4 blocks, because the coordinates are not coupled.
#include "multigrid/scalar_multigrid.h"
#include "base/memory.h"
#include "multigrid/mg_cycle.h"
#include "multigrid/scalar_jacobi.h"
#include "multigrid/scalar_mg_data.h"
#include "multigrid/stiff_lengths.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void jacobi(pl_scalar_mg* mg, int l, bool from_zero) {
    if (l > 0) pl_block_level_jacobi(&mg->levels[l], mg->pool, mg->half_sweeps[l], from_zero);
    for (int k = 0; l == 0 && k < mg->half_sweeps[0]; k++)
        pl_scalar_fine_jacobi(&mg->fine, mg->pool, from_zero && k == 0);
}

static void pre_smooth(void* levels, int l) {
    pl_scalar_mg* mg = levels;
    if (mg->jacobi) jacobi(mg, l, true);
    else if (l == 0) pl_scalar_fine_smooth(&mg->fine, mg->pool, mg->half_sweeps[0], false, true);
    else
        mg->last_forward[l] =
            pl_block_level_gauss_seidel(&mg->levels[l], mg->pool, mg->half_sweeps[l], true, true);
}

static void restrict_residual(void* levels, int l) {
    pl_scalar_mg* mg = levels;
    pl_block_level* level = &mg->levels[l];
    float* b = mg->levels[l + 1].b;
    if (l == 0) {
        pl_scalar_fine_restrict(&mg->fine, mg->pool, b);
        return;
    }
    if (mg->jacobi) pl_block_level_residual(level, mg->pool);
    else pl_block_level_residual_after(level, mg->pool, mg->last_forward[l]);
    pl_block_restrict(level, level->residual, &mg->hierarchy.transfers[l], b, mg->pool);
}

static void prolong_add(void* levels, int l) {
    pl_scalar_mg* mg = levels;
    const float* x = mg->levels[l + 1].x;
    if (l == 0) pl_scalar_fine_prolong_add(&mg->fine, mg->pool, x);
    else pl_block_prolong(&mg->levels[l], &mg->hierarchy.transfers[l], x, true, mg->pool);
}

// the pre-smoothing sweeps in reverse order, each in the other direction
static void post_smooth(void* levels, int l) {
    pl_scalar_mg* mg = levels;
    bool forward = mg->half_sweeps[l] % 2 == 0;
    if (mg->jacobi) {
        jacobi(mg, l, false);
    } else if (l == 0) {
        pl_scalar_fine_smooth(&mg->fine, mg->pool, mg->half_sweeps[0], !forward, false);
    } else {
        pl_block_level_prepare(&mg->levels[l], mg->pool, forward);
        pl_block_level_gauss_seidel(&mg->levels[l], mg->pool, mg->half_sweeps[l], forward, false);
    }
}

static void solve_coarsest(void* levels, int l) {
    pl_scalar_mg* mg = levels;
    pl_scalar_bottom_solve(&mg->bottom, &mg->levels[l], &mg->level_springs[l], mg->pool);
}

static const pl_mg_operators operators = {pre_smooth, restrict_residual, prolong_add, post_smooth,
                                          solve_coarsest};

void pl_scalar_mg_cycle(pl_scalar_mg* mg) {
    pl_mg_cycle(&operators, mg, 0, mg->hierarchy.level_count);
}

// Sampling is slow and sequential, so it runs in the background while the finest level is built.
typedef struct pl_scalar_sampling {
    pl_background background;
    pl_mg_hierarchy* hierarchy;
    const double* positions;
    pl_adjacency graph;
    pl_mg_hierarchy_options options;
    double* lengths; // per item of the graph, or NULL
    pl_status status;
    pl_error error;
} pl_scalar_sampling;

static void sample_job(void* user) {
    pl_scalar_sampling* s = user;
    s->status =
        pl_mg_hierarchy_setup(s->hierarchy, &s->graph, s->positions, &s->options, &s->error);
}

// waits for the background job and frees it
static void end_sampling(pl_scalar_mg* mg) {
    pl_scalar_sampling* s = mg->sampling;
    if (!s) return;
    pl_background_wait(mg->pool, &s->background);
    PL_FREE(s->lengths, double, s->graph.offsets[s->graph.count]);
    PL_FREE(s, pl_scalar_sampling, 1);
    mg->sampling = NULL;
}

static pl_status begin_sampling(pl_scalar_mg* mg, const double* positions,
                                const pl_scalar_mg_options* options, pl_error* error) {
    pl_scalar_sampling* s = mg->sampling = PL_ALLOC(pl_scalar_sampling, 1);
    if (!s) return pl_fail_memory(error, "multigrid");
    s->hierarchy = &mg->hierarchy;
    s->positions = positions;
    // the graph contains each row as its own neighbour; its distance of zero has no effect
    s->graph = (pl_adjacency){mg->A->row_count, mg->A->offsets, mg->A->columns};
    s->options = options->hierarchy;
    s->options.pool = mg->pool;
    int item_count = s->graph.offsets[s->graph.count];
    s->lengths = options->stiffness_aware ? PL_ALLOC(double, item_count) : NULL;
    if (options->stiffness_aware && item_count > 0 && !s->lengths)
        return pl_fail_memory(error, "multigrid");
    if (s->lengths) {
        bool stiff =
            pl_stiff_lengths(&s->graph, positions, mg->A->values, 1, NULL, mg->pool, s->lengths);
        *(stiff ? &s->options.lengths : &s->options.plain_lengths) = s->lengths;
    }
    pl_background_start(mg->pool, sample_job, s, &s->background);
    return PL_OK;
}

void pl_scalar_mg_destroy(pl_scalar_mg* mg) {
    if (!mg) return;
    end_sampling(mg);
    for (int l = 0; l < PL_MG_MAX_LEVELS; l++) {
        pl_block_level_free(&mg->levels[l]);
        pl_block_product_free(&mg->products[l]);
        pl_level_springs_free(&mg->level_springs[l]);
    }
    pl_scalar_product_free(&mg->first_product);
    pl_scalar_bottom_free(&mg->bottom);
    size_t places = 4 * (size_t)mg->fine.order.place_count, rows = 3 * (size_t)mg->row_count;
    for (int k = 0; k < PL_SCALAR_MG_VECTORS; k++) PL_FREE(mg->vectors[k], float, places);
    for (int k = 0; k < PL_SCALAR_MG_VECTORS; k++) PL_FREE(mg->long_vectors[k], double, rows);
    pl_linear_fallback_free(&mg->fallback);
    if (mg->factored.values)
        PL_FREE(mg->factored.values, double, pl_block_matrix_entry_count(&mg->factored));
    PL_FREE(mg->direct_b, double, rows);
    PL_FREE(mg->direct_x, double, rows);
    pl_scalar_fine_free(&mg->fine);
    PL_FREE(mg->springs, pl_mg_spring, mg->spring_capacity);
    PL_FREE(mg->spring_nodes, int, mg->spring_capacity);
    PL_FREE(mg->spring_points, double, 4 * (size_t)mg->spring_capacity);
    pl_mg_hierarchy_free(&mg->hierarchy);
    PL_FREE(mg, pl_scalar_mg, 1);
}

static pl_status setup_levels(pl_scalar_mg* mg, pl_error* error) {
    const pl_mg_hierarchy* h = &mg->hierarchy;
    pl_status status =
        pl_scalar_fine_set_parents(&mg->fine, h->transfers[0].parent, h->node_counts[1], error);
    for (int l = 1; status == PL_OK && l < h->level_count; l++) {
        const pl_mg_transfer* t = &h->transfers[l - 1];
        pl_mg_pattern pattern;
        status =
            l == 1
                ? pl_scalar_product_setup(&mg->first_product, mg->A, t, &pattern, mg->pool, error)
                : pl_block_product_setup(&mg->products[l], &mg->levels[l - 1], t, &pattern, error);
        if (status == PL_OK)
            status = pl_block_level_setup(&mg->levels[l], &pattern, PL_BLOCKS_4X3, error);
        if (status == PL_OK)
            status = pl_level_springs_setup(&mg->level_springs[l], h->node_counts[l], error);
    }
    if (status != PL_OK) return status;
    return pl_scalar_bottom_setup(&mg->bottom, &mg->levels[h->level_count - 1], error);
}

static pl_status allocate_vectors(pl_scalar_mg* mg, pl_error* error) {
    size_t places = 4 * (size_t)mg->fine.order.place_count, rows = 3 * (size_t)mg->row_count;
    for (int k = 0; k < PL_SCALAR_MG_VECTORS; k++) {
        mg->vectors[k] = PL_ALLOC(float, places);
        mg->long_vectors[k] = PL_ALLOC(double, rows);
        if (!mg->vectors[k] || !mg->long_vectors[k])
            return pl_fail_memory(error, "the vectors of multigrid");
    }
    return PL_OK;
}

static void take_sweeps(pl_scalar_mg* mg, const pl_scalar_mg_options* options) {
    mg->jacobi = options->jacobi_sweeps > 0;
    int all = mg->jacobi                 ? options->jacobi_sweeps
              : options->half_sweeps > 0 ? options->half_sweeps
                                         : 2;
    for (int l = 0; l < PL_MG_MAX_LEVELS; l++) {
        int own = options->level_sweeps[l];
        mg->half_sweeps[l] = own == 0 ? all : mg->jacobi ? own : 2 * own;
    }
}

pl_status pl_scalar_mg_begin(const pl_block_matrix* A, const double* positions,
                             const pl_scalar_mg_options* options, pl_pool* pool, pl_scalar_mg** out,
                             pl_error* error) {
    *out = NULL;
    pl_scalar_mg* mg = PL_ALLOC(pl_scalar_mg, 1);
    if (!mg) return pl_fail_memory(error, "multigrid");
    mg->A = A;
    mg->row_count = A->row_count;
    mg->pool = pool;
    take_sweeps(mg, options);
    pl_status status = begin_sampling(mg, positions, options, error);
    if (status == PL_OK) status = pl_scalar_fine_setup(&mg->fine, A, error);
    if (status == PL_OK) *out = mg;
    else pl_scalar_mg_destroy(mg);
    return status;
}

pl_status pl_scalar_mg_finish(pl_scalar_mg* mg, pl_error* error) {
    pl_background_wait(mg->pool, &mg->sampling->background);
    pl_status status = mg->sampling->status;
    if (status != PL_OK && error) *error = mg->sampling->error;
    end_sampling(mg);
    if (status == PL_OK) status = setup_levels(mg, error);
    if (status == PL_OK) status = allocate_vectors(mg, error);
    return status;
}

pl_status pl_scalar_mg_setup(const pl_block_matrix* A, const double* positions,
                             const pl_scalar_mg_options* options, pl_pool* pool, pl_scalar_mg** out,
                             pl_error* error) {
    pl_status status = pl_scalar_mg_begin(A, positions, options, pool, out, error);
    if (status == PL_OK) status = pl_scalar_mg_finish(*out, error);
    if (status == PL_OK || !*out) return status;
    pl_scalar_mg_destroy(*out);
    *out = NULL;
    return status;
}

static pl_unseen unseen_of(const pl_scalar_mg* mg, int l) {
    return (pl_unseen){mg->hierarchy.transfers[l - 1].unseen, 16, 0};
}

static pl_status apply_springs(pl_scalar_mg* mg, pl_error* error) {
    const pl_mg_hierarchy* h = &mg->hierarchy;
    for (int k = 0; k < mg->spring_count; k++) {
        size_t place = (size_t)mg->springs[k].place;
        mg->spring_nodes[k] = mg->fine.parent[place];
        for (size_t a = 0; a < 4; a++)
            mg->spring_points[4 * (size_t)k + a] = (double)mg->fine.point[4 * place + a];
    }
    for (int l = 1; l < h->level_count; l++) {
        pl_status status = pl_level_springs_set(&mg->level_springs[l], &mg->levels[l],
                                                unseen_of(mg, l), mg->springs, mg->spring_nodes,
                                                mg->spring_points, mg->spring_count, error);
        if (status != PL_OK) return status;
        for (int k = 0; l + 1 < h->level_count && k < mg->spring_count; k++) {
            const float* T = h->transfers[l].point + 4 * (size_t)mg->spring_nodes[k];
            double* X = mg->spring_points + 4 * (size_t)k;
            for (int a = 0; a < 3; a++) X[a] = (double)T[3] * X[a] + (double)T[a] * X[3];
            mg->spring_nodes[k] = h->transfers[l].parent[mg->spring_nodes[k]];
        }
    }
    int last = h->level_count - 1;
    return pl_scalar_bottom_factor(&mg->bottom, &mg->levels[last], unseen_of(mg, last),
                                   &mg->level_springs[last], mg->pool, error);
}

// Damping is computed without springs, so that it does not depend on when they were added. Springs
// increase the diagonal and reduce the spectral radius, so the damping stays safe.
static void damp(pl_scalar_mg* mg) {
    pl_scalar_fine_damp(&mg->fine, mg->pool);
    for (int l = 1; l + 1 < mg->hierarchy.level_count; l++)
        pl_block_level_damp(&mg->levels[l], mg->pool);
}

// updates the matrices of all coarse levels, without springs
static void update_levels(pl_scalar_mg* mg) {
    const pl_mg_hierarchy* h = &mg->hierarchy;
    for (int l = 1; l < h->level_count; l++) {
        const pl_mg_transfer* t = &h->transfers[l - 1];
        pl_block_level* level = &mg->levels[l];
        if (l == 1) pl_scalar_product_update(&mg->first_product, mg->A, t, level, mg->pool);
        else pl_block_product_update(&mg->products[l], &mg->levels[l - 1], t, level, mg->pool);
        pl_level_springs_clear(&mg->level_springs[l], level);
        memcpy(level->diagonal, level->fixed,
               (size_t)level->block * (size_t)level->node_count * sizeof(float));
        pl_block_level_invert(level, unseen_of(mg, l), NULL, level->node_count, mg->pool);
    }
}

pl_status pl_scalar_mg_update(pl_scalar_mg* mg, const double* positions, const unsigned char* held,
                              pl_error* error) {
    pl_mg_hierarchy* h = &mg->hierarchy;
    mg->stamp++;
    pl_mg_hierarchy_move(h, positions, held);
    pl_scalar_fine_update(&mg->fine, mg->pool, mg->A, h->transfers[0].point, held);
    update_levels(mg);
    if (mg->jacobi) damp(mg);
    pl_status status =
        pl_scalar_fine_set_springs(&mg->fine, NULL, 0, mg->springs, mg->spring_count, error);
    return status == PL_OK ? apply_springs(mg, error) : status;
}

static pl_status reserve_springs(pl_scalar_mg* mg, int count, pl_error* error) {
    if (count <= mg->spring_capacity) return PL_OK;
    int capacity = count + count / 2;
    pl_mg_spring* springs = PL_ALLOC(pl_mg_spring, capacity);
    int* nodes = PL_ALLOC(int, capacity);
    double* points = PL_ALLOC(double, 4 * (size_t)capacity);
    if (!springs || !nodes || !points) {
        PL_FREE(springs, pl_mg_spring, capacity);
        PL_FREE(nodes, int, capacity);
        PL_FREE(points, double, 4 * (size_t)capacity);
        return pl_fail_memory(error, "pins and contacts");
    }
    if (mg->spring_count)
        memcpy(springs, mg->springs, (size_t)mg->spring_count * sizeof(pl_mg_spring));
    PL_FREE(mg->springs, pl_mg_spring, mg->spring_capacity);
    PL_FREE(mg->spring_nodes, int, mg->spring_capacity);
    PL_FREE(mg->spring_points, double, 4 * (size_t)mg->spring_capacity);
    mg->springs = springs;
    mg->spring_nodes = nodes;
    mg->spring_points = points;
    mg->spring_capacity = capacity;
    return PL_OK;
}

static bool same_spring(const pl_mg_spring* a, const pl_mg_spring* b) {
    if (a->place != b->place || a->has_block != b->has_block || a->stiffness != b->stiffness)
        return false;
    for (int k = 0; a->has_block && k < 6; k++)
        if (a->block[k] != b->block[k]) return false;
    return true;
}

static bool same_springs(const pl_scalar_mg* mg, const pl_mg_spring* springs, int count) {
    if (count != mg->spring_count) return false;
    for (int k = 0; k < count; k++)
        if (!same_spring(&springs[k], &mg->springs[k])) return false;
    return true;
}

// Levels are in float, so a stiffness beyond its range counts as infinite.
static bool fits_float(const pl_mg_spring* s) {
    bool fits = fabs(s->stiffness) <= FLT_MAX;
    for (int k = 0; s->has_block && k < 6; k++) fits = fits && fabs(s->block[k]) <= FLT_MAX;
    return fits;
}

static pl_status check_springs(const pl_scalar_mg* mg, const pl_mg_spring* springs, int count,
                               pl_error* error) {
    for (int k = 0; k < count; k++)
        if (!fits_float(&springs[k]))
            return pl_fail(error, PL_ERROR_DIVERGED,
                           "the pin or contact at vertex %d has a stiffness that is not finite in "
                           "single precision; check the stiffness of attachments and "
                           "colliders",
                           mg->fine.order.row[springs[k].place]);
    return PL_OK;
}

pl_status pl_scalar_mg_set_springs(pl_scalar_mg* mg, const pl_mg_spring* springs, int count,
                                   pl_error* error) {
    if (!mg->springs_failed && same_springs(mg, springs, count)) return PL_OK;
    pl_status status = check_springs(mg, springs, count, error);
    if (status == PL_OK) status = reserve_springs(mg, count, error);
    if (status == PL_OK)
        status = pl_scalar_fine_set_springs(&mg->fine, mg->springs, mg->spring_count, springs,
                                            count, error);
    if (status != PL_OK) return status;
    if (count) memcpy(mg->springs, springs, (size_t)count * sizeof(pl_mg_spring));
    mg->spring_count = count;
    mg->stamp++;
    status = apply_springs(mg, error);
    mg->springs_failed = status != PL_OK;
    return status;
}

pl_scalar_fine* pl_scalar_mg_fine(pl_scalar_mg* mg) { return &mg->fine; }
const pl_mg_hierarchy* pl_scalar_mg_hierarchy(const pl_scalar_mg* mg) { return &mg->hierarchy; }
const pl_block_level* pl_scalar_mg_level(const pl_scalar_mg* mg, int l) { return &mg->levels[l]; }
