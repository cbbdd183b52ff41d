// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The tets of an element set as batches (tet_batches.h), one set of batches for each law. Batches
// are sorted by the rows to which they write.
#ifndef PL_ELEMENTS_TET_BATCH_LAWS_H
#define PL_ELEMENTS_TET_BATCH_LAWS_H

#include "elements/tet_batches.h"
#include "elements/tet_lanes.h"

// order becomes the elements sorted by the first of their rows. ranks: the row of each vertex;
// NULL: elements keep their order. False if allocation fails.
bool pl_element_order(const pl_element_set* set, const int* ranks, int vertex_count, int* order);

// All borrowed during the call.
typedef struct pl_tet_batch_source {
    const pl_element_set* set;
    const pl_tet_data* tets;  // its data
    const int* order;         // of pl_element_order
    const double* rest;       // 3 per vertex
    const pl_block_matrix* A; // the matrix pattern in which batches are located
} pl_tet_batch_source;

// Appends batches at out[0 ..], which has room for all laws, and adds their number to *count. If it
// fails, the caller must free those counted.
pl_status pl_tet_batches_of_laws(const pl_tet_batch_source* source, pl_pool* pool,
                                 pl_tet_batches* out, int* count, pl_error* error);
// Call when the materials of the tets have changed, but not their laws.
void pl_tet_batches_refresh(pl_tet_batches* batches, const pl_tet_data* tets, const int* order);

#endif
