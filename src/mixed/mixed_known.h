// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Sums over mixed tets at the last positions that were asked for. A step asks several times for
// those of one x, for energies, forces and what is reported, and comparing positions costs far less
// than sums over tets.
#ifndef PL_MIXED_KNOWN_H
#define PL_MIXED_KNOWN_H

#include "base/fail.h"

#include <stdbool.h>

typedef struct pl_mixed_known {
    int vertex_count;
    double* x;        // 3 per vertex
    double energy;    // of the distortion
    double* gradient; // of that, 3 per vertex
    double* phi;      // per vertex
    double* p;        // per vertex, and its forces G' p, 3 per vertex
    double* forces;
    bool has_energy, has_gradient, has_phi, has_forces;
} pl_mixed_known;

pl_status pl_mixed_known_setup(pl_mixed_known* k, int vertex_count, pl_error* error);
void pl_mixed_known_free(pl_mixed_known* k);
// Nothing is known any more.
void pl_mixed_known_forget(pl_mixed_known* k);
// What is known is that of x from now on: nothing, unless it was before.
void pl_mixed_known_at(pl_mixed_known* k, const double* x);
// The forces are those of p from now on.
void pl_mixed_known_of(pl_mixed_known* k, const double* p);

#endif
