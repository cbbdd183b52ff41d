// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/run_surface.h"
#include "base/fail.h"
#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static pl_status no_memory(pl_error* error) {
    return pl_fail_memory(error, "the recording of a surface");
}

void pl_run_surface_free(pl_run_surface* s) {
    PL_FREE(s->uvs, float, 2 * (size_t)s->uv_count);
    PL_FREE(s->normals, float, 3 * (size_t)s->normal_room);
    PL_FREE(s->triangle_normals, int, 3 * (size_t)s->triangle_count);
    PL_FREE(s->region_names, const char*, s->region_count);
    PL_FREE(s->triangle_regions, int, s->triangle_count);
    *s = (pl_run_surface){0};
}

static pl_status take_uvs(const pl_mesh* mesh, pl_run_surface* s, pl_record_body* out,
                          pl_error* error) {
    if (mesh->uv_count == 0 || !mesh->triangle_uvs) return PL_OK;
    s->uvs = PL_ALLOC(float, 2 * (size_t)mesh->uv_count);
    if (!s->uvs) return no_memory(error);
    s->uv_count = mesh->uv_count;
    for (int i = 0; i < 2 * mesh->uv_count; i++) s->uvs[i] = (float)mesh->uvs[i];
    out->uv_count = mesh->uv_count;
    out->uvs = s->uvs;
    out->triangle_uvs = mesh->triangle_uvs;
    return PL_OK;
}

// ---- normals

// Pairs of vertex and normal; those of one vertex form a short list.
typedef struct pairing {
    const pl_mesh* mesh;
    int* first;  // per vertex: the newest pair, or -1
    int* next;   // per pair: the previous one of the same vertex
    int* source; // per pair: its normal in the mesh
    int count;
} pairing;

static int pair_of(pairing* p, int vertex, int normal) {
    for (int i = p->first[vertex]; i >= 0; i = p->next[i])
        if (p->source[i] == normal) return i;
    p->source[p->count] = normal;
    p->next[p->count] = p->first[vertex];
    return p->first[vertex] = p->count++;
}

// normals of zero length are ignored
static bool is_usable(const pl_mesh* mesh, int normal) {
    if (normal < 0) return false;
    double length = pl_norm(pl_vec3_load(mesh->normals + 3 * (size_t)normal));
    return length > 0.0 && isfinite(length);
}

static void fill_normals(pairing* p, pl_run_surface* s) {
    const pl_mesh* mesh = p->mesh;
    for (int v = 0; v < mesh->vertex_count; v++) p->first[v] = -1;
    for (size_t c = 0; c < 3 * (size_t)mesh->triangle_count; c++) {
        int normal = mesh->triangle_normals[c];
        s->triangle_normals[c] =
            is_usable(mesh, normal) ? pair_of(p, mesh->triangles[c], normal) : -1;
    }
    s->normal_count = p->count;
    for (int i = 0; i < p->count; i++) {
        pl_vec3 n = pl_normalize(pl_vec3_load(mesh->normals + 3 * (size_t)p->source[i]));
        s->normals[3 * i] = (float)n.x;
        s->normals[3 * i + 1] = (float)n.y;
        s->normals[3 * i + 2] = (float)n.z;
    }
}

static pl_status take_normals(const pl_mesh* mesh, pl_run_surface* s, pl_record_body* out,
                              pl_error* error) {
    if (mesh->normal_count == 0 || !mesh->triangle_normals) return PL_OK;
    int corners = 3 * mesh->triangle_count;
    pairing p = {.mesh = mesh};
    p.first = PL_ALLOC(int, mesh->vertex_count);
    p.next = PL_ALLOC(int, corners);
    p.source = PL_ALLOC(int, corners);
    s->triangle_normals = PL_ALLOC(int, corners);
    s->normals = PL_ALLOC(float, 3 * (size_t)corners);
    if (s->normals) s->normal_room = corners;
    bool ready = p.first && p.next && p.source && s->triangle_normals && s->normals;
    if (ready) fill_normals(&p, s);
    PL_FREE(p.first, int, mesh->vertex_count);
    PL_FREE(p.next, int, corners);
    PL_FREE(p.source, int, corners);
    if (!ready) return no_memory(error);
    if (s->normal_count == 0) return PL_OK;
    out->normal_count = s->normal_count;
    out->normals = s->normals;
    out->triangle_normals = s->triangle_normals;
    return PL_OK;
}

// ---- materials

static bool is_material(const pl_region* region) {
    return region->is_material && region->kind == PL_ELEMENT_TRIANGLE;
}

static pl_status take_materials(const pl_mesh* mesh, pl_run_surface* s, pl_record_body* out,
                                pl_error* error) {
    int count = 0;
    for (int r = 0; r < mesh->region_count; r++) count += is_material(&mesh->regions[r]);
    if (count == 0) return PL_OK;
    s->region_names = PL_ALLOC(const char*, count);
    if (!s->region_names) return no_memory(error);
    s->region_count = count;
    s->triangle_regions = PL_ALLOC(int, mesh->triangle_count);
    if (!s->triangle_regions) return no_memory(error);
    for (int t = 0; t < mesh->triangle_count; t++) s->triangle_regions[t] = -1;
    for (int r = 0, next = 0; r < mesh->region_count; r++) {
        const pl_region* region = &mesh->regions[r];
        if (!is_material(region)) continue;
        for (int i = 0; i < region->count; i++) s->triangle_regions[region->items[i]] = next;
        s->region_names[next++] = region->name;
    }
    out->region_count = count;
    out->region_names = s->region_names;
    out->triangle_regions = s->triangle_regions;
    return PL_OK;
}

pl_status pl_run_surface_take(const pl_mesh* mesh, pl_run_surface* s, pl_record_body* out,
                              pl_error* error) {
    if (mesh->triangle_count == 0) return PL_OK;
    s->triangle_count = mesh->triangle_count;
    out->triangle_faces = mesh->triangle_faces;
    pl_status status = take_uvs(mesh, s, out, error);
    if (status == PL_OK) status = take_normals(mesh, s, out, error);
    return status == PL_OK ? take_materials(mesh, s, out, error) : status;
}

// ---- normals of a frame

// A triangle with its edges a, b from the first corner, and its normal. One with area maps a normal
// n to F^-T n, F being its deformation that keeps the length across it. By the duals of the edges,
// a* = b x N / area and b* = N x a / area: F^-T n = (n.a) a*' + (n.b) b*' + (n.N) N'.
typedef struct tangent_frame {
    pl_vec3 a, b, normal;
    double area; // twice that of the triangle
} tangent_frame;

static pl_vec3 load(const float* p) { return (pl_vec3){(double)p[0], (double)p[1], (double)p[2]}; }

static tangent_frame frame_of(const float* x, const int* v) {
    tangent_frame f;
    pl_vec3 origin = load(x + 3 * (size_t)v[0]);
    f.a = pl_sub(load(x + 3 * (size_t)v[1]), origin);
    f.b = pl_sub(load(x + 3 * (size_t)v[2]), origin);
    pl_vec3 across = pl_cross(f.a, f.b);
    f.area = pl_norm(across);
    f.normal = pl_scale(f.area > 0.0 ? 1.0 / f.area : 0.0, across);
    return f;
}

// the map of n, times the area
static pl_vec3 turned(const tangent_frame* rest, const tangent_frame* now, pl_vec3 n) {
    pl_vec3 along = pl_scale(pl_dot(n, rest->a), pl_cross(now->b, now->normal));
    along = pl_madd(along, pl_dot(n, rest->b), pl_cross(now->normal, now->a));
    return pl_madd(along, now->area * pl_dot(n, rest->normal), now->normal);
}

void pl_turn_normals(const pl_record_body* b, const float* positions, double* out) {
    memset(out, 0, 3 * (size_t)b->normal_count * sizeof(double));
    for (int t = 0; t < b->triangle_count; t++) {
        const int* v = b->triangles + 3 * (size_t)t;
        const int* normals = b->triangle_normals + 3 * (size_t)t;
        tangent_frame rest = frame_of(b->rest, v), now = frame_of(positions, v);
        if (!(rest.area > 0.0 && now.area > 0.0 && isfinite(now.area))) continue;
        for (int k = 0; k < 3; k++) {
            if (normals[k] < 0) continue;
            double* sum = out + 3 * (size_t)normals[k];
            pl_vec3 n = turned(&rest, &now, load(b->normals + 3 * (size_t)normals[k]));
            pl_vec3_store(sum, pl_add(pl_vec3_load(sum), n));
        }
    }
    for (int i = 0; i < b->normal_count; i++) {
        double* n = out + 3 * (size_t)i;
        double length = pl_norm(pl_vec3_load(n));
        bool usable = length > 0.0 && isfinite(length);
        pl_vec3_store(n, usable ? pl_scale(1.0 / length, pl_vec3_load(n))
                                : load(b->normals + 3 * (size_t)i));
    }
}
