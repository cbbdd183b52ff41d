// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The bodies of a scene as one list of triangles, with the data for shading, in a space where the
// shown scene has its centre at 0 and radius 1.
#ifndef PL_RECORD_RENDER_MESH_H
#define PL_RECORD_RENDER_MESH_H

#include "base/pool.h"
#include "record/image.h"
#include "record/render_types.h"

typedef struct pl_vec3f {
    float x, y, z;
} pl_vec3f;

typedef struct pl_render_mesh {
    int vertex_count;
    pl_vec3f* positions;
    int triangle_count;
    int* triangles;
    int* bodies;            // per triangle
    pl_vec3f* normals;      // three per triangle: of its corners, smooth unless an edge is sharp
    float* values;          // three per triangle, NaN where there is none; NULL if nowhere
    pl_vec3f* face_normals; // units, or zero
    float* areas;           // twice the areas
    int* vertex_begins;     // vertex_count + 1, into vertex_corners
    int* vertex_corners;    // around each vertex: 3 * triangle + corner
    float crease_cosine, half_crease_cosine;
    const pl_render_body* sources; // of the scene
    bool has_values;
    uint8_t* block; // all of the arrays
    size_t block_size;
} pl_render_mesh;

pl_status pl_render_mesh_create(const pl_render_scene* scene, const pl_render_options* options,
                                pl_pool* pool, pl_render_mesh* out, pl_error* error);
void pl_render_mesh_free(pl_render_mesh* mesh);

static inline pl_vec3f pl_addf(pl_vec3f a, pl_vec3f b) {
    return (pl_vec3f){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline pl_vec3f pl_subf(pl_vec3f a, pl_vec3f b) {
    return (pl_vec3f){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline pl_vec3f pl_scalef(float s, pl_vec3f a) {
    return (pl_vec3f){s * a.x, s * a.y, s * a.z};
}
static inline pl_vec3f pl_maddf(pl_vec3f a, float s, pl_vec3f b) {
    return (pl_vec3f){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline float pl_dotf(pl_vec3f a, pl_vec3f b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline pl_vec3f pl_crossf(pl_vec3f a, pl_vec3f b) {
    return (pl_vec3f){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
// a / |a|, or zero
static inline pl_vec3f pl_unitf(pl_vec3f a) {
    float length = sqrtf(pl_dotf(a, a));
    return length > 0.0f ? pl_scalef(1.0f / length, a) : (pl_vec3f){0.0f, 0.0f, 0.0f};
}
static inline pl_vec3f pl_vec3f_of(pl_vec3 a) {
    return (pl_vec3f){(float)a.x, (float)a.y, (float)a.z};
}

#endif
