// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The data shared by the cycle of Projective Dynamics (scalar_multigrid.c) and the solvers that use
// it (scalar_solve.c).
#ifndef PL_MULTIGRID_SCALAR_MG_DATA_H
#define PL_MULTIGRID_SCALAR_MG_DATA_H

#include "multigrid/scalar_bottom.h"
#include "multigrid/scalar_fine.h"
#include "multigrid/scalar_product.h"
#include "sparse/linear_fallback.h"

typedef struct pl_scalar_mg pl_scalar_mg;

enum { PL_SCALAR_MG_VECTORS = 4 };

struct pl_scalar_mg {
    const pl_block_matrix* A;
    int row_count;
    pl_pool* pool;
    struct pl_scalar_sampling* sampling; // NULL unless nodes are being sampled in the background
    bool jacobi;
    int half_sweeps[PL_MG_MAX_LEVELS]; // before and after the coarse correction; Jacobi: full
                                       // sweeps
    bool last_forward[PL_MG_MAX_LEVELS];
    pl_mg_hierarchy hierarchy;
    pl_scalar_fine fine;
    pl_block_level levels[PL_MG_MAX_LEVELS]; // from 1 on
    pl_level_springs level_springs[PL_MG_MAX_LEVELS];
    pl_scalar_product first_product;             // from the vertices to level 1
    pl_block_product products[PL_MG_MAX_LEVELS]; // products[l]: from level l - 1 to l, from 2 on
    pl_scalar_bottom bottom;

    pl_mg_spring* springs;
    int spring_count, spring_capacity;
    bool springs_failed; // an error left some coarse levels without them
    int* spring_nodes;   // work: nodes of the springs on the current level
    double* spring_points;

    int stamp; // changes with values and springs

    // the direct solver, used once cycles have failed
    pl_linear_fallback fallback;
    pl_block_matrix factored; // the structure of A, with its own values
    int factored_stamp;
    double *direct_b, *direct_x; // 3 per row

    // work of the solvers. float: x, p, A p, a copy of b; double: r, z, p, A p
    float* vectors[PL_SCALAR_MG_VECTORS];       // float4 per place
    double* long_vectors[PL_SCALAR_MG_VECTORS]; // 3 per row
};

#endif
