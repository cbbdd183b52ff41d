// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// How large the cells of a body are, and how much of them it fills.
#ifndef PL_GRID_BODY_SIZE_H
#define PL_GRID_BODY_SIZE_H

#include "grid/grid_body_type.h"
#include "mesh/surface_edges.h"

// Default cell edge, from an estimate of the body's volume; shorter where walls are thin. The
// number of cells is bounded, because the time of a frame is proportional to it.
pl_status pl_grid_choose_cell(pl_grid_body* body, const pl_method_body* def, const pl_mesh* surface,
                              const pl_surface_edges* edges, pl_error* error);

// Volume, filling and density of a body whose cells are known; an error if it encloses nothing.
pl_status pl_grid_measure(pl_grid_body* body, const pl_method_body* def, const pl_mesh* surface,
                          const pl_surface_edges* edges, pl_error* error);

#endif
