// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "fem/fem_float.h"
#include "base/memory.h"
#include "fem/cloth_batches.h"
#include "fem/cloth_elements.h"
#include "fem/tet_batches.h"
#include "fem/tet_elements.h"
#include "geometry/box.h"

#include <string.h>

enum {
    MAX_TETS = PL_MAX_ELEMENT_SETS * PL_MATERIAL_COUNT,
    MAX_CLOTH = PL_MAX_ELEMENT_SETS * PL_MEMBRANE_COUNT
};

struct pl_float_sets {
    int vertex_count;
    const pl_block_matrix* A; // its pattern
    pl_tet_batches tets[MAX_TETS];
    int tet_set_count;
    pl_cloth_batches cloth[MAX_CLOTH];
    int cloth_count;
    float* x; // float4 per vertex
};

void pl_float_sets_destroy(pl_float_sets* s) {
    if (!s) return;
    for (int k = 0; k < s->tet_set_count; k++) pl_tet_batches_free(&s->tets[k]);
    for (int k = 0; k < s->cloth_count; k++) pl_cloth_batches_free(&s->cloth[k]);
    PL_FREE(s->x, float, 4 * (size_t)s->vertex_count);
    PL_FREE(s, pl_float_sets, 1);
}

static bool has_law(const pl_material* materials, int count, pl_material_kind kind) {
    for (int e = 0; e < count; e++)
        if (materials[e].kind == kind) return true;
    return false;
}

static pl_status add_tets(pl_float_sets* s, const pl_element_set* set, const double* rest,
                          pl_pool* pool, pl_error* error) {
    const pl_material* materials = pl_tet_element_materials(set);
    pl_status status = PL_OK;
    for (int kind = 0; status == PL_OK && kind < PL_MATERIAL_COUNT; kind++) {
        if (!has_law(materials, set->count, (pl_material_kind)kind)) continue;
        pl_tet_batches* tets = &s->tets[s->tet_set_count];
        status = pl_tet_batches_setup(tets, (pl_material_kind)kind, rest, s->vertex_count,
                                      set->corners, set->count, materials, error);
        if (status != PL_OK) return status;
        s->tet_set_count++;
        status = pl_tet_batches_locate(tets, pool, s->A, error);
    }
    return status;
}

static pl_status add_cloth(pl_float_sets* s, const pl_element_set* set, pl_error* error) {
    pl_status status = PL_OK;
    int law_count = set->kind == &pl_membrane_elements ? PL_MEMBRANE_COUNT : 1;
    for (int law = 0; status == PL_OK && law < law_count; law++) {
        status = pl_cloth_batches_setup(&s->cloth[s->cloth_count], set, (pl_membrane_kind)law,
                                        s->vertex_count, s->A, error);
        if (status == PL_OK) s->cloth_count++;
    }
    return status;
}

pl_status pl_float_sets_create(const pl_element_set* sets, int set_count, const double* rest,
                               int vertex_count, const pl_block_matrix* A, pl_pool* pool,
                               pl_float_sets** out, pl_error* error) {
    *out = NULL;
    pl_float_sets* s = PL_ALLOC(pl_float_sets, 1);
    if (!s) return pl_fail_memory(error, "elements in float");
    s->vertex_count = vertex_count;
    s->A = A;
    s->x = PL_ALLOC(float, 4 * (size_t)vertex_count);
    pl_status status = s->x ? PL_OK : pl_fail_memory(error, "elements in float");
    for (int k = 0; status == PL_OK && k < set_count; k++)
        status = sets[k].kind == &pl_tet_elements ? add_tets(s, &sets[k], rest, pool, error)
                                                  : add_cloth(s, &sets[k], error);
    if (status == PL_OK) *out = s;
    else pl_float_sets_destroy(s);
    return status;
}

// positions as seen from the middle of them all, where float is finest
static void narrow_positions(pl_float_sets* s, pl_pool* pool, const double* x) {
    pl_box box = pl_box_empty();
    for (int v = 0; v < s->vertex_count; v++)
        box = pl_box_add_point(box, pl_vec3_load(x + 3 * (size_t)v));
    double origin[3];
    pl_vec3_store(origin, pl_scale(0.5, pl_add(box.low, box.high)));
    pl_float4_from_points(pool, x, s->vertex_count, origin, s->x);
}

static void add_isotropic(float* block, double s) {
    for (int c = 0; c < 9; c += 4) block[c] += (float)s;
}

static void add_masses(const pl_fem_objective* f, const pl_block_matrix* A, float* blocks) {
    double weight = pl_fem_mass_weight(f);
    int count = f->mass_matrix ? pl_block_matrix_entry_count(A) : f->vertex_count;
    for (int k = 0; k < count; k++) {
        int entry = f->mass_matrix ? k : A->diagonal[k];
        double mass = f->mass_matrix ? f->mass_matrix->values[k] : f->mass[k];
        add_isotropic(blocks + 9 * (size_t)entry, weight * mass);
    }
}

static void add_damping(const pl_fem_objective* f, const pl_block_matrix* A, float* blocks) {
    if (!(f->velocity_time > 0.0 && f->damping_stiffness > 0.0)) return;
    double scale = f->damping_stiffness / f->velocity_time;
    size_t count = 9 * (size_t)pl_block_matrix_entry_count(A);
    for (size_t i = 0; i < count; i++) blocks[i] += (float)(scale * f->damping_matrix->values[i]);
}

static void eliminate_fixed(const pl_fem_objective* f, const pl_block_matrix* A, float* blocks) {
    for (int v = 0; v < A->row_count; v++) {
        for (int e = A->offsets[v]; e < A->offsets[v + 1]; e++)
            if (f->fixed[v] || f->fixed[A->columns[e]])
                memset(blocks + 9 * (size_t)e, 0, 9 * sizeof(float));
        if (f->fixed[v]) add_isotropic(blocks + 9 * (size_t)A->diagonal[v], 1.0);
    }
}

void pl_fem_hessian_float(const pl_fem_objective* f, pl_float_sets* s, const double* x,
                          float* blocks) {
    const pl_block_matrix* A = s->A;
    memset(blocks, 0, 9 * (size_t)pl_block_matrix_entry_count(A) * sizeof(float));
    narrow_positions(s, f->pool, x);
    for (int k = 0; k < s->tet_set_count; k++)
        pl_tet_batches_hessian(&s->tets[k], f->pool, s->x, 1.0f, blocks);
    for (int k = 0; k < s->cloth_count; k++)
        pl_cloth_batches_hessian(&s->cloth[k], f->pool, s->x, blocks);
    add_masses(f, A, blocks);
    add_damping(f, A, blocks);
    for (int k = 0; k < f->pin_count; k++)
        if (!f->pins[k].hard)
            add_isotropic(blocks + 9 * (size_t)A->diagonal[f->pins[k].vertex],
                          f->pins[k].stiffness);
    for (int k = 0; k < f->contact_count; k++) {
        double block[9];
        float* to = blocks + 9 * (size_t)A->diagonal[f->contacts[k].vertex];
        pl_fem_contact_block(f, k, x, block);
        for (int i = 0; i < 9; i++) to[i] += (float)block[i];
    }
    eliminate_fixed(f, A, blocks);
}
