// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Points in tets: which tet holds a point, and with which barycentric coordinates.
#ifndef PL_MESH_EMBEDDING_H
#define PL_MESH_EMBEDDING_H

#include "geometry/bvh.h"
#include "mesh/mesh_object.h"

#include <pliant/embed.h>

// The barycentric coordinates of p in the tet: sum 1, all at least 0 inside. False for a tet
// without volume.
bool pl_barycentric(const pl_vec3 corners[4], pl_vec3 p, double weights[4]);

// A tree over the boxes of the tets.
pl_status pl_tet_tree_build(const pl_mesh* solid, pl_bvh* out, pl_error* error);

typedef struct pl_tet_point {
    int tet; // -1: in no tet
    double weights[4];
} pl_tet_point;
// The tet that contains p, with a tolerance of a billionth of its size. Of several, the one whose
// smallest coordinate is largest, then the lowest.
pl_tet_point pl_tet_tree_find(const pl_mesh* solid, const pl_bvh* tree, pl_vec3 p);

// The vertex of the solid with the largest weight for a vertex of the surface.
int pl_embedding_vertex(const pl_embedding* embedding, int vertex);

#endif
