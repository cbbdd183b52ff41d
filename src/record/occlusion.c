// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Method: voxel cone tracing (Crassin et al. 2011) with one wide cone along the normal. The area of
// all triangles is added up in the cells of a lattice, and again in cells of twice and four times
// the size. Area divided by the face of a cell is the fraction of rays that it blocks. The cone
// samples three places along the normal, each in cells as large as the cone is wide there, so there
// is no noise. A flat surface never touches the cells that its own points sample.
#include "record/occlusion.h"
#include "base/memory.h"

#include <math.h>

enum { BLOCK = 1024 };
static const float REACH = 1.08f; // half side of the lattice; bodies lie within 1
static const float CELL = 2.0f * 1.08f / PL_OCCLUSION_SIDE;
static const float SAMPLE_AT[PL_OCCLUSION_LEVELS] = {1.7f, 3.6f, 7.6f}; // [cells] along the normal
static const float STRENGTH[PL_OCCLUSION_LEVELS] = {0.55f, 0.60f, 0.50f};

static int side_of(int level) { return PL_OCCLUSION_SIDE >> level; }
static size_t cell_count(int level) {
    size_t side = (size_t)side_of(level);
    return side * side * side;
}

static void add_area(float* cells, pl_vec3f p, float area) {
    const float scale = 1.0f / CELL;
    float x = (p.x + REACH) * scale, y = (p.y + REACH) * scale, z = (p.z + REACH) * scale;
    const float side = (float)PL_OCCLUSION_SIDE;
    bool inside = x >= 0.0f && y >= 0.0f && z >= 0.0f && x < side && y < side && z < side;
    if (!inside) return; // also if it is not a number
    cells[((int)z * PL_OCCLUSION_SIDE + (int)y) * PL_OCCLUSION_SIDE + (int)x] += area;
}

static float longest_side(const pl_render_mesh* m, int t) {
    const int* v = m->triangles + 3 * (size_t)t;
    float longest = 0.0f;
    for (int k = 0; k < 3; k++) {
        pl_vec3f d = pl_subf(m->positions[v[(k + 1) % 3]], m->positions[v[k]]);
        longest = fmaxf(longest, pl_dotf(d, d));
    }
    return sqrtf(longest);
}

// the area of a triangle in equal parts, no further apart than a cell
static void spread_area(const pl_render_mesh* m, int t, float* cells) {
    enum { MAX_PARTS = 128 };
    const int* v = m->triangles + 3 * (size_t)t;
    float parts = longest_side(m, t) * (1.0f / CELL);
    if (!(parts < 1e6f)) return;
    int n = parts < 1.0f ? 1 : parts < MAX_PARTS ? (int)parts + 1 : MAX_PARTS;
    float area = 0.5f * m->areas[t] / ((float)(n * n) * CELL * CELL), step = 1.0f / (float)(3 * n);
    pl_vec3f a = m->positions[v[0]], e1 = pl_subf(m->positions[v[1]], a),
             e2 = pl_subf(m->positions[v[2]], a);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2 * (n - i) - 1; k++) {
            // middles of the small triangles of a row: every second one stands on its tip
            float u = (float)(3 * (k / 2) + 1 + k % 2) * step,
                  w = (float)(3 * i + 1 + k % 2) * step;
            add_area(cells, pl_maddf(pl_maddf(a, u, e1), w, e2), area);
        }
}

// sums of 2 x 2 x 2 cells; a cell's face is four times as large
static void sum_cells(const float* fine, int side, float* coarse) {
    size_t n = (size_t)side, m = 2 * n;
    for (size_t z = 0; z < n; z++)
        for (size_t y = 0; y < n; y++)
            for (size_t x = 0; x < n; x++) {
                const float* f = fine + (2 * z * m + 2 * y) * m + 2 * x;
                float sum = f[0] + f[1] + f[m] + f[m + 1];
                f += m * m;
                sum += f[0] + f[1] + f[m] + f[m + 1];
                coarse[(z * n + y) * n + x] = 0.25f * sum;
            }
}

static float cover_at(const float* cells, int side, pl_vec3f p) {
    float scale = (float)side / (2.0f * REACH), limit = (float)side - 1.001f;
    float at[3] = {(p.x + REACH) * scale - 0.5f, (p.y + REACH) * scale - 0.5f,
                   (p.z + REACH) * scale - 0.5f};
    int i[3];
    float f[3];
    for (int k = 0; k < 3; k++) {
        float x = at[k] > 0.0f ? at[k] : 0.0f; // also if it is not a number
        x = x < limit ? x : limit;
        i[k] = (int)x;
        f[k] = x - (float)i[k];
    }
    const float* c = cells + (i[2] * side + i[1]) * side + i[0];
    int row = side, layer = side * side;
    float a = c[0] + f[0] * (c[1] - c[0]);
    float b = c[row] + f[0] * (c[row + 1] - c[row]);
    float d = c[layer] + f[0] * (c[layer + 1] - c[layer]);
    float e = c[layer + row] + f[0] * (c[layer + row + 1] - c[layer + row]);
    a += f[1] * (b - a);
    d += f[1] * (e - d);
    return a + f[2] * (d - a);
}

float pl_occlusion_open(const pl_occlusion* o, pl_vec3f p, pl_vec3f normal) {
    float open = 1.0f;
    for (int l = 0; l < PL_OCCLUSION_LEVELS; l++) {
        pl_vec3f at = pl_maddf(p, SAMPLE_AT[l] * CELL, normal);
        open *= 1.0f - STRENGTH[l] * cover_at(o->levels[l], side_of(l), at);
    }
    return open;
}

typedef struct vertex_job {
    const pl_render_mesh* mesh;
    const pl_occlusion* occlusion;
    pl_vec3f eye;
} vertex_job;

static void vertex_task(int begin, int end, int worker, void* user) {
    (void)worker;
    const vertex_job* job = user;
    const pl_render_mesh* m = job->mesh;
    for (int v = begin; v < end; v++) {
        pl_vec3f normal = {0.0f, 0.0f, 0.0f};
        for (int k = m->vertex_begins[v]; k < m->vertex_begins[v + 1]; k++)
            normal = pl_addf(normal, m->normals[m->vertex_corners[k]]);
        normal = pl_unitf(normal);
        // the side that is seen; at the rim of a body, normals may point away a little
        pl_vec3f to_eye = pl_unitf(pl_subf(job->eye, m->positions[v]));
        if (pl_dotf(normal, to_eye) < -0.3f) normal = pl_scalef(-1.0f, normal);
        job->occlusion->open[v] = pl_occlusion_open(job->occlusion, m->positions[v], normal);
    }
}

pl_status pl_occlusion_create(const pl_render_mesh* mesh, pl_vec3f eye, pl_pool* pool,
                              pl_occlusion* out, pl_error* error) {
    *out = (pl_occlusion){.vertex_count = mesh->vertex_count};
    bool ready = true;
    for (int l = 0; l < PL_OCCLUSION_LEVELS; l++) {
        out->levels[l] = PL_ALLOC(float, cell_count(l));
        ready = ready && out->levels[l];
    }
    out->open = PL_ALLOC(float, mesh->vertex_count);
    if (!ready || (mesh->vertex_count > 0 && !out->open)) {
        pl_occlusion_free(out);
        return pl_fail_memory(error, "the shading of a picture");
    }
    for (int t = 0; t < mesh->triangle_count; t++) spread_area(mesh, t, out->levels[0]);
    for (int l = 1; l < PL_OCCLUSION_LEVELS; l++)
        sum_cells(out->levels[l - 1], side_of(l), out->levels[l]);
    for (int l = 0; l < PL_OCCLUSION_LEVELS; l++)
        for (size_t i = 0; i < cell_count(l); i++)
            out->levels[l][i] = out->levels[l][i] < 1.0f ? out->levels[l][i] : 1.0f;
    vertex_job job = {mesh, out, eye};
    pl_parallel_for(pool, vertex_task, mesh->vertex_count, BLOCK, &job);
    return PL_OK;
}

void pl_occlusion_free(pl_occlusion* o) {
    for (int l = 0; l < PL_OCCLUSION_LEVELS; l++) PL_FREE(o->levels[l], float, cell_count(l));
    PL_FREE(o->open, float, o->vertex_count);
    *o = (pl_occlusion){0};
}
