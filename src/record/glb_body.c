// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/glb_body.h"
#include "base/memory.h"
#include "record/run_surface.h"

#include <math.h>
#include <string.h>

// Numbers the distinct corners (vertex, texture coordinate, normal). The corners of a vertex form a
// short list.
typedef struct splitter {
    int* first;  // per recorded vertex: its newest number, or -1
    int* next;   // per number: the previous one of the same vertex
    int* uv;     // per number
    int* normal; // per number
} splitter;

static int number_of(splitter* s, pl_glb_body* b, int vertex, int uv, int normal) {
    for (int p = s->first[vertex]; p >= 0; p = s->next[p])
        if (s->uv[p] == uv && s->normal[p] == normal) return p;
    int p = b->vertex_count++;
    b->sources[p] = vertex;
    s->uv[p] = uv;
    s->normal[p] = normal;
    s->next[p] = s->first[vertex];
    s->first[vertex] = p;
    return p;
}

static int region_of(const pl_record_body* body, int triangle) {
    return body->triangle_regions ? body->triangle_regions[triangle] : -1;
}

// appends the indices of all triangles of one region
static void add_part(pl_glb_body* b, splitter* s, int region) {
    const pl_record_body* body = b->source;
    int before = b->index_count;
    for (int t = 0; t < body->triangle_count; t++) {
        if (region_of(body, t) != region) continue;
        for (size_t k = 3 * (size_t)t; k < 3 * (size_t)t + 3; k++)
            b->indices[b->index_count++] =
                number_of(s, b, body->triangles[k], body->triangle_uvs ? body->triangle_uvs[k] : -1,
                          body->triangle_normals ? body->triangle_normals[k] : -1);
    }
    if (b->index_count == before) return;
    b->part_regions[b->part_count] = region;
    b->part_counts[b->part_count++] = b->index_count - before;
}

// at most one number per corner
static pl_status split(pl_glb_body* b, int** sources, splitter* s, pl_error* error) {
    const pl_record_body* body = b->source;
    size_t corners = 3 * (size_t)body->triangle_count, parts = (size_t)body->region_count + 1;
    *sources = b->sources = PL_ALLOC(int, corners);
    s->first = PL_ALLOC(int, body->vertex_count);
    s->next = PL_ALLOC(int, corners);
    s->uv = PL_ALLOC(int, corners);
    s->normal = PL_ALLOC(int, corners);
    b->indices = PL_ALLOC(int, corners);
    b->part_regions = PL_ALLOC(int, parts);
    b->part_counts = PL_ALLOC(int, parts);
    if (!b->sources || !s->first || !s->next || !s->uv || !s->normal || !b->indices ||
        !b->part_regions || !b->part_counts)
        return pl_fail_memory(error, body->name);
    for (int i = 0; i < body->vertex_count; i++) s->first[i] = -1;
    for (int r = -1; r < body->region_count; r++) add_part(b, s, r);
    return PL_OK;
}

// allocates the arrays over the vertices of the file, whose number is now known
static bool make_room(pl_glb_body* b) {
    const pl_record_body* body = b->source;
    size_t n = (size_t)b->vertex_count;
    b->first_positions = PL_ALLOC(float, 3 * n);
    b->first_normals = PL_ALLOC(float, 3 * n);
    b->positions = PL_ALLOC(float, 3 * n);
    b->normals = PL_ALLOC(float, 3 * n);
    b->smooth = PL_ALLOC(float, 3 * (size_t)body->vertex_count);
    if (!b->first_positions || !b->first_normals || !b->positions || !b->normals || !b->smooth)
        return false;
    if (body->triangle_uvs && !(b->uvs = PL_ALLOC(float, 2 * n))) return false;
    if (!body->triangle_normals) return true;
    b->own_normals = PL_ALLOC(int, n);
    b->turned = PL_ALLOC(double, 3 * (size_t)body->normal_count);
    return b->own_normals && b->turned;
}

static pl_status fill(pl_glb_body* b, const splitter* s, pl_error* error) {
    const pl_record_body* body = b->source;
    size_t n = (size_t)b->vertex_count;
    int* sources = PL_ALLOC(int, n);
    if (sources) memcpy(sources, b->sources, n * sizeof(int));
    b->sources = sources; // the larger one is freed by the caller
    if (!sources || !make_room(b)) return pl_fail_memory(error, body->name);
    if (b->own_normals) memcpy(b->own_normals, s->normal, n * sizeof(int));
    for (size_t i = 0; b->uvs && i < n; i++) {
        const float* uv = s->uv[i] >= 0 ? body->uvs + 2 * (size_t)s->uv[i] : NULL;
        b->uvs[2 * i] = uv && isfinite(uv[0]) ? uv[0] : 0.0f;
        b->uvs[2 * i + 1] = uv && isfinite(uv[1]) ? 1.0f - uv[1] : 0.0f;
    }
    return PL_OK;
}

pl_status pl_glb_body_create(const pl_record_body* source, pl_glb_body* out, pl_error* error) {
    *out = (pl_glb_body){.source = source};
    if (source->triangle_count == 0) return PL_OK;
    splitter s = {0};
    int* all_sources = NULL;
    size_t corners = 3 * (size_t)source->triangle_count;
    pl_status status = split(out, &all_sources, &s, error);
    if (status == PL_OK) status = fill(out, &s, error);
    else out->sources = NULL;
    PL_FREE(all_sources, int, corners);
    PL_FREE(s.first, int, source->vertex_count);
    PL_FREE(s.next, int, corners);
    PL_FREE(s.uv, int, corners);
    PL_FREE(s.normal, int, corners);
    if (status != PL_OK) pl_glb_body_free(out);
    return status;
}

void pl_glb_body_free(pl_glb_body* b) {
    if (!b->source) return;
    size_t n = (size_t)b->vertex_count;
    PL_FREE(b->sources, int, n);
    PL_FREE(b->indices, int, 3 * (size_t)b->source->triangle_count);
    PL_FREE(b->part_regions, int, (size_t)b->source->region_count + 1);
    PL_FREE(b->part_counts, int, (size_t)b->source->region_count + 1);
    PL_FREE(b->own_normals, int, n);
    PL_FREE(b->turned, double, 3 * (size_t)b->source->normal_count);
    PL_FREE(b->uvs, float, 2 * n);
    PL_FREE(b->first_positions, float, 3 * n);
    PL_FREE(b->first_normals, float, 3 * n);
    PL_FREE(b->positions, float, 3 * n);
    PL_FREE(b->normals, float, 3 * n);
    PL_FREE(b->smooth, float, 3 * (size_t)b->source->vertex_count);
    *b = (pl_glb_body){0};
}

// sums of the area-weighted normals of the triangles around each vertex
static void sum_normals(pl_glb_body* b, const float* p) {
    const pl_record_body* body = b->source;
    memset(b->smooth, 0, 12 * (size_t)body->vertex_count);
    for (int t = 0; t < body->triangle_count; t++) {
        const int* v = body->triangles + 3 * (size_t)t;
        const float *a = p + 3 * (size_t)v[0], *c = p + 3 * (size_t)v[1], *d = p + 3 * (size_t)v[2];
        float e[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
        float f[3] = {d[0] - a[0], d[1] - a[1], d[2] - a[2]};
        float n[3] = {e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2],
                      e[0] * f[1] - e[1] * f[0]};
        for (int k = 0; k < 3; k++)
            for (int m = 0; m < 3; m++) b->smooth[3 * (size_t)v[k] + (size_t)m] += n[m];
    }
}

static void unit_normal(double x, double y, double z, float* out) {
    double length = sqrt(x * x + y * y + z * z);
    bool usable = length > 0.0 && isfinite(length);
    out[0] = usable ? (float)(x / length) : 0.0f;
    out[1] = usable ? (float)(y / length) : 0.0f;
    out[2] = usable ? (float)(z / length) : 1.0f;
}

void pl_glb_body_load(pl_glb_body* b, const float* positions, bool first) {
    if (b->index_count == 0) return;
    sum_normals(b, positions);
    if (b->turned) pl_turn_normals(b->source, positions, b->turned);
    for (int i = 0; i < b->vertex_count; i++) {
        size_t at = 3 * (size_t)i, from = 3 * (size_t)b->sources[i];
        int own = b->own_normals ? b->own_normals[i] : -1;
        const float* sum = b->smooth + from;
        if (own < 0) unit_normal((double)sum[0], (double)sum[1], (double)sum[2], b->normals + at);
        for (size_t k = 0; own >= 0 && k < 3; k++)
            b->normals[at + k] = (float)b->turned[3 * (size_t)own + k];
        for (size_t k = 0; k < 3; k++) {
            float x = positions[from + k];
            b->positions[at + k] = isfinite(x) ? x : 0.0f;
            if (first) {
                b->first_positions[at + k] = b->positions[at + k];
                b->first_normals[at + k] = b->normals[at + k];
            } else {
                b->positions[at + k] -= b->first_positions[at + k];
                b->normals[at + k] -= b->first_normals[at + k];
            }
        }
    }
}
