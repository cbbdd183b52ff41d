// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Constraints between particles as plain lists, one per kind, easy to build, inspect and change.
// sweeper.h converts them to a form that is fast to project.
#ifndef PL_PBD_CONSTRAINT_SET_H
#define PL_PBD_CONSTRAINT_SET_H

#include "base/fail.h"
#include "material/material_kind.h"

#include <stdbool.h>

typedef enum pl_constraint_kind {
    PL_CONSTRAINT_DISTANCE, // |a - b| = rest
    PL_CONSTRAINT_LIMIT,    // |a - b| <= rest
    PL_CONSTRAINT_HINGE,    // angle between triangles a b c and b a d at their edge a b = rest
    PL_CONSTRAINT_VOLUME,   // volume of tet a b c d / its rest volume = 1
    PL_CONSTRAINT_STRAIN,   // the six strains of tet a b c d = 0
    PL_CONSTRAINT_TET,      // elastic energy of tet a b c d
    PL_CONSTRAINT_KINDS
} pl_constraint_kind;

enum { PL_MAX_CORNERS = 4 };

typedef struct pl_constraint_traits {
    int corners;
    int values;      // values stored per constraint
    int multipliers; // scalar constraints per constraint
} pl_constraint_traits;

// values of each kind, in the order of the enum:
//   rest length; rest length; rest angle; 1 / (6 rest volume); inverse of the rest edges (9
//   numbers, row-major); the same, followed by rest volume, mu and lambda
extern const pl_constraint_traits pl_constraint_traits_of[PL_CONSTRAINT_KINDS];

typedef struct pl_constraint_set {
    pl_constraint_kind kind;
    int count;
    int capacity;
    int* vertices;        // corners of each constraint
    float* values;        // as many per constraint as the kind has
    float* compliance;    // per scalar constraint [its unit^2 / J]; NULL: all zero
    pl_material_kind law; // of elastic tets
    float stiffness;      // fraction of its error that a sweep removes; unused with compliance
} pl_constraint_set;

// Reserves memory for `capacity` constraints; the set is empty.
pl_status pl_constraint_set_create(pl_constraint_kind kind, int capacity, bool compliant,
                                   pl_constraint_set* out, pl_error* error);
void pl_constraint_set_free(pl_constraint_set* set);

// Adds a constraint; the capacity must suffice. compliance: NULL for none.
void pl_constraint_set_add(pl_constraint_set* set, const int* vertices, const float* values,
                           const float* compliance);

#endif
