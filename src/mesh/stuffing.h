// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Shared by the phases of isosurface stuffing: the body-centred cubic lattice, the function's
// values on it, the cut points of its edges and the vertices that were moved onto the surface.
#ifndef PL_MESH_STUFFING_H
#define PL_MESH_STUFFING_H

#include "base/notes.h"
#include "base/pool.h"
#include "math/vec3.h"
#include "mesh/mesh_object.h"

#include <pliant/tetrahedralise.h>

// A lattice point has 14 edges: six long ones (+x -x +y -y +z -z) to its own sublattice, and eight
// short ones to the other, numbered by the signs of their direction (bit 0: x is positive, ...).
enum { PL_LONG_EDGES = 6, PL_LATTICE_EDGES = 14 };

// mean length of a lattice edge for h = 1
#define PL_MEAN_LATTICE_EDGE ((3.0 + 4.0 * 0.86602540378443864676) / 7.0)

typedef enum pl_side { PL_INSIDE = -1, PL_ON_SURFACE = 0, PL_OUTSIDE = 1 } pl_side;

// A lattice point with at least one edge that changes sides. Cut points belong to the inside end.
typedef struct pl_site {
    pl_vec3 position; // moved onto the surface if on_surface
    int point;        // of the lattice
    bool moved;
    unsigned short cut_mask;      // edges with a cut point
    double cut[PL_LATTICE_EDGES]; // where, from 0 here to 1 at the other end
} pl_site;

// Sublattice 0 has points at origin + h (i, j, k), sublattice 1 half a step further on every axis;
// layers of the two alternate: index = ((2 k + sublattice) size[1] + j) size[0] + i. The outermost
// two points on each side are outside.
typedef struct pl_lattice {
    pl_vec3 origin;
    double h;
    int size[3];
    int point_count;
    int step[2][PL_LATTICE_EDGES]; // to the index at the edge's other end, per sublattice
    double* phi;
    signed char* side; // pl_side
    int* site_of;      // -1: none
    pl_site* sites;    // ascending by point
    int site_count;
} pl_lattice;

// Phases, in order. The lattice is filled piece by piece; pl_lattice_free accepts any stage.
pl_status pl_lattice_setup(pl_lattice* lattice, const double* low, const double* high, double edge,
                           pl_error* error);
pl_status pl_lattice_sample(pl_lattice* lattice, pl_implicit function, void* user, pl_pool* pool,
                            pl_error* error);
pl_status pl_lattice_find_sites(pl_lattice* lattice, pl_pool* pool, pl_error* error);
void pl_lattice_cut_edges(pl_lattice* lattice, pl_implicit function, void* user, pl_pool* pool);
void pl_lattice_warp(pl_lattice* lattice);
// Fills the mesh's positions and tets; on_surface gets one byte per vertex, nonzero for lattice
// points on the surface, and is to be freed by the caller.
pl_status pl_lattice_fill(const pl_lattice* lattice, pl_pool* pool, pl_mesh* mesh,
                          unsigned char** on_surface, pl_error* error);
void pl_lattice_free(pl_lattice* lattice);

// Drops tets that touch the rest only in an edge or a point (starting from the flagged vertices),
// and unconnected parts below a share of the volume; drops vertices without tets.
typedef struct pl_clean_report {
    int pinched_tet_count; // dropped to make the boundary a manifold
    int crumb_count;       // parts dropped
    int crumb_tet_count;
    int part_count; // left
} pl_clean_report;
pl_status pl_stuffing_clean(pl_mesh* mesh, const unsigned char* suspects, double crumb_share,
                            pl_pool* pool, pl_clean_report* report, pl_error* error);

// Tets of stuffing in a cube of the edge: 9.4 inside, and somewhat more along the surface.
#define PL_TETS_PER_CUBE 10.0
// PL_ERROR_LIMIT, with an edge that would do, if that many tets are too many.
pl_status pl_check_tet_count(double count, double edge, pl_error* error);

static inline int pl_lattice_sublattice(const pl_lattice* lattice, int point) {
    return point / (lattice->size[0] * lattice->size[1]) & 1;
}

static inline pl_vec3 pl_lattice_position(const pl_lattice* lattice, int point) {
    int i = point % lattice->size[0], row = point / lattice->size[0];
    int j = row % lattice->size[1], layer = row / lattice->size[1];
    double shift = 0.5 * (layer & 1);
    return (pl_vec3){lattice->origin.x + lattice->h * (i + shift),
                     lattice->origin.y + lattice->h * (j + shift),
                     lattice->origin.z + lattice->h * ((layer >> 1) + shift)};
}

static inline int pl_opposite_edge(int edge) {
    return edge < PL_LONG_EDGES ? edge ^ 1 : PL_LONG_EDGES + PL_LATTICE_EDGES - 1 - edge;
}

#endif
