// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// How far the vertices of a system move when forces push them during a step. Only a step itself
// gives the exact answer, so this is a model, x = H q, that learns from trial steps. q is force
// times the time step squared [kg m].
#ifndef PL_CONTACT_PUSH_RESPONSE_H
#define PL_CONTACT_PUSH_RESPONSE_H

#include "math/mat3.h"

#include <stdbool.h>

enum { PL_PUSH_ROUNDS = 12, PL_PUSH_COLUMNS = 2 * PL_PUSH_ROUNDS };

// A rigid body of a system. Its part of H has rank six and is known exactly: the sum of c c' over
// the six columns c of pl_push_rigid_column.
typedef struct pl_push_rigid {
    int first;            // first vertex in the system; the body ends where the next one starts
    const double* places; // positions of all vertices of the system, 3 each
    pl_vec3 centre;       // of mass
    double root;          // 1 / sqrt(mass); 0: does not move
    pl_mat3 turn_root;    // square root of the inverse of its inertia
} pl_push_rigid;
enum { PL_PUSH_RIGID_COLUMNS = 6 };

typedef struct pl_push_response {
    int vertex_count;
    const pl_push_rigid* rigid; // bodies of a system of rigid bodies; NULL: the bodies are not
                                // rigid
    int rigid_count;
    int first_rigid;            // number of its first rigid body over all systems
    const double* inverse_mass; // per vertex [1/kg]; 0: does not move
    double scale;               // factor of the inverse masses
    int column_count;
    double* columns; // 3 per vertex each; NULL before the first correction
    double scales[PL_PUSH_COLUMNS];
} pl_push_response;

void pl_push_response_free(pl_push_response* response);

// The rigid body that has a vertex.
int pl_push_rigid_of(const pl_push_response* response, int vertex);
// Column k of a rigid body at a vertex.
pl_vec3 pl_push_rigid_column(const pl_push_response* response, int body, int vertex, int k);

// Discards all corrections: H is the inverse of the masses, plus the columns of rigid bodies.
void pl_push_response_begin(pl_push_response* response, const double* inverse_mass);

// x = H q, 3 per vertex each.
void pl_push_response_apply(const pl_push_response* response, const double* q, double* x);

// Adds a trial step to the model: a change q of the pushes moved the vertices by x. H stays
// positive definite; contradicting data are ignored. Returns false if allocation fails.
bool pl_push_response_learn(pl_push_response* response, const double* q, const double* x);

static inline const double* pl_push_column(const pl_push_response* r, int column) {
    return r->columns + 3 * (long)r->vertex_count * column;
}

#endif
