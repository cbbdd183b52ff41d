// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Method: percentage-closer soft shadows (Fernando 2005) on the depth map. Depths are compared with
// the plane of the surface instead of with one depth, so that slanted surfaces cast no shadow on
// themselves. Most points are fully lit or fully dark. A map of the smallest and largest depths of
// 4 x 4 entries finds these with 36 comparisons; only the others search for occluders.
#include "record/key_light.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

typedef float f32x8 __attribute__((vector_size(32)));
typedef int32_t i32x8 __attribute__((vector_size(32)));

enum { BLOCK = 4, SEARCH = 10, BLOCKS = 6 }; // entries: of a block, of the search; blocks across it
static const float SPREAD = 0.10f;           // radius of a penumbra per distance from its caster
static const float BIAS = 0.004f;            // how far a point is moved away from its surface
static const float MAX_SLOPE = 5.0f;         // of the plane; grazing light is faint anyway

static void bounds_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const pl_key_light* light = user;
    size_t side = (size_t)light->side, full = (size_t)light->depth->side;
    for (size_t y = (size_t)begin; y < (size_t)end; y++)
        for (size_t x = 0; x < side; x++) {
            const float* block = light->depth->values + BLOCK * (y * full + x);
            float low = block[0], high = block[0];
            for (size_t j = 0; j < BLOCK; j++)
                for (size_t i = 0; i < BLOCK; i++) {
                    float value = block[j * full + i];
                    low = value < low ? value : low;
                    high = value > high ? value : high;
                }
            light->low[y * side + x] = low;
            light->high[y * side + x] = high;
        }
}

// eight blocks are read at once, even at the end of a row
static size_t block_count(const pl_key_light* light) {
    return (size_t)light->side * (size_t)light->side + 8;
}

// a point in the map: entries x and y, depth, and the slope of its plane
typedef struct receiver {
    float x, y, depth, along_x, along_y; // [entries], depth per entry
} receiver;

static receiver receiver_of(const pl_light_map* map, pl_vec3f p, pl_vec3f plane) {
    receiver r = {.x = (pl_dotf(p, map->u) - map->u0) * map->scale - 0.5f,
                  .y = (pl_dotf(p, map->v) - map->v0) * map->scale - 0.5f,
                  .depth = pl_dotf(p, map->toward)};
    float toward = fabsf(pl_dotf(plane, map->toward));
    float side = pl_dotf(plane, map->toward) < 0.0f ? 1.0f : -1.0f;
    float least = 1.0f / MAX_SLOPE, scale = side / ((toward > least ? toward : least) * map->scale);
    r.along_x = pl_dotf(plane, map->u) * scale;
    r.along_y = pl_dotf(plane, map->v) * scale;
    return r;
}

// the result of all blocks around a receiver
typedef struct verdict {
    uint8_t kind;
    float away; // mean distance of occluders from the plane
} verdict;

static inline float sum_of(f32x8 v) {
    return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

static verdict look_around(const pl_key_light* light, const receiver* r) {
    const f32x8 columns = {0, 1, 2, 3, 4, 5, 5, 5}, none = {0}, ones = none + 1.0f;
    const i32x8 used = {-1, -1, -1, -1, -1, -1, 0, 0};
    int x0 = ((int)r->x - SEARCH) / BLOCK, y0 = ((int)r->y - SEARCH) / BLOCK;
    // surfaces within this depth of the plane count as the plane itself
    float margin = 0.5f * BLOCK * (fabsf(r->along_x) + fabsf(r->along_y));
    float half = 0.5f * (BLOCK - 1);
    float first = r->depth + margin + ((float)(x0 * BLOCK) + half - r->x) * r->along_x +
                  ((float)(y0 * BLOCK) + half - r->y) * r->along_y;
    f32x8 plane = first + columns * (BLOCK * r->along_x), sum = none, count = none;
    i32x8 open = {0};
    size_t at = (size_t)y0 * (size_t)light->side + (size_t)x0;
    for (int j = 0; j < BLOCKS; j++, at += (size_t)light->side) {
        f32x8 low, high;
        memcpy(&low, light->low + at, sizeof low);
        memcpy(&high, light->high + at, sizeof high);
        i32x8 dark = (high > plane) & used;
        count += (f32x8)((i32x8)ones & dark);
        sum += (f32x8)((i32x8)(high - plane) & dark);
        open |= (low <= plane) & used;
        plane += BLOCK * r->along_y;
    }
    float dark_count = sum_of(count);
    if (!(dark_count > 0.0f)) return (verdict){PL_KEY_LIT, 0.0f};
    int32_t any_open = 0;
    for (int i = 0; i < 8; i++) any_open |= open[i];
    return (verdict){any_open ? PL_KEY_MIXED : PL_KEY_DARK, sum_of(sum) / dark_count};
}

// The lit part of the entries around a point, every step-th of them, with weights that fall to 0 at
// the radius, which is less than four steps.
static float lit_within(const pl_light_map* map, const receiver* r, float radius) {
    int step = radius > 7.0f ? 3 : radius > 3.5f ? 2 : 1;
    int x0 = (int)ceilf(r->x - radius), y0 = (int)ceilf(r->y - radius);
    // the same entries for all neighbours
    x0 += (step - x0 % step) % step, y0 += (step - y0 % step) % step;
    float scale = 1.0f / radius;
    const f32x8 columns = {0, 1, 2, 3, 4, 5, 6, 7}, none = {0};
    const i32x8 magnitude = (i32x8){0} + 0x7fffffff;
    f32x8 dx = columns * (float)step + ((float)x0 - r->x);
    f32x8 weight_x = 1.0f - (f32x8)((i32x8)dx & magnitude) * scale;
    weight_x = (f32x8)((i32x8)weight_x & (weight_x > none));
    f32x8 plane_x = r->depth + dx * r->along_x, lit = none;
    float sum_y = 0.0f;
    for (int y = y0; (float)y < r->y + radius; y += step) {
        const float* row = map->values + (size_t)y * (size_t)map->side + x0;
        float dy = (float)y - r->y, weight_y = 1.0f - fabsf(dy) * scale;
        f32x8 depths = {row[0],        row[step],     row[2 * step], row[3 * step],
                        row[4 * step], row[5 * step], row[6 * step], row[7 * step]};
        i32x8 is_lit = depths <= plane_x + dy * r->along_y;
        lit += (f32x8)((i32x8)(weight_x * weight_y) & is_lit);
        sum_y += weight_y;
    }
    float sum = sum_of(weight_x) * sum_y;
    return sum > 0.0f ? sum_of(lit) / sum : 1.0f;
}

static bool is_inside(const pl_light_map* map, const receiver* r) {
    float low = SEARCH + BLOCK, high = (float)(map->side - 3 * SEARCH);
    return r->x >= low && r->y >= low && r->x < high && r->y < high;
}

// points are moved off the surface by more where the light grazes it
static receiver lifted(const pl_light_map* map, pl_vec3f p, pl_vec3f normal, pl_vec3f plane) {
    float cosine = pl_dotf(normal, map->toward);
    float slant = 3.0f - 2.0f * (cosine > 0.0f ? cosine : 0.0f);
    return receiver_of(map, pl_maddf(pl_maddf(p, BIAS * slant, normal), BIAS, map->toward), plane);
}

typedef struct vertex_job {
    const pl_render_mesh* mesh;
    pl_key_light* light;
} vertex_job;

static void vertex_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const vertex_job* job = user;
    const pl_render_mesh* m = job->mesh;
    for (int v = begin; v < end; v++) {
        // outside the map nothing is in the way, but neighbours must be examined
        verdict found = {PL_KEY_MIXED, 0.0f};
        if (m->vertex_begins[v] < m->vertex_begins[v + 1]) {
            pl_vec3f n = m->normals[m->vertex_corners[m->vertex_begins[v]]];
            // of the two sides of a sheet, the one that faces the light
            if (pl_dotf(n, job->light->depth->toward) < 0.0f) n = pl_scalef(-1.0f, n);
            receiver r = lifted(job->light->depth, m->positions[v], n, n);
            if (is_inside(job->light->depth, &r)) found = look_around(job->light, &r);
        }
        job->light->kinds[v] = found.kind;
        job->light->aways[v] = found.away;
    }
}

pl_status pl_key_light_create(const pl_render_mesh* mesh, const pl_light_map* depth, pl_pool* pool,
                              pl_key_light* out, pl_error* error) {
    *out = (pl_key_light){.depth = depth,
                          .side = depth->side / BLOCK,
                          .vertex_count = mesh->vertex_count,
                          .small = 0.8f * SEARCH / depth->scale};
    size_t count = block_count(out);
    out->low = PL_ALLOC(float, count);
    out->high = PL_ALLOC(float, count);
    out->kinds = PL_ALLOC(uint8_t, mesh->vertex_count);
    out->aways = PL_ALLOC(float, mesh->vertex_count);
    bool has_vertices = mesh->vertex_count == 0 || (out->kinds && out->aways);
    if (!out->low || !out->high || !has_vertices) {
        pl_key_light_free(out);
        return pl_fail_memory(error, "a map of shadows");
    }
    pl_parallel_for(pool, bounds_task, out->side, 16, out);
    vertex_job job = {mesh, out};
    pl_parallel_for(pool, vertex_task, mesh->vertex_count, 1024, &job);
    return PL_OK;
}

void pl_key_light_free(pl_key_light* light) {
    PL_FREE(light->low, float, block_count(light));
    PL_FREE(light->high, float, block_count(light));
    PL_FREE(light->kinds, uint8_t, light->vertex_count);
    PL_FREE(light->aways, float, light->vertex_count);
    *light = (pl_key_light){0};
}

static float lit_behind(const pl_light_map* map, const receiver* r, float away) {
    float radius = SPREAD * away * map->scale;
    radius = radius < 1.8f ? 1.8f : radius > SEARCH ? (float)SEARCH : radius;
    return lit_within(map, r, radius);
}

float pl_key_light_lit(const pl_key_light* light, pl_vec3f p, pl_vec3f normal, pl_vec3f plane) {
    receiver r = lifted(light->depth, p, normal, plane);
    if (!is_inside(light->depth, &r)) return 1.0f;
    verdict v = look_around(light, &r);
    if (v.kind != PL_KEY_MIXED) return v.kind == PL_KEY_LIT ? 1.0f : 0.0f;
    return lit_behind(light->depth, &r, v.away);
}

float pl_key_light_lit_behind(const pl_key_light* light, pl_vec3f p, pl_vec3f normal,
                              pl_vec3f plane, float away) {
    receiver r = lifted(light->depth, p, normal, plane);
    return is_inside(light->depth, &r) ? lit_behind(light->depth, &r, away) : 1.0f;
}
