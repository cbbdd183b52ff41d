// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Colliders for glTF: a mesh before its motion, and the motion as translations and rotations of its
// node. Colliders that change shape (animated sizes, point caches) also have a morph target for
// each frame, as bodies do.
#ifndef PL_RECORD_GLB_COLLIDERS_H
#define PL_RECORD_GLB_COLLIDERS_H

#include "record/export.h"
#include "record/glb_body.h"
#include "record/show_collider.h"

typedef struct pl_glb_collider {
    const char* name;         // of the scene
    pl_shown_collider* shape; // NULL: the ground
    pl_record_body source;    // its triangles
    int triangles[6];         // of the ground
    float* start; // 3 per vertex of the source: before the motion, in the frame loaded last
    pl_glb_body mesh;
    bool moves, deforms;
    float* translations; // 3 per frame; NULL unless it moves
    float* rotations;    // 4 per frame: quaternions, x y z w
} pl_glb_collider;

typedef struct pl_glb_colliders {
    pl_show* show;
    const pl_export_job* job;
    int count;
    pl_glb_collider* items;
} pl_glb_colliders;

// Takes the colliders of the job's show; none without a show. low, high: the box of all bodies in
// all frames, which planes extend beyond. Free out even if this fails.
pl_status pl_glb_colliders_create(const pl_export_job* job, const float low[3], const float high[3],
                                  pl_glb_colliders* out, pl_error* error);
void pl_glb_colliders_free(pl_glb_colliders* colliders);
// Loads the shape of a frame into its mesh, like pl_glb_body_load.
void pl_glb_collider_load(const pl_glb_colliders* colliders, int k, int frame, bool first);

#endif
