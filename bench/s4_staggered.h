// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Linear elasticity on the staggered lattice without pressures (Zhu 2010, Eq. 3 and 12), as sparse
// matrices written down from the cells alone, and multigrid on them: what the paper compares the
// augmented system with. Units where mu and the edge of a cell are 1.
#ifndef PL_BENCH_S4_STAGGERED_H
#define PL_BENCH_S4_STAGGERED_H

#include "grid/grid_cells.h"
#include "s4_sparse.h"

// The unknowns of a lattice: faces between two interior cells.
typedef struct s4_faces {
    const pl_grid_cells* cells;
    int count;
    int* unknown[3]; // per cell of the box: of its low face, or -1
} s4_faces;

pl_status s4_faces_create(const pl_grid_cells* cells, s4_faces* out, pl_error* error);
void s4_faces_free(s4_faces* faces);
int s4_face(const s4_faces* faces, int a, int i, int j, int k);

// K = -L; compressibility mu / lambda. level: 0 for the finest; on coarser ones components along a
// Dirichlet boundary count their distance to where the finest level holds them.
pl_status s4_staggered_matrix(const s4_faces* faces, double compressibility, int level,
                              s4_sparse* out, pl_error* error);
// All levels of a lattice with the paper's transfers.
pl_status s4_staggered_hierarchy(const pl_grid_cells* cells, double compressibility,
                                 s4_hierarchy* out, pl_error* error);

#endif
