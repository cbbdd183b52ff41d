// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mixed/mixed_known.h"
#include "base/memory.h"

#include <string.h>

pl_status pl_mixed_known_setup(pl_mixed_known* k, int vertex_count, pl_error* error) {
    const size_t n = (size_t)vertex_count;
    *k = (pl_mixed_known){.vertex_count = vertex_count,
                          .x = PL_ALLOC(double, 3 * n),
                          .gradient = PL_ALLOC(double, 3 * n),
                          .phi = PL_ALLOC(double, n),
                          .p = PL_ALLOC(double, n),
                          .forces = PL_ALLOC(double, 3 * n)};
    return k->x && k->gradient && k->phi && k->p && k->forces ? PL_OK
                                                              : pl_fail_memory(error, "mixed tets");
}

void pl_mixed_known_free(pl_mixed_known* k) {
    const size_t n = (size_t)k->vertex_count;
    PL_FREE(k->x, double, 3 * n);
    PL_FREE(k->gradient, double, 3 * n);
    PL_FREE(k->phi, double, n);
    PL_FREE(k->p, double, n);
    PL_FREE(k->forces, double, 3 * n);
}

void pl_mixed_known_forget(pl_mixed_known* k) {
    k->has_energy = k->has_gradient = k->has_phi = k->has_forces = false;
}

void pl_mixed_known_at(pl_mixed_known* k, const double* x) {
    const size_t size = 3 * (size_t)k->vertex_count * sizeof(double);
    if (memcmp(k->x, x, size) == 0) return;
    memcpy(k->x, x, size);
    pl_mixed_known_forget(k);
}

void pl_mixed_known_of(pl_mixed_known* k, const double* p) {
    const size_t size = (size_t)k->vertex_count * sizeof(double);
    if (memcmp(k->p, p, size) == 0) return;
    memcpy(k->p, p, size);
    k->has_forces = false;
}
