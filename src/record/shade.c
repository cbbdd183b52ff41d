// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Lighting as in a small studio: a warm key light with shadows, a cool fill light, a sky that is
// brighter above than below, and a soft highlight. It is not physical; intensities are chosen so
// that a grey ball uses most of the range without being overexposed.
#include "record/shade.h"

#include <float.h>
#include <math.h>

static const float KEY_COLOR[3] = {0.86f, 0.82f, 0.76f};
static const float FILL_COLOR[3] = {0.13f, 0.15f, 0.19f};
static const float SKY_COLOR[3] = {0.36f, 0.38f, 0.41f};
static const float BOUNCE_COLOR[3] = {0.21f, 0.19f, 0.17f};
static const float BACKDROP_TOP[3] = {0.62f, 0.68f, 0.75f};
static const float BACKDROP_GROUND[3] = {0.80f, 0.81f, 0.82f};

static const float WRAP = 0.08f; // how far the key light wraps around edges

void pl_shader_place_lights(pl_shader* s) {
    // horizontal directions of the camera, even if it looks straight down
    pl_vec3f right = s->right, toward = pl_unitf(pl_crossf(right, s->world_up));
    s->key = pl_vec3f_of(pl_key_direction((pl_vec3){right.x, right.y, right.z},
                                          (pl_vec3){s->world_up.x, s->world_up.y, s->world_up.z}));
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

// the point of the ground under each pixel of a row; computed alike for all pixels, so that it
// vectorises
typedef struct row {
    float sky[PL_RASTER_TILE];       // 0 at the horizon and below, 1 high above
    float on_ground[PL_RASTER_TILE]; // 1, or 0 where the ray misses it
    float hidden[PL_RASTER_TILE], dark[PL_RASTER_TILE];
    bool has_shadow; // else both are 0
} row;

// coordinates in a map are linear along a row, before the division by the ray's slope
typedef struct map_line {
    float eye, first, step; // coordinate of the eye, of the first ray's direction, and its step
} map_line;

static map_line line_of(const pl_shader* s, pl_vec3f axis, float origin, float scale, pl_vec3f d) {
    return (map_line){(pl_dotf(s->eye, axis) - origin) * scale - 0.5f, pl_dotf(d, axis) * scale,
                      s->pixel_x * pl_dotf(s->right, axis) * scale};
}

// true if a row is entirely outside the used part of a map; coordinates are monotonic along a row
static bool is_beside(map_line line, const float* reach, int last, int low, int high) {
    if (!(reach[0] > 0.0f) || !(reach[last] > 0.0f)) return false; // the horizon is between them
    float a = line.eye + reach[0] * line.first;
    float b = line.eye + reach[last] * (line.first + line.step * (float)last);
    return (a < (float)low && b < (float)low) || (a > (float)high && b > (float)high);
}

// false, and out is left as it is, if the map is 0 all along the row
static bool look_up(const pl_shader* s, const pl_light_map* map, pl_vec3f d, const float* reach,
                    int count, float* out) {
    map_line u = line_of(s, map->u, map->u0, map->scale, d);
    map_line v = line_of(s, map->v, map->v0, map->scale, d);
    if (is_beside(u, reach, count - 1, map->used_x0, map->used_x1) ||
        is_beside(v, reach, count - 1, map->used_y0, map->used_y1))
        return false;
    float limit = (float)map->side - 1.5f;
    int x0[PL_RASTER_TILE], y0[PL_RASTER_TILE];
    float fx[PL_RASTER_TILE], fy[PL_RASTER_TILE];
    for (int i = 0; i < count; i++) {
        // the border of a map is 0, so points outside can be clamped to it
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
    return true;
}

static void meet_ground(const pl_shader* s, pl_vec3f d, int count, row* r) {
    float first = pl_dotf(d, s->world_up), step = s->pixel_x * pl_dotf(s->right, s->world_up);
    float height = pl_dotf(s->eye, s->world_up) - s->ground_height;
    float reach[PL_RASTER_TILE];
    for (int i = 0; i < count; i++) {
        float fall = first + step * (float)i;
        float length = sqrtf(1.0f + pl_dotf(d, d)); // accurate enough for a gradient of the sky
        float t = fall / length * 1.25f;
        t = t > 0.0f ? t : 0.0f;
        r->sky[i] = t < 1.0f ? t : 1.0f;
        float along = fall < -1e-6f ? height / -fall : 0.0f;
        reach[i] = along > 0.0f ? along : 0.0f;
        r->on_ground[i] = along > 0.0f ? 1.0f : 0.0f;
        r->hidden[i] = r->dark[i] = 0.0f;
    }
    r->has_shadow = false;
    bool is_sky = first > -1e-6f && first + step * (float)(count - 1) > -1e-6f;
    if (!s->ground || !(height > 0.0f) || is_sky) return;
    r->has_shadow = look_up(s, &s->shadows->light, d, reach, count, r->hidden);
    if (look_up(s, &s->shadows->sky, d, reach, count, r->dark)) r->has_shadow = true;
}

// the backdrop where no shadow falls; true if all of it has one colour
static bool fill_plain(const row* r, int count, float (*rgb)[3], float* alpha) {
    bool is_even = true;
    for (int i = 1; i < count; i++) is_even = is_even && r->sky[i] == r->sky[0];
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            rgb[i][k] =
                alpha ? 0.0f
                      : BACKDROP_GROUND[k] + r->sky[i] * (BACKDROP_TOP[k] - BACKDROP_GROUND[k]);
    for (int i = 0; i < count && alpha; i++) alpha[i] = 0.0f;
    return is_even;
}

bool pl_shade_backdrop(const pl_shader* s, int x, int y, int count, float (*rgb)[3], float* alpha) {
    row r;
    meet_ground(s, ray_direction(s, (float)x + 0.5f, (float)y + 0.5f), count, &r);
    if (!r.has_shadow) return fill_plain(&r, count, rgb, alpha);
    for (int i = 0; i < count; i++) {
        float hidden = r.on_ground[i] * r.hidden[i], dark = r.on_ground[i] * r.dark[i];
        float light = (1.0f - 0.45f * hidden) * (1.0f - 0.72f * dark);
        if (alpha) { // only the shadow, to be composited over something
            alpha[i] = 1.0f - light;
            rgb[i][0] = rgb[i][1] = rgb[i][2] = 0.0f;
            continue;
        }
        float tint = 0.05f * (hidden + dark); // shadows keep some of the sky's blue
        for (int k = 0; k < 3; k++)
            rgb[i][k] = (BACKDROP_GROUND[k] + r.sky[i] * (BACKDROP_TOP[k] - BACKDROP_GROUND[k])) *
                        light * (1.0f + tint * (float)(k - 1));
    }
    return false;
}

// data of a batch of fragments, one array per number
typedef float lanes[PL_SHADE_BATCH];
typedef struct batch {
    int count;
    lanes ax, ay, az, ux, uy, uz, vx, vy, vz;          // first corner and two edges of the triangle
    lanes n0x, n0y, n0z, n1x, n1y, n1z, n2x, n2y, n2z; // normals of its corners
    lanes fx, fy, fz;                                  // normal of its plane
    lanes b1, b2; // barycentric coordinates of the second and third corner
    lanes px, py, pz, nx, ny, nz, wx, wy, wz; // point, normal, direction to the eye
    lanes back;                               // 1 if the triangle is seen from behind
    lanes red, green, blue, lit, line, open;
} batch;

static void gather(const pl_shader* s, const pl_fragments* f, batch* b) {
    for (int i = 0; i < f->count; i++) {
        const int* t = s->mesh->triangles + 3 * (size_t)f->ids[i];
        pl_vec3f p0 = s->mesh->positions[t[0]];
        pl_vec3f u = pl_subf(s->mesh->positions[t[1]], p0);
        pl_vec3f v = pl_subf(s->mesh->positions[t[2]], p0);
        const pl_vec3f* n = s->mesh->normals + 3 * (size_t)f->ids[i];
        pl_vec3f face = s->mesh->face_normals[f->ids[i]];
        b->ax[i] = p0.x, b->ay[i] = p0.y, b->az[i] = p0.z;
        b->ux[i] = u.x, b->uy[i] = u.y, b->uz[i] = u.z;
        b->vx[i] = v.x, b->vy[i] = v.y, b->vz[i] = v.z;
        b->n0x[i] = n[0].x, b->n0y[i] = n[0].y, b->n0z[i] = n[0].z;
        b->n1x[i] = n[1].x, b->n1y[i] = n[1].y, b->n1z[i] = n[1].z;
        b->n2x[i] = n[2].x, b->n2y[i] = n[2].y, b->n2z[i] = n[2].z;
        b->fx[i] = face.x, b->fy[i] = face.y, b->fz[i] = face.z;
    }
    b->count = f->count;
}

// Barycentric coordinates of the point on a projected triangle's sides that is nearest to a point
// of the picture. Distances are measured in the picture: beside a sliver, a small step there is a
// large one in barycentric coordinates.
static void nearest_on_sides(const pl_shader* s, int id, float x, float y, float* b1, float* b2) {
    const int* t = s->mesh->triangles + 3 * (size_t)id;
    float nearest = FLT_MAX, best[3] = {1.0f, 0.0f, 0.0f};
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        pl_raster_vertex a = s->projected[t[k]], b = s->projected[t[next]];
        float dx = (float)b.x - (float)a.x, dy = (float)b.y - (float)a.y;
        float px = x * PL_RASTER_SUBPIXEL - (float)a.x, py = y * PL_RASTER_SUBPIXEL - (float)a.y;
        float square = dx * dx + dy * dy;
        float part = square > 0.0f ? (px * dx + py * dy) / square : 0.0f;
        part = part < 0.0f ? 0.0f : part > 1.0f ? 1.0f : part;
        float ex = px - part * dx, ey = py - part * dy;
        if (!(ex * ex + ey * ey < nearest)) continue;
        nearest = ex * ex + ey * ey;
        // corrects the fraction along the side for perspective
        float w_a = (1.0f - part) * a.depth, w_b = part * b.depth;
        best[0] = best[1] = best[2] = 0.0f;
        best[k] = w_a / (w_a + w_b);
        best[next] = w_b / (w_a + w_b);
    }
    *b1 = best[1];
    *b2 = best[2];
}

// where the ray meets the triangle's plane (Moeller and Trumbore 1997), moved into the triangle
static void intersect(const pl_shader* s, const pl_fragments* f, batch* b) {
    for (int i = 0; i < b->count; i++) {
        pl_vec3f d = ray_direction(s, f->x[i], f->y[i]);
        pl_vec3f e1 = {b->ux[i], b->uy[i], b->uz[i]}, e2 = {b->vx[i], b->vy[i], b->vz[i]};
        pl_vec3f from = {s->eye.x - b->ax[i], s->eye.y - b->ay[i], s->eye.z - b->az[i]};
        pl_vec3f p = pl_crossf(d, e2), q = pl_crossf(from, e1);
        float scale = 1.0f / pl_dotf(e1, p);
        b->b1[i] = pl_dotf(from, p) * scale;
        b->b2[i] = pl_dotf(d, q) * scale;
    }
    // samples may be inside a triangle although their centre is outside
    for (int i = 0; i < b->count; i++) {
        bool inside = b->b1[i] >= 0.0f && b->b2[i] >= 0.0f && b->b1[i] + b->b2[i] <= 1.0f;
        if (!inside) nearest_on_sides(s, f->ids[i], f->x[i], f->y[i], &b->b1[i], &b->b2[i]);
    }
}

static void place(const pl_shader* s, batch* b) {
    for (int i = 0; i < b->count; i++) {
        float u = b->b1[i], v = b->b2[i], w = 1.0f - u - v;
        float px = b->ax[i] + u * b->ux[i] + v * b->vx[i];
        float py = b->ay[i] + u * b->uy[i] + v * b->vy[i];
        float pz = b->az[i] + u * b->uz[i] + v * b->vz[i];
        float wx = s->eye.x - px, wy = s->eye.y - py, wz = s->eye.z - pz;
        float view_scale = 1.0f / sqrtf(wx * wx + wy * wy + wz * wz + 1e-30f);
        float nx = w * b->n0x[i] + u * b->n1x[i] + v * b->n2x[i];
        float ny = w * b->n0y[i] + u * b->n1y[i] + v * b->n2y[i];
        float nz = w * b->n0z[i] + u * b->n1z[i] + v * b->n2z[i];
        float normal_scale = 1.0f / sqrtf(nx * nx + ny * ny + nz * nz + 1e-30f);
        // normals point to the eye
        float side = b->fx[i] * wx + b->fy[i] * wy + b->fz[i] * wz;
        normal_scale = side < 0.0f ? -normal_scale : normal_scale;
        b->back[i] = side < 0.0f ? 1.0f : 0.0f;
        b->px[i] = px, b->py[i] = py, b->pz[i] = pz;
        b->nx[i] = nx * normal_scale, b->ny[i] = ny * normal_scale, b->nz[i] = nz * normal_scale;
        b->wx[i] = wx * view_scale, b->wy[i] = wy * view_scale, b->wz[i] = wz * view_scale;
    }
}

static void value_color(const pl_shader* s, float value, float rgb[3]) {
    float t = (value - s->value_low) * s->value_scale;
    if (t != t) { // no value here
        rgb[0] = rgb[1] = rgb[2] = 0.35f;
        return;
    }
    t = t < 0.0f ? 0.0f : t > 1.0f ? 1.0f : t;
    float at = t * (PL_COLORMAP_SIZE - 1);
    int i = (int)at;
    int j = i + 1 < PL_COLORMAP_SIZE ? i + 1 : i;
    float f = at - (float)i;
    for (int k = 0; k < 3; k++) rgb[k] = s->map[i][k] + f * (s->map[j][k] - s->map[i][k]);
}

// the texture at a fragment, if its triangle has texture coordinates
static void texture_color(const pl_shader* s, const pl_render_body* body, int id, int triangle,
                          float b1, float b2, float rgb[3]) {
    const int* corners = body->triangle_uvs + 3 * (size_t)triangle;
    if (corners[0] < 0 || corners[1] < 0 || corners[2] < 0) return;
    const float* uv[3];
    const int* t = s->mesh->triangles + 3 * (size_t)id;
    pl_raster_vertex at[3];
    for (int k = 0; k < 3; k++) {
        uv[k] = body->uvs + 2 * (size_t)corners[k];
        at[k] = s->projected[t[k]];
    }
    float u1 = uv[1][0] - uv[0][0], u2 = uv[2][0] - uv[0][0];
    float v1 = uv[1][1] - uv[0][1], v2 = uv[2][1] - uv[0][1];
    // the width of a pixel in the texture, from areas
    const float unit = 1.0f / PL_RASTER_SUBPIXEL;
    float x1 = (float)(at[1].x - at[0].x) * unit, x2 = (float)(at[2].x - at[0].x) * unit;
    float y1 = (float)(at[1].y - at[0].y) * unit, y2 = (float)(at[2].y - at[0].y) * unit;
    float pixels = fabsf(x1 * y2 - x2 * y1), part = fabsf(u1 * v2 - u2 * v1);
    float width = pixels > 1e-6f ? sqrtf(part / pixels) : 1.0f;
    float u = uv[0][0] + b1 * u1 + b2 * u2, v = uv[0][1] + b1 * v1 + b2 * v2;
    pl_texture_color(body->texture, u, v, width, rgb);
}

static void own_colors(const pl_shader* s, const pl_fragments* f, batch* b) {
    for (int i = 0; i < b->count; i++) {
        int number = s->mesh->bodies[f->ids[i]];
        const float* own = b->back[i] > 0.0f ? s->back_colors[number] : s->body_colors[number];
        b->red[i] = own[0], b->green[i] = own[1], b->blue[i] = own[2];
    }
}

// The colour of the corner with the largest barycentric coordinate. Within half a pixel of the
// border to another corner, both colours are mixed, or borders would be jagged.
static void nearest_color(const pl_shader* s, int id, const float* values, float u, float v,
                          float rgb[3]) {
    const float at[3] = {1.0f - u - v, u, v};
    int i = at[0] >= u && at[0] >= v ? 0 : u >= v ? 1 : 2;
    int j = at[(i + 1) % 3] >= at[(i + 2) % 3] ? (i + 1) % 3 : (i + 2) % 3, k = 3 - i - j;
    value_color(s, values[i], rgb);
    if (values[i] == values[j]) return;
    // the gradient of at[i] - at[j] in the picture is |2 Pk - Pi - Pj| over twice the area
    const int* t = s->mesh->triangles + 3 * (size_t)id;
    pl_raster_vertex a = s->projected[t[i]], b = s->projected[t[j]], c = s->projected[t[k]];
    const float unit = 1.0f / PL_RASTER_SUBPIXEL;
    float ax = (float)(a.x - c.x) * unit, ay = (float)(a.y - c.y) * unit;
    float bx = (float)(b.x - c.x) * unit, by = (float)(b.y - c.y) * unit;
    float across = sqrtf((ax + bx) * (ax + bx) + (ay + by) * (ay + by));
    float part = 0.5f;
    if (across > 0.0f) part += (at[i] - at[j]) * fabsf(ax * by - ay * bx) / across;
    if (part >= 1.0f) return;
    float other[3];
    value_color(s, values[j], other);
    for (int n = 0; n < 3; n++) rgb[n] = part * rgb[n] + (1.0f - part) * other[n];
}

// replaces them by textures and colours of values
static void other_colors(const pl_shader* s, const pl_fragments* f, batch* b) {
    for (int i = 0; i < b->count; i++) {
        int id = f->ids[i], number = s->mesh->bodies[id];
        float rgb[3] = {b->red[i], b->green[i], b->blue[i]}, u = b->b1[i], v = b->b2[i];
        const pl_render_body* body = &s->bodies[number];
        if (body->texture && body->triangle_uvs)
            texture_color(s, body, id, id - s->first_triangles[number], u, v, rgb);
        const float* values = s->mesh->values ? s->mesh->values + 3 * (size_t)id : NULL;
        if (values) {
            float value = (1.0f - u - v) * values[0] + u * values[1] + v * values[2];
            bool has_none = values[0] != values[0] && values[1] != values[1];
            if (!has_none && s->has_categories) nearest_color(s, id, values, u, v, rgb);
            else if (!has_none) value_color(s, value, rgb);
        }
        b->red[i] = rgb[0], b->green[i] = rgb[1], b->blue[i] = rgb[2];
    }
}

// |u|^2 + |v|^2 of a fragment's triangle
static inline float size_of(const batch* b, int i) {
    float u = b->ux[i] * b->ux[i] + b->uy[i] * b->uy[i] + b->uz[i] * b->uz[i];
    return u + b->vx[i] * b->vx[i] + b->vy[i] * b->vy[i] + b->vz[i] * b->vz[i];
}

// shadows on bodies: small triangles are often entirely lit or dark, or behind the same occluder
static void shadow_lights(const pl_shader* s, const pl_fragments* f, batch* b) {
    const pl_key_light* light = s->key_light;
    float small = light->small * light->small;
    for (int i = 0; i < b->count; i++) {
        pl_vec3f n = {b->nx[i], b->ny[i], b->nz[i]};
        b->lit[i] = 0.0f;
        if (pl_dotf(n, s->key) <= -WRAP) continue;
        const int* t = s->mesh->triangles + 3 * (size_t)f->ids[i];
        uint8_t kind = light->kinds[t[0]];
        bool same = kind == light->kinds[t[1]] && kind == light->kinds[t[2]];
        same = same && size_of(b, i) < small;
        if (same && kind != PL_KEY_MIXED) {
            b->lit[i] = kind == PL_KEY_LIT ? 1.0f : 0.0f;
            continue;
        }
        pl_vec3f p = {b->px[i], b->py[i], b->pz[i]}, plane = {b->fx[i], b->fy[i], b->fz[i]};
        float u = b->b1[i], v = b->b2[i];
        const float* a = light->aways;
        float away = (1.0f - u - v) * a[t[0]] + u * a[t[1]] + v * a[t[2]];
        b->lit[i] = same ? pl_key_light_lit_behind(light, p, n, plane, away)
                         : pl_key_light_lit(light, p, n, plane);
    }
}

// how much of the sky is visible: interpolated from the corners, or computed per fragment in large
// triangles
static void open_sky(const pl_shader* s, const pl_fragments* f, batch* b) {
    if (!s->occlusion) {
        for (int i = 0; i < b->count; i++) b->open[i] = 1.0f;
        return;
    }
    const float* open = s->occlusion->open;
    for (int i = 0; i < b->count; i++) {
        const int* t = s->mesh->triangles + 3 * (size_t)f->ids[i];
        float u = b->b1[i], v = b->b2[i];
        if (size_of(b, i) < PL_OCCLUSION_COARSE * PL_OCCLUSION_COARSE) {
            b->open[i] = (1.0f - u - v) * open[t[0]] + u * open[t[1]] + v * open[t[2]];
        } else {
            pl_vec3f n = {b->nx[i], b->ny[i], b->nz[i]}, p = {b->px[i], b->py[i], b->pz[i]};
            b->open[i] = pl_occlusion_open(s->occlusion, p, n);
        }
    }
}

// Fraction of the line colour, from the distance to the nearest edge of the projected triangle.
// Where lines would be closer than a few pixels, their mean is drawn instead, to avoid moire
// patterns. They also fade there, or a fine mesh would be nothing but lines.
static float line_part(const pl_shader* s, int id, float x, float y) {
    const int* t = s->mesh->triangles + 3 * (size_t)id;
    float nearest = 1e9f, around = 0.0f, area = 0.0f;
    for (int k = 0; k < 3; k++) {
        pl_raster_vertex a = s->projected[t[k]], b = s->projected[t[(k + 1) % 3]];
        float dx = (float)b.x - (float)a.x, dy = (float)b.y - (float)a.y;
        float px = x * PL_RASTER_SUBPIXEL - (float)a.x, py = y * PL_RASTER_SUBPIXEL - (float)a.y;
        float length = sqrtf(dx * dx + dy * dy), cross = fabsf(dx * py - dy * px);
        float distance = length > 0.0f ? cross / length : 1e9f;
        if (distance < nearest) nearest = distance;
        around += length;
        area += cross;
    }
    nearest *= 1.0f / PL_RASTER_SUBPIXEL;
    // the radius of the inscribed circle
    float inner = around > 0.0f ? area / around / PL_RASTER_SUBPIXEL : 0.0f;
    around *= 1.0f / PL_RASTER_SUBPIXEL;
    float strength = 0.3f + 0.45f * ramp(6.0f, 36.0f, around);
    float line = 1.0f - ramp(s->line_width - 0.5f, s->line_width + 0.5f, nearest);
    float free_part = inner > s->line_width ? 1.0f - s->line_width / inner : 0.0f;
    float mean = 0.7f * (1.0f - free_part * free_part), sharp = ramp(1.2f, 3.5f, inner);
    return strength * (mean + sharp * (line - mean));
}

static void draw_lines(const pl_shader* s, const pl_fragments* f, batch* b) {
    for (int i = 0; i < b->count; i++)
        b->line[i] = s->wireframe ? line_part(s, f->ids[i], f->x[i], f->y[i]) : 0.0f;
}

static inline float positive(float x) { return x > 0.0f ? x : 0.0f; }

// x^16 by squaring
static inline float power16(float x) {
    x *= x, x *= x, x *= x;
    return x * x;
}

// the sum of the lights in one colour, with the brightest parts compressed towards white
static inline float mix(float base, float light, float gloss, float line) {
    float value = base * light + gloss, over = positive(value - 0.6f);
    value = value - over + over / (1.0f + 1.2f * over);
    return value * (1.0f - line) + line * 0.02f;
}

static void add_lights(const pl_shader* s, const batch* b, pl_fragments* f) {
    pl_vec3f up = s->world_up, key = s->key;
    float gloss_part = s->mesh->values ? 0.35f : 1.0f; // colours of values must stay readable
    float ground_part = s->ground ? 0.55f : 0.0f;
    for (int i = 0; i < b->count; i++) {
        pl_vec3f n = {b->nx[i], b->ny[i], b->nz[i]}, w = {b->wx[i], b->wy[i], b->wz[i]};
        pl_vec3f p = {b->px[i], b->py[i], b->pz[i]};
        // the key light wraps a little around the edge
        float direct = positive(pl_dotf(n, key) + WRAP) * (1.0f / (1.0f + WRAP)) * b->lit[i];
        float fill = positive(pl_dotf(n, s->fill));
        // the sky from above, the ground from below; close to the ground both are dimmed
        float upward = 0.5f + 0.5f * pl_dotf(n, up);
        float height = 2.0f * (pl_dotf(p, up) - s->ground_height);
        height = height > 0.0f ? height : 0.0f;
        height = height < 1.0f ? height : 1.0f;
        float closeness = 1.0f - height * height * (3.0f - 2.0f * height);
        float open = 1.0f - ground_part * closeness * (1.0f - upward);
        // highlight and rim
        pl_vec3f half_way = pl_addf(key, w);
        float half_scale = 1.0f / sqrtf(pl_dotf(half_way, half_way) + 1e-30f);
        float glance = positive(pl_dotf(n, half_way) * half_scale);
        float shine = gloss_part * 0.16f * power16(glance * glance) * b->lit[i];
        float rim = 1.0f - positive(pl_dotf(n, w));
        float sky_part = b->open[i], dim = 0.4f + 0.6f * sky_part;
        rim = gloss_part * 0.32f * rim * rim * rim * rim * (0.35f + 0.65f * upward) * sky_part;
        const float* base[3] = {&b->red[i], &b->green[i], &b->blue[i]};
        for (int k = 0; k < 3; k++) {
            float ambient = BOUNCE_COLOR[k] + upward * (SKY_COLOR[k] - BOUNCE_COLOR[k]);
            float light =
                direct * KEY_COLOR[k] + dim * fill * FILL_COLOR[k] + sky_part * open * ambient;
            f->rgb[k][i] = mix(*base[k], light, shine + rim * SKY_COLOR[k], b->line[i]);
        }
    }
}

void pl_shade_triangles(const pl_shader* s, pl_fragments* f) {
    batch b;
    gather(s, f, &b);
    intersect(s, f, &b);
    place(s, &b);
    own_colors(s, f, &b);
    if (s->has_textures || s->mesh->values) other_colors(s, f, &b);
    shadow_lights(s, f, &b);
    open_sky(s, f, &b);
    draw_lines(s, f, &b);
    add_lights(s, &b, f);
}
