// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// How far the vertices of a system give way when forces push them during a step. What a step does
// is known only by doing it, so this is a model, x = H q, that learns from the steps that were
// tried. q is a force times the time step squared [kg m].
#ifndef PL_CONTACT_PUSH_RESPONSE_H
#define PL_CONTACT_PUSH_RESPONSE_H

#include "math/mat3.h"

#include <stdbool.h>

enum { PL_PUSH_ROUNDS = 12, PL_PUSH_COLUMNS = 2 * PL_PUSH_ROUNDS };

// A body of a system that does not bend. Its part of H has rank six, and is known: with the six
// columns c of pl_push_rigid_column it is the sum of c c'.
typedef struct pl_push_rigid {
    int first;            // vertex of the system; the body ends where the next one begins
    const double* places; // of all vertices of the system, 3 each
    pl_vec3 centre;       // of mass
    double root;          // 1 / sqrt(mass); 0: does not give way
    pl_mat3 turn_root;    // of the inverse of its inertia
} pl_push_rigid;
enum { PL_PUSH_RIGID_COLUMNS = 6 };

typedef struct pl_push_response {
    int vertex_count;
    const pl_push_rigid* rigid; // the bodies of a system whose bodies do not bend; NULL: they do
    int rigid_count;
    int first_rigid;            // counted over all systems
    const double* inverse_mass; // per vertex [1/kg]; 0: does not give way
    double scale;               // of the inverse masses
    int column_count;
    double* columns; // 3 per vertex each; NULL before the first
    double scales[PL_PUSH_COLUMNS];
} pl_push_response;

void pl_push_response_free(pl_push_response* response);

// The body of a vertex, by its number among the rigid ones.
int pl_push_rigid_of(const pl_push_response* response, int vertex);
// What column k of a rigid body has at a vertex.
pl_vec3 pl_push_rigid_column(const pl_push_response* response, int body, int vertex, int k);

// Forgets all that was learned: H is the inverse of the masses, and that of rigid bodies.
void pl_push_response_begin(pl_push_response* response, const double* inverse_mass);

// x = H q, 3 per vertex each.
void pl_push_response_apply(const pl_push_response* response, const double* q, double* x);

// Takes over that a change q of the pushes moved the vertices by x. H stays positive definite;
// what contradicts that is passed over. False if memory is out.
bool pl_push_response_learn(pl_push_response* response, const double* q, const double* x);

static inline const double* pl_push_column(const pl_push_response* r, int column) {
    return r->columns + 3 * (long)r->vertex_count * column;
}

#endif
