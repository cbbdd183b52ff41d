// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Multigrid on tets, for comparison with method grid (Zhu 2010, Fig. 10): matrices of our fem on
// nested lattices of Kuhn tets, each cube cut into six along its diagonal, so that the linear
// functions of a lattice are among those of the next finer one.
#ifndef PL_BENCH_S4_TETS_H
#define PL_BENCH_S4_TETS_H

#include "grid/grid_voxels.h"
#include "s4_sparse.h"

#include <pliant/mesh.h>

// n^3 cubes of edge 1 with the region "walls": the vertices at both ends of x.
pl_status s4_kuhn_box(int n, pl_mesh** out, pl_error* error);
// The cells of a lattice that are not exterior. nodes: the vertex of each node of the box, or -1;
// s4_node_count of them.
pl_status s4_kuhn_cells(const pl_grid_cells* cells, const pl_grid_frame* frame, pl_mesh** out,
                        int** nodes, pl_error* error);
size_t s4_node_count(const pl_grid_cells* cells);
int s4_node(const pl_grid_cells* cells, int i, int j, int k);
// n, n/2, ... down to 4 cubes; walls are held.
pl_status s4_tet_hierarchy(int n, double poisson, s4_hierarchy* out, pl_error* error);

#endif
