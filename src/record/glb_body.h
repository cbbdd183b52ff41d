// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A body for glTF: only vertices that triangles use, split where a vertex has several texture
// coordinates or normals; triangles in the order of their materials. Where the surface has no
// normals of its own, they are means of the triangles around a vertex.
#ifndef PL_RECORD_GLB_BODY_H
#define PL_RECORD_GLB_BODY_H

#include "record/recording.h"

typedef struct pl_glb_body {
    const pl_record_body* source;
    int vertex_count;
    int* sources; // the recorded vertex behind each
    int index_count;
    int* indices;
    int part_count;    // materials in use
    int* part_regions; // the region of each, -1 for none
    int* part_counts;  // its indices
    int* own_normals;  // per vertex: the recorded normal, -1 for none; NULL if there is none at all
    double* turned;    // recorded normals of the frame
    float* uvs;        // 2 per vertex with v downwards, or NULL
    float *first_positions, *first_normals; // of the first frame, 3 per vertex
    float *positions, *normals; // of the frame that was loaded last, for all but the first as
                                // differences from it
    float* smooth;              // sums of normals at recorded vertices
} pl_glb_body;

pl_status pl_glb_body_create(const pl_record_body* source, pl_glb_body* out, pl_error* error);
void pl_glb_body_free(pl_glb_body* body);
// positions: of recorded vertices; numbers that are not finite become 0, which glTF needs.
void pl_glb_body_load(pl_glb_body* body, const float* positions, bool first);

#endif
