// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mesh/fill_check.h"
#include "base/array.h"
#include "base/memory.h"
#include "mesh/close_vertices.h"
#include "mesh/components.h"

#include <stdlib.h>

// ---- volume by rays

enum { RAYS_ALONG = 128 };

typedef struct crossing {
    double t;
    int turn; // the winding number changes by this
} crossing;

typedef struct ray {
    const pl_mesh* surface;
    double x, y, low; // the line runs along z from here
    pl_array crossings;
    double last_length; // of the last line that left the surface again
    bool stored;
} ray;

static pl_vec3 vertex_of(const pl_mesh* mesh, const int* elements, size_t corner) {
    return pl_vec3_load(mesh->positions + 3 * (size_t)elements[corner]);
}

// records where the vertical line crosses the triangle
static bool add_crossing(int triangle, void* user) {
    ray* r = user;
    pl_vec3 v[3];
    for (size_t k = 0; k < 3; k++)
        v[k] = vertex_of(r->surface, r->surface->triangles, 3 * (size_t)triangle + k);
    double weights[3], sum = 0.0, height = 0.0;
    for (int k = 0; k < 3; k++) {
        pl_vec3 a = v[(k + 1) % 3], b = v[(k + 2) % 3];
        weights[k] = (a.x - r->x) * (b.y - r->y) - (a.y - r->y) * (b.x - r->x);
        sum += weights[k];
    }
    bool up = weights[0] >= 0.0 && weights[1] >= 0.0 && weights[2] >= 0.0;
    bool down = weights[0] <= 0.0 && weights[1] <= 0.0 && weights[2] <= 0.0;
    if ((!up && !down) || sum == 0.0) return true;
    for (int k = 0; k < 3; k++) height += weights[k] / sum * v[k].z;
    r->stored = pl_array_push(&r->crossings, &(crossing){height - r->low, sum > 0.0 ? -1 : 1});
    return r->stored;
}

static int compare_crossings(const void* a, const void* b) {
    const crossing *x = a, *y = b;
    return x->t != y->t ? (x->t > y->t) - (x->t < y->t) : x->turn - y->turn;
}

// The length of the line inside the surface, where the winding number is not 0. A line that never
// leaves the surface went through a hole; the length of the previous line replaces its own.
static double inside_length(ray* r) {
    const crossing* c = r->crossings.data;
    if (r->crossings.count == 0) return r->last_length = 0.0;
    qsort(r->crossings.data, r->crossings.count, sizeof(crossing), compare_crossings);
    double length = 0.0;
    int winding = 0;
    for (size_t i = 0; i + 1 < r->crossings.count; i++) {
        winding += c[i].turn;
        if (winding != 0) length += c[i + 1].t - c[i].t;
    }
    if (winding + c[r->crossings.count - 1].turn == 0) r->last_length = length;
    return r->last_length;
}

static bool volume_by_rays(const pl_mesh* surface, const pl_solid* solid, double* volume) {
    pl_box box = solid->tree.bvh.nodes[0].box;
    double dx = (box.high.x - box.low.x) / RAYS_ALONG, dy = (box.high.y - box.low.y) / RAYS_ALONG;
    double reach = box.high.z - box.low.z, sum = 0.0;
    ray r = {.surface = surface, .crossings = pl_array_of(sizeof(crossing)), .stored = true};
    r.low = box.low.z - 0.01 * reach;
    for (int i = 0; i < RAYS_ALONG * RAYS_ALONG && r.stored; i++) {
        // slightly off the middle of each square, since edges of regular meshes may lie there
        r.x = box.low.x + dx * (i % RAYS_ALONG + 0.5123);
        r.y = box.low.y + dy * (i / RAYS_ALONG + 0.4917);
        r.crossings.count = 0;
        pl_bvh_ray(&solid->tree.bvh, (pl_vec3){r.x, r.y, r.low}, (pl_vec3){0.0, 0.0, 1.0},
                   1.02 * reach, add_crossing, &r);
        sum += inside_length(&r);
    }
    pl_array_free(&r.crossings);
    *volume = sum * dx * dy;
    return r.stored;
}

// ---- parts of the surface

typedef struct part {
    pl_box box;
    double volume;
    pl_vec3 origin; // a corner, so that parts far from the origin keep their digits
    int group;
} part;

// adds up boxes and volumes of the parts
static void measure_parts(const pl_mesh* surface, const int* triangles, const int* part_of,
                          part* parts, int part_count) {
    for (int p = 0; p < part_count; p++) parts[p] = (part){.box = pl_box_empty(), .group = -1};
    for (int t = 0; t < surface->triangle_count; t++) {
        part* p = &parts[part_of[t]];
        pl_vec3 v[3];
        for (size_t k = 0; k < 3; k++) v[k] = vertex_of(surface, triangles, 3 * (size_t)t + k);
        if (p->group < 0) p->origin = v[0];
        p->group = 0;
        p->volume += pl_det4(p->origin, v[0], v[1], v[2]) / 6.0;
        for (int k = 0; k < 3; k++) p->box = pl_box_add_point(p->box, v[k]);
    }
}

// Number of sets of large parts whose boxes overlap. Parts of one set may be nested or intersect,
// so that their tets may be one piece; different sets are certainly separate.
static int count_groups(part* parts, int part_count, double crumb_share) {
    double total = 0.0;
    for (int p = 0; p < part_count; p++) total += fabs(parts[p].volume);
    int large = 0, groups = 0;
    for (int p = 0; p < part_count; p++)
        if (fabs(parts[p].volume) > crumb_share * total) parts[large++] = parts[p];
    for (int p = 0; p < large; p++) parts[p].group = p;
    for (int p = 0; p < large; p++)
        for (int q = 0; q < p; q++) {
            int from = parts[p].group, to = parts[q].group;
            if (from == to || !pl_box_overlaps(parts[p].box, parts[q].box)) continue;
            for (int r = 0; r < large; r++)
                if (parts[r].group == from) parts[r].group = to;
        }
    for (int p = 0; p < large; p++) groups += parts[p].group == p;
    return groups;
}

static pl_status count_parts(const pl_mesh* surface, double crumb_share, pl_fill_target* out,
                             pl_error* error) {
    int count = surface->triangle_count, part_count = 0;
    int* first = PL_ALLOC(int, surface->vertex_count);
    int* triangles = PL_ALLOC(int, 3 * (size_t)count);
    int* part_of = PL_ALLOC(int, count);
    part* parts = NULL;
    pl_status status = first && triangles && part_of
                           ? pl_first_of_close_vertices(surface->positions, surface->vertex_count,
                                                        0.0, first, error)
                           : pl_fail_memory(error, "the parts of a surface");
    for (size_t i = 0; status == PL_OK && i < 3 * (size_t)count; i++)
        triangles[i] = first[surface->triangles[i]];
    if (status == PL_OK)
        status = pl_vertex_components(triangles, count, 3, surface->vertex_count, part_of,
                                      &part_count, error);
    if (status == PL_OK && !(parts = PL_ALLOC(part, part_count)))
        status = pl_fail_memory(error, "the parts of a surface");
    if (status == PL_OK) {
        measure_parts(surface, triangles, part_of, parts, part_count);
        out->part_count = part_count;
        out->least_pieces = count_groups(parts, part_count, crumb_share);
    }
    PL_FREE(first, int, surface->vertex_count);
    PL_FREE(triangles, int, 3 * (size_t)count);
    PL_FREE(part_of, int, count);
    PL_FREE(parts, part, part_count);
    return status;
}

pl_status pl_fill_target_measure(const pl_mesh* surface, const pl_solid* solid,
                                 double signed_volume, bool simple, double crumb_share,
                                 pl_fill_target* out, pl_error* error) {
    *out = (pl_fill_target){.volume = fabs(signed_volume)};
    pl_status status = count_parts(surface, crumb_share, out, error);
    if (status != PL_OK || (simple && out->part_count == 1)) return status;
    if (!volume_by_rays(surface, solid, &out->volume))
        return pl_fail_memory(error, "the volume of a surface");
    return PL_OK;
}

// ---- the tets

static double tets_volume(const pl_mesh* mesh) {
    double sum = 0.0;
    for (int t = 0; t < mesh->tet_count; t++) {
        pl_vec3 v[4];
        for (size_t k = 0; k < 4; k++) v[k] = vertex_of(mesh, mesh->tets, 4 * (size_t)t + k);
        sum += pl_det4(v[0], v[1], v[2], v[3]) / 6.0;
    }
    return sum;
}

pl_status pl_fill_check(const pl_mesh* tets, const pl_fill_target* target, pl_fill_result* out,
                        pl_error* error) {
    *out = (pl_fill_result){.volume = tets_volume(tets)};
    out->change = target->volume > 0.0 ? out->volume / target->volume - 1.0 : 0.0;
    out->sound = fabs(out->change) <= PL_FILL_VOLUME_TOLERANCE;
    pl_status status = pl_vertex_components(tets->tets, tets->tet_count, 4, tets->vertex_count,
                                            NULL, &out->piece_count, error);
    if (out->piece_count > target->part_count || out->piece_count < target->least_pieces)
        out->sound = false;
    return status;
}
