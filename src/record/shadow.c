// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The key light is a disc, so a shadow is sharp where the body touches the ground and soft far
// below it. The map of the light stores which fraction of each entry is covered and how high above
// the ground. The mean height around an entry gives the radius of the penumbra (after Fernando,
// "Percentage-closer soft shadows", 2005), and box means of that radius come from a summed-area
// table (Crow 1984) at the same cost for every radius. The sky is done likewise with a map seen
// from below, where low parts count more.
#include "record/shadow.h"
#include "base/memory.h"
#include "record/raster.h"

#include <float.h>
#include <math.h>

enum { DEPTH_SIDE = 1024, LIGHT_SIDE = 512, SKY_SIDE = 256 };
static const float MAP_REACH = 1.45f;    // half side of the maps; bodies lie within 1
static const float LIGHT_SPREAD = 0.16f; // tangent of the half angle of the key light's disc

static pl_status map_create(pl_light_map* map, int side, pl_vec3f u, pl_vec3f v, pl_vec3f toward,
                            pl_error* error) {
    *map = (pl_light_map){.side = side,
                          .u = u,
                          .v = v,
                          .toward = toward,
                          .u0 = -MAP_REACH,
                          .v0 = -MAP_REACH,
                          .scale = (float)side / (2.0f * MAP_REACH)};
    map->values = PL_ALLOC(float, (size_t)side*(size_t)side);
    return map->values ? PL_OK : pl_fail_memory(error, "a map of shadows");
}

static void map_free(pl_light_map* map) {
    PL_FREE(map->values, float, (size_t)map->side*(size_t)map->side);
    *map = (pl_light_map){0};
}

// draws the mesh from a light's direction
typedef struct light_job {
    const pl_render_mesh* mesh;
    pl_light_map map; // of pixels
    pl_raster_vertex* vertices;
    float* depths;   // twice the side, of samples; or NULL
    float* coverage; // per pixel
    float* heights;  // per pixel: along the light's direction from the ground, times coverage
    float ground_height;
    pl_vec3f up;
} light_job;

static void project_task(int begin, int end, int worker, void* user) {
    (void)worker;
    light_job* job = user;
    const pl_light_map* map = &job->map;
    float scale = map->scale * PL_RASTER_SUBPIXEL;
    for (int i = begin; i < end; i++) {
        pl_vec3f p = job->mesh->positions[i];
        float x = (pl_dotf(p, map->u) - map->u0) * scale;
        float y = (pl_dotf(p, map->v) - map->v0) * scale;
        float depth = pl_dotf(p, map->toward);
        // points that are far outside or NaN cast no shadow
        bool usable = fabsf(x) < 1e8f && fabsf(y) < 1e8f && fabsf(depth) < 1e8f;
        job->vertices[i] = usable ? (pl_raster_vertex){(int)lrintf(x), (int)lrintf(y), depth}
                                  : (pl_raster_vertex){.x = PL_RASTER_HIDDEN};
    }
}

static void resolve_light(const pl_raster_tile* tile, int worker, void* user) {
    (void)worker;
    light_job* job = user;
    size_t side = (size_t)job->map.side;
    float rise = pl_dotf(job->map.toward, job->up); // height per unit towards the light
    for (int y = tile->y0; y < tile->y1; y++) {
        for (int x = tile->x0; x < tile->x1; x++) {
            int place = ((y - tile->y0) * PL_RASTER_TILE + x - tile->x0) * 4;
            const float* depths = tile->depths + place;
            if (job->depths) {
                float* out = job->depths + ((size_t)y * 2 * side + (size_t)x) * 2;
                out[0] = depths[0], out[1] = depths[1];
                out[2 * side] = depths[2], out[2 * side + 1] = depths[3];
            }
            if (!job->coverage) continue;
            // the ground's coordinate towards the light where this ray meets it
            float u = job->map.u0 + ((float)x + 0.5f) / job->map.scale;
            float v = job->map.v0 + ((float)y + 0.5f) / job->map.scale;
            float flat = u * pl_dotf(job->map.u, job->up) + v * pl_dotf(job->map.v, job->up);
            float ground = (job->ground_height - flat) / rise;
            float covered = 0.0f, height = 0.0f;
            for (int s = 0; s < 4; s++) {
                if (tile->ids[place + s] < 0) continue;
                covered += 0.25f;
                height += 0.25f * fabsf(depths[s] - ground);
            }
            job->coverage[(size_t)y * side + (size_t)x] = covered;
            job->heights[(size_t)y * side + (size_t)x] = height;
        }
    }
}

static pl_status draw_light(light_job* job, pl_pool* pool, pl_error* error) {
    const pl_render_mesh* mesh = job->mesh;
    job->vertices = PL_ALLOC(pl_raster_vertex, mesh->vertex_count);
    if (mesh->vertex_count > 0 && !job->vertices) return pl_fail_memory(error, "a map of shadows");
    pl_parallel_for(pool, project_task, mesh->vertex_count, 4096, job);
    pl_raster_job raster = {.width = job->map.side,
                            .height = job->map.side,
                            .sample_count = 4,
                            .places = pl_raster_grid_places,
                            .vertices = job->vertices,
                            .triangle_count = mesh->triangle_count,
                            .triangles = mesh->triangles,
                            .resolve = resolve_light,
                            .user = job};
    pl_status status = pl_raster_run(&raster, pool, error);
    PL_FREE(job->vertices, pl_raster_vertex, mesh->vertex_count);
    return status;
}

typedef struct sum_job {
    const float* values;
    int side;
    double* sums;
} sum_job;

static void sum_rows_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const sum_job* job = user;
    size_t side = (size_t)job->side;
    for (size_t y = (size_t)begin; y < (size_t)end; y++) {
        double row = 0.0;
        double* out = job->sums + (y + 1) * (side + 1);
        for (size_t x = 0; x < side; x++) {
            row += (double)job->values[y * side + x];
            out[x + 1] = row;
        }
    }
}

static void sum_columns_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const sum_job* job = user;
    size_t side = (size_t)job->side;
    for (size_t y = 1; y < side; y++) {
        const double* above = job->sums + y * (side + 1);
        double* out = job->sums + (y + 1) * (side + 1);
        for (size_t x = (size_t)begin + 1; x < (size_t)end + 1; x++) out[x] += above[x];
    }
}

// sums[(y, x)] = sum of values above and to the left; (side + 1)^2 numbers, the first ones 0
static void sum_areas(const float* values, int side, double* sums, pl_pool* pool) {
    sum_job job = {values, side, sums};
    pl_parallel_for(pool, sum_rows_task, side, 32, &job);
    pl_parallel_for(pool, sum_columns_task, side, 64, &job);
}

// mean over the square of (2 reach + 1)^2 entries around (x, y); entries outside count as 0
static inline float box_mean(const double* sums, int side, int x, int y, int reach) {
    size_t stride = (size_t)side + 1;
    size_t x0 = (size_t)(x < reach ? 0 : x - reach), y0 = (size_t)(y < reach ? 0 : y - reach);
    size_t x1 = (size_t)(x + reach >= side ? side : x + reach + 1);
    size_t y1 = (size_t)(y + reach >= side ? side : y + reach + 1);
    double sum = sums[y1 * stride + x1] - sums[y0 * stride + x1] - sums[y1 * stride + x0] +
                 sums[y0 * stride + x0];
    float width = (float)(2 * reach + 1);
    return (float)sum / (width * width);
}

// the same for a fractional radius
static inline float soft_mean(const double* sums, int side, int x, int y, float radius) {
    int reach = (int)radius;
    float low = box_mean(sums, side, x, y, reach), high = box_mean(sums, side, x, y, reach + 1);
    return low + (radius - (float)reach) * (high - low);
}

typedef struct blur_job {
    int side;
    const double* sums;        // of what is blurred
    const double* height_sums; // of heights, or NULL if radius holds for all
    const float* radii_in;     // radii to use, or NULL
    int reach;                 // of the search, or for all
    float spread;              // entries of penumbra per unit of height
    float* radii_out;
    float* out;
} blur_job;

static void soft_blur_task(int begin, int end, int worker, void* user) {
    (void)worker;
    blur_job* job = user;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < job->side; x++) {
            size_t i = (size_t)y * (size_t)job->side + (size_t)x;
            job->out[i] = soft_mean(job->sums, job->side, x, y, job->radii_in[i]);
        }
}

// box_mean of a row with one reach; away from the ends no clamping is needed, so that it vectorises
static void box_row(const double* sums, int side, int y, int reach, float* out) {
    size_t stride = (size_t)side + 1;
    size_t y0 = (size_t)(y < reach ? 0 : y - reach);
    size_t y1 = (size_t)(y + reach >= side ? side : y + reach + 1);
    const double *top = sums + y0 * stride, *bottom = sums + y1 * stride;
    float width = (float)(2 * reach + 1), area = width * width;
    int first = reach < side ? reach : side, last = side - reach > first ? side - reach : first;
    for (int x = 0; x < first; x++) out[x] = box_mean(sums, side, x, y, reach);
    for (int x = first; x < last; x++) {
        double sum =
            bottom[x + reach + 1] - top[x + reach + 1] - bottom[x - reach] + top[x - reach];
        out[x] = (float)sum / area;
    }
    for (int x = last; x < side; x++) out[x] = box_mean(sums, side, x, y, reach);
}

static void penumbra_task(int begin, int end, int worker, void* user) {
    (void)worker;
    blur_job* job = user;
    float covered[LIGHT_SIDE], heights[LIGHT_SIDE];
    for (int y = begin; y < end; y++) {
        float* radii = job->radii_out + (size_t)y * (size_t)job->side;
        box_row(job->sums, job->side, y, job->reach, covered);
        box_row(job->height_sums, job->side, y, job->reach, heights);
        for (int x = 0; x < job->side; x++) {
            float radius = covered[x] > 1e-6f ? job->spread * heights[x] / covered[x] : 0.0f;
            radii[x] = fminf(fmaxf(radius, 0.7f), (float)job->reach);
        }
    }
}

static void box_blur_task(int begin, int end, int worker, void* user) {
    (void)worker;
    blur_job* job = user;
    for (int y = begin; y < end; y++)
        box_row(job->sums, job->side, y, job->reach, job->out + (size_t)y * (size_t)job->side);
}

typedef struct blur_buffers {
    double *sums, *height_sums;
    float *heights, *radii;
    int side;
    size_t size; // of all buffers, which begin at sums
} blur_buffers;

static pl_status blur_create(int side, blur_buffers* b, pl_error* error) {
    size_t n = (size_t)side * (size_t)side, m = ((size_t)side + 1) * ((size_t)side + 1);
    *b = (blur_buffers){.side = side, .size = 2 * m * sizeof(double) + 2 * n * sizeof(float)};
    // one block: large ones are kept for the next picture
    b->sums = pl_alloc_items(b->size, 1);
    if (!b->sums) return pl_fail_memory(error, "a map of shadows");
    b->height_sums = b->sums + m;
    b->heights = (float*)(b->height_sums + m);
    b->radii = b->heights + n;
    return PL_OK;
}

static void blur_free(blur_buffers* b) { pl_free(b->sums, b->size); }

// blurs values in place, repeatedly: two boxes make a tent, three are close to a Gaussian
static void blur(float* values, blur_buffers* b, const float* radii, float radius, int times,
                 pl_pool* pool) {
    for (int i = 0; i < times; i++) {
        sum_areas(values, b->side, b->sums, pool);
        blur_job job = {.side = b->side,
                        .sums = b->sums,
                        .radii_in = radii,
                        .reach = (int)(radius + 0.5f),
                        .out = values};
        pl_parallel_for(pool, radii ? soft_blur_task : box_blur_task, b->side, 16, &job);
    }
}

// the range of entries that are not 0, plus one on each side for interpolation
static void find_used(pl_light_map* map) {
    const float MIN_VALUE = 1e-6f; // anything less is round-off of sums
    int side = map->side, x0 = side, x1 = -1, y0 = side, y1 = -1;
    for (int y = 0; y < side; y++) {
        const float* row = map->values + (size_t)y * (size_t)side;
        int first = 0, last = side - 1;
        while (first < side && !(row[first] > MIN_VALUE)) first++;
        if (first == side) continue;
        while (!(row[last] > MIN_VALUE)) last--;
        x0 = first < x0 ? first : x0;
        x1 = last > x1 ? last : x1;
        y0 = y < y0 ? y : y0;
        y1 = y;
    }
    map->used_x0 = x0 - 1, map->used_y0 = y0 - 1;
    map->used_x1 = x1 + 1, map->used_y1 = y1 + 1;
}

// the depth map and, over the ground, the soft shadow of the key light
static pl_status create_light(const pl_render_mesh* mesh, pl_vec3f light, pl_vec3f up, bool ground,
                              float ground_height, pl_pool* pool, pl_shadows* out,
                              pl_error* error) {
    pl_vec3f u = pl_unitf(pl_crossf(up, light)), v = pl_crossf(light, u);
    pl_status status = map_create(&out->depth, DEPTH_SIDE, u, v, light, error);
    if (status == PL_OK) status = map_create(&out->light, LIGHT_SIDE, u, v, light, error);
    if (status != PL_OK) return status;
    blur_buffers b = {0};
    status = blur_create(LIGHT_SIDE, &b, error);
    light_job job = {.mesh = mesh,
                     .map = out->light,
                     .depths = out->depth.values,
                     .coverage = ground ? out->light.values : NULL,
                     .heights = b.heights,
                     .ground_height = ground_height,
                     .up = up};
    if (status == PL_OK) status = draw_light(&job, pool, error);
    if (status == PL_OK && ground) {
        sum_areas(out->light.values, LIGHT_SIDE, b.sums, pool);
        sum_areas(b.heights, LIGHT_SIDE, b.height_sums, pool);
        blur_job penumbra = {.side = LIGHT_SIDE,
                             .sums = b.sums,
                             .height_sums = b.height_sums,
                             .reach = (int)(0.22f * out->light.scale),
                             .spread = 0.5f * LIGHT_SPREAD * out->light.scale,
                             .radii_out = b.radii};
        pl_parallel_for(pool, penumbra_task, LIGHT_SIDE, 16, &penumbra);
        blur(b.radii, &b, NULL, 0.02f * out->light.scale, 1, pool);
        blur(out->light.values, &b, b.radii, 0.0f, 2, pool);
        find_used(&out->light);
    }
    blur_free(&b);
    return status;
}

typedef struct sky_job {
    const float* heights;
    float *near_part, *values;
} sky_job;

// coverage fades with height: once quickly, for what is near, and once slowly, for everything
static void sky_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const sky_job* job = user;
    for (int i = begin; i < end; i++) {
        float covered = job->values[i];
        float height = covered > 0.0f ? job->heights[i] / covered : 0.0f;
        job->near_part[i] = covered > 0.0f ? covered * expf(-height * (1.0f / 0.04f)) : 0.0f;
        job->values[i] = covered > 0.0f ? covered * expf(-height * (1.0f / 0.35f)) : 0.0f;
    }
}

// how much of the sky is hidden: coverage weighted by nearness to the ground, blurred
static pl_status create_sky(const pl_render_mesh* mesh, int up_axis, pl_vec3f up,
                            float ground_height, pl_pool* pool, pl_shadows* out, pl_error* error) {
    pl_vec3 east, north, unused;
    pl_view_axes(up_axis, &east, &north, &unused);
    pl_status status = map_create(&out->sky, SKY_SIDE, pl_vec3f_of(east), pl_vec3f_of(north),
                                  pl_scalef(-1.0f, up), error);
    if (status != PL_OK) return status;
    blur_buffers b = {0};
    status = blur_create(SKY_SIDE, &b, error);
    light_job job = {.mesh = mesh,
                     .map = out->sky,
                     .coverage = out->sky.values,
                     .heights = b.heights,
                     .ground_height = ground_height,
                     .up = up};
    if (status == PL_OK) status = draw_light(&job, pool, error);
    if (status == PL_OK) {
        float* near_part = b.radii; // not used yet
        sky_job fading = {b.heights, near_part, out->sky.values};
        pl_parallel_for(pool, sky_task, SKY_SIDE * SKY_SIDE, 4096, &fading);
        blur(near_part, &b, NULL, 0.018f * out->sky.scale, 3, pool);
        blur(out->sky.values, &b, NULL, 0.10f * out->sky.scale, 3, pool);
        for (size_t i = 0; i < (size_t)SKY_SIDE * SKY_SIDE; i++)
            out->sky.values[i] =
                1.0f - (1.0f - 0.75f * out->sky.values[i]) * (1.0f - 0.55f * near_part[i]);
        find_used(&out->sky);
    }
    blur_free(&b);
    return status;
}

pl_status pl_shadows_create(const pl_render_mesh* mesh, pl_vec3f light, int up_axis, bool ground,
                            float ground_height, pl_pool* pool, pl_shadows* out, pl_error* error) {
    *out = (pl_shadows){0};
    pl_vec3 east, north, up;
    pl_view_axes(up_axis, &east, &north, &up);
    pl_status status =
        create_light(mesh, light, pl_vec3f_of(up), ground, ground_height, pool, out, error);
    if (status == PL_OK && ground)
        status = create_sky(mesh, up_axis, pl_vec3f_of(up), ground_height, pool, out, error);
    if (status != PL_OK) pl_shadows_free(out);
    return status;
}

void pl_shadows_free(pl_shadows* shadows) {
    map_free(&shadows->depth);
    map_free(&shadows->light);
    map_free(&shadows->sky);
}
