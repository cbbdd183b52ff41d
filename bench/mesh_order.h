// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Renumbers whole meshes for locality (mesh/reorder.h).
#ifndef BENCH_MESH_ORDER_H
#define BENCH_MESH_ORDER_H

#include "mesh/reorder.h"

typedef struct bench_mesh_order {
    pl_ordering vertices;
    pl_ordering tets;
    pl_ordering triangles;
} bench_mesh_order;

void bench_mesh_order_free(bench_mesh_order* order);

// A renumbered copy of the mesh: vertices by reverse Cuthill-McKee over the edges of tets
// (triangles if there are no tets), elements by their vertices. Regions, fields and texture
// coordinates follow. *out and *order are empty after a failure.
pl_status bench_mesh_reorder(const pl_mesh* mesh, pl_mesh** out, bench_mesh_order* order,
                             pl_error* error);

#endif
