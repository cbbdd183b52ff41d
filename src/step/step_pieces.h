// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Connected pieces of a system: sets of vertices that no element joins to one another. Phi is a sum
// of one function per piece, so each piece has its own load, convergence and step length. Where
// terms join pieces, as contact does, islands of joined pieces replace them. A run is a range of
// consecutive items of one piece. Sums are computed run by run, and runs are added in order: the
// same bits for any number of threads.
#ifndef PL_STEP_PIECES_H
#define PL_STEP_PIECES_H

#include "step/element_set.h"

typedef struct pl_piece_run {
    int piece, begin, end; // items [begin, end)
} pl_piece_run;

typedef struct pl_piece_runs {
    pl_piece_run* runs;
    int count;
} pl_piece_runs;

typedef struct pl_step_pieces {
    int count;
    int capacity; // largest possible number of pieces; the number of islands varies
    int vertex_count;
    int set_count;
    int* piece_of; // per vertex; pieces are numbered by their first vertices
    double* size;  // per piece: diagonal of its box at rest [m]
    pl_piece_runs vertices;
    pl_piece_runs* elements; // per set; empty if there is one piece
    double* partials;        // one per run, for the longest list of runs
    int partial_count;
    int *island_of, *roots; // for islands: the island of each piece of the system, and work; else
                            // NULL
} pl_step_pieces;

// neighbours: as for pl_step_system_create. On failure nothing stays allocated.
pl_status pl_step_pieces_setup(pl_step_pieces* pieces, const double* rest, int vertex_count,
                               const int* neighbour_offsets, const int* neighbours,
                               const pl_element_set* sets, int set_count, pl_error* error);
// All vertices in one piece.
pl_status pl_step_pieces_join(pl_step_pieces* pieces, const double* rest, int vertex_count,
                              pl_error* error);
// Islands of the pieces of a system, which are borrowed for the call; initially each piece is an
// island.
pl_status pl_step_islands_setup(pl_step_pieces* islands, const pl_step_pieces* pieces,
                                pl_error* error);
// Pieces with the same root (disjoint_sets.h) become an island.
void pl_step_islands_update(pl_step_pieces* islands, const pl_step_pieces* pieces, int* roots);
void pl_step_pieces_free(pl_step_pieces* pieces);

// All sums below leave sums[piece] unchanged for pieces that are not chosen (`chosen`: one flag per
// piece; NULL: all pieces are chosen).
//
// sums[piece] = the sum of `part` over the vertices of each piece. block: that of pl_parallel_sum,
// used for a system of one piece.
void pl_pieces_sum(const pl_step_pieces* pieces, const bool* chosen, pl_pool* pool, pl_partial part,
                   int block, void* user, double* sums);
// sums[piece] += the same; for systems of several pieces
void pl_pieces_add(const pl_step_pieces* pieces, const bool* chosen, pl_pool* pool, pl_partial part,
                   void* user, double* sums);
// sums[piece] += energy of the elements of set number `set`
void pl_pieces_add_energy(const pl_step_pieces* pieces, const bool* chosen, pl_pool* pool,
                          const pl_element_set* sets, int set, const double* x, double* sums);
// sums[piece] = a.b over its vertices (3 per vertex)
void pl_pieces_dot(const pl_step_pieces* pieces, const bool* chosen, pl_pool* pool, const double* a,
                   const double* b, double* sums);
// norms[piece] = |a| over its vertices (3 per vertex)
void pl_pieces_norm(const pl_step_pieces* pieces, pl_pool* pool, const double* a, double* norms);

#endif
