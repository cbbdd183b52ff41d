// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Shared by the generators. A solid starts as a complex of hexahedra (boxes, swept discs, a cubed
// sphere) whose vertices know by a mask of bits on which named parts of the boundary they lie; one
// function then splits the hexahedra into tets, collects the boundary and names its regions.
#ifndef PL_MESH_GENERATOR_H
#define PL_MESH_GENERATOR_H

#include "mesh/mesh_object.h"

#include <pliant/generate.h>

// Memory per tet while a mesh is generated, measured with boxes of millions of tets.
#define PL_ELEMENT_BYTES 150.0

// Cells of a complex, corner c at (c & 1, c >> 1 & 1, c >> 2) of its own three directions.
typedef struct pl_hexes {
    int vertex_count;
    double* positions;    // 3 per vertex
    unsigned char* masks; // bits: parts of the boundary on which the vertex lies
    int hex_count;
    int* corners;    // 8 per hexahedron
    double* centres; // 3 per hexahedron
} pl_hexes;

bool pl_hexes_alloc(pl_hexes* hexes, int vertex_count, int hex_count);
void pl_hexes_free(pl_hexes* hexes);

// A region of the boundary: triangles whose corners share a bit of the mask. Ends with name NULL.
typedef struct pl_shape_region {
    const char* name;
    unsigned mask;
} pl_shape_region;

typedef struct pl_shape {
    const void* data;
    // moves a point exactly onto these parts of the boundary; NULL: it is there already
    void (*place)(const void* data, unsigned mask, double* position);
    const pl_shape_region* regions;
    pl_tet_pattern pattern; // other than PL_PATTERN_BCC only for boxes
    double jitter;          // [m]
    int seed;
} pl_shape;

// Does not take ownership.
pl_status pl_hexes_to_mesh(const pl_hexes* hexes, const pl_shape* shape, pl_mesh** out,
                           pl_error* error);

// A planar mesh of quads to be swept along a line or around a circle.
typedef struct pl_quads {
    int vertex_count;
    double* uv; // 2 per vertex
    unsigned char* masks;
    int quad_count;
    int* corners; // 4 per quad, corner c at (c & 1, c >> 1)
    bool around;  // u goes from 0 to 1 around a circle
} pl_quads;

bool pl_quads_alloc(pl_quads* quads, int vertex_count, int quad_count);
void pl_quads_free(pl_quads* quads);

typedef struct pl_sweep {
    int layers;
    bool closed; // the last layer is the first
    unsigned first_mask, last_mask;
    const void* data;
    // the point for (u, v) at t in [0, 1] along the sweep
    void (*map)(const void* data, double u, double v, double t, double* position);
} pl_sweep;

bool pl_sweep_quads(const pl_quads* quads, const pl_sweep* sweep, pl_hexes* out);
// count_u by count_v cells over [0, 1]^2, or around in u (then masks of u are not used).
bool pl_quads_grid(int count_u, int count_v, bool around, const unsigned char masks[4],
                   pl_quads* out);

// Smooths: moves points without a mask towards the mean of their neighbours along the cells' edges,
// a number of times. Use few rounds; many would shrink cells where three of them meet. dims 2:
// quads in the plane; 3: hexahedra in space. False if memory runs out.
bool pl_smooth_cells(double* points, int dims, int point_count, const unsigned char* masks,
                     const int* corners, int cell_count, int rounds);

// Number of cells of size `cell` along a length, at least `least`; huge counts are clamped.
int pl_cell_count(double length, double cell, int least);
// The smallest number of cells around a circle for which the arc of a cell rises at most a quarter
// of a layer's thickness above its chord. With fewer cells, thin layers would fold.
int pl_least_around(double radius, double layer);
// PL_ERROR_LIMIT if there would be too many elements (for instance 12 tets per cell).
pl_status pl_check_element_count(double count, pl_error* error);
// PL_ERROR_ARGUMENT unless inner_radius is below outer_radius.
pl_status pl_check_radii(const pl_generate_options* options, pl_error* error);
// PL_ERROR_ARGUMENT if the edge is longer than the object.
pl_status pl_check_edge(double edge, double extent, pl_error* error);
// PL_ERROR_ARGUMENT if the shape needs cells (of side `cell`, about `count` tets in all) so much
// smaller than the requested edge that the edge has no meaning.
pl_status pl_check_edge_kept(double edge, double cell, double count, pl_error* error);
// The side of a cubic cell for which the pattern has that mean edge length.
double pl_cell_size(pl_tet_pattern pattern, double edge);

pl_status pl_generate_box(const pl_generate_options* options, pl_mesh** out, pl_error* error);
pl_status pl_generate_bar(const pl_generate_options* options, pl_mesh** out, pl_error* error);
pl_status pl_generate_panel(const pl_generate_options* options, pl_mesh** out, pl_error* error);
pl_status pl_generate_cylinder(const pl_generate_options* options, pl_mesh** out, pl_error* error);
pl_status pl_generate_tube(const pl_generate_options* options, pl_mesh** out, pl_error* error);
pl_status pl_generate_torus(const pl_generate_options* options, pl_mesh** out, pl_error* error);
pl_status pl_generate_sphere(const pl_generate_options* options, pl_mesh** out, pl_error* error);
pl_status pl_generate_shell(const pl_generate_options* options, pl_mesh** out, pl_error* error);
pl_status pl_generate_cloth(const pl_generate_options* options, pl_mesh** out, pl_error* error);
pl_status pl_generate_cloth_irregular(const pl_generate_options* options, pl_mesh** out,
                                      pl_error* error);
pl_status pl_generate_gummy_bear(const pl_generate_options* options, pl_mesh** out,
                                 pl_error* error);
pl_status pl_generate_bunny(const pl_generate_options* options, pl_mesh** out, pl_error* error);
pl_status pl_generate_armadillo(const pl_generate_options* options, pl_mesh** out, pl_error* error);
pl_status pl_generate_car(const pl_generate_options* options, pl_mesh** out, pl_error* error);
pl_status pl_generate_dragon(const pl_generate_options* options, pl_mesh** out, pl_error* error);
pl_status pl_generate_hand(const pl_generate_options* options, pl_mesh** out, pl_error* error);
pl_status pl_generate_human(const pl_generate_options* options, pl_mesh** out, pl_error* error);
pl_status pl_generate_dress(const pl_generate_options* options, pl_mesh** out, pl_error* error);
pl_status pl_generate_letter(const pl_generate_options* options, pl_mesh** out, pl_error* error);
pl_status pl_generate_octopus(const pl_generate_options* options, pl_mesh** out, pl_error* error);
pl_status pl_generate_icosphere(const pl_generate_options* options, pl_mesh** out, pl_error* error);

#endif
