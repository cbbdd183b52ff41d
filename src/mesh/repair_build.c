// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Builds the repaired mesh: what is kept is renumbered, and everything attached to vertices and
// elements follows.
#include "base/memory.h"
#include "mesh/check.h"
#include "mesh/mesh_object.h"
#include "mesh/repair.h"

#include <string.h>

static const char* const what = "a repaired mesh";

// New indices of the old vertices and elements, -1 for removed ones.
typedef struct numbering {
    const pl_repair* r;
    pl_mesh* mesh;
    int* to[3]; // by pl_element_kind
} numbering;

static int old_count(const numbering* n, int kind) {
    return pl_mesh_element_count(n->r->old, (pl_element_kind)kind);
}

static void mark_vertices(const int* elements, const bool* keep, int count, int corners, int* to) {
    for (int e = 0; e < count; e++)
        for (int k = 0; keep[e] && k < corners; k++)
            to[elements[(size_t)e * (size_t)corners + (size_t)k]] = 0;
}

// Numbers the vertices that are used and not replaced by others; returns their count.
static int number_vertices(numbering* n) {
    const pl_repair* r = n->r;
    int *to = n->to[PL_ELEMENT_VERTEX], count = 0;
    for (int v = 0; v < r->old->vertex_count; v++) to[v] = -1;
    mark_vertices(r->tets, r->keep_tet, r->old->tet_count, 4, to);
    mark_vertices(r->triangles, r->keep_triangle, r->old->triangle_count, 3, to);
    pl_defect dropped = {0, -1, -1};
    for (int v = 0; v < r->old->vertex_count; v++) {
        if (r->vertex_to[v] != v) continue;
        if (to[v] == 0 || r->keep_unused) to[v] = count++;
        else pl_defect_add(&dropped, v, -1);
    }
    if (dropped.count)
        pl_note(r->notes, PL_NOTE_MENDED, "dropped unreferenced vertices: %lld (first: vertex %d)",
                (long long)dropped.count, dropped.first);
    // merged vertices share the number of their replacement
    for (int v = 0; v < r->old->vertex_count; v++)
        if (r->vertex_to[v] >= 0) to[v] = to[r->vertex_to[v]];
    return count;
}

static int number_kept(const bool* keep, int count, int* to) {
    int kept = 0;
    for (int e = 0; e < count; e++) to[e] = keep[e] ? kept++ : -1;
    return kept;
}

static void place_elements(const numbering* n, const int* elements, int kind, int corners,
                           int* out) {
    const int* vertex_to = n->to[PL_ELEMENT_VERTEX];
    for (int e = 0; e < old_count(n, kind); e++) {
        int to = n->to[kind][e];
        for (int k = 0; to >= 0 && k < corners; k++)
            out[(size_t)to * (size_t)corners + (size_t)k] =
                vertex_to[elements[(size_t)e * (size_t)corners + (size_t)k]];
    }
}

static void place_vertices(const numbering* n) {
    const pl_repair* r = n->r;
    for (int v = 0; v < r->old->vertex_count; v++)
        if (r->vertex_to[v] == v && n->to[PL_ELEMENT_VERTEX][v] >= 0)
            memcpy(n->mesh->positions + 3 * (size_t)n->to[PL_ELEMENT_VERTEX][v],
                   r->old->positions + 3 * (size_t)v, 3 * sizeof(double));
}

static bool build_elements(numbering* n) {
    const pl_repair* r = n->r;
    int vertices = number_vertices(n);
    int tets = number_kept(r->keep_tet, r->old->tet_count, n->to[PL_ELEMENT_TET]);
    int triangles =
        number_kept(r->keep_triangle, r->old->triangle_count, n->to[PL_ELEMENT_TRIANGLE]);
    if (!pl_mesh_set_vertex_count(n->mesh, vertices) || !pl_mesh_set_tet_count(n->mesh, tets) ||
        !pl_mesh_set_triangle_count(n->mesh, triangles + (int)r->added.count))
        return false;
    place_vertices(n);
    place_elements(n, r->tets, PL_ELEMENT_TET, 4, n->mesh->tets);
    place_elements(n, r->triangles, PL_ELEMENT_TRIANGLE, 3, n->mesh->triangles);
    const int* added = r->added.data;
    for (size_t i = 0; i < 3 * r->added.count; i++)
        n->mesh->triangles[3 * (size_t)triangles + i] = n->to[PL_ELEMENT_VERTEX][added[i]];
    return true;
}

static bool build_uvs(const numbering* n) {
    const pl_mesh* old = n->r->old;
    pl_mesh* mesh = n->mesh;
    if (!pl_mesh_copy_uvs(old, mesh)) return false;
    if (!n->r->triangle_uvs || mesh->triangle_count == 0) return true;
    mesh->triangle_uvs = PL_ALLOC(int, 3 * (size_t)mesh->triangle_count);
    if (!mesh->triangle_uvs) return false;
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++) mesh->triangle_uvs[i] = -1;
    for (int t = 0; t < old->triangle_count; t++) {
        int to = n->to[PL_ELEMENT_TRIANGLE][t];
        if (to >= 0)
            memcpy(mesh->triangle_uvs + 3 * (size_t)to, n->r->triangle_uvs + 3 * (size_t)t,
                   3 * sizeof(int));
    }
    return true;
}

static pl_status build_regions(const numbering* n, pl_error* error) {
    pl_status status = PL_OK;
    for (int i = 0; status == PL_OK && i < n->r->old->region_count; i++) {
        const pl_region* region = &n->r->old->regions[i];
        int* items = PL_ALLOC(int, region->count);
        if (region->count && !items) return pl_fail_memory(error, what);
        int count = 0;
        for (int k = 0; k < region->count; k++) {
            int to = n->to[region->kind][region->items[k]];
            if (to >= 0) items[count++] = to;
        }
        status = pl_mesh_copy_region(n->mesh, region, items, count, region->kind, error);
        PL_FREE(items, int, region->count);
    }
    return status;
}

// Merged vertices have the values of their replacement; added triangles have none.
static pl_status build_fields(const numbering* n, pl_error* error) {
    pl_status status = PL_OK;
    for (int i = 0; status == PL_OK && i < n->r->old->field_count; i++) {
        const pl_field* field = &n->r->old->fields[i];
        size_t size = (size_t)field->components;
        size_t total = size * (size_t)pl_mesh_element_count(n->mesh, field->kind);
        double* values = PL_ALLOC(double, total);
        if (total && !values) return pl_fail_memory(error, what);
        for (size_t k = 0; k < total; k++) values[k] = NAN;
        for (int e = old_count(n, field->kind) - 1; e >= 0; e--) {
            int to = n->to[field->kind][e];
            bool stands = field->kind != PL_ELEMENT_VERTEX || n->r->vertex_to[e] == e;
            if (to >= 0 && stands)
                memcpy(values + (size_t)to * size, field->values + (size_t)e * size,
                       size * sizeof(double));
        }
        status =
            pl_mesh_add_field(n->mesh, field->kind, field->name, field->components, values, error);
        PL_FREE(values, double, total);
    }
    return status;
}

pl_status pl_repair_build(const pl_repair* r, pl_mesh** out, pl_error* error) {
    numbering n = {.r = r, .mesh = pl_mesh_new()};
    bool ready = n.mesh != NULL;
    for (int kind = 0; kind < 3; kind++) {
        n.to[kind] = PL_ALLOC(int, old_count(&n, kind));
        ready = ready && (n.to[kind] || old_count(&n, kind) == 0);
    }
    ready = ready && build_elements(&n) && build_uvs(&n);
    pl_status status = ready ? PL_OK : pl_fail_memory(error, what);
    if (status == PL_OK) status = build_regions(&n, error);
    if (status == PL_OK) status = build_fields(&n, error);
    for (int kind = 0; kind < 3; kind++) PL_FREE(n.to[kind], int, old_count(&n, kind));
    if (status == PL_OK) *out = n.mesh;
    else pl_mesh_destroy(n.mesh);
    return status;
}
