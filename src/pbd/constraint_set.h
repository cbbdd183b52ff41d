// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Constraints between particles as plain lists, one list for each kind: what is built, looked at
// and changed. sweeper.h makes the form that is fast to project of them.
#ifndef PL_PBD_CONSTRAINT_SET_H
#define PL_PBD_CONSTRAINT_SET_H

#include "base/fail.h"
#include "material/material_kind.h"

#include <stdbool.h>

typedef enum pl_constraint_kind {
    PL_CONSTRAINT_DISTANCE, // |a - b| = rest
    PL_CONSTRAINT_LIMIT,    // |a - b| <= rest
    PL_CONSTRAINT_HINGE,    // angle of the triangles a b c and b a d about their edge a b = rest
    PL_CONSTRAINT_VOLUME,   // volume of the tet a b c d over that at rest = 1
    PL_CONSTRAINT_STRAIN,   // the six strains of the tet a b c d = 0
    PL_CONSTRAINT_TET,      // elastic energy of the tet a b c d
    PL_CONSTRAINT_KINDS
} pl_constraint_kind;

enum { PL_MAX_CORNERS = 4 };

typedef struct pl_constraint_traits {
    int corners;
    int values;      // numbers that each keeps
    int multipliers; // scalar constraints that each holds
} pl_constraint_traits;

// values: rest length; rest length; rest angle; 1 / (6 rest volume); inverse of the rest edges (9
// numbers, row-major); the same, then rest volume, mu and lambda.
extern const pl_constraint_traits pl_constraint_traits_of[PL_CONSTRAINT_KINDS];

typedef struct pl_constraint_set {
    pl_constraint_kind kind;
    int count;
    int capacity;
    int* vertices;        // corners each
    float* values;        // as many as the kind keeps
    float* compliance;    // of each scalar constraint [its unit^2 / J], or NULL: none has any
    pl_material_kind law; // of tets
    float stiffness;      // the part of its error that each loses in a sweep; not with compliance
} pl_constraint_set;

// Room for `capacity` constraints, none there yet.
pl_status pl_constraint_set_create(pl_constraint_kind kind, int capacity, bool compliant,
                                   pl_constraint_set* out, pl_error* error);
void pl_constraint_set_free(pl_constraint_set* set);

// Adds one, for which there is room; compliance NULL: none.
void pl_constraint_set_add(pl_constraint_set* set, const int* vertices, const float* values,
                           const float* compliance);

#endif
