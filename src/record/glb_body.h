// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A body for glTF: only vertices in use, split where a vertex has several texture coordinates or
// normals, and triangles sorted by material. Where the surface has no normals of its own, they are
// the mean of the triangles around a vertex.
#ifndef PL_RECORD_GLB_BODY_H
#define PL_RECORD_GLB_BODY_H

#include "record/recording.h"

typedef struct pl_glb_body {
    const pl_record_body* source;
    int vertex_count;
    int* sources; // the recorded vertex of each vertex
    int index_count;
    int* indices;
    int part_count;    // materials in use
    int* part_regions; // the region of each, -1 for none
    int* part_counts;  // indices of each
    int* own_normals;  // per vertex: the recorded normal, -1 for none; NULL if there is none at all
    double* turned;    // recorded normals of the frame
    float* uvs;        // 2 per vertex with v downwards, or NULL
    float *first_positions, *first_normals; // of the first frame, 3 per vertex
    float *positions, *normals; // of the frame loaded last, as differences from the first one
                                // (except for that one)
    float* smooth;              // sums of normals at recorded vertices
} pl_glb_body;

pl_status pl_glb_body_create(const pl_record_body* source, pl_glb_body* out, pl_error* error);
void pl_glb_body_free(pl_glb_body* body);
// positions: of recorded vertices. Numbers that are not finite become 0, since glTF does not allow
// them.
void pl_glb_body_load(pl_glb_body* body, const float* positions, bool first);

#endif
