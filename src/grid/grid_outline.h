// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The outer edges of a body's lattice, for pictures.
#ifndef PL_GRID_OUTLINE_H
#define PL_GRID_OUTLINE_H

#include "base/array.h"
#include "grid/grid_body.h"

// Appends the current positions of the corners of all outer faces of the lattice (3 doubles each),
// and the edges between them (2 ints each, counted from the first corner appended).
pl_status pl_grid_outline(pl_grid_body* body, pl_array* corners, pl_array* edges, pl_error* error);

#endif
