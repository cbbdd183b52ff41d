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
    float* start;             // 3 per vertex of the source: before the motion, in some frame
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

// Those of the job's show; none if it has no show. low, high: of all bodies in all frames, which
// planes reach beyond. out is to be freed, also if this fails.
pl_status pl_glb_colliders_create(const pl_export_job* job, const float low[3], const float high[3],
                                  pl_glb_colliders* out, pl_error* error);
void pl_glb_colliders_free(pl_glb_colliders* colliders);
// The shape of a frame into its mesh, as pl_glb_body_load does.
void pl_glb_collider_load(const pl_glb_colliders* colliders, int k, int frame, bool first);

#endif
