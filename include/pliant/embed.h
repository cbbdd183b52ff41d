// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A render surface that follows a deforming mesh of tets.
#ifndef PLIANT_EMBED_H
#define PLIANT_EMBED_H

#include <pliant/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pl_embedding pl_embedding;

typedef struct pl_embedding_info {
    int vertex_count;
    int outside_count;        ///< vertices in no tet
    int farthest_vertex;      ///< the one farthest from the tets, -1 if none is outside
    double farthest_distance; ///< its distance [m]
} pl_embedding_info;

/// Attaches every vertex of surface to the tets of solid, both at rest. A vertex inside a tet gets
/// its barycentric coordinates there, so it follows every affine motion of the tet exactly. A
/// vertex outside all tets is attached to the nearest point of their boundary, at an offset that
/// rotates with the tet at that point. So it follows rigid motions exactly, and a spike outside the
/// tets is neither stretched nor sheared when the tets below it deform. Neither mesh is needed
/// afterwards. pool may be NULL. PL_ERROR_MESH: solid has no tets or no boundary, or coordinates
/// are not finite.
PL_API pl_status pl_embedding_create(const pl_mesh* solid, const pl_mesh* surface, pl_pool* pool,
                                     pl_embedding** out, pl_error* error);
PL_API void pl_embedding_destroy(pl_embedding* embedding);
PL_API pl_embedding_info pl_embedding_get_info(const pl_embedding* embedding);

/// Moves the surface to fit the present positions of the solid's vertices. positions and normals
/// hold 3 doubles per surface vertex; normals are those of the moved triangles, averaged by area,
/// of length 1 (0 where a vertex has no triangle with an area); NULL if not wanted. Indices and
/// texture coordinates of the surface do not change. Allocates nothing; results have the same bits
/// for every pool.
PL_API void pl_embedding_deform(const pl_embedding* embedding, const double* solid_positions,
                                pl_pool* pool, double* positions, double* normals);

/// Interpolates values of the solid's vertices (`components` numbers each) at the vertices of the
/// surface, with the weights of the embedding. A vertex outside gets the values at the nearest
/// point of the boundary.
PL_API void pl_embedding_interpolate(const pl_embedding* embedding, const double* solid_values,
                                     int components, double* values);

#ifdef __cplusplus
}
#endif
#endif
