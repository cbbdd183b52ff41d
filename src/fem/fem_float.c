// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "fem/fem_float.h"
#include "base/memory.h"
#include "elements/block_sums.h"
#include "elements/tet_batch_laws.h"
#include "elements/tet_elements.h"
#include "fem/cloth_batches.h"
#include "fem/cloth_elements.h"

#include <string.h>

enum {
    MAX_TETS = PL_MAX_ELEMENT_SETS * PL_MATERIAL_COUNT,
    MAX_CLOTH = PL_MAX_ELEMENT_SETS * PL_MEMBRANE_COUNT,
    VERTICES_PER_TASK = 2048
};

struct pl_float_sets {
    int vertex_count;
    const pl_block_matrix* A; // only the pattern is used
    pl_float_layout layout;   // without places: the layout of A
    pl_tet_batches tets[MAX_TETS];
    const pl_element_set* tet_sources[MAX_TETS]; // sets that the batches were made of
    int tet_set_count;
    pl_cloth_batches cloth[MAX_CLOTH];
    const pl_element_set* cloth_sources[MAX_CLOTH];
    int cloth_count;
    int* orders[PL_MAX_ELEMENT_SETS]; // of each set: its elements in the order of the batches
    int element_counts[PL_MAX_ELEMENT_SETS];
    const int* tet_orders[MAX_TETS]; // the same, for each of `tets`
    bool springs_alone; // every coupling is one spring: blocks are written, not added to
    float* x;           // float4 per vertex
};

void pl_float_sets_destroy(pl_float_sets* s) {
    if (!s) return;
    for (int k = 0; k < s->tet_set_count; k++) pl_tet_batches_free(&s->tets[k]);
    for (int k = 0; k < s->cloth_count; k++) pl_cloth_batches_free(&s->cloth[k]);
    for (int k = 0; k < PL_MAX_ELEMENT_SETS; k++) PL_FREE(s->orders[k], int, s->element_counts[k]);
    PL_FREE(s->x, float, 4 * (size_t)s->vertex_count);
    PL_FREE(s, pl_float_sets, 1);
}

static pl_status add_tets(pl_float_sets* s, const pl_element_set* set, const int* order,
                          const double* rest, pl_pool* pool, pl_error* error) {
    int first = s->tet_set_count;
    pl_tet_batch_source source = {set, set->data, order, rest, s->A};
    pl_status status =
        pl_tet_batches_of_laws(&source, pool, &s->tets[first], &s->tet_set_count, error);
    for (int k = first; k < s->tet_set_count; k++) {
        s->tets[k].without_diagonal = true;
        s->tet_sources[k] = set;
        s->tet_orders[k] = order;
    }
    return status;
}

static pl_status add_cloth(pl_float_sets* s, const pl_element_set* set, const int* order,
                           pl_error* error) {
    pl_status status = PL_OK;
    int law_count = set->kind == &pl_membrane_elements ? PL_MEMBRANE_COUNT : 1;
    for (int law = 0; status == PL_OK && law < law_count; law++) {
        status = pl_cloth_batches_setup(&s->cloth[s->cloth_count], set, order,
                                        (pl_membrane_kind)law, s->vertex_count, s->A, error);
        if (status == PL_OK) s->cloth_sources[s->cloth_count++] = set;
    }
    return status;
}

// Sets springs_alone if the only elements are one set of springs, with as many springs as couplings
// and no two between the same vertices.
static void find_alone(pl_float_sets* s, int set_count) {
    const pl_block_matrix* A = s->A;
    pl_cloth_batches* springs = &s->cloth[0];
    if (set_count != 1 || s->cloth_count != 1 || springs->kind != PL_CLOTH_SPRINGS) return;
    if (2 * springs->count != pl_block_matrix_entry_count(A) - A->row_count) return;
    s->springs_alone = pl_cloth_batches_write(springs);
}

pl_status pl_float_sets_create(const pl_element_set* sets, int set_count, const double* rest,
                               int vertex_count, const pl_block_matrix* A, const int* ranks,
                               pl_pool* pool, pl_float_sets** out, pl_error* error) {
    *out = NULL;
    pl_float_sets* s = PL_ALLOC(pl_float_sets, 1);
    if (!s) return pl_fail_memory(error, "elements in float");
    s->vertex_count = vertex_count;
    s->A = A;
    s->x = PL_ALLOC(float, 4 * (size_t)vertex_count);
    pl_status status = s->x ? PL_OK : pl_fail_memory(error, "elements in float");
    for (int k = 0; status == PL_OK && k < set_count; k++) {
        const pl_element_set* set = &sets[k];
        int* order = s->orders[k] = PL_ALLOC(int, s->element_counts[k] = set->count);
        if ((set->count > 0 && !order) || !pl_element_order(set, ranks, vertex_count, order))
            status = pl_fail_memory(error, "elements in float");
        else if (set->kind == &pl_tet_elements) status = add_tets(s, set, order, rest, pool, error);
        else status = add_cloth(s, set, order, error);
    }
    if (status == PL_OK) find_alone(s, set_count);
    if (status == PL_OK) *out = s;
    else pl_float_sets_destroy(s);
    return status;
}

void pl_float_sets_place(pl_float_sets* s, const pl_float_layout* layout) {
    s->layout = *layout;
    for (int k = 0; k < s->tet_set_count; k++) pl_tet_batches_place(&s->tets[k], layout->places);
    for (int k = 0; k < s->cloth_count; k++) pl_cloth_batches_place(&s->cloth[k], layout->places);
}

void pl_float_sets_refresh(pl_float_sets* s) {
    for (int k = 0; k < s->tet_set_count; k++)
        pl_tet_batches_refresh(&s->tets[k], s->tet_sources[k]->data, s->tet_orders[k]);
    for (int k = 0; k < s->cloth_count; k++)
        pl_cloth_batches_refresh(&s->cloth[k], s->cloth_sources[k]);
}

// the block of an entry
static float* block_at(const pl_float_sets* s, float* blocks, int entry) {
    return blocks + 9 * (size_t)(s->layout.places ? s->layout.places[entry] : entry);
}

// positions relative to the centre of all of them, where float is most accurate
static void narrow_positions(pl_float_sets* s, pl_pool* pool, const double* x) {
    double origin[3];
    pl_points_mean(pool, x, s->vertex_count, origin);
    pl_float4_from_points(pool, x, s->vertex_count, origin, s->x);
}

static void add_isotropic(float* block, double s) {
    for (int c = 0; c < 9; c += 4) block[c] += (float)s;
}

typedef struct rows_job {
    const pl_step_objective* f;
    const pl_float_sets* sets;
    float* blocks;
} rows_job;

static void subtract_blocks(const float* blocks, int begin, int end, float* sum) {
    pl_loose_f8 head = *(const pl_loose_f8*)sum;
    float last = sum[8];
    for (const float* block = blocks + 9 * (size_t)begin; block < blocks + 9 * (size_t)end;
         block += 9) {
        head -= *(const pl_loose_f8*)block;
        last -= block[8];
    }
    *(pl_loose_f8*)sum = head;
    sum[8] = last;
}

// Elements do not compute the diagonal. Forces do not change in a translation, so the blocks of a
// row add up to zero, apart from the mass.
static void close_rows_task(int begin, int end, int worker, void* user) {
    const rows_job* job = user;
    const pl_step_objective* f = job->f;
    const pl_block_matrix* A = job->sets->A;
    const pl_float_layout* layout = &job->sets->layout;
    double weight = f->mass_matrix ? 0.0 : pl_step_mass_weight(f);
    (void)worker;
    for (int i = begin; i < end; i++) {
        int v = layout->places ? layout->vertices[i] : i, entry = A->diagonal[v];
        float sum[9] = {0.0f};
        if (layout->places) {
            for (int run = 0; run < 2; run++)
                subtract_blocks(job->blocks, layout->begin[run][i], layout->end[run][i], sum);
        } else {
            subtract_blocks(job->blocks, A->offsets[v], entry, sum);
            subtract_blocks(job->blocks, entry + 1, A->offsets[v + 1], sum);
        }
        add_isotropic(sum, weight * f->mass[v]);
        memcpy(block_at(job->sets, job->blocks, entry), sum, sizeof sum);
    }
}

// the contributions to couplings that come from no element: damping and the mass matrix
static void add_rows_task(int begin, int end, int worker, void* user) {
    const rows_job* job = user;
    const pl_step_objective* f = job->f;
    const pl_block_matrix* A = job->sets->A;
    double weight = pl_step_mass_weight(f);
    bool damped = f->velocity_time > 0.0 && f->damping_stiffness > 0.0;
    double scale = damped ? f->damping_stiffness / f->velocity_time : 0.0;
    (void)worker;
    for (int e = A->offsets[begin]; e < A->offsets[end]; e++) {
        float* block = block_at(job->sets, job->blocks, e);
        if (f->mass_matrix) add_isotropic(block, weight * f->mass_matrix->values[e]);
        const double* K = damped ? f->damping_matrix->values + 9 * (size_t)e : NULL;
        for (int i = 0; damped && i < 9; i++) block[i] += (float)(scale * K[i]);
    }
}

static void eliminate_task(int begin, int end, int worker, void* user) {
    const rows_job* job = user;
    const bool* fixed = job->f->fixed;
    const pl_block_matrix* A = job->sets->A;
    (void)worker;
    for (int v = begin; v < end; v++) {
        for (int e = A->offsets[v]; e < A->offsets[v + 1]; e++)
            if (fixed[v] || fixed[A->columns[e]])
                memset(block_at(job->sets, job->blocks, e), 0, 9 * sizeof(float));
        if (fixed[v]) add_isotropic(block_at(job->sets, job->blocks, A->diagonal[v]), 1.0);
    }
}

static void multiply_block(const pl_mat3* left, const pl_mat3* right, float* block) {
    double wide[9];
    for (int i = 0; i < 9; i++) wide[i] = (double)block[i];
    pl_block_between(left, right, wide);
    for (int i = 0; i < 9; i++) block[i] = (float)wide[i];
}

// The same for vertices that are held in some directions; see step_holds.c.
static void eliminate_holds(const pl_step_objective* f, const pl_float_sets* s, float* blocks) {
    const pl_block_matrix* A = s->A;
    for (int k = 0; k < f->hold_count; k++) {
        const pl_hold* hold = &f->holds[k];
        int v = hold->vertex;
        float* diagonal = block_at(s, blocks, A->diagonal[v]);
        float size = (diagonal[0] + diagonal[4] + diagonal[8]) / 3.0f;
        for (int e = A->offsets[v]; e < A->offsets[v + 1]; e++) {
            int mirror = pl_block_matrix_find(A, A->columns[e], v);
            multiply_block(&hold->free, NULL, block_at(s, blocks, e));
            multiply_block(NULL, &hold->free, block_at(s, blocks, mirror));
        }
        for (int i = 0; i < 9; i++)
            diagonal[i] +=
                (size > 0.0f ? size : 1.0f) * ((i % 4 == 0 ? 1.0f : 0.0f) - (float)hold->free.m[i]);
    }
}

static void zero_task(int begin, int end, int worker, void* user) {
    (void)worker;
    memset((float*)user + 9 * (size_t)begin, 0, 9 * (size_t)(end - begin) * sizeof(float));
}

typedef struct term_target {
    const pl_float_sets* sets;
    float* blocks;
} term_target;

// blocks of pairs outside the pattern are ignored
static void add_term_block(void* to, int row, int column, const double block[9]) {
    const term_target* t = to;
    const pl_block_matrix* A = t->sets->A;
    int entry = row == column ? A->diagonal[row] : pl_block_matrix_find(A, row, column);
    if (entry < 0) return;
    float* sum = block_at(t->sets, t->blocks, entry);
    for (int i = 0; i < 9; i++) sum[i] += (float)block[i];
}

static void add_pins_and_contacts(const pl_step_objective* f, const pl_float_sets* s,
                                  const double* x, double projected, float* blocks) {
    const int* diagonal = s->A->diagonal;
    for (int k = 0; k < f->pin_count; k++) {
        const pl_pin* pin = &f->pins[k];
        float* to = block_at(s, blocks, diagonal[pin->vertex]);
        if (pin->hard) continue;
        if (!pin->partial) add_isotropic(to, pin->stiffness);
        for (int i = 0; pin->partial && i < 9; i++)
            to[i] += (float)(pin->stiffness * pin->held.m[i]);
    }
    for (int k = 0; k < f->contact_count; k++) {
        double block[9];
        float* to = block_at(s, blocks, diagonal[f->contacts[k].vertex]);
        pl_step_contact_block(f, k, x, projected, block);
        for (int i = 0; i < 9; i++) to[i] += (float)block[i];
    }
}

void pl_fem_hessian_float(const pl_step_objective* f, pl_float_sets* s, const double* x,
                          double projected, float* blocks) {
    if (!s->springs_alone)
        pl_parallel_for(f->pool, zero_task, pl_block_matrix_entry_count(s->A), 16384, blocks);
    narrow_positions(s, f->pool, x);
    for (int k = 0; k < s->tet_set_count; k++)
        pl_tet_batches_hessian(&s->tets[k], f->pool, s->x, 1.0f, (float)projected, blocks);
    for (int k = 0; k < s->cloth_count; k++)
        pl_cloth_batches_hessian(&s->cloth[k], f->pool, s->x, (float)projected, blocks);
    rows_job job = {f, s, blocks};
    pl_parallel_for(f->pool, close_rows_task, f->vertex_count, VERTICES_PER_TASK, &job);
    bool damped = f->velocity_time > 0.0 && f->damping_stiffness > 0.0;
    if (damped || f->mass_matrix)
        pl_parallel_for(f->pool, add_rows_task, f->vertex_count, VERTICES_PER_TASK, &job);
    term_target target = {s, blocks};
    pl_step_term_blocks(f, x, projected, add_term_block, &target);
    add_pins_and_contacts(f, s, x, projected, blocks);
    if (memchr(f->fixed, true, (size_t)f->vertex_count * sizeof(bool)))
        pl_parallel_for(f->pool, eliminate_task, f->vertex_count, VERTICES_PER_TASK, &job);
    eliminate_holds(f, s, blocks);
}
