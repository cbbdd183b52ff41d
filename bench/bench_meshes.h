// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Meshes of the benches. The environment variable PLIANT_DATA names a folder with real meshes; if
// it is not set, a creature of pliant of about as many vertices stands in: our dragon for a dragon,
// and so on, a gummy bear for what we do not have. Either way the results of the bench name the
// mesh.
#ifndef PL_BENCH_MESHES_H
#define PL_BENCH_MESHES_H

#include "bench.h"

#include <pliant/mesh.h>

// Tets of `file`, a path below PLIANT_DATA, or a creature of about vertex_count vertices. Fails if
// PLIANT_DATA is set and the file is not there.
pl_status bench_solid_mesh(bench* b, const char* file, int vertex_count, pl_mesh** out,
                           pl_error* error);
// The same for a closed surface. The creature has the volume of the real armadillo.
pl_status bench_surface_mesh(bench* b, const char* file, pl_mesh** out, pl_error* error);
// The shape that stands in for a file, with its height and the edge for so many vertices.
const char* bench_stand_in(const char* file, int vertex_count, double* height, double* edge);
// Whether PLIANT_DATA is set.
bool bench_has_data(void);
// The path of a file below PLIANT_DATA; false if PLIANT_DATA is not set.
bool bench_data_path(const char* file, char* path, int size);
// Makes the longest side of the mesh's bounding box 1 m and puts the lowest corner at the origin.
void bench_make_unit_size(pl_mesh* mesh);

#endif
