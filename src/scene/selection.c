// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Evaluates a selection to one mark per vertex (or surface triangle); and, or, not combine marks.
#include "scene/selection.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "scene/scene_type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct target {
    const pl_mesh* mesh;
    const pl_surface* surface; // NULL: marks are of vertices
    const char* body;
    pl_vec3 low, high; // bounding box of the mesh
    double tolerance;  // for positions on the boundary of a shape [m]
    pl_error* error;
} target;

static pl_vec3 position(const target* t, int vertex) {
    return pl_vec3_load(t->mesh->positions + 3 * (size_t)vertex);
}

static target target_of(const pl_mesh* mesh, const pl_surface* surface, const char* body,
                        pl_error* error) {
    target t = {.mesh = mesh, .surface = surface, .body = body ? body : "", .error = error};
    if (mesh->vertex_count > 0) t.low = t.high = pl_vec3_load(mesh->positions);
    for (int v = 1; v < mesh->vertex_count; v++) {
        t.low = pl_min3(t.low, position(&t, v));
        t.high = pl_max3(t.high, position(&t, v));
    }
    t.tolerance = 1e-9 * pl_distance(t.low, t.high);
    return t;
}

// ---------------------------------------------------------------- shapes

static bool in_box(const pl_box_shape* box, pl_vec3 x, double tolerance) {
    double p[3];
    pl_vec3_store(p, x);
    for (int k = 0; k < 3; k++)
        if (p[k] < box->min[k] - tolerance || p[k] > box->max[k] + tolerance) return false;
    return true;
}

static bool in_capsule(const pl_capsule_shape* capsule, pl_vec3 x, double tolerance) {
    pl_vec3 a = pl_vec3_load(capsule->from), axis = pl_sub(pl_vec3_load(capsule->to), a);
    double length2 = pl_norm2(axis);
    double s = length2 > 0.0 ? pl_dot(pl_sub(x, a), axis) / length2 : 0.0;
    s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
    return pl_distance(x, pl_madd(a, s, axis)) <= capsule->radius + tolerance;
}

static bool behind_plane(const pl_plane_shape* plane, pl_vec3 x, double tolerance) {
    pl_vec3 normal = pl_normalize(pl_vec3_load(plane->normal));
    return pl_dot(normal, pl_sub(x, pl_vec3_load(plane->point))) <= tolerance;
}

static bool at_side(const target* t, const pl_side_shape* side, pl_vec3 x) {
    double p[3], low[3], high[3];
    pl_vec3_store(p, x);
    pl_vec3_store(low, t->low);
    pl_vec3_store(high, t->high);
    int axis = (int)side->face / 2;
    double depth = side->depth * (high[axis] - low[axis]) + t->tolerance;
    return side->face % 2 == 0 ? p[axis] <= low[axis] + depth : p[axis] >= high[axis] - depth;
}

static bool in_shape(const target* t, const pl_selection* s, pl_vec3 x) {
    switch (s->kind) {
    case PL_SELECT_BOX: return in_box(&s->box, x, t->tolerance);
    case PL_SELECT_SPHERE:
        return pl_distance(x, pl_vec3_load(s->sphere.center)) <= s->sphere.radius + t->tolerance;
    case PL_SELECT_CAPSULE: return in_capsule(&s->capsule, x, t->tolerance);
    case PL_SELECT_HALF_SPACE: return behind_plane(&s->half_space, x, t->tolerance);
    case PL_SELECT_SIDE: return at_side(t, &s->side, x);
    default: return true; // everything
    }
}

// ---------------------------------------------------------------- regions, lists, nearest

static pl_status fail_region(const target* t, const char* name) {
    const char* names[256];
    int count = 0;
    for (int i = 0; i < t->mesh->region_count && count < 256; i++)
        names[count++] = t->mesh->regions[i].name;
    if (count == 0)
        return pl_fail(t->error, PL_ERROR_ARGUMENT,
                       "the mesh of body \"%.100s\" has no region \"%.100s\", and no other; select "
                       "by position instead (box, sphere, side)",
                       t->body, name);
    const char* meant = pl_nearest_name(name, names, count);
    return pl_fail(t->error, PL_ERROR_ARGUMENT,
                   "the mesh of body \"%.100s\" has no region \"%.100s\"; %s \"%.100s\"%s", t->body,
                   name, meant ? "did you mean" : "it has for instance", meant ? meant : names[0],
                   meant ? "?" : "");
}

static pl_status mark_region(const target* t, const char* name, bool* marks) {
    const pl_mesh* mesh = t->mesh;
    bool found = false;
    for (int i = 0; i < mesh->region_count; i++) {
        const pl_region* region = &mesh->regions[i];
        if (strcmp(region->name, name) != 0) continue;
        found = true;
        for (int k = 0; k < region->count; k++) {
            size_t item = (size_t)region->items[k];
            if (region->kind == PL_ELEMENT_VERTEX) marks[item] = true;
            for (int c = 0; region->kind == PL_ELEMENT_TRIANGLE && c < 3; c++)
                marks[mesh->triangles[3 * item + (size_t)c]] = true;
            for (int c = 0; region->kind == PL_ELEMENT_TET && c < 4; c++)
                marks[mesh->tets[4 * item + (size_t)c]] = true;
        }
    }
    return found ? PL_OK : fail_region(t, name);
}

static pl_status mark_list(const target* t, const pl_selection* s, bool* marks) {
    for (int i = 0; i < s->vertex_count; i++) {
        int v = s->vertices[i];
        if (v < 0 || v >= t->mesh->vertex_count)
            return pl_fail(t->error, PL_ERROR_ARGUMENT,
                           "vertex %d is selected, but body \"%.100s\" has the vertices 0 to %d", v,
                           t->body, t->mesh->vertex_count - 1);
        marks[v] = true;
    }
    return PL_OK;
}

typedef struct ranked {
    double distance;
    int vertex;
} ranked;

static int compare_ranked(const void* a, const void* b) {
    const ranked *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

static pl_status mark_nearest(const target* t, const pl_nearest_shape* nearest, bool* marks) {
    int count = t->mesh->vertex_count;
    ranked* all = PL_ALLOC(ranked, count);
    if (count > 0 && !all) return pl_fail_memory(t->error, "a selection");
    for (int v = 0; v < count; v++)
        all[v] = (ranked){pl_distance(position(t, v), pl_vec3_load(nearest->point)), v};
    if (count > 0) qsort(all, (size_t)count, sizeof(ranked), compare_ranked);
    for (int i = 0; i < count && i < nearest->count; i++) marks[all[i].vertex] = true;
    PL_FREE(all, ranked, count);
    return PL_OK;
}

static pl_status mark_vertices(const target* t, const pl_selection* s, bool* marks) {
    switch (s->kind) {
    case PL_SELECT_REGION: return mark_region(t, s->region, marks);
    case PL_SELECT_VERTICES: return mark_list(t, s, marks);
    case PL_SELECT_NEAREST: return mark_nearest(t, &s->nearest, marks);
    default: break;
    }
    for (int v = 0; v < t->mesh->vertex_count; v++) marks[v] = in_shape(t, s, position(t, v));
    return PL_OK;
}

// ---------------------------------------------------------------- marks of either kind

static int mark_count(const target* t) {
    return t->surface ? t->surface->mesh->triangle_count : t->mesh->vertex_count;
}

static pl_status mark_triangles(const target* t, const pl_selection* s, bool* marks) {
    const pl_mesh* surface = t->surface->mesh;
    const pl_region* region = s->kind == PL_SELECT_REGION
                                  ? pl_mesh_region(surface, PL_ELEMENT_TRIANGLE, s->region)
                                  : NULL;
    for (int i = 0; region && i < region->count; i++) marks[region->items[i]] = true;
    if (region) return PL_OK;
    int vertex_count = t->mesh->vertex_count;
    bool* corners = PL_ALLOC(bool, vertex_count);
    if (vertex_count > 0 && !corners) return pl_fail_memory(t->error, "a selection");
    pl_status status = mark_vertices(t, s, corners);
    for (int i = 0; status == PL_OK && i < surface->triangle_count; i++) {
        const int* triangle = surface->triangles + 3 * (size_t)i;
        marks[i] = true;
        for (int c = 0; c < 3; c++) marks[i] &= corners[t->surface->vertices[triangle[c]]];
    }
    PL_FREE(corners, bool, vertex_count);
    return status;
}

static pl_status mark(const target* t, const pl_selection* s, bool* marks);

// marks holds the first part and is combined with the others
static pl_status mark_parts(const target* t, const pl_selection* s, bool* marks) {
    int count = mark_count(t);
    bool* part = PL_ALLOC(bool, count);
    if (count > 0 && !part) return pl_fail_memory(t->error, "a selection");
    pl_status status = PL_OK;
    for (int i = 0; i < s->part_count && status == PL_OK; i++) {
        if (count > 0) memset(part, 0, (size_t)count * sizeof(bool));
        status = mark(t, &s->parts[i], part);
        for (int k = 0; k < count && status == PL_OK; k++) {
            if (s->kind == PL_SELECT_NOT) marks[k] = !part[k];
            else if (i == 0) marks[k] = part[k];
            else marks[k] = s->kind == PL_SELECT_AND ? marks[k] && part[k] : marks[k] || part[k];
        }
    }
    PL_FREE(part, bool, count);
    return status;
}

static pl_status mark(const target* t, const pl_selection* s, bool* marks) {
    if (s->kind == PL_SELECT_AND || s->kind == PL_SELECT_OR || s->kind == PL_SELECT_NOT)
        return mark_parts(t, s, marks);
    return t->surface ? mark_triangles(t, s, marks) : mark_vertices(t, s, marks);
}

// ---------------------------------------------------------------- results

void pl_selected_free(pl_selected* selected) {
    PL_FREE(selected->items, int, selected->count);
    *selected = (pl_selected){0};
}

static pl_status fail_empty(const target* t) {
    return pl_fail(t->error, PL_ERROR_ARGUMENT,
                   "nothing of body \"%.100s\" is selected: its %d vertices are from (%g, %g, %g) "
                   "to (%g, %g, %g); move or widen the selection%s",
                   t->body, t->mesh->vertex_count, t->low.x, t->low.y, t->low.z, t->high.x,
                   t->high.y, t->high.z,
                   t->surface ? "; it must contain all three corners of a surface triangle" : "");
}

static pl_status collect(const target* t, const bool* marks, pl_selected* out) {
    int count = 0;
    for (int i = 0; i < mark_count(t); i++) count += marks[i];
    if (count == 0) return fail_empty(t);
    out->items = PL_ALLOC(int, count);
    if (!out->items) return pl_fail_memory(t->error, "a selection");
    for (int i = 0; i < mark_count(t); i++)
        if (marks[i]) out->items[out->count++] = i;
    return PL_OK;
}

static pl_status evaluate(const target* t, const pl_selection* selection, pl_selected* out) {
    *out = (pl_selected){0};
    int count = mark_count(t);
    if (count == 0) return fail_empty(t);
    bool* marks = PL_ALLOC(bool, count);
    if (!marks) return pl_fail_memory(t->error, "a selection");
    pl_status status = mark(t, selection, marks);
    if (status == PL_OK) status = collect(t, marks, out);
    PL_FREE(marks, bool, count);
    return status;
}

pl_status pl_selection_vertices(const pl_selection* selection, const pl_mesh* mesh,
                                const char* body, pl_selected* out, pl_error* error) {
    target t = target_of(mesh, NULL, body, error);
    return evaluate(&t, selection, out);
}

pl_status pl_selection_triangles(const pl_selection* selection, const pl_mesh* mesh,
                                 const pl_surface* surface, const char* body, pl_selected* out,
                                 pl_error* error) {
    target t = target_of(mesh, surface, body, error);
    return evaluate(&t, selection, out);
}
