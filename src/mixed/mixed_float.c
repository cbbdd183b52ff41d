// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Passes: tets add K and G to all blocks, vertices add their own terms to the diagonal, the units
// of pressures follow from the diagonal, and every row is scaled by them and gets B.
#include "mixed/mixed_float.h"
#include "base/memory.h"
#include "elements/tet_batch_laws.h"
#include "math/float8.h"
#include "mixed/mixed_batches.h"

#include <math.h>
#include <string.h>

enum { VERTICES_PER_TASK = 2048, BLOCKS_PER_TASK = 16384 };
// Largest ratio of mean stiffness to mean inertia for float. Round-off is 1e-7 of the stiffness; if
// it added up in the softest motions, the relative error there would be 1e-7 of this ratio.
static const double MOST_STIFF = 1e6;

// Factors of a row, and of the column with the same number.
typedef struct row_factors {
    float unit;     // unit of the pressure
    float free;     // 0 for fixed vertices, else 1
    float softness; // 1 / B, with the diagonal of slack_B
    float unused;   // pads the row to one load of four
} row_factors;

struct pl_mixed_float {
    const pl_block_matrix* A; // borrowed, only for its pattern
    pl_block_mg* mg;
    pl_pool* pool;
    const pl_tet_data* tets;
    int tet_count, place_count;
    int* order;  // order of the tets in batches
    int* places; // where each entry of A is among the blocks
    pl_tet_batches laws[PL_MATERIAL_COUNT];
    int law_count;
    float* x;             // position and pressure of each vertex
    float* B;             // per block
    row_factors* factors; // per row
    float* stiffness;     // 4 per row
};

void pl_mixed_float_destroy(pl_mixed_float* m) {
    if (!m) return;
    const size_t n = (size_t)m->A->row_count;
    for (int k = 0; k < m->law_count; k++) pl_tet_batches_free(&m->laws[k]);
    PL_FREE(m->order, int, m->tet_count);
    PL_FREE(m->places, int, m->place_count);
    PL_FREE(m->x, float, 4 * n);
    PL_FREE(m->B, float, m->place_count);
    PL_FREE(m->factors, row_factors, n);
    PL_FREE(m->stiffness, float, 4 * n);
    PL_FREE(m, pl_mixed_float, 1);
}

static bool allocate(pl_mixed_float* m) {
    const size_t n = (size_t)m->A->row_count;
    m->order = PL_ALLOC(int, m->tet_count);
    m->places = PL_ALLOC(int, m->place_count);
    m->x = PL_ALLOC(float, 4 * n);
    m->B = PL_ALLOC(float, m->place_count);
    m->factors = PL_ALLOC(row_factors, n);
    m->stiffness = PL_ALLOC(float, 4 * n);
    return m->order && m->places && m->x && m->B && m->factors && m->stiffness;
}

static pl_status setup(pl_mixed_float* m, const pl_element_set* set, const double* rest,
                       pl_error* error) {
    const pl_block_matrix* A = m->A;
    const pl_mg_blocks pattern = {A->row_count, A->offsets, A->columns, NULL};
    if (!allocate(m) || !pl_element_order(set, m->mg->new_of_old, A->row_count, m->order))
        return pl_fail_memory(error, "tets in float");
    pl_block_mg_places(m->mg, &pattern, m->places);
    const pl_tet_batch_source source = {set, m->tets, m->order, rest, A};
    pl_status status = pl_tet_batches_of_laws(&source, m->pool, m->laws, &m->law_count, error);
    for (int k = 0; status == PL_OK && k < m->law_count; k++)
        pl_tet_batches_place(&m->laws[k], m->places);
    return status;
}

pl_status pl_mixed_float_create(const pl_element_set* set, const pl_tet_data* tets,
                                const double* rest, const pl_block_matrix* A, pl_block_mg* mg,
                                pl_pool* pool, pl_mixed_float** out, pl_error* error) {
    *out = NULL;
    pl_mixed_float* m = PL_ALLOC(pl_mixed_float, 1);
    if (!m) return pl_fail_memory(error, "tets in float");
    *m = (pl_mixed_float){.A = A,
                          .mg = mg,
                          .pool = pool,
                          .tets = tets,
                          .tet_count = set->count,
                          .place_count = pl_block_matrix_entry_count(A)};
    pl_status status = setup(m, set, rest, error);
    if (status == PL_OK) *out = m;
    else pl_mixed_float_destroy(m);
    return status;
}

void pl_mixed_float_refresh(pl_mixed_float* m, const pl_block_matrix* B,
                            const pl_block_matrix* slack_B) {
    for (int k = 0; k < m->law_count; k++) pl_tet_batches_refresh(&m->laws[k], m->tets, m->order);
    for (int e = 0; e < m->place_count; e++) m->B[m->places[e]] = (float)B->values[e];
    for (int v = 0; v < m->A->row_count; v++)
        m->factors[m->mg->new_of_old[v]].softness =
            (float)(1.0 / slack_B->values[slack_B->diagonal[v]]);
}

// ---- before units are known

static float* block_at(const pl_mixed_float* m, int entry) {
    return pl_block_mg_blocks(m->mg) + 16 * (size_t)m->places[entry];
}

static float* own_block(const pl_mixed_float* m, int row) {
    return m->mg->levels[0].fixed + 16 * (size_t)row;
}

static void add_isotropic(float* block, float s) {
    for (int c = 0; c < 3; c++) block[5 * c] += s;
}

static void add_positions(float* block, double scale, const double part[9]) {
    for (int i = 0; i < 9; i++) block[4 * (i / 3) + i % 3] += (float)(scale * part[i]);
}

typedef struct assembly {
    pl_mixed_float* m;
    const pl_step_objective* f;
    double* units;
} assembly;

static void zero_task(int begin, int end, int worker, void* user) {
    (void)worker;
    memset((float*)user + 16 * (size_t)begin, 0, 16 * (size_t)(end - begin) * sizeof(float));
}

typedef struct pressures_job {
    const double* from;
    float* x;
} pressures_job;

static void set_pressures_task(int begin, int end, int worker, void* user) {
    const pressures_job* job = user;
    (void)worker;
    for (int v = begin; v < end; v++) job->x[4 * (size_t)v + 3] = (float)job->from[v];
}

// damping, and the mass matrix
static void add_couplings_task(int begin, int end, int worker, void* user) {
    const assembly* a = user;
    const pl_step_objective* f = a->f;
    const pl_block_matrix* A = a->m->A;
    const bool damped = f->velocity_time > 0.0 && f->damping_stiffness > 0.0;
    const double scale = damped ? f->damping_stiffness / f->velocity_time : 0.0;
    const double weight = pl_step_mass_weight(f);
    (void)worker;
    for (int e = A->offsets[begin]; e < A->offsets[end]; e++) {
        float* block = block_at(a->m, e);
        if (f->mass_matrix) add_isotropic(block, (float)(weight * f->mass_matrix->values[e]));
        if (damped) add_positions(block, scale, f->damping_matrix->values + 9 * (size_t)e);
    }
}

// Skips pairs of vertices that are not in the pattern.
static void add_term_block(void* to, int row, int column, const double block[9]) {
    const pl_mixed_float* m = to;
    int entry = row == column ? m->A->diagonal[row] : pl_block_matrix_find(m->A, row, column);
    if (entry >= 0) add_positions(block_at(m, entry), 1.0, block);
}

static void add_pins_and_contacts(const assembly* a, const double* x, double projected) {
    const pl_step_objective* f = a->f;
    const int* diagonal = a->m->A->diagonal;
    for (int k = 0; k < f->pin_count; k++) {
        const pl_pin* pin = &f->pins[k];
        float* block = block_at(a->m, diagonal[pin->vertex]);
        if (pin->hard) continue;
        if (pin->partial) add_positions(block, pin->stiffness, pin->held.m);
        else add_isotropic(block, (float)pin->stiffness);
    }
    for (int k = 0; k < f->contact_count; k++) {
        double block[9];
        pl_step_contact_block(f, k, x, projected, block);
        add_positions(block_at(a->m, diagonal[f->contacts[k].vertex]), 1.0, block);
    }
}

static void add_elements(const assembly* a, const double* x, const double* pressures,
                         double projected) {
    pl_mixed_float* m = a->m;
    double origin[3];
    pl_points_mean(m->pool, x, m->A->row_count, origin);
    pl_float4_from_points(m->pool, x, m->A->row_count, origin, m->x);
    pl_parallel_for(m->pool, set_pressures_task, m->A->row_count, VERTICES_PER_TASK,
                    &(pressures_job){pressures, m->x});
    pl_parallel_for(m->pool, zero_task, m->place_count, BLOCKS_PER_TASK, pl_block_mg_blocks(m->mg));
    for (int k = 0; k < m->law_count; k++)
        pl_mixed_batches_add(&m->laws[k], m->pool, m->x, (float)projected,
                             pl_block_mg_blocks(m->mg));
}

// ---- units of pressures

static double mass_part(int begin, int end, void* user) {
    const double* mass = user;
    double sum = 0.0;
    for (int v = begin; v < end; v++) sum += mass[v];
    return sum;
}

// Adds lumped masses and finds the units, which give pressures as large a diagonal as positions
// (Ruan 2024, section 7.1: about mu / h without inertia). Each vertex has its own unit, because mu
// may jump. Returns the sum of the diagonal of K.
static double find_units_part(int begin, int end, void* user) {
    const assembly* a = user;
    pl_mixed_float* m = a->m;
    const pl_step_objective* f = a->f;
    const double weight = f->mass_matrix ? 0.0 : pl_step_mass_weight(f);
    double sum = 0.0;
    for (int i = begin; i < end; i++) {
        const int v = m->mg->old_of_new[i];
        float* D = own_block(m, i);
        add_isotropic(D, (float)(weight * f->mass[v]));
        const double trace = (double)D[0] + (double)D[5] + (double)D[10];
        const double ratio = trace / (3.0 * (double)m->B[m->places[m->A->diagonal[v]]]);
        const bool is_known = ratio > 0.0 && isfinite(ratio);
        m->factors[i].unit = is_known ? (float)sqrt(ratio) : 1.0f;
        m->factors[i].free = f->fixed[v] ? 0.0f : 1.0f;
        a->units[v] = (double)m->factors[i].unit;
        sum += trace;
    }
    return sum;
}

// Inertia is the stiffness of the softest motions.
static bool is_float_enough(const pl_step_objective* f, double trace) {
    double mass = pl_parallel_sum(f->pool, mass_part, f->vertex_count, VERTICES_PER_TASK,
                                  (void*)(uintptr_t)f->mass);
    return trace / 3.0 < MOST_STIFF * pl_step_mass_weight(f) * mass;
}

// ---- rows

// Scales the block of row i and column j by units and adds B. Returns the squared norm of its G.
PL_WIDE pl_f4 finish_block(float* block, const row_factors* i, const row_factors* j, float B) {
    const float both = i->free * j->free, across = i->unit * j->free, down = j->unit * i->free;
    const pl_f4 G = pl_load4(block + 12), rows = {both, both, both, across};
    for (int r = 0; r < 3; r++) pl_store4(block + 4 * r, pl_load4(block + 4 * r) * rows);
    const pl_f4 last = G * (pl_f4){down, down, down, 0.0f};
    pl_store4(block + 12, last - (pl_f4){0.0f, 0.0f, 0.0f, i->unit * j->unit * B});
    return G * G;
}

static void finish_rows_task(int begin, int end, int worker, void* user) {
    pl_mixed_float* m = ((const assembly*)user)->m;
    const pl_block_level* level = &m->mg->levels[0];
    const pl_mg_half* halves[2] = {&level->pattern.lower, &level->pattern.upper};
    const row_factors* factors = m->factors;
    (void)worker;
    for (int i = begin; i < end; i++) {
        const row_factors* own = &factors[i];
        pl_f4 sum = {0};
        for (int h = 0; h < 2; h++)
            for (int e = halves[h]->begin[i]; e < halves[h]->end[i]; e++) {
                const row_factors* other = &factors[level->pattern.columns[e]];
                pl_f4 square = finish_block(level->values + 16 * (size_t)e, own, other, m->B[e]);
                sum = pl_fma4(square, pl_splat4(other->softness), sum);
            }
        float* D = own_block(m, i);
        pl_f4 square = finish_block(D, own, own, m->B[level->pattern.entry_count + i]);
        add_isotropic(D, 1.0f - own->free);
        sum = pl_fma4(square, pl_splat4(own->softness), sum);
        sum = pl_fma4(sum, pl_splat4(own->free), (pl_f4){D[0], D[5], D[10], 0.0f});
        pl_store4(m->stiffness + 4 * (size_t)i, sum);
    }
}

// ---- vertices held in some directions; see step_holds.c

// multiplies the position rows by a matrix from the left
static void multiply_rows(const pl_mat3* left, float* block) {
    for (int c = 0; c < 4; c++) {
        const pl_vec3 column = {(double)block[c], (double)block[4 + c], (double)block[8 + c]};
        const pl_vec3 part = pl_mat3_apply(left, column);
        block[c] = (float)part.x, block[4 + c] = (float)part.y, block[8 + c] = (float)part.z;
    }
}

// multiplies the position columns by the same symmetric matrix from the right
static void multiply_columns(const pl_mat3* right, float* block) {
    for (int r = 0; r < 4; r++) {
        float* row = block + 4 * r;
        const pl_vec3 part =
            pl_mat3_apply(right, (pl_vec3){(double)row[0], (double)row[1], (double)row[2]});
        row[0] = (float)part.x, row[1] = (float)part.y, row[2] = (float)part.z;
    }
}

static void eliminate_holds(const assembly* a) {
    const pl_block_matrix* A = a->m->A;
    for (int k = 0; k < a->f->hold_count; k++) {
        const pl_hold* hold = &a->f->holds[k];
        const int v = hold->vertex;
        float* D = block_at(a->m, A->diagonal[v]);
        const double size = ((double)D[0] + (double)D[5] + (double)D[10]) / 3.0;
        for (int e = A->offsets[v]; e < A->offsets[v + 1]; e++) {
            multiply_rows(&hold->free, block_at(a->m, e));
            multiply_columns(&hold->free,
                             block_at(a->m, pl_block_matrix_find(A, A->columns[e], v)));
        }
        const pl_mat3 held = pl_mat3_sub(pl_mat3_identity(), hold->free);
        add_positions(D, size > 0.0 ? size : 1.0, held.m);
    }
}

bool pl_mixed_float_assemble(pl_mixed_float* m, const pl_step_objective* f, const double* x,
                             const double* pressures, double projected, double* units) {
    if (!(f->inertia > 0.0)) return false;
    assembly a = {m, f, units};
    const int n = m->A->row_count;
    const bool damped = f->velocity_time > 0.0 && f->damping_stiffness > 0.0;
    add_elements(&a, x, pressures, projected);
    if (damped || f->mass_matrix)
        pl_parallel_for(m->pool, add_couplings_task, n, VERTICES_PER_TASK, &a);
    pl_step_term_blocks(f, x, projected, add_term_block, m);
    add_pins_and_contacts(&a, x, projected);
    double trace = pl_parallel_sum(m->pool, find_units_part, n, VERTICES_PER_TASK, &a);
    if (!is_float_enough(f, trace)) return false;
    pl_mg_for_pieces(&m->mg->levels[0].pattern.schedule, m->pool, finish_rows_task, &a);
    eliminate_holds(&a);
    return true;
}

const float* pl_mixed_float_stiffness(const pl_mixed_float* m, int vertex) {
    return m->stiffness + 4 * (size_t)m->mg->new_of_old[vertex];
}
