// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Polygons, collected by a reader and triangulated once all positions are known.
#ifndef PL_POLYGONS_H
#define PL_POLYGONS_H

#include "base/array.h"
#include "base/notes.h"
#include "mesh/mesh_object.h"

typedef struct pl_faces {
    pl_array corners;       // int: vertices
    pl_array uvs;           // int per corner, -1 for none; empty while no face has any
    pl_array normals;       // the same
    pl_array ends;          // size_t per face: where its corners end
    int64_t triangle_count; // triangles of the faces so far: corners - 2 each
    int64_t dropped_count;  // faces with fewer than three corners, which were not added
} pl_faces;

pl_faces pl_faces_of_none(void);
void pl_faces_free(pl_faces* faces);

// Adds a face, or counts it as dropped if it has fewer than three corners. uvs and normals may be
// NULL. Returns false if allocation fails.
bool pl_faces_add(pl_faces* faces, const int* corners, const int* uvs, const int* normals,
                  int count);

// Puts the triangles into the mesh, whose positions are set, in the order of the faces: convex
// faces as fans, others by ear clipping. Fails on an index out of range, on more triangles than an
// int counts, and on a non-convex face of more corners than ear clipping should be given. Dropped
// faces are noted. Unless all faces are triangles, the mesh says which face each is of.
pl_status pl_faces_to_mesh(const pl_faces* faces, const char* path, pl_mesh* mesh, pl_notes* notes,
                           pl_error* error);

// End of the triangles of the face that starts at `first`.
int pl_face_end(const pl_mesh* mesh, int first);
// The polygon that was cut into the triangles [first, end): for each of its end - first + 2 corners
// a place in mesh->triangles, beginning where the file did if the face was convex. False if the
// triangles no longer join to one polygon.
bool pl_face_corners(const pl_mesh* mesh, int first, int end, size_t* corners);

#endif
