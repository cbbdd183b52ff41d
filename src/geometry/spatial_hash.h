// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Points sorted into the cells of an endless grid, for search of neighbours. Cells are
// hashed, so far-apart points cost nothing.
#ifndef PL_GEOMETRY_SPATIAL_HASH_H
#define PL_GEOMETRY_SPATIAL_HASH_H

#include "base/fail.h"
#include "math/vec3.h"

#include <stdbool.h>

typedef struct pl_spatial_hash {
    const double* points; // 3 each; borrowed
    int point_count;
    double cell;
    int bucket_count; // a power of two
    int* offsets;     // of a bucket in items; bucket_count + 1
    int* items;       // ascending inside each bucket
} pl_spatial_hash;

// cell: the radius of most queries. Points that are not finite are in no cell, and never found.
pl_status pl_spatial_hash_build(const double* points, int point_count, double cell,
                                pl_spatial_hash* out, pl_error* error);
void pl_spatial_hash_free(pl_spatial_hash* hash);

typedef bool (*pl_point_visit)(int point, void* user);
// All points within radius (inclusive) of p, each once, in a fixed order; radius is at most the
// cell. The visitor returns false to end the query.
bool pl_spatial_hash_near(const pl_spatial_hash* hash, pl_vec3 p, double radius,
                          pl_point_visit visit, void* user);

#endif
