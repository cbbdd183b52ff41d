// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// From a surface to tets, by isosurface stuffing: a closed triangle mesh, or any function that is
// negative inside. And pliant's own model, a gummy bear.
#ifndef PLIANT_TETRAHEDRALISE_H
#define PLIANT_TETRAHEDRALISE_H

#include <pliant/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Values of a function at count points (3 doubles each): below 0 inside, above 0 outside, and near
/// its zero roughly proportional to the distance. NaN counts as outside. May be called from several
/// threads at once.
typedef void (*pl_implicit)(const double* points, int count, double* values, void* user);

typedef struct pl_tetrahedralise_options {
    /// Mean length of the inner edges [m]. 0: chosen from the measured thickness of the surface,
    /// and shortened until the tets have the surface's pieces and volume; for an implicit function,
    /// a fiftieth of the box's diagonal.
    double edge;
    /// Upper limit of a chosen edge [m]; 0: a fiftieth of the bounding box's diagonal.
    double coarsest_edge;
    /// Approximate limit of the number of tets for a chosen edge; 0: a million.
    int tet_limit;
    /// Accepts tets in more pieces than the surface has, or with another volume, and notes it.
    bool allow_split;
    /// Runs the program TetGen, if it is installed, instead of stuffing. It keeps the vertices of
    /// the surface and can fill thin walls. No tet is larger than a regular one of this edge (0: no
    /// bound). The surface must be closed and must not intersect itself. PL_ERROR_UNSUPPORTED if
    /// the program is not installed.
    bool use_tetgen;
    /// Separate parts of the mesh with less than this share of its volume are dropped, with a note.
    /// 0 keeps everything.
    double crumb_share;
    /// A note of kind PL_NOTE_MENDED becomes an error.
    bool strict;
    pl_pool* pool; ///< NULL: on this thread, with the same result
} pl_tetrahedralise_options;
/// No edge given, crumbs below a thousandth, not strict, no splits, no pool.
PL_API pl_tetrahedralise_options pl_default_tetrahedralise_options(void);

/// Tets inside the triangles of a mesh (its own tets are ignored). All tets have positive volume
/// and dihedral angles between 10.7 and 164.9 degrees; the boundary is a manifold whose vertices
/// lie on the surface, though not at its vertices. Features thinner than an edge are lost.
/// Self-intersections and holes of up to 8 % of the area are tolerated and noted. options, notes
/// and error may be NULL. PL_ERROR_MESH: no triangles, coordinates that are not finite, a surface
/// too open to have an inside (cloth), nothing inside at this edge length; and, unless allow_split,
/// tets in another number of pieces than the surface or with a volume that is off by more than 5 %.
/// The error then names an edge that works. PL_ERROR_LIMIT: the edge is too small.
PL_API pl_status pl_tetrahedralise(const pl_mesh* surface, const pl_tetrahedralise_options* options,
                                   pl_mesh** out, pl_notes* notes, pl_error* error);

/// How a surface can be filled with tets.
typedef struct pl_fill_advice {
    double thin;   ///< a twentieth of the surface is thinner than this [m]; NAN: not measured
    double median; ///< thickness of the surface [m]
    double edge;   ///< the edge that pl_tetrahedralise chooses, two digits [m]; 0: none works
    int tet_count; ///< number of tets with this edge
} pl_fill_advice;

/// Finds and tries the edge length that pl_tetrahedralise chooses for edge 0. Fails like that call,
/// except that it is not an error if no edge within the limit of tets works: the advice then has
/// edge 0.
PL_API pl_status pl_tetrahedralise_advise(const pl_mesh* surface,
                                          const pl_tetrahedralise_options* options,
                                          pl_fill_advice* out, pl_error* error);

/// Tets inside an implicit function, clipped to the box from low to high (3 doubles each).
PL_API pl_status pl_tetrahedralise_implicit(pl_implicit function, void* user, const double* low,
                                            const double* high,
                                            const pl_tetrahedralise_options* options, pl_mesh** out,
                                            pl_notes* notes, pl_error* error);

/// Roughly the signed distance [m] of a point (3 doubles) to a gummy bear of that height [m]:
/// negative inside. The sign is exact, and the value is accurate to first order at the surface. The
/// bear stands on the plane y = 0 around the origin, is symmetric in x, and looks along +z.
PL_API double pl_gummy_bear_distance(const double* point, double height);

/// The bear's tets and, as triangles, its boundary, with the regions "surface" and "soles".
PL_API pl_status pl_gummy_bear(double height, const pl_tetrahedralise_options* options,
                               pl_mesh** out, pl_notes* notes, pl_error* error);

#ifdef __cplusplus
}
#endif
#endif
