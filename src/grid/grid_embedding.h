// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Embedding of vertices in a lattice (Zhu 2010, sections 9.2 and 9.3). Each component is
// interpolated trilinearly from the faces that carry it; forces on vertices are spread with the
// transpose.
#ifndef PL_GRID_EMBEDDING_H
#define PL_GRID_EMBEDDING_H

#include "base/array.h"
#include "base/fail.h"
#include "grid/grid_lattice.h"
#include "grid/grid_voxels.h"

#include <pliant/mesh.h>

// One vertex and component: four pairs of faces along x.
typedef struct pl_grid_weights {
    int pair[4];       // y fastest
    float fraction[3]; // from the low face of each pair to the high one
} pl_grid_weights;

// An exterior face that interpolation needs: a weighted sum of interior faces or of earlier
// extensions.
typedef struct pl_grid_extension {
    int axis, index;
    int first, count; // sources
} pl_grid_extension;

// In an order in which they can be computed. Sources are of the same component.
typedef struct pl_grid_extensions {
    pl_grid_extension* items;
    int count;
    int* sources;
    double* weights;
    int source_count;
} pl_grid_extensions;

typedef struct pl_grid_embedding_map {
    pl_grid_weights (*weights)[3];
    int vertex_count;
    pl_grid_extensions extensions;
    int* near; // extensions that vertices depend on, directly or indirectly
    int near_count;
} pl_grid_embedding_map;

// positions: 3 per vertex, each within one cell of a cell in use (pl_grid_cell_of finds it). cells:
// of the level.
pl_status pl_grid_embed(const pl_grid_level* level, const pl_grid_cells* cells,
                        const pl_grid_frame* frame, const double* positions, int vertex_count,
                        pl_grid_embedding_map* out, pl_error* error);
void pl_grid_embedding_free(pl_grid_embedding_map* map);
// The cell in use that contains a position, or the nearest adjacent one. Returns false if neither
// the position's own cell nor any of its 26 neighbours is in use; `cell` is then its own.
bool pl_grid_cell_of(const pl_grid_cells* cells, const pl_grid_frame* frame, const double* position,
                     int cell[3]);
// Per component: the face below a position along each axis, and the fraction of the way to the next
// one.
void pl_grid_place(const pl_grid_cells* cells, const pl_grid_frame* frame, const double* position,
                   int base[3][3], float fraction[3][3]);

// Growing lists of extensions. add extrapolates a face along `count` axes from its neighbours: 2
// near - far, or near if far is NULL, averaged. take moves the list to `out`; it returns false if
// an earlier allocation failed.
typedef struct pl_grid_extender {
    pl_array items, sources, weights;
    bool lost; // an allocation failed
} pl_grid_extender;
pl_grid_extender pl_grid_extender_start(void);
void pl_grid_extender_add(pl_grid_extender* e, int axis, int index, int count, const int* near,
                          const int* far);
bool pl_grid_extender_take(pl_grid_extender* e, pl_grid_extensions* out);
void pl_grid_extender_free(pl_grid_extender* e);
void pl_grid_extensions_free(pl_grid_extensions* extensions);

// Extrapolates exterior faces from interior ones. Exact for linear fields.
void pl_grid_extend(const pl_grid_embedding_map* map, double* const u[3]);
// The same for the faces that vertices need; others keep their values.
void pl_grid_extend_near(const pl_grid_embedding_map* map, double* const u[3]);
// out: 3 per vertex; extend first.
void pl_grid_interpolate(const pl_grid_embedding_map* map, double* const u[3], double* out,
                         pl_pool* pool);
// The same for the first `count` vertices only.
void pl_grid_interpolate_first(const pl_grid_embedding_map* map, int count, double* const u[3],
                               double* out, pl_pool* pool);
// The transpose: adds forces on vertices to faces, then moves those of exterior faces inwards.
void pl_grid_spread(const pl_grid_embedding_map* map, const double* force, double* const f[3]);

// The same with absolute weights, for stiffness: a bound on the stiffness that springs on vertices
// add to faces. Exterior faces keep theirs if extend is false.
void pl_grid_spread_sizes(const pl_grid_embedding_map* map, const double* stiffness,
                          double* const f[3], bool extend);
// Sum of the absolute weights of a vertex over all variables, per component. scratch: fields,
// overwritten.
void pl_grid_gains(const pl_grid_embedding_map* map, int field_size, double* const scratch[3],
                   double* out);
// Largest value of a field over the faces of a vertex.
double pl_grid_largest(const pl_grid_embedding_map* map, int vertex, double* const f[3]);

// ------------------------------------------------------------------ tricubic interpolation
// (grid_tricubic.c)

// Tricubic interpolation of embedded vertices, which has no kinks between cells (Zhu 2010, section
// 9.3, Fig. 18).

enum { PL_GRID_STENCIL = 64 }; // faces that a vertex needs, per component

typedef struct pl_grid_cubic_place {
    int stencil;
    float fraction[3]; // from the second face along each axis to the third
} pl_grid_cubic_place;

typedef struct pl_grid_tricubic {
    pl_grid_cubic_place (*places)[3]; // per vertex and component
    int vertex_count;
    int (*stencils)[PL_GRID_STENCIL]; // x fastest: index of a face, or -1 - ghost
    int stencil_count;
    pl_grid_extensions ghosts; // faces that the lattice does not store; sources as in stencils
    double* values;            // of ghosts
} pl_grid_tricubic;

// positions: 3 per vertex. Stays valid as long as only Dirichlet cells change.
pl_status pl_grid_tricubic_create(const pl_grid_level* level, const pl_grid_cells* cells,
                                  const pl_grid_frame* frame, const double* positions,
                                  int vertex_count, pl_grid_tricubic* out, pl_error* error);
void pl_grid_tricubic_free(pl_grid_tricubic* t);
// out: 3 per vertex; faces outside must have been extended (pl_grid_extend).
void pl_grid_tricubic_interpolate(pl_grid_tricubic* t, double* const u[3], double* out,
                                  pl_pool* pool);

// ------------------------------------------------------------------ contact points
// (grid_surface_points.c)

// Contact points that cover a surface at the resolution of the lattice, in addition to the
// vertices. Without them the cells between the corners of a large triangle would sink in.

typedef struct pl_grid_surface_points {
    int count;
    double* positions;   // 3 per point [m]
    double* areas;       // of the surface around each point [m^2]
    double* vertex_area; // the same for each vertex of the surface
    int vertex_count;
} pl_grid_surface_points;

// Points on edges and triangles, so that neighbours along an edge or along a row across a triangle
// are at most `spacing` apart. None if the vertices are that dense.
pl_status pl_grid_surface_points_create(const pl_mesh* surface, double spacing,
                                        pl_grid_surface_points* out, pl_error* error);
void pl_grid_surface_points_free(pl_grid_surface_points* points);

#endif
