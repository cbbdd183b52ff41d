// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What the files of a coarse level share.
#ifndef PL_MULTIGRID_SCALAR_GALERKIN_H
#define PL_MULTIGRID_SCALAR_GALERKIN_H

#include "multigrid/scalar_coarse.h"

// Vectors, order and halves of a level whose blocks are known.
pl_status pl_scalar_coarse_setup_rows(pl_scalar_coarse* c, bool coarsest, pl_error* error);
// The halves from the blocks.
void pl_scalar_coarse_copy_rows(pl_scalar_coarse* c, pl_pool* pool);
// Nodes and all those they share a block with.
pl_status pl_scalar_coarse_graph(const pl_scalar_coarse* c, pl_adjacency* graph, pl_error* error);
void pl_scalar_galerkin_free(pl_scalar_coarse* c);

#endif
