// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "pbd/constraint_set.h"
#include "base/memory.h"

#include <string.h>

const pl_constraint_traits pl_constraint_traits_of[PL_CONSTRAINT_KINDS] = {
    [PL_CONSTRAINT_DISTANCE] = {2, 1, 1}, [PL_CONSTRAINT_LIMIT] = {2, 1, 1},
    [PL_CONSTRAINT_HINGE] = {4, 1, 1},    [PL_CONSTRAINT_VOLUME] = {4, 1, 1},
    [PL_CONSTRAINT_STRAIN] = {4, 9, 6},   [PL_CONSTRAINT_TET] = {4, 12, 9},
};

void pl_constraint_set_free(pl_constraint_set* set) {
    const pl_constraint_traits* t = &pl_constraint_traits_of[set->kind];
    size_t room = (size_t)set->capacity;
    PL_FREE(set->vertices, int, room*(size_t)t->corners);
    PL_FREE(set->values, float, room*(size_t)t->values);
    PL_FREE(set->compliance, float, room*(size_t)t->multipliers);
    *set = (pl_constraint_set){.kind = set->kind};
}

pl_status pl_constraint_set_create(pl_constraint_kind kind, int capacity, bool compliant,
                                   pl_constraint_set* out, pl_error* error) {
    const pl_constraint_traits* t = &pl_constraint_traits_of[kind];
    size_t room = (size_t)capacity;
    *out = (pl_constraint_set){.kind = kind, .capacity = capacity, .stiffness = 1.0f};
    if (capacity == 0) return PL_OK;
    out->vertices = PL_ALLOC(int, room*(size_t)t->corners);
    out->values = PL_ALLOC(float, room*(size_t)t->values);
    if (compliant) out->compliance = PL_ALLOC(float, room*(size_t)t->multipliers);
    if (out->vertices && out->values && (!compliant || out->compliance)) return PL_OK;
    pl_constraint_set_free(out);
    return pl_fail_memory(error, "constraints");
}

void pl_constraint_set_add(pl_constraint_set* set, const int* vertices, const float* values,
                           const float* compliance) {
    const pl_constraint_traits* t = &pl_constraint_traits_of[set->kind];
    PL_ASSERT(set->count < set->capacity);
    size_t k = (size_t)set->count++;
    memcpy(set->vertices + k * (size_t)t->corners, vertices, (size_t)t->corners * sizeof(int));
    memcpy(set->values + k * (size_t)t->values, values, (size_t)t->values * sizeof(float));
    if (set->compliance && compliance)
        memcpy(set->compliance + k * (size_t)t->multipliers, compliance,
               (size_t)t->multipliers * sizeof(float));
}
