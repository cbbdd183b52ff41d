// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// How far the vertices of a system give way when forces push them during a step. What a step does
// is known only by doing it, so this is a model, x = H q, that learns from the steps that were
// tried. q is a force times the time step squared [kg m].
#ifndef PL_CONTACT_PUSH_RESPONSE_H
#define PL_CONTACT_PUSH_RESPONSE_H

#include <stdbool.h>

enum { PL_PUSH_ROUNDS = 12, PL_PUSH_COLUMNS = 2 * PL_PUSH_ROUNDS };

typedef struct pl_push_response {
    int vertex_count;
    const double* inverse_mass; // per vertex [1/kg]; 0: does not give way
    double scale;               // of the inverse masses
    int column_count;
    double* columns; // 3 per vertex each; NULL before the first
    double scales[PL_PUSH_COLUMNS];
} pl_push_response;

void pl_push_response_free(pl_push_response* response);

// Forgets all that was learned: H is the inverse of the masses.
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
