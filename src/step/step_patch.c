// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "step/step_patch.h"
#include "base/memory.h"
#include "math/mat3.h"
#include "sparse/krylov.h"
#include "sparse/vector.h"

#include <math.h>
#include <string.h>

// Relative to the diagonal of the matrix. Between 1 and 3 the number of cycles changes by a tenth.
static const double DIAGONAL_PART = 1.5;
// The patch is solved to this relative residual by conjugate gradients with M, the inverse blocks
// of its diagonal.
static const double TOLERANCE = 1e-2;
enum { MAX_ITERATIONS = 100, ARRAYS = 9 };

static void list_arrays(pl_step_patch* p, pl_array* out[ARRAYS]) {
    pl_array* arrays[ARRAYS] = {&p->vertices, &p->places, &p->diagonal, &p->blocks, &p->r,
                                &p->x,        &p->z,      &p->p,        &p->q};
    memcpy(out, arrays, sizeof arrays);
}

pl_status pl_step_patch_setup(pl_step_patch* p, int vertex_count, pl_error* error) {
    pl_array* arrays[ARRAYS];
    *p = (pl_step_patch){.vertex_count = vertex_count};
    list_arrays(p, arrays);
    for (int k = 0; k < ARRAYS; k++) *arrays[k] = pl_array_of(k < 2 ? sizeof(int) : sizeof(double));
    p->place_of = PL_ALLOC(int, vertex_count);
    return p->place_of ? PL_OK : pl_fail_memory(error, "the solver of a step");
}

void pl_step_patch_free(pl_step_patch* p) {
    pl_array* arrays[ARRAYS];
    list_arrays(p, arrays);
    for (int k = 0; k < ARRAYS; k++) pl_array_free(arrays[k]);
    PL_FREE(p->place_of, int, p->vertex_count);
    *p = (pl_step_patch){0};
}

static bool number_vertices(pl_step_patch* p) {
    const pl_meeting_row* rows = p->rows->rows.data;
    const size_t count = p->rows->rows.count;
    p->vertices.count = 0;
    for (int v = 0; v < p->vertex_count; v++) p->place_of[v] = -1;
    if (!pl_step_meeting_resize(&p->places, 4 * count)) return false;
    int* places = p->places.data;
    for (size_t k = 0; k < 4 * count; k++) {
        const int v = rows[k / 4].v[k % 4];
        if (p->place_of[v] < 0) {
            p->place_of[v] = (int)p->vertices.count;
            if (!pl_array_push(&p->vertices, &v)) return false;
        }
        places[k] = p->place_of[v];
    }
    return true;
}

// Reads the diagonal by unit vectors: force_square is |D x|^2. Zero where nothing can move.
static void find_diagonal(pl_step_patch* p, const pl_newton_solver* solver, double* unit) {
    const int* vertices = p->vertices.data;
    double* diagonal = p->diagonal.data;
    memset(unit, 0, 3 * (size_t)p->vertex_count * sizeof(double));
    for (size_t i = 0; i < 3 * p->vertices.count; i++) {
        const int v = vertices[i / 3];
        double* at = unit + 3 * (size_t)v + i % 3;
        *at = 1.0;
        const double square = solver->functions->force_square(solver->data, v, v + 1, unit);
        *at = 0.0;
        diagonal[i] = p->rows->f->fixed[v] ? 0.0 : DIAGONAL_PART * sqrt(square);
    }
}

static void find_blocks(pl_step_patch* p) {
    const pl_meeting_row* rows = p->rows->rows.data;
    const int* places = p->places.data;
    const double* diagonal = p->diagonal.data;
    double* blocks = p->blocks.data;
    memset(blocks, 0, 9 * p->vertices.count * sizeof(double));
    for (size_t i = 0; i < 3 * p->vertices.count; i++)
        blocks[9 * (i / 3) + 4 * (i % 3)] = diagonal[i] > 0.0 ? diagonal[i] : 1.0;
    for (size_t k = 0; k < 4 * p->rows->rows.count; k++) {
        const double* r = rows[k / 4].r + 3 * (k % 4);
        double* block = blocks + 9 * (size_t)places[k];
        for (int c = 0; c < 9; c++) block[c] += r[c / 3] * r[c % 3];
    }
    for (size_t i = 0; i < p->vertices.count; i++) {
        pl_mat3 block;
        memcpy(block.m, blocks + 9 * i, sizeof block.m);
        pl_mat3 inverse = pl_mat3_identity();
        pl_mat3_inverse(block, &inverse);
        memcpy(blocks + 9 * i, inverse.m, sizeof inverse.m);
    }
}

bool pl_step_patch_update(pl_step_patch* p, const pl_step_meeting* meeting,
                          const pl_newton_solver* solver, double* work) {
    p->rows = meeting;
    if (!number_vertices(p)) return false;
    pl_array* arrays[ARRAYS];
    list_arrays(p, arrays);
    const size_t count = 3 * p->vertices.count;
    for (int k = 2; k < ARRAYS; k++)
        if (!pl_step_meeting_resize(arrays[k], arrays[k] == &p->blocks ? 3 * count : count))
            return false;
    find_diagonal(p, solver, work);
    find_blocks(p);
    return true;
}

// y = (sum of r r' + D) x
static void apply(void* user, const void* vector, void* out) {
    const pl_step_patch* p = user;
    const pl_meeting_row* rows = p->rows->rows.data;
    const int* places = p->places.data;
    const double *diagonal = p->diagonal.data, *x = vector;
    double* y = out;
    for (size_t i = 0; i < 3 * p->vertices.count; i++) y[i] = diagonal[i] * x[i];
    for (size_t k = 0; k < p->rows->rows.count; k++) {
        double along = 0.0;
        for (size_t i = 0; i < 12; i++)
            along += rows[k].r[i] * x[3 * (size_t)places[4 * k + i / 3] + i % 3];
        for (size_t i = 0; i < 12; i++)
            y[3 * (size_t)places[4 * k + i / 3] + i % 3] += along * rows[k].r[i];
    }
}

// z = M r
static void precondition(void* user, const void* vector, void* out) {
    const pl_step_patch* p = user;
    const double *blocks = p->blocks.data, *r = vector;
    double* z = out;
    for (size_t i = 0; i < 3 * p->vertices.count; i++) {
        const double *row = blocks + 3 * i, *at = r + 3 * (i / 3);
        z[i] = row[0] * at[0] + row[1] * at[1] + row[2] * at[2];
    }
}

// x = S r; r becomes the residual
static void solve(pl_step_patch* p) {
    static const pl_krylov_operations operations = {.apply = apply, .precondition = precondition};
    const pl_linear_options options = {.tolerance = TOLERANCE, .max_iterations = MAX_ITERATIONS};
    const int count = 3 * (int)p->vertices.count;
    pl_krylov k = {.operations = &operations,
                   .user = p,
                   .count = count,
                   .x = p->x.data,
                   .r = p->r.data,
                   .z = p->z.data,
                   .p = p->p.data,
                   .q = p->q.data,
                   .scale = pl_vector_norm(NULL, count, p->r.data)};
    pl_linear_info info = {.residual = 1.0};
    memset(k.x, 0, (size_t)count * sizeof(double));
    if (k.scale > 0.0) pl_krylov_cg(&k, &options, &info);
}

void pl_step_patch_add(pl_step_patch* p, const double* r, double* z) {
    const int* vertices = p->vertices.data;
    const double* diagonal = p->diagonal.data;
    double *own = p->r.data, *x = p->x.data;
    for (size_t i = 0; i < 3 * p->vertices.count; i++)
        own[i] = diagonal[i] > 0.0 ? r[3 * (size_t)vertices[i / 3] + i % 3] : 0.0;
    solve(p);
    for (size_t i = 0; i < 3 * p->vertices.count; i++)
        z[3 * (size_t)vertices[i / 3] + i % 3] += x[i];
}
