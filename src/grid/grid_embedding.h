// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Vertices in a lattice (Zhu 2010, sections 9.2 and 9.3): each component is interpolated linearly
// among the faces that carry it; forces on vertices go back the same way.
#ifndef PL_GRID_EMBEDDING_H
#define PL_GRID_EMBEDDING_H

#include "grid/grid_level.h"
#include "grid/grid_voxels.h"

// One vertex and component: four pairs of faces along x.
typedef struct pl_grid_weights {
    int pair[4];       // y fastest
    float fraction[3]; // from the low face of each pair to the high one
} pl_grid_weights;

// A face outside that interpolation needs: a sum of faces that are known or were made before.
typedef struct pl_grid_extension {
    int axis, index;
    int first, count; // sources
} pl_grid_extension;

typedef struct pl_grid_embedding_map {
    pl_grid_weights (*weights)[3];
    int vertex_count;
    pl_grid_extension* extensions;
    int extension_count;
    int* near; // extensions that vertices, or others of these, are made of
    int near_count;
    int* sources; // of the same component
    double* source_weights;
    int source_count;
} pl_grid_embedding_map;

// positions: 3 per vertex, each within one cell of a cell in use (pl_grid_cell_of finds it). cells:
// of the level.
pl_status pl_grid_embed(const pl_grid_level* level, const pl_grid_cells* cells,
                        const pl_grid_frame* frame, const double* positions, int vertex_count,
                        pl_grid_embedding_map* out, pl_error* error);
void pl_grid_embedding_free(pl_grid_embedding_map* map);
// The cell in use that holds a position, or the nearest one beside it. False if neither the
// position's own cell nor one of its 26 neighbours is in use; `cell` is then the position's own.
bool pl_grid_cell_of(const pl_grid_cells* cells, const pl_grid_frame* frame, const double* position,
                     int cell[3]);
// Per component: the face below a position along each axis, and how far it is to the next one.
void pl_grid_place(const pl_grid_cells* cells, const pl_grid_frame* frame, const double* position,
                   int base[3][3], float fraction[3][3]);

// Faces outside from those inside; linear fields are continued exactly.
void pl_grid_extend(const pl_grid_embedding_map* map, double* const u[3]);
// The same for no more faces than vertices need; others keep what they have.
void pl_grid_extend_near(const pl_grid_embedding_map* map, double* const u[3]);
// out: 3 per vertex; extend first.
void pl_grid_interpolate(const pl_grid_embedding_map* map, double* const u[3], double* out,
                         pl_pool* pool);
// The same for the first `count` vertices only.
void pl_grid_interpolate_first(const pl_grid_embedding_map* map, int count, double* const u[3],
                               double* out, pl_pool* pool);
// The transpose: adds forces on vertices to faces, then moves those outside inwards.
void pl_grid_spread(const pl_grid_embedding_map* map, const double* force, double* const f[3]);

// The same with the sizes of all weights, for stiffness: a bound of what springs on vertices do to
// the faces. Faces outside keep theirs if extend is false.
void pl_grid_spread_sizes(const pl_grid_embedding_map* map, const double* stiffness,
                          double* const f[3], bool extend);
// The sum of the sizes of a vertex's weights of all variables, per component; scratch: fields,
// lost.
void pl_grid_gains(const pl_grid_embedding_map* map, int field_size, double* const scratch[3],
                   double* out);
// The largest value at the faces of a vertex.
double pl_grid_largest(const pl_grid_embedding_map* map, int vertex, double* const f[3]);

#endif
