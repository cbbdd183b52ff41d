// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// From a surface to tets, by isosurface stuffing: a closed triangle mesh, or any function that is
// negative inside. And the house model, a gummy bear.
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
    /// The longest edge that is chosen [m]; 0: a fiftieth of the bounding box's diagonal.
    double coarsest_edge;
    /// Edges that would give more tets than about this are not chosen; 0: a million.
    int tet_limit;
    /// Accepts tets in more pieces than the surface has, or with another volume, and notes it.
    bool allow_split;
    /// Runs the program TetGen, where it is installed, in place of stuffing: vertices of the
    /// surface stay where they are, thin walls are no obstacle, and edge is the length of regular
    /// tets whose volume none may exceed (0: no bound). The surface must be closed and must not
    /// intersect itself. PL_ERROR_UNSUPPORTED if the program is not there.
    bool use_tetgen;
    /// Parts of the mesh that are connected to nothing else and hold less than this share of its
    /// volume are dropped, and that is noted. 0 keeps everything.
    double crumb_share;
    /// A note of kind PL_NOTE_MENDED becomes an error.
    bool strict;
    pl_pool* pool; ///< NULL: on this thread; the result is the same
} pl_tetrahedralise_options;
/// No edge given, crumbs below a thousandth, not strict, no splits, no pool.
PL_API pl_tetrahedralise_options pl_default_tetrahedralise_options(void);

/// Tets inside the triangles of a mesh (its own tets are not looked at). All tets have positive
/// volume and dihedral angles between 10.7 and 164.9 degrees; the boundary is a manifold whose
/// vertices lie on the surface, not at its vertices, and features thinner than an edge are lost.
/// Self-intersections are tolerated, as are holes of up to 8 % of the area; what was found
/// is noted. options, notes and error may be NULL.
/// PL_ERROR_MESH: no triangles, coordinates that are not finite, a surface too open to have an
/// inside (cloth), nothing inside at this edge length; and, unless allow_split, tets in another
/// number of pieces than the surface or with a volume that is off by more than 5 %. The error then
/// names an edge that works. PL_ERROR_LIMIT: the edge is too small.
PL_API pl_status pl_tetrahedralise(const pl_mesh* surface, const pl_tetrahedralise_options* options,
                                   pl_mesh** out, pl_notes* notes, pl_error* error);

/// How a surface can be filled with tets.
typedef struct pl_fill_advice {
    double thin;   ///< a twentieth of the surface is thinner than this [m]; NAN: not measured
    double median; ///< thickness of the surface [m]
    double edge;   ///< the edge that pl_tetrahedralise chooses, two digits [m]; 0: none works
    int tet_count; ///< that it gives
} pl_fill_advice;

/// Finds and tries the edge length that pl_tetrahedralise chooses with edge 0. Fails as that does,
/// except that having no edge within the limit of tets is not an error: the edge of the advice is
/// then 0.
PL_API pl_status pl_tetrahedralise_advise(const pl_mesh* surface,
                                          const pl_tetrahedralise_options* options,
                                          pl_fill_advice* out, pl_error* error);

/// The same for the inside of a function, within the box from low to high (3 doubles each), where
/// it is cut off.
PL_API pl_status pl_tetrahedralise_implicit(pl_implicit function, void* user, const double* low,
                                            const double* high,
                                            const pl_tetrahedralise_options* options, pl_mesh** out,
                                            pl_notes* notes, pl_error* error);

/// Roughly the signed distance [m] of a point (3 doubles) to a gummy bear of that height [m]:
/// negative inside, exact in sign, and to first order at the surface. The bear stands on the plane
/// y = 0 around the origin, is symmetric in x, and looks along +z.
PL_API double pl_gummy_bear_distance(const double* point, double height);

/// The bear's tets and, as triangles, its boundary, with the regions "surface" and "soles".
PL_API pl_status pl_gummy_bear(double height, const pl_tetrahedralise_options* options,
                               pl_mesh** out, pl_notes* notes, pl_error* error);

#ifdef __cplusplus
}
#endif
#endif
