// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Caches sums over mixed tets at the last positions used. A step asks for them several times at one
// x: for energies, forces and outputs. Comparing positions costs far less than summing over tets.
#ifndef PL_MIXED_KNOWN_H
#define PL_MIXED_KNOWN_H

#include "base/fail.h"

#include <stdbool.h>

typedef struct pl_mixed_known {
    int vertex_count;
    double* x;        // 3 per vertex
    double energy;    // of the distortion
    double* gradient; // gradient of `energy`, 3 per vertex
    double* phi;      // per vertex
    double* p;        // per vertex; then its forces G' p, 3 per vertex
    double* forces;
    bool has_energy, has_gradient, has_phi, has_forces;
} pl_mixed_known;

pl_status pl_mixed_known_setup(pl_mixed_known* k, int vertex_count, pl_error* error);
void pl_mixed_known_free(pl_mixed_known* k);
// Clears the cache.
void pl_mixed_known_forget(pl_mixed_known* k);
// Makes x the current positions. Clears the cache if they differ from the previous ones.
void pl_mixed_known_at(pl_mixed_known* k, const double* x);
// Makes p the pressures whose forces are cached.
void pl_mixed_known_of(pl_mixed_known* k, const double* p);

#endif
