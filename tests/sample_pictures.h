// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Small pictures of meshes, for the tests of what is drawn.
#ifndef PL_SAMPLE_PICTURES_H
#define PL_SAMPLE_PICTURES_H

#include "record/render.h"

#include <pliant/mesh.h>

enum { SAMPLE_WIDTH = 160, SAMPLE_HEIGHT = 120 };

// A mesh as a body of a picture, with positions in float. It owns the mesh.
typedef struct sample_shown {
    pl_mesh* mesh;
    float* positions;
    pl_render_body body;
} sample_shown;

sample_shown sample_show(pl_mesh* mesh);
void sample_unshow(sample_shown* shown);
// Options of a small picture that shows all of a scene.
pl_render_options sample_framed(const pl_view* view, const pl_render_scene* scene);
pl_image sample_drawn(const pl_render_scene* scene, const pl_render_options* options,
                      pl_pool* pool);

#endif
