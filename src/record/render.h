// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Pictures of triangle bodies: smooth shading, a ground with soft shadows, colours by value, a
// legend. The same scene and options give the same bytes for every pool.
#ifndef PL_RECORD_RENDER_H
#define PL_RECORD_RENDER_H

#include "base/pool.h"
#include "record/image.h"
#include "record/render_types.h"

pl_render_options pl_default_render_options(void);

// Sets camera, radius, centre and ground height from a fit over everything that will be shown.
void pl_render_options_frame(pl_render_options* options, const pl_camera_fit* fit);

// image must have been created with the width and height of the options.
pl_status pl_render_draw(const pl_render_scene* scene, const pl_render_options* options,
                         pl_pool* pool, pl_image* image, pl_error* error);

#endif
