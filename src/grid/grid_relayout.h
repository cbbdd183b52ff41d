// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The fields of a body when the layout of its lattice changes, as it does where cells outside of
// the body are held. What is saved of a body has its first layout, whatever is held.
#ifndef PL_GRID_RELAYOUT_H
#define PL_GRID_RELAYOUT_H

#include "grid/grid_body.h"

// Notes the layout of a body that has just been made.
pl_status pl_grid_note_layout(pl_grid_body* body, pl_error* error);
// Moves all fields to another layout, which has the first one's cells too. The body is as it was if
// that fails.
pl_status pl_grid_relayout(pl_grid_body* body, const pl_grid_level* to, pl_error* error);
// Between a field (items of a size) and its values in the first layout.
void pl_grid_save_field(const pl_grid_body* body, const void* field, size_t item, char* to);
void pl_grid_load_field(const pl_grid_body* body, const char* from, size_t item, void* field);

#endif
