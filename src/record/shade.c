// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A small studio: a warm key light with shadows, a cool fill light, a sky that is brighter above
// than below, and a soft highlight. Not physics; the sums are chosen so that a grey ball spans most
// of the range without burning out.
#include "record/shade.h"

#include <math.h>

static const float KEY_COLOR[3] = {0.86f, 0.82f, 0.76f};
static const float FILL_COLOR[3] = {0.13f, 0.15f, 0.19f};
static const float SKY_COLOR[3] = {0.36f, 0.38f, 0.41f};
static const float BOUNCE_COLOR[3] = {0.21f, 0.19f, 0.17f};
static const float BACKDROP_TOP[3] = {0.62f, 0.68f, 0.75f};
static const float BACKDROP_GROUND[3] = {0.80f, 0.81f, 0.82f};

void pl_shader_place_lights(pl_shader* s) {
    // horizontal directions of the camera, also when it looks straight down
    pl_vec3f right = s->right, toward = pl_unitf(pl_crossf(right, s->world_up));
    pl_vec3f key = pl_addf(pl_scalef(-0.62f, right), pl_scalef(0.42f, toward));
    s->key = pl_unitf(pl_maddf(key, 1.05f, s->world_up));
    pl_vec3f fill = pl_addf(pl_scalef(0.85f, right), pl_scalef(0.45f, toward));
    s->fill = pl_unitf(pl_maddf(fill, 0.25f, s->world_up));
}

static inline pl_vec3f ray_direction(const pl_shader* s, float x, float y) {
    float px = x * s->pixel_x - s->tan_x, py = s->tan_y - y * s->pixel_y;
    return pl_subf(pl_addf(pl_scalef(px, s->right), pl_scalef(py, s->up)), s->back);
}

// smooth step from 0 at low to 1 at high
static inline float ramp(float low, float high, float x) {
    float t = (x - low) / (high - low);
    t = t < 0.0f ? 0.0f : t > 1.0f ? 1.0f : t;
    return t * t * (3.0f - 2.0f * t);
}

// the ground's point under each pixel of a row; the same arithmetic for all of them, so that it
// runs in wide registers
typedef struct row {
    float sky[PL_RASTER_TILE];       // 0 at the horizon and below, 1 high above
    float on_ground[PL_RASTER_TILE]; // 1, or 0 where the ray misses it
    float hidden[PL_RASTER_TILE], dark[PL_RASTER_TILE];
} row;

// coordinates of a map are linear along a row before the division by the ray's fall
typedef struct map_line {
    float eye, first, step; // coordinate of the eye, of the first ray's direction, and its step
} map_line;

static map_line line_of(const pl_shader* s, pl_vec3f axis, float origin, float scale, pl_vec3f d) {
    return (map_line){(pl_dotf(s->eye, axis) - origin) * scale - 0.5f, pl_dotf(d, axis) * scale,
                      s->pixel_x * pl_dotf(s->right, axis) * scale};
}

static void look_up(const pl_shader* s, const pl_light_map* map, pl_vec3f d, const float* reach,
                    int count, float* out) {
    map_line u = line_of(s, map->u, map->u0, map->scale, d);
    map_line v = line_of(s, map->v, map->v0, map->scale, d);
    float limit = (float)map->side - 1.5f;
    int x0[PL_RASTER_TILE], y0[PL_RASTER_TILE];
    float fx[PL_RASTER_TILE], fy[PL_RASTER_TILE];
    for (int i = 0; i < count; i++) {
        // the border of a map is 0, so a place outside may be moved to it
        float x = u.eye + reach[i] * (u.first + u.step * (float)i);
        float y = v.eye + reach[i] * (v.first + v.step * (float)i);
        x = x > 0.0f ? x : 0.0f;
        y = y > 0.0f ? y : 0.0f;
        x = x < limit ? x : limit;
        y = y < limit ? y : limit;
        x0[i] = (int)x, y0[i] = (int)y;
        fx[i] = x - (float)x0[i], fy[i] = y - (float)y0[i];
    }
    const float* values = map->values;
    for (int i = 0; i < count; i++) {
        int place = y0[i] * map->side + x0[i];
        float top = values[place] + fx[i] * (values[place + 1] - values[place]);
        float a = values[place + map->side], b = values[place + map->side + 1];
        float bottom = a + fx[i] * (b - a);
        out[i] = top + fy[i] * (bottom - top);
    }
}

static void meet_ground(const pl_shader* s, pl_vec3f d, int count, row* r) {
    float first = pl_dotf(d, s->world_up), step = s->pixel_x * pl_dotf(s->right, s->world_up);
    float height = pl_dotf(s->eye, s->world_up) - s->ground_height;
    float reach[PL_RASTER_TILE];
    for (int i = 0; i < count; i++) {
        float fall = first + step * (float)i;
        float length = sqrtf(1.0f + pl_dotf(d, d)); // near enough for a gradient of the sky
        float t = fall / length * 1.25f;
        t = t > 0.0f ? t : 0.0f;
        r->sky[i] = t < 1.0f ? t : 1.0f;
        float along = fall < -1e-6f ? height / -fall : 0.0f;
        reach[i] = along > 0.0f ? along : 0.0f;
        r->on_ground[i] = along > 0.0f ? 1.0f : 0.0f;
        r->hidden[i] = r->dark[i] = 0.0f;
    }
    if (!s->ground || !(height > 0.0f)) return;
    look_up(s, &s->shadows->light, d, reach, count, r->hidden);
    look_up(s, &s->shadows->sky, d, reach, count, r->dark);
}

void pl_shade_backdrop(const pl_shader* s, int x, int y, int count, float (*rgb)[3]) {
    row r;
    meet_ground(s, ray_direction(s, (float)x + 0.5f, (float)y + 0.5f), count, &r);
    for (int i = 0; i < count; i++) {
        float hidden = r.on_ground[i] * r.hidden[i], dark = r.on_ground[i] * r.dark[i];
        float light = (1.0f - 0.45f * hidden) * (1.0f - 0.72f * dark);
        float tint = 0.05f * (hidden + dark); // shadows keep some of the sky's blue
        for (int k = 0; k < 3; k++)
            rgb[i][k] = (BACKDROP_GROUND[k] + r.sky[i] * (BACKDROP_TOP[k] - BACKDROP_GROUND[k])) *
                        light * (1.0f + tint * (float)(k - 1));
    }
}

static void value_color(const pl_shader* s, float value, float rgb[3]) {
    float t = (value - s->value_low) * s->value_scale;
    if (t != t) { // no value here
        rgb[0] = rgb[1] = rgb[2] = 0.35f;
        return;
    }
    t = t < 0.0f ? 0.0f : t > 1.0f ? 1.0f : t;
    float place = t * (PL_COLORMAP_SIZE - 1);
    int i = (int)place;
    int j = i + 1 < PL_COLORMAP_SIZE ? i + 1 : i;
    float f = place - (float)i;
    for (int k = 0; k < 3; k++) rgb[k] = s->map[i][k] + f * (s->map[j][k] - s->map[i][k]);
}

typedef struct hit {
    pl_vec3f position, normal, view; // normal and view are units towards the camera's side
    float b[3];                      // barycentric coordinates
} hit;

// where the ray meets the triangle's plane (Moeller and Trumbore 1997), moved into the triangle
static hit intersect(const pl_shader* s, int id, pl_vec3f d) {
    const int* t = s->mesh->triangles + 3 * (size_t)id;
    pl_vec3f a = s->mesh->positions[t[0]];
    pl_vec3f e1 = pl_subf(s->mesh->positions[t[1]], a), e2 = pl_subf(s->mesh->positions[t[2]], a);
    pl_vec3f from = pl_subf(s->eye, a), p = pl_crossf(d, e2), q = pl_crossf(from, e1);
    float det = pl_dotf(e1, p);
    float u = pl_dotf(from, p) / det, v = pl_dotf(d, q) / det;
    if (!(u >= 0.0f)) u = 0.0f; // also where the triangle is seen edge on
    if (!(v >= 0.0f)) v = 0.0f;
    if (u + v > 1.0f) {
        float scale = 1.0f / (u + v);
        u = scale > 0.0f ? u * scale : 0.5f;
        v = 1.0f - u;
    }
    hit h = {.b = {1.0f - u - v, u, v}};
    h.position = pl_maddf(pl_maddf(a, u, e1), v, e2);
    h.view = pl_unitf(pl_subf(s->eye, h.position));
    const pl_vec3f* n = s->mesh->normals + 3 * (size_t)id;
    h.normal = pl_unitf(pl_maddf(pl_maddf(pl_scalef(h.b[0], n[0]), u, n[1]), v, n[2]));
    // seen from behind, both sides look alike
    if (pl_dotf(s->mesh->face_normals[id], h.view) < 0.0f) h.normal = pl_scalef(-1.0f, h.normal);
    return h;
}

static void base_color(const pl_shader* s, int id, const hit* h, float rgb[3]) {
    const float* values = s->mesh->values ? s->mesh->values + 3 * (size_t)id : NULL;
    const float* body = s->body_colors[s->mesh->bodies[id]];
    bool has_value = values && !(values[0] != values[0] && values[1] != values[1]);
    for (int k = 0; k < 3; k++) rgb[k] = body[k];
    if (has_value)
        value_color(s, h->b[0] * values[0] + h->b[1] * values[1] + h->b[2] * values[2], rgb);
}

// how much of the line colour is seen: by the distance to the nearest edge of the projected
// triangle; lines of triangles of a few pixels are faint, or a fine mesh would be all line
static float line_part(const pl_shader* s, int id, float x, float y) {
    const int* t = s->mesh->triangles + 3 * (size_t)id;
    float nearest = 1e9f, around = 0.0f;
    for (int k = 0; k < 3; k++) {
        pl_raster_vertex a = s->projected[t[k]], b = s->projected[t[(k + 1) % 3]];
        float dx = (float)(b.x - a.x), dy = (float)(b.y - a.y);
        float px = x * PL_RASTER_SUBPIXEL - (float)a.x, py = y * PL_RASTER_SUBPIXEL - (float)a.y;
        float length = sqrtf(dx * dx + dy * dy);
        float distance = length > 0.0f ? fabsf(dx * py - dy * px) / length : 1e9f;
        if (distance < nearest) nearest = distance;
        around += length;
    }
    nearest *= 1.0f / PL_RASTER_SUBPIXEL;
    around *= 1.0f / PL_RASTER_SUBPIXEL;
    float strength = 0.3f + 0.45f * ramp(6.0f, 36.0f, around);
    return strength * (1.0f - ramp(s->line_width - 0.5f, s->line_width + 0.5f, nearest));
}

// x^16 by squaring
static inline float power16(float x) {
    x *= x, x *= x, x *= x;
    return x * x;
}

void pl_shade_triangle(const pl_shader* s, int id, float x, float y, float rgb[3]) {
    hit h = intersect(s, id, ray_direction(s, x, y));
    float color[3];
    base_color(s, id, &h, color);
    float facing = pl_dotf(h.normal, h.view);
    if (facing < 0.0f) facing = 0.0f;

    // the key light, softened a little around the edge of its reach
    float cosine = pl_dotf(h.normal, s->key);
    float key = (cosine + 0.08f) * (1.0f / 1.08f), lit = 0.0f;
    if (key > 0.0f) {
        float slant = 1.0f + 2.0f * (1.0f - (cosine > 0.0f ? cosine : 0.0f));
        lit = pl_light_map_lit(&s->shadows->depth,
                               pl_maddf(pl_maddf(h.position, s->shadow_bias * slant, h.normal),
                                        s->shadow_bias, s->key));
        key *= lit;
    } else {
        key = 0.0f;
    }
    float fill = pl_dotf(h.normal, s->fill);
    fill = fill > 0.0f ? fill : 0.0f;

    // the sky from above, the ground from below; close to the ground both are dimmed
    float upward = 0.5f + 0.5f * pl_dotf(h.normal, s->world_up), open = 1.0f;
    if (s->ground) {
        float height = pl_dotf(h.position, s->world_up) - s->ground_height;
        float closeness = 1.0f - ramp(0.0f, 0.5f, height);
        open = 1.0f - 0.55f * closeness * (1.0f - upward);
    }
    pl_vec3f half_way = pl_unitf(pl_addf(s->key, h.view));
    float glance = pl_dotf(h.normal, half_way);
    float shine = glance > 0.0f ? 0.16f * power16(glance * glance) * lit : 0.0f;
    float rim = 1.0f - facing;
    rim = 0.16f * rim * rim * rim * rim * (0.35f + 0.65f * upward);
    if (s->mesh->values) shine *= 0.35f, rim *= 0.35f; // colours are to be read

    float line = 0.0f;
    if (s->wireframe) line = line_part(s, id, x, y);
    for (int k = 0; k < 3; k++) {
        float ambient = BOUNCE_COLOR[k] + upward * (SKY_COLOR[k] - BOUNCE_COLOR[k]);
        float light = key * KEY_COLOR[k] + fill * FILL_COLOR[k] + open * ambient;
        float value = color[k] * light + shine + rim * SKY_COLOR[k] * 2.0f;
        // the brightest parts bend towards white instead of being cut
        float over = value - 0.6f;
        if (over > 0.0f) value = 0.6f + over / (1.0f + 1.2f * over);
        rgb[k] = value * (1.0f - line) + line * 0.02f;
    }
}
