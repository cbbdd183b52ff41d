// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The data that the cycle of Projective Dynamics and the solvers around it share.
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
    struct pl_scalar_sampling* sampling; // while nodes are found beside the caller, else NULL
    bool jacobi;
    int half_sweeps[PL_MG_MAX_LEVELS]; // on each side; with Jacobi: whole ones
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
    bool springs_failed; // coarse levels do not have them all
    int* spring_nodes;   // work: on the level at hand
    double* spring_points;

    int stamp; // another one after each change of values or springs

    // of the direct solver, once cycles have failed
    pl_linear_fallback fallback;
    pl_block_matrix factored; // the structure of A, and values of its own
    int factored_stamp;
    double *direct_b, *direct_x; // 3 per row

    // of the solvers around the cycle: x, p, A p, a copy of b; r, z, p, A p
    float* vectors[PL_SCALAR_MG_VECTORS];       // float4 per place
    double* long_vectors[PL_SCALAR_MG_VECTORS]; // 3 per row
};

#endif
