// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Draws a picture. The bodies become one list of triangles, shadow maps are made for the lights,
// the camera's samples find their triangles, and every pixel is the mean of its samples in linear
// light. A triangle is shaded once per pixel, at the centre of its samples there.
#include "record/render.h"
#include "base/memory.h"
#include "record/legend.h"
#include "record/marks.h"
#include "record/shade.h"

#include <math.h>
#include <string.h>

pl_render_options pl_default_render_options(void) {
    return (pl_render_options){.width = 1280,
                               .height = 720,
                               .samples = 4,
                               .up_axis = 1,
                               .radius = 1.0,
                               .ground = true,
                               .crease = 60.0,
                               .value_high = 1.0};
}

void pl_render_options_frame(pl_render_options* options, const pl_camera_fit* fit) {
    options->camera = pl_camera_fit_end(fit);
    options->up_axis = fit->view.up_axis;
    options->center = (pl_vec3){0, 0, 0};
    options->radius = 1.0;
    options->ground_height = 0.0;
    if (fit->point_count == 0) return;
    options->center = pl_scale(0.5, pl_add(fit->low, fit->high));
    double radius = 0.5 * pl_distance(fit->low, fit->high);
    if (radius > 0.0) options->radius = radius;
    const double low[3] = {fit->low.x, fit->low.y, fit->low.z};
    options->ground_height = low[options->up_axis];
}

typedef struct picture {
    const pl_render_options* options;
    const pl_render_mesh* mesh;
    pl_shader shader;
    const uint8_t (*places)[2];
    pl_raster_vertex* vertices;
    const pl_render_scene* scene;
    float (*colors)[3];   // of bodies, then of their sides seen from behind
    int* first_triangles; // of bodies
    bool face_values;     // colours may change at every edge
    bool has_textures;
    pl_image* image;
    uint8_t srgb[PL_SRGB_SIZE];
} picture;

static void project_task(int begin, int end, int worker, void* user) {
    (void)worker;
    picture* p = user;
    const pl_shader* s = &p->shader;
    float scale_x = (float)PL_RASTER_SUBPIXEL / s->pixel_x;
    float scale_y = (float)PL_RASTER_SUBPIXEL / s->pixel_y;
    for (int i = begin; i < end; i++) {
        pl_vec3f d = pl_subf(p->mesh->positions[i], s->eye);
        float depth = -pl_dotf(d, s->back);
        float x = (pl_dotf(d, s->right) / depth + s->tan_x) * scale_x;
        float y = (s->tan_y - pl_dotf(d, s->up) / depth) * scale_y;
        // not behind the camera, far beside the picture, or NaN
        bool usable = depth > 1e-4f && fabsf(x) < 1e8f && fabsf(y) < 1e8f;
        p->vertices[i] = usable ? (pl_raster_vertex){(int)lrintf(x), (int)lrintf(y), 1.0f / depth}
                                : (pl_raster_vertex){.x = PL_RASTER_HIDDEN};
    }
}

// true if two triangles of a pixel belong to one smooth piece of surface, so that one colour is
// enough for both
static bool is_continued(const picture* p, int a, int b, float depth_a, float depth_b) {
    const pl_render_body* body = &p->scene->bodies[p->mesh->bodies[a]];
    if (p->shader.wireframe || body->texture || p->mesh->bodies[a] != p->mesh->bodies[b])
        return false;
    if (fabsf(depth_a - depth_b) > 0.002f * depth_a) return false;
    const pl_vec3f* n = p->mesh->normals;
    if (pl_dotf(n[3 * (size_t)a], n[3 * (size_t)b]) < 0.96f) return false;
    return !p->mesh->values || !(p->face_values || p->shader.has_categories);
}

// pixels of one row: the backdrop's colours, to which the bodies' are added
typedef struct pixel_row {
    int x, y;
    float rgb[PL_RASTER_TILE][3];
    float alpha[PL_RASTER_TILE];
    pl_fragments fragments;
} pixel_row;

static void flush_fragments(const picture* p, pixel_row* row) {
    pl_fragments* f = &row->fragments;
    pl_shade_triangles(&p->shader, f);
    for (int i = 0; i < f->count; i++)
        for (int k = 0; k < 3; k++) row->rgb[f->pixels[i]][k] += f->weights[i] * f->rgb[k][i];
    if (p->image->alpha)
        for (int i = 0; i < f->count; i++) row->alpha[f->pixels[i]] += f->weights[i];
    f->count = 0;
}

static void add_fragment(const picture* p, pixel_row* row, int pixel, int id, float weight,
                         float at_x, float at_y) {
    pl_fragments* f = &row->fragments;
    int i = f->count++;
    f->ids[i] = id;
    f->x[i] = (float)(row->x + pixel) + at_x;
    f->y[i] = (float)row->y + at_y;
    f->weights[i] = weight;
    f->pixels[i] = pixel;
    if (f->count == PL_SHADE_BATCH) flush_fragments(p, row);
}

static int count_empty(const int* ids, int sample_count) {
    int empty = 0;
    for (int s = 0; s < sample_count; s++) empty += ids[s] < 0;
    return empty;
}

// makes fragments of a pixel's samples, one for each piece of surface, over a dimmed backdrop
static void add_samples(const picture* p, const int* ids, const float* depths, int sample_count,
                        int pixel, pixel_row* row) {
    bool is_one = sample_count == 4 && ids[0] == ids[1] && ids[1] == ids[2] && ids[2] == ids[3];
    if (is_one && ids[0] >= 0) { // most pixels: inside one triangle
        for (int k = 0; k < 3; k++) row->rgb[pixel][k] = 0.0f;
        row->alpha[pixel] = 0.0f;
        add_fragment(p, row, pixel, ids[0], 1.0f, 0.5f, 0.5f);
        return;
    }
    int empty = count_empty(ids, sample_count);
    if (empty == sample_count) return;
    float part = 1.0f / (float)sample_count;
    for (int k = 0; k < 3; k++) row->rgb[pixel][k] *= part * (float)empty;
    row->alpha[pixel] *= part * (float)empty;
    unsigned done = 0;
    for (int s = 0; s < sample_count; s++) {
        if (done >> s & 1 || ids[s] < 0) continue;
        int count = 0, at_x = 0, at_y = 0;
        for (int r = s; r < sample_count; r++) {
            if (done >> r & 1 || ids[r] < 0) continue;
            if (ids[r] != ids[s] && !is_continued(p, ids[s], ids[r], depths[s], depths[r]))
                continue;
            done |= 1u << r;
            count++;
            at_x += p->places[r][0];
            at_y += p->places[r][1];
        }
        float step = 1.0f / (float)(count * PL_RASTER_SUBPIXEL);
        add_fragment(p, row, pixel, ids[s], part * (float)count, (float)at_x * step,
                     (float)at_y * step);
    }
}

static void store_row(const picture* p, const float (*rgb)[3], int count, uint8_t* out) {
    const float* in = rgb[0];
    int places[3 * PL_RASTER_TILE];
    for (int i = 0; i < 3 * count; i++) {
        float value = in[i] < 1.0f ? in[i] : 1.0f;
        value = value > 0.0f ? value : 0.0f;
        places[i] = (int)(sqrtf(value) * (PL_SRGB_SIZE - 1) + 0.5f);
    }
    for (int i = 0; i < 3 * count; i++) out[i] = p->srgb[places[i]];
}

// PNG files store colours that are not multiplied by alpha
static void store_alpha(pixel_row* row, int count, uint8_t* out) {
    for (int i = 0; i < count; i++) {
        float alpha = row->alpha[i] < 1.0f ? row->alpha[i] : 1.0f;
        out[i] = (uint8_t)(255.0f * (alpha > 0.0f ? alpha : 0.0f) + 0.5f);
        for (int k = 0; k < 3 && alpha > 0.0f; k++) row->rgb[i][k] /= alpha;
    }
}

static void resolve_picture(const pl_raster_tile* tile, int worker, void* user) {
    (void)worker;
    picture* p = user;
    int n = tile->sample_count, width = tile->x1 - tile->x0;
    pixel_row row;
    row.x = tile->x0;
    row.fragments.count = 0;
    memset(row.alpha, 0, sizeof row.alpha);
    for (row.y = tile->y0; row.y < tile->y1; row.y++) {
        const int* ids = tile->ids + (row.y - tile->y0) * PL_RASTER_TILE * n;
        int empty = tile->triangle_count > 0 ? count_empty(ids, n * width) : n * width;
        bool is_even = false;
        if (empty > 0)
            is_even = pl_shade_backdrop(&p->shader, tile->x0, row.y, width, row.rgb,
                                        p->image->alpha ? row.alpha : NULL);
        else memset(row.rgb, 0, sizeof row.rgb);
        for (int i = 0; i < width && empty < n * width; i++) {
            int place = ((row.y - tile->y0) * PL_RASTER_TILE + i) * n;
            add_samples(p, tile->ids + place, tile->depths + place, n, i, &row);
        }
        if (row.fragments.count > 0) flush_fragments(p, &row);
        if (p->image->alpha)
            store_alpha(&row, width,
                        p->image->alpha + (size_t)row.y * (size_t)p->image->width + tile->x0);
        uint8_t* out = pl_image_at(p->image, tile->x0, row.y);
        bool is_one_color = is_even && empty == n * width;
        store_row(p, (const float(*)[3])row.rgb, is_one_color ? 1 : width, out);
        for (int i = 3; i < 3 * width && is_one_color; i++) out[i] = out[i - 3];
    }
}

static void set_shader(picture* p, const pl_shadows* shadows) {
    const pl_render_options* o = p->options;
    const pl_camera* c = &o->camera;
    double range = o->value_high - o->value_low;
    pl_vec3 east, north, up;
    pl_view_axes(o->up_axis, &east, &north, &up);
    p->shader = (pl_shader){
        .mesh = p->mesh,
        .shadows = shadows,
        .bodies = p->scene->bodies,
        .body_colors = (const float(*)[3])p->colors,
        .back_colors = (const float(*)[3])(p->colors + p->scene->body_count),
        .first_triangles = p->first_triangles,
        .projected = p->vertices,
        .wireframe = o->wireframe,
        .has_textures = p->has_textures,
        .has_categories = o->map == PL_COLORMAP_CATEGORIES,
        .ground = o->ground,
        .ground_height = (float)((o->ground_height - pl_dot(o->center, up)) / o->radius),
        .value_low = (float)o->value_low,
        .value_scale = range > 0.0 ? (float)(1.0 / range) : 0.0f,
        .eye = pl_vec3f_of(pl_scale(1.0 / o->radius, pl_sub(c->eye, o->center))),
        .right = pl_vec3f_of(c->right),
        .up = pl_vec3f_of(c->up),
        .back = pl_vec3f_of(c->back),
        .world_up = pl_vec3f_of(up),
        .tan_x = (float)c->tan_x,
        .tan_y = (float)c->tan_y,
        .pixel_x = (float)(2.0 * c->tan_x / o->width),
        .pixel_y = (float)(2.0 * c->tan_y / o->height),
        .line_width = 0.5f + (float)o->height / 2000.0f,
    };
    pl_colormap_fill(o->map, p->shader.map);
    pl_shader_place_lights(&p->shader);
}

// data of the lights; freed by free_lights, even if setup fails
typedef struct lights {
    pl_shadows shadows;
    pl_key_light key;
    pl_occlusion occlusion;
} lights;

static void free_lights(lights* l) {
    pl_occlusion_free(&l->occlusion);
    pl_key_light_free(&l->key);
    pl_shadows_free(&l->shadows);
}

static pl_status make_lights(picture* p, pl_pool* pool, lights* l, pl_error* error) {
    const pl_render_options* o = p->options;
    set_shader(p, &l->shadows);
    pl_status status = pl_shadows_create(p->mesh, p->shader.key, o->up_axis, o->ground,
                                         p->shader.ground_height, pool, &l->shadows, error);
    if (status == PL_OK)
        status = pl_key_light_create(p->mesh, &l->shadows.depth, pool, &l->key, error);
    if (status == PL_OK && !o->no_occlusion) {
        status = pl_occlusion_create(p->mesh, p->shader.eye, pool, &l->occlusion, error);
        p->shader.occlusion = &l->occlusion;
    }
    p->shader.key_light = &l->key;
    return status;
}

static pl_status draw(picture* p, pl_pool* pool, pl_error* error) {
    const pl_render_options* o = p->options;
    lights l = {0};
    pl_status status = make_lights(p, pool, &l, error);
    if (status != PL_OK) {
        free_lights(&l);
        return status;
    }
    pl_parallel_for(pool, project_task, p->mesh->vertex_count, 4096, p);
    p->places = pl_raster_places(o->samples);
    pl_raster_job job = {.width = o->width,
                         .height = o->height,
                         .sample_count = o->samples >= 16  ? 16
                                         : o->samples >= 8 ? 8
                                                           : 4,
                         .places = p->places,
                         .vertices = p->vertices,
                         .triangle_count = p->mesh->triangle_count,
                         .triangles = p->mesh->triangles,
                         .resolve = resolve_picture,
                         .user = p};
    status = pl_raster_run(&job, pool, error);
    free_lights(&l);
    return status;
}

static void choose_colors(picture* p) {
    int count = p->scene->body_count, triangle = 0;
    for (int i = 0; i < count; i++) {
        const pl_render_body* b = &p->scene->bodies[i];
        float *front = p->colors[i], *back = p->colors[count + i];
        if (b->has_color) memcpy(front, b->color, sizeof b->color);
        else pl_palette_color(i, front);
        memcpy(back, b->has_back_color ? b->back_color : front, sizeof b->back_color);
        p->first_triangles[i] = triangle;
        triangle += b->triangle_count;
        p->face_values = p->face_values || b->triangle_values;
        p->has_textures = p->has_textures || b->texture;
    }
}

static pl_status draw_mesh(const pl_render_scene* scene, const pl_render_options* options,
                           const pl_render_mesh* mesh, pl_pool* pool, pl_image* image,
                           pl_error* error) {
    size_t count = (size_t)scene->body_count;
    picture* p = PL_ALLOC(picture, 1);
    if (!p) return pl_fail_memory(error, "a picture");
    *p = (picture){.options = options, .scene = scene, .mesh = mesh, .image = image};
    p->vertices = PL_ALLOC(pl_raster_vertex, mesh->vertex_count);
    p->colors = pl_alloc_items(2 * count, sizeof *p->colors);
    p->first_triangles = PL_ALLOC(int, count);
    pl_status status = PL_OK;
    if ((mesh->vertex_count > 0 && !p->vertices) ||
        (count > 0 && (!p->colors || !p->first_triangles)))
        status = pl_fail_memory(error, "a picture");
    if (status == PL_OK) {
        pl_srgb_fill(p->srgb);
        choose_colors(p);
        status = draw(p, pool, error);
    }
    PL_FREE(p->vertices, pl_raster_vertex, mesh->vertex_count);
    pl_free(p->colors, 2 * count * sizeof *p->colors);
    PL_FREE(p->first_triangles, int, count);
    PL_FREE(p, picture, 1);
    return status;
}

pl_status pl_render_draw(const pl_render_scene* scene, const pl_render_options* options,
                         pl_pool* pool, pl_image* image, pl_error* error) {
    PL_ASSERT(image->width == options->width && image->height == options->height);
    if (options->transparent) {
        pl_status status = pl_image_add_alpha(image, error);
        if (status != PL_OK) return status;
    }
    pl_render_mesh mesh;
    pl_status status = pl_render_mesh_create(scene, options, pool, &mesh, error);
    if (status != PL_OK) return status;
    status = draw_mesh(scene, options, &mesh, pool, image, error);
    if (status == PL_OK) pl_marks_draw(image, options, scene->marks, scene->mark_count);
    if (status == PL_OK) pl_legend_draw(image, options);
    pl_render_mesh_free(&mesh);
    return status;
}
