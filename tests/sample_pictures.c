// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "sample_pictures.h"
#include "base/memory.h"
#include "test.h"

sample_shown sample_show(pl_mesh* mesh) {
    sample_shown s = {.mesh = mesh, .positions = PL_ALLOC(float, 3 * mesh->vertex_count)};
    for (int i = 0; i < 3 * mesh->vertex_count; i++) s.positions[i] = (float)mesh->positions[i];
    s.body = (pl_render_body){.vertex_count = mesh->vertex_count,
                              .positions = s.positions,
                              .triangle_count = mesh->triangle_count,
                              .triangles = mesh->triangles};
    return s;
}

void sample_unshow(sample_shown* s) {
    PL_FREE(s->positions, float, 3 * s->mesh->vertex_count);
    pl_mesh_destroy(s->mesh);
}

pl_render_options sample_framed(const pl_view* view, const pl_render_scene* scene) {
    pl_render_options options = pl_default_render_options();
    options.width = SAMPLE_WIDTH;
    options.height = SAMPLE_HEIGHT;
    pl_camera_fit fit = pl_camera_fit_begin(view, SAMPLE_WIDTH, SAMPLE_HEIGHT);
    for (int i = 0; i < scene->body_count; i++)
        pl_camera_fit_points(&fit, scene->bodies[i].positions, scene->bodies[i].vertex_count);
    pl_render_options_frame(&options, &fit);
    return options;
}

pl_image sample_drawn(const pl_render_scene* scene, const pl_render_options* options,
                      pl_pool* pool) {
    pl_image image;
    pl_error error;
    CHECK_OK(pl_image_create(options->width, options->height, &image, &error), &error);
    CHECK_OK(pl_render_draw(scene, options, pool, &image, &error), &error);
    return image;
}
