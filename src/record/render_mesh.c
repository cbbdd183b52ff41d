// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The normal at a corner is the sum of the area-weighted normals of the triangles around its vertex
// that can be reached without crossing a sharp edge. So boxes keep their edges and coarse spheres
// look round.
#include "record/render_mesh.h"
#include "base/hash.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 4096 };

// the next part of a block, or only its size if the block is NULL
static void* cut(uint8_t* block, size_t* used, size_t size) {
    uint8_t* part = block ? block + *used : NULL;
    *used += (size + 63) / 64 * 64;
    return part;
}

// Shares a block among the arrays; returns the bytes they need.
static size_t share_block(pl_render_mesh* m, uint8_t* block) {
    size_t vertices = (size_t)m->vertex_count, triangles = (size_t)m->triangle_count, used = 64;
    m->positions = cut(block, &used, vertices * sizeof *m->positions);
    m->triangles = cut(block, &used, 3 * triangles * sizeof *m->triangles);
    m->bodies = cut(block, &used, triangles * sizeof *m->bodies);
    m->normals = cut(block, &used, 3 * triangles * sizeof *m->normals);
    m->face_normals = cut(block, &used, triangles * sizeof *m->face_normals);
    m->areas = cut(block, &used, triangles * sizeof *m->areas);
    m->vertex_begins = cut(block, &used, (vertices + 1) * sizeof *m->vertex_begins);
    m->vertex_corners = cut(block, &used, 3 * triangles * sizeof *m->vertex_corners);
    if (m->has_values) m->values = cut(block, &used, 3 * triangles * sizeof *m->values);
    return used;
}

static pl_status allocate(const pl_render_scene* scene, pl_render_mesh* m, pl_error* error) {
    int64_t vertices = 0, triangles = 0;
    bool values = false;
    for (int i = 0; i < scene->body_count; i++) {
        const pl_render_body* b = &scene->bodies[i];
        vertices += b->vertex_count;
        triangles += b->triangle_count;
        values = values || b->vertex_values || b->triangle_values;
    }
    if (vertices >= INT32_MAX || triangles > INT32_MAX / 3)
        return pl_fail(error, PL_ERROR_LIMIT,
                       "%lld triangles are too many for one picture; show fewer bodies",
                       (long long)triangles);
    m->vertex_count = (int)vertices;
    m->triangle_count = (int)triangles;
    m->has_values = values;
    // one block: large ones are kept for the next picture
    m->block_size = share_block(m, NULL);
    m->block = PL_ALLOC(uint8_t, m->block_size);
    if (!m->block) return pl_fail_memory(error, "the triangles of a picture");
    share_block(m, m->block);
    return PL_OK;
}

void pl_render_mesh_free(pl_render_mesh* m) {
    PL_FREE(m->block, uint8_t, m->block_size);
    *m = (pl_render_mesh){0};
}

static void copy_values(const pl_render_body* b, float* values) {
    for (int t = 0; t < b->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            values[3 * t + k] = b->vertex_values     ? b->vertex_values[b->triangles[3 * t + k]]
                                : b->triangle_values ? b->triangle_values[t]
                                                     : NAN;
}

// Cloth that can tear has separate vertices for each triangle. Those at the same position count as
// one here, or such cloth would look faceted.
static bool is_apart(const pl_render_body* b) {
    return b->has_no_creases && b->vertex_count > 2 * b->triangle_count;
}

static uint64_t place_hash(const float* p) {
    uint32_t bits[3];
    memcpy(bits, p, sizeof bits);
    return pl_hash_mix(pl_hash_mix((uint64_t)bits[0] << 32 | bits[1]) ^ bits[2]);
}

// Finds the first vertex at the position of each vertex. table: scratch of `size` entries, a power
// of two.
static void find_first_vertices(const pl_render_body* b, size_t size, int* table, int* first) {
    for (size_t i = 0; i < size; i++) table[i] = -1;
    for (int v = 0; v < b->vertex_count; v++) {
        const float* p = b->positions + 3 * (size_t)v;
        size_t at = place_hash(p) & (size - 1);
        while (table[at] >= 0 && memcmp(b->positions + 3 * (size_t)table[at], p, 12) != 0)
            at = (at + 1) & (size - 1);
        if (table[at] < 0) table[at] = v;
        first[v] = table[at];
    }
}

// makes the copied triangles of a body use the first vertex at each position
static pl_status join_vertices(const pl_render_body* b, int first_vertex, int* triangles,
                               pl_error* error) {
    size_t size = 16;
    while (size < 2 * (size_t)b->vertex_count) size *= 2;
    int* table = PL_ALLOC(int, size);
    int* first = PL_ALLOC(int, b->vertex_count);
    pl_status status = table && first ? PL_OK : pl_fail_memory(error, "the triangles of a picture");
    if (status == PL_OK) {
        find_first_vertices(b, size, table, first);
        for (size_t k = 0; k < 3 * (size_t)b->triangle_count; k++)
            triangles[k] = first_vertex + first[b->triangles[k]];
    }
    PL_FREE(table, int, size);
    PL_FREE(first, int, b->vertex_count);
    return status;
}

// copies one body into the list
typedef struct copy_job {
    const pl_render_body* body;
    const pl_render_options* options;
    pl_render_mesh* mesh;
    int number, first_vertex, first_triangle;
} copy_job;

// shading works in a space where the scene has its centre at 0 and radius 1
static void copy_vertices_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const copy_job* job = user;
    double scale = 1.0 / job->options->radius;
    for (int i = begin; i < end; i++) {
        const float* p = job->body->positions + 3 * (size_t)i;
        pl_vec3 moved = pl_sub((pl_vec3){p[0], p[1], p[2]}, job->options->center);
        job->mesh->positions[job->first_vertex + i] = pl_vec3f_of(pl_scale(scale, moved));
    }
}

static void copy_triangles_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const copy_job* job = user;
    for (int t = begin; t < end; t++) {
        size_t to = (size_t)(job->first_triangle + t);
        for (int k = 0; k < 3; k++)
            job->mesh->triangles[3 * to + (size_t)k] =
                job->first_vertex + job->body->triangles[3 * (size_t)t + (size_t)k];
        job->mesh->bodies[to] = job->number;
    }
}

static pl_status copy_bodies(const pl_render_scene* scene, const pl_render_options* options,
                             pl_pool* pool, pl_render_mesh* m, pl_error* error) {
    pl_status status = PL_OK;
    copy_job job = {.options = options, .mesh = m};
    for (int i = 0; i < scene->body_count && status == PL_OK; i++) {
        const pl_render_body* b = &scene->bodies[i];
        job.body = b;
        job.number = i;
        pl_parallel_for(pool, copy_vertices_task, b->vertex_count, BLOCK, &job);
        pl_parallel_for(pool, copy_triangles_task, b->triangle_count, BLOCK, &job);
        if (is_apart(b))
            status = join_vertices(b, job.first_vertex,
                                   m->triangles + 3 * (size_t)job.first_triangle, error);
        if (m->values) copy_values(b, m->values + 3 * (size_t)job.first_triangle);
        job.first_vertex += b->vertex_count;
        job.first_triangle += b->triangle_count;
    }
    return status;
}

static void face_normal_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_render_mesh* m = user;
    for (int t = begin; t < end; t++) {
        const int* v = m->triangles + 3 * (size_t)t;
        pl_vec3f a = m->positions[v[0]];
        pl_vec3f n = pl_crossf(pl_subf(m->positions[v[1]], a), pl_subf(m->positions[v[2]], a));
        float area = sqrtf(pl_dotf(n, n));
        m->face_normals[t] = pl_unitf(n);
        m->areas[t] = area < INFINITY ? area : 0.0f; // also if it is not a number
    }
}

// lists the corners around vertices, by counting; filling advances the starts, which are then moved
// back
static void list_vertex_corners(pl_render_mesh* m) {
    int* begins = m->vertex_begins;
    size_t corners = 3 * (size_t)m->triangle_count;
    for (size_t k = 0; k < corners; k++) begins[m->triangles[k] + 1]++;
    for (int v = 0; v < m->vertex_count; v++) begins[v + 1] += begins[v];
    for (size_t k = 0; k < corners; k++) m->vertex_corners[begins[m->triangles[k]]++] = (int)k;
    for (int v = m->vertex_count; v > 0; v--) begins[v] = begins[v - 1];
    begins[0] = 0;
}

static pl_vec3f sum_all_normals(const pl_render_mesh* m, int vertex) {
    pl_vec3f sum = {0.0f, 0.0f, 0.0f};
    for (int k = m->vertex_begins[vertex]; k < m->vertex_begins[vertex + 1]; k++) {
        int t = m->vertex_corners[k] / 3;
        sum = pl_maddf(sum, m->areas[t], m->face_normals[t]);
    }
    return sum;
}

// true if all normals around a vertex are so close to their mean that no two of them are across a
// sharp edge
static bool is_smooth(const pl_render_mesh* m, int vertex, pl_vec3f mean) {
    for (int k = m->vertex_begins[vertex]; k < m->vertex_begins[vertex + 1]; k++)
        if (pl_dotf(mean, m->face_normals[m->vertex_corners[k] / 3]) < m->half_crease_cosine)
            return false;
    return true;
}

static bool has_no_creases(const pl_render_mesh* m, int vertex) {
    int first = m->vertex_begins[vertex];
    return first < m->vertex_begins[vertex + 1] &&
           m->sources[m->bodies[m->vertex_corners[first] / 3]].has_no_creases;
}

// the two other vertices of a corner's triangle
static void other_vertices(const pl_render_mesh* m, int corner, int out[2]) {
    int first = corner / 3 * 3;
    out[0] = m->triangles[first + (corner + 1) % 3];
    out[1] = m->triangles[first + (corner + 2) % 3];
}

enum { MAX_FAN = 64 };

// Groups the triangles around a vertex, separated by sharp edges: group[i] is the smallest index of
// the triangles that i reaches over edges that are not sharp.
static void group_fan(const pl_render_mesh* m, const int* corners, int count, int* group) {
    for (int i = 0; i < count; i++) group[i] = i;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++) {
            int a[2], b[2];
            other_vertices(m, corners[i], a);
            other_vertices(m, corners[k], b);
            bool touch = a[0] == b[1] || a[1] == b[0] || a[0] == b[0] || a[1] == b[1];
            if (!touch || group[i] == group[k]) continue;
            pl_vec3f n = m->face_normals[corners[i] / 3], o = m->face_normals[corners[k] / 3];
            if (pl_dotf(n, o) < m->crease_cosine) continue;
            int low = group[i] < group[k] ? group[i] : group[k];
            int high = group[i] < group[k] ? group[k] : group[i];
            for (int j = 0; j < count; j++)
                if (group[j] == high) group[j] = low;
        }
}

static void set_fan_normals(pl_render_mesh* m, int vertex) {
    const int* corners = m->vertex_corners + m->vertex_begins[vertex];
    int count = m->vertex_begins[vertex + 1] - m->vertex_begins[vertex], group[MAX_FAN];
    bool parted = count <= MAX_FAN;
    if (parted) group_fan(m, corners, count, group);
    for (int i = 0; i < count; i++) {
        pl_vec3f sum = {0.0f, 0.0f, 0.0f};
        for (int k = 0; k < count && parted; k++)
            if (group[k] == group[i])
                sum = pl_maddf(sum, m->areas[corners[k] / 3], m->face_normals[corners[k] / 3]);
        m->normals[corners[i]] = pl_unitf(sum);
    }
}

static void corner_normal_task(int begin, int end, int worker, void* user) {
    (void)worker;
    pl_render_mesh* m = user;
    for (int v = begin; v < end; v++) {
        pl_vec3f mean = pl_unitf(sum_all_normals(m, v));
        bool smooth = has_no_creases(m, v) || is_smooth(m, v, mean);
        if (!smooth) set_fan_normals(m, v);
        for (int k = m->vertex_begins[v]; k < m->vertex_begins[v + 1]; k++) {
            int corner = m->vertex_corners[k];
            pl_vec3f* normal = &m->normals[corner];
            if (smooth) *normal = mean;
            // flat shading if the sum is zero or NaN
            if (!(pl_dotf(*normal, *normal) > 0.0f)) *normal = m->face_normals[corner / 3];
        }
    }
}

static float cosine_of(double degrees) { return (float)cos(degrees * (PL_PI / 180.0)); }

pl_status pl_render_mesh_create(const pl_render_scene* scene, const pl_render_options* options,
                                pl_pool* pool, pl_render_mesh* out, pl_error* error) {
    *out = (pl_render_mesh){.crease_cosine = cosine_of(options->crease),
                            .half_crease_cosine = cosine_of(0.5 * options->crease),
                            .sources = scene->bodies};
    pl_status status = allocate(scene, out, error);
    if (status == PL_OK) status = copy_bodies(scene, options, pool, out, error);
    if (status != PL_OK) {
        pl_render_mesh_free(out);
        return status;
    }
    pl_parallel_for(pool, face_normal_task, out->triangle_count, BLOCK, out);
    list_vertex_corners(out);
    pl_parallel_for(pool, corner_normal_task, out->vertex_count, BLOCK, out);
    return PL_OK;
}
