// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Small meshes that the tests of the mesh folder make for themselves.
#ifndef PL_SAMPLE_MESHES_H
#define PL_SAMPLE_MESHES_H

#include "mesh/topology.h"
#include "test.h"

#include <pliant/mesh.h>

// A mesh of these arrays, which are copied.
pl_mesh* sample_mesh(const double* positions, int vertex_count, const int* tets, int tet_count,
                     const int* triangles, int triangle_count);
// Edges of its tets, or of triangles where there are none; and neighbours along them.
pl_edges sample_edges(const pl_mesh* mesh);
pl_adjacency sample_graph(const pl_mesh* mesh);
// Cubes of edge 1, nx x ny x nz of them, six tets each (Kuhn's, all along the main diagonal).
pl_mesh* sample_box(int nx, int ny, int nz);
// A closed surface: the subdivided octahedron, pushed onto the unit sphere, outward.
pl_mesh* sample_sphere(int levels);
// A flat sheet of 2 nx ny triangles in the plane z = 0, counter-clockwise from above.
pl_mesh* sample_sheet(int nx, int ny);
// The same triangles and vertices, with the second's behind the first's.
pl_mesh* sample_join(const pl_mesh* a, const pl_mesh* b, double shift_x);

#endif
