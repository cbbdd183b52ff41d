// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Creates Projective Dynamics on multigrid: its elements in float, the orders of its vertices and
// its levels.
#include "base/memory.h"
#include "elements/tet_elements.h"
#include "fem/cloth_elements.h"
#include "fem/fem_projective_fast.h"
#include "mesh/reorder.h"
#include "multigrid/mg_cycle.h"

#include <string.h>

static const pl_material_kind laws[PL_PROJECTIVE_LAWS] = {PL_MATERIAL_ARAP, PL_MATERIAL_COROTATED};

enum { STRIDE = 4 }; // 3 to 10 % of a gradient

static int block_count(const pl_projective_fast* p) {
    return (p->vertex_count + PL_PROJECTIVE_BLOCK - 1) / PL_PROJECTIVE_BLOCK;
}

void pl_projective_fast_destroy(pl_projective_fast* p) {
    if (!p) return;
    size_t places = p->mg ? (size_t)pl_scalar_mg_fine(p->mg)->order.place_count : 0;
    float* vectors[] = {p->x, p->y, p->y_low, p->u};
    for (int k = 0; k < 4; k++) PL_FREE(vectors[k], float, 4 * (size_t)p->vertex_count);
    PL_FREE(p->number, int, p->vertex_count);
    PL_FREE(p->vertex_of, int, p->vertex_count);
    PL_FREE(p->place_of, int, p->vertex_count);
    PL_FREE(p->pending_slot, int, places);
    PL_FREE(p->rest, double, 3 * (size_t)p->vertex_count);
    PL_FREE(p->root, int, p->vertex_count);
    PL_FREE(p->edge, float, p->vertex_count);
    PL_FREE(p->block_turns, bool, block_count(p));
    PL_FREE(p->held, unsigned char, p->vertex_count);
    PL_FREE(p->held_now, unsigned char, p->vertex_count);
    if (p->tet_set) PL_FREE(p->tet_order, int, p->tet_set->count);
    for (int k = 0; k < PL_PROJECTIVE_LAWS; k++) pl_tet_batches_free(&p->tets[k]);
    pl_spring_batches_free(&p->springs);
    pl_array_free(&p->pending);
    pl_array_free(&p->ordered);
    pl_array_free(&p->balances);
    pl_array_free(&p->pins);
    pl_quasi_newton_free(&p->quasi);
    pl_scalar_mg_destroy(p->mg);
    PL_FREE(p, pl_projective_fast, 1);
}

static bool has_float_law(const pl_element_set* set) {
    const pl_material* materials = pl_tet_element_materials(set);
    for (int e = 0; e < set->count; e++)
        if (materials[e].kind != laws[0] && materials[e].kind != laws[1]) return false;
    return true;
}

// finds the sets, and whether all have float elements
static void look_at_sets(pl_projective_fast* p) {
    p->in_float = true;
    for (int k = 0; k < p->set_count; k++) {
        const pl_element_set* set = &p->sets[k];
        bool tets = set->kind == &pl_tet_elements && !p->tet_set && has_float_law(set);
        bool springs = set->kind == &pl_spring_elements && !p->spring_set;
        if (tets) p->tet_set = set;
        else if (springs) p->spring_set = set;
        else p->in_float = false;
    }
}

// sorts elements in the order of the band, so that those with nearby vertices are close together
static pl_status order_elements(const pl_projective_fast* p, const pl_element_set* set, int* order,
                                pl_error* error) {
    pl_ordering vertices = {p->vertex_count, p->number, p->vertex_of}, elements;
    pl_status status = pl_order_elements(set->corners, set->count, set->kind->corner_count,
                                         &vertices, &elements, error);
    if (status != PL_OK) return status;
    // Neighbours in the order share vertices, and a batch adds to its vertices lane after lane.
    // Tets that are STRIDE apart in the order therefore become adjacent lanes: they wait less for
    // one another.
    int window = STRIDE * PL_LANES, whole = set->count / window * window;
    for (int k = 0; k < set->count; k++) {
        int in_window = k % window, from = in_window % PL_LANES * STRIDE + in_window / PL_LANES;
        order[k] = elements.old_of_new[k < whole ? k - in_window + from : k];
    }
    pl_ordering_free(&elements);
    return PL_OK;
}

enum { ELEMENT_BLOCK = 4096, VERTEX_BLOCK = 4096 };

typedef struct order_job {
    const pl_projective_fast* p;
    const pl_element_set* set;
    const int* order; // NULL: unchanged
    int* corners;
    pl_material* materials;
    double* rest;
} order_job;

static void corners_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const order_job* job = user;
    int n = job->set->kind->corner_count;
    for (int e = begin; e < end; e++) {
        const int* from = job->set->corners + n * (job->order ? job->order[e] : e);
        for (int i = 0; i < n; i++) job->corners[n * e + i] = job->p->number[from[i]];
    }
}

static void materials_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const order_job* job = user;
    const pl_material* from = pl_tet_element_materials(job->set);
    for (int e = begin; e < end; e++) job->materials[e] = from[job->order[e]];
}

static void rest_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const order_job* job = user;
    for (int k = begin; k < end; k++)
        memcpy(job->rest + 3 * (size_t)k, job->p->rest + 3 * (size_t)job->p->vertex_of[k],
               3 * sizeof(double));
}

// corners as vertex numbers, in the given order (NULL: unchanged)
static int* numbers_of(const pl_projective_fast* p, const pl_element_set* set, const int* order) {
    int n = set->kind->corner_count;
    int* corners = PL_ALLOC(int, (size_t)n*(size_t)set->count);
    order_job job = {.p = p, .set = set, .order = order, .corners = corners};
    if (corners) pl_parallel_for(p->pool, corners_task, set->count, ELEMENT_BLOCK, &job);
    return corners;
}

static pl_status setup_tets(pl_projective_fast* p, pl_error* error) {
    const pl_element_set* set = p->tet_set;
    size_t count = (size_t)p->vertex_count;
    p->tet_order = PL_ALLOC(int, set->count);
    if (!p->tet_order) return pl_fail_memory(error, "tets");
    pl_status status = order_elements(p, set, p->tet_order, error);
    if (status != PL_OK) return status;
    int* corners = numbers_of(p, set, p->tet_order);
    double* rest = PL_ALLOC(double, 3 * count);
    pl_material* materials = PL_ALLOC(pl_material, set->count);
    if (!corners || !rest || !materials) status = pl_fail_memory(error, "tets");
    order_job job = {
        .p = p, .set = set, .order = p->tet_order, .materials = materials, .rest = rest};
    if (rest) pl_parallel_for(p->pool, rest_task, p->vertex_count, VERTEX_BLOCK, &job);
    if (materials) pl_parallel_for(p->pool, materials_task, set->count, ELEMENT_BLOCK, &job);
    for (int k = 0; status == PL_OK && k < PL_PROJECTIVE_LAWS; k++)
        status = pl_tet_batches_setup(&p->tets[k], laws[k], rest, p->vertex_count, corners,
                                      set->count, materials, p->pool, error);
    PL_FREE(corners, int, 4 * (size_t)set->count);
    PL_FREE(rest, double, 3 * count);
    PL_FREE(materials, pl_material, set->count);
    return status;
}

static pl_status setup_springs(pl_projective_fast* p, pl_error* error) {
    const pl_element_set* set = p->spring_set;
    int* ends = numbers_of(p, set, NULL);
    if (!ends) return pl_fail_memory(error, "springs");
    pl_status status =
        pl_spring_batches_setup(&p->springs, ends, set->count, p->vertex_count, error);
    PL_FREE(ends, int, 2 * (size_t)set->count);
    return status;
}

// current stiffness and rest lengths
void pl_projective_fast_update_elements(pl_projective_fast* p) {
    int filled[PL_PROJECTIVE_LAWS] = {0};
    for (int k = 0; p->tet_set && k < p->tet_set->count; k++) {
        int e = p->tet_order[k];
        const pl_material* material = &pl_tet_element_materials(p->tet_set)[e];
        int law = material->kind == laws[0] ? 0 : 1, slot = filled[law]++;
        pl_tet_batch* batch = &p->tets[law].batches[slot / PL_LANES];
        double volume = pl_tet_element_volume(p->tet_set, e);
        batch->mu[slot % PL_LANES] = (float)(volume * material->mu);
        batch->lambda[slot % PL_LANES] = (float)(volume * material->lambda);
    }
    for (int e = 0; p->spring_set && e < p->spring_set->count; e++) {
        pl_spring_batches_set(&p->springs, e, pl_cloth_rest(p->spring_set, e),
                              pl_cloth_stiffness(p->spring_set, e));
    }
}

// the lowest vertex of each body
static pl_status find_roots(pl_projective_fast* p, pl_error* error) {
    int* stack = PL_ALLOC(int, p->vertex_count);
    if (!stack) return pl_fail_memory(error, "the bodies of a system");
    for (int v = 0; v < p->vertex_count; v++) p->root[v] = -1;
    for (int first = 0; first < p->vertex_count; first++) {
        if (p->root[first] >= 0) continue;
        int count = 0;
        stack[count++] = first;
        p->root[first] = first;
        while (count > 0) {
            int v = stack[--count];
            for (int e = p->A->offsets[v]; e < p->A->offsets[v + 1]; e++) {
                int other = p->A->columns[e];
                if (p->root[other] >= 0) continue;
                p->root[other] = first;
                stack[count++] = other;
            }
        }
    }
    PL_FREE(stack, int, p->vertex_count);
    return PL_OK;
}

static void find_edges(pl_projective_fast* p) {
    for (int v = 0; v < p->vertex_count; v++) {
        pl_vec3 at = pl_vec3_load(p->rest + 3 * (size_t)v);
        double longest = 0.0;
        for (int e = p->A->offsets[v]; e < p->A->offsets[v + 1]; e++) {
            double length = pl_distance(at, pl_vec3_load(p->rest + 3 * (size_t)p->A->columns[e]));
            if (length > longest) longest = length;
        }
        p->edge[v] = (float)longest;
    }
}

static pl_status setup_levels(pl_projective_fast* p, const pl_step_settings* settings,
                              pl_error* error) {
    const pl_multigrid* m = &settings->multigrid;
    int sweeps = m->pre_sweeps > 0 ? m->pre_sweeps : 1;
    pl_scalar_mg_options options = {.hierarchy = {.counts = m->level_count > 0 ? m->levels : NULL,
                                                  .count_count = m->level_count},
                                    .half_sweeps = 2 * sweeps,
                                    .jacobi_sweeps = m->smoother == PL_SMOOTHER_JACOBI ? sweeps : 0,
                                    .stiffness_aware = m->stiffness_aware};
    pl_mg_sweeps_of_levels(m->sweeps, m->sweep_count, PL_MG_MAX_LEVELS, options.level_sweeps);
    return pl_scalar_mg_begin(p->A, p->rest, &options, p->pool, &p->mg, error);
}

static pl_status allocate(pl_projective_fast* p, const double* positions, pl_error* error) {
    size_t count = (size_t)p->vertex_count;
    p->rest = PL_ALLOC(double, 3 * count);
    p->root = PL_ALLOC(int, count);
    p->edge = PL_ALLOC(float, count);
    p->held = PL_ALLOC(unsigned char, count);
    p->held_now = PL_ALLOC(unsigned char, count);
    p->block_turns = PL_ALLOC(bool, block_count(p));
    if (!p->rest || !p->root || !p->edge || !p->held || !p->held_now || !p->block_turns)
        return pl_fail_memory(error, "a step of Projective Dynamics");
    memcpy(p->rest, positions, 3 * count * sizeof(double));
    return PL_OK;
}

// the vectors of the vertices, and the position of each vertex in them
static pl_status setup_vectors(pl_projective_fast* p, pl_error* error) {
    const pl_slab_order* order = &pl_scalar_mg_fine(p->mg)->order;
    size_t count = (size_t)p->vertex_count;
    float** vectors[] = {&p->x, &p->y, &p->y_low, &p->u};
    bool ok = (p->pending_slot = PL_ALLOC(int, order->place_count)) != NULL;
    for (int k = 0; k < 4; k++) ok = ok && (*vectors[k] = PL_ALLOC(float, 4 * count));
    ok = ok && (p->number = PL_ALLOC(int, count));
    ok = ok && (p->vertex_of = PL_ALLOC(int, count)) && (p->place_of = PL_ALLOC(int, count));
    if (!ok) return pl_fail_memory(error, "a step of Projective Dynamics");
    for (int v = 0; v < p->vertex_count; v++) {
        p->number[v] = order->band_number[v];
        p->vertex_of[p->number[v]] = v;
        p->place_of[p->number[v]] = order->place[v];
    }
    return pl_quasi_newton_setup(&p->quasi, p->vertex_count, p->pool, error);
}

pl_status pl_projective_fast_setup(pl_projective_fast** out, pl_block_matrix* A,
                                   const double* positions, const pl_element_set* sets,
                                   int set_count, const pl_step_settings* settings, pl_pool* pool,
                                   pl_error* error) {
    *out = NULL;
    pl_projective_fast* p = PL_ALLOC(pl_projective_fast, 1);
    if (!p) return pl_fail_memory(error, "a step of Projective Dynamics");
    *p = (pl_projective_fast){.vertex_count = A->row_count,
                              .pool = pool,
                              .A = A,
                              .sets = sets,
                              .set_count = set_count,
                              .is_cold = true,
                              .values_stale = true,
                              .pending = pl_array_of(sizeof(pl_mg_spring)),
                              .ordered = pl_array_of(sizeof(pl_mg_spring)),
                              .balances = pl_array_of(sizeof(pl_piece_balance)),
                              .pins = pl_array_of(sizeof(pl_pin))};
    pl_status status = allocate(p, positions, error);
    if (status == PL_OK) find_edges(p);
    if (status == PL_OK) status = setup_levels(p, settings, error);
    if (status == PL_OK) status = find_roots(p, error);
    if (status == PL_OK) status = setup_vectors(p, error);
    if (status == PL_OK) look_at_sets(p);
    if (status == PL_OK && p->in_float && p->tet_set) status = setup_tets(p, error);
    if (status == PL_OK && p->in_float && p->spring_set) status = setup_springs(p, error);
    // nodes of coarser levels were sampled meanwhile
    if (status == PL_OK) status = pl_scalar_mg_finish(p->mg, error);
    if (status != PL_OK) {
        pl_projective_fast_destroy(p);
        return status;
    }
    *out = p;
    return PL_OK;
}
