// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Moves the fields of a body when the layout of its lattice changes, as it does when cells outside
// the body become Dirichlet cells. Saved data always uses the first layout.
#ifndef PL_GRID_RELAYOUT_H
#define PL_GRID_RELAYOUT_H

#include "grid/grid_body.h"

// Records the layout of a newly created body as its first.
pl_status pl_grid_note_layout(pl_grid_body* body, pl_error* error);
// Moves all fields to another layout, which must include the cells of the first. Leaves the body
// unchanged on failure.
pl_status pl_grid_relayout(pl_grid_body* body, const pl_grid_level* to, pl_error* error);
// Copies between a field (items of `size` bytes) and its values in the first layout.
void pl_grid_save_field(const pl_grid_body* body, const void* field, size_t item, char* to);
void pl_grid_load_field(const pl_grid_body* body, const char* from, size_t item, void* field);

#endif
