// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The connected pieces of a lattice; cells are connected through faces. In equilibrium, each loaded
// piece must be held.
#ifndef PL_GRID_PIECES_H
#define PL_GRID_PIECES_H

#include "grid/grid_embedding.h"

typedef struct pl_grid_piece {
    int cell_count;
    int cell[3];     // its first cell
    bool held;       // set by pl_grid_pieces_hold
    double force[4]; // sum of the forces, and of their magnitudes [N]
} pl_grid_piece;

typedef struct pl_grid_pieces {
    pl_grid_piece* pieces;
    int count;
    int* of_vertex; // the piece of each vertex
    int vertex_count;
    int* of_cell; // per index of the level; NULL if there is only one piece
    int cell_room;
} pl_grid_pieces;

// anchors: 3 per vertex, each near a cell in use.
pl_status pl_grid_pieces_create(const pl_grid_level* level, const pl_grid_cells* cells,
                                const pl_grid_frame* frame, const double* anchors, int vertex_count,
                                pl_grid_pieces* out, pl_error* error);
void pl_grid_pieces_free(pl_grid_pieces* pieces);

// Call before a step: clears holds and forces.
void pl_grid_pieces_reset(pl_grid_pieces* pieces);
void pl_grid_pieces_hold(pl_grid_pieces* pieces, int vertex);
void pl_grid_pieces_push(pl_grid_pieces* pieces, int piece, const double force[3]);
// The first piece that is loaded and not held, or -1.
int pl_grid_pieces_find_loose(const pl_grid_pieces* pieces);

#endif
