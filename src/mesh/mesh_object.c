// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The mesh object: arrays, regions and fields. Arrays have exactly the size that the counts say.
#include "mesh/mesh_object.h"
#include "base/array.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

pl_mesh* pl_mesh_new(void) { return PL_ALLOC(pl_mesh, 1); }

void pl_mesh_destroy(pl_mesh* mesh) {
    if (!mesh) return;
    PL_FREE(mesh->positions, double, 3 * (size_t)mesh->vertex_count);
    PL_FREE(mesh->tets, int, 4 * (size_t)mesh->tet_count);
    PL_FREE(mesh->triangles, int, 3 * (size_t)mesh->triangle_count);
    PL_FREE(mesh->uvs, double, 2 * (size_t)mesh->uv_count);
    PL_FREE(mesh->triangle_uvs, int, 3 * (size_t)mesh->triangle_count);
    PL_FREE(mesh->normals, double, 3 * (size_t)mesh->normal_count);
    PL_FREE(mesh->triangle_normals, int, 3 * (size_t)mesh->triangle_count);
    PL_FREE(mesh->triangle_faces, int, mesh->triangle_count);
    for (int i = 0; i < mesh->region_count; i++) {
        pl_free_text(mesh->regions[i].name);
        PL_FREE(mesh->regions[i].items, int, mesh->regions[i].count);
    }
    PL_FREE(mesh->regions, pl_region, mesh->region_count);
    for (int i = 0; i < mesh->field_count; i++) {
        pl_field* field = &mesh->fields[i];
        pl_free_text(field->name);
        PL_FREE(field->values, double,
                (size_t)field->components*(size_t)pl_mesh_element_count(mesh, field->kind));
    }
    PL_FREE(mesh->fields, pl_field, mesh->field_count);
    PL_FREE(mesh, pl_mesh, 1);
}

int pl_mesh_element_count(const pl_mesh* mesh, pl_element_kind kind) {
    return kind == PL_ELEMENT_VERTEX     ? mesh->vertex_count
           : kind == PL_ELEMENT_TRIANGLE ? mesh->triangle_count
                                         : mesh->tet_count;
}

const char* pl_element_kind_name(pl_element_kind kind) {
    return kind == PL_ELEMENT_VERTEX ? "vertex" : kind == PL_ELEMENT_TRIANGLE ? "triangle" : "tet";
}

static bool replace_array(void** data, int* count, int new_count, size_t item_size) {
    void* fresh = new_count ? pl_alloc_items((size_t)new_count, item_size) : NULL;
    if (new_count && !fresh) return false;
    pl_free(*data, (size_t)*count * item_size);
    *data = fresh;
    *count = new_count;
    return true;
}

bool pl_mesh_set_vertex_count(pl_mesh* mesh, int count) {
    return replace_array((void**)&mesh->positions, &mesh->vertex_count, count, 3 * sizeof(double));
}

bool pl_mesh_set_tet_count(pl_mesh* mesh, int count) {
    return replace_array((void**)&mesh->tets, &mesh->tet_count, count, 4 * sizeof(int));
}

bool pl_mesh_set_triangle_count(pl_mesh* mesh, int count) {
    return replace_array((void**)&mesh->triangles, &mesh->triangle_count, count, 3 * sizeof(int));
}

static pl_status check_elements(const int* elements, int count, int corners, int vertex_count,
                                const char* kind, const char* what, pl_error* error) {
    for (size_t i = 0; i < (size_t)count * (size_t)corners; i++)
        if (elements[i] < 0 || elements[i] >= vertex_count)
            return pl_fail(error, PL_ERROR_MESH,
                           "%s%s%s %zu refers to vertex %d, but there are %d vertices",
                           what ? what : "", what ? ": " : "", kind, i / (size_t)corners,
                           elements[i], vertex_count);
    return PL_OK;
}

pl_status pl_mesh_check_indices(const pl_mesh* mesh, const char* what, pl_error* error) {
    pl_status status =
        check_elements(mesh->tets, mesh->tet_count, 4, mesh->vertex_count, "tet", what, error);
    if (status != PL_OK) return status;
    return check_elements(mesh->triangles, mesh->triangle_count, 3, mesh->vertex_count, "triangle",
                          what, error);
}

static void copy_items(void* to, const void* from, size_t size) {
    if (size) memcpy(to, from, size);
}

pl_status pl_mesh_create(const double* positions, int vertex_count, const int* tets, int tet_count,
                         const int* triangles, int triangle_count, pl_mesh** out, pl_error* error) {
    *out = NULL;
    if (vertex_count < 0 || tet_count < 0 || triangle_count < 0)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "a count is negative: %d vertices, %d tets, %d triangles", vertex_count,
                       tet_count, triangle_count);
    pl_mesh* mesh = pl_mesh_new();
    if (!mesh || !pl_mesh_set_vertex_count(mesh, vertex_count) ||
        !pl_mesh_set_tet_count(mesh, tet_count) ||
        !pl_mesh_set_triangle_count(mesh, triangle_count)) {
        pl_mesh_destroy(mesh);
        return pl_fail_memory(error, "a mesh");
    }
    copy_items(mesh->positions, positions, 3 * (size_t)vertex_count * sizeof(double));
    copy_items(mesh->tets, tets, 4 * (size_t)tet_count * sizeof(int));
    copy_items(mesh->triangles, triangles, 3 * (size_t)triangle_count * sizeof(int));
    pl_status status = pl_mesh_check_indices(mesh, NULL, error);
    if (status == PL_OK) *out = mesh;
    else pl_mesh_destroy(mesh);
    return status;
}

bool pl_mesh_copy_uvs(const pl_mesh* mesh, pl_mesh* copy) {
    if (mesh->uv_count == 0) return true;
    copy->uvs = PL_ALLOC(double, 2 * (size_t)mesh->uv_count);
    if (!copy->uvs) return false;
    copy->uv_count = mesh->uv_count;
    memcpy(copy->uvs, mesh->uvs, 2 * (size_t)mesh->uv_count * sizeof(double));
    return true;
}

static bool copy_normals(const pl_mesh* mesh, pl_mesh* copy) {
    if (mesh->normal_count == 0) return true;
    copy->normals = PL_ALLOC(double, 3 * (size_t)mesh->normal_count);
    if (!copy->normals) return false;
    copy->normal_count = mesh->normal_count;
    memcpy(copy->normals, mesh->normals, 3 * (size_t)mesh->normal_count * sizeof(double));
    return true;
}

// numbers of triangles, if there are any
static bool copy_numbers(const int* from, size_t count, int** to) {
    if (!from || count == 0) return true;
    *to = PL_ALLOC(int, count);
    if (*to) memcpy(*to, from, count * sizeof(int));
    return *to;
}

bool pl_mesh_copy_corners(const pl_mesh* mesh, pl_mesh* copy) {
    size_t count = (size_t)mesh->triangle_count;
    return pl_mesh_copy_uvs(mesh, copy) && copy_normals(mesh, copy) &&
           copy_numbers(mesh->triangle_uvs, 3 * count, &copy->triangle_uvs) &&
           copy_numbers(mesh->triangle_normals, 3 * count, &copy->triangle_normals) &&
           copy_numbers(mesh->triangle_faces, count, &copy->triangle_faces);
}

pl_status pl_mesh_copy(const pl_mesh* mesh, pl_mesh** out, pl_error* error) {
    pl_status status =
        pl_mesh_create(mesh->positions, mesh->vertex_count, mesh->tets, mesh->tet_count,
                       mesh->triangles, mesh->triangle_count, out, error);
    if (status != PL_OK) return status;
    if (!pl_mesh_copy_corners(mesh, *out)) status = pl_fail_memory(error, "a copy of a mesh");
    for (int i = 0; status == PL_OK && i < mesh->region_count; i++) {
        const pl_region* r = &mesh->regions[i];
        status = pl_mesh_copy_region(*out, r, r->items, r->count, r->kind, error);
    }
    for (int i = 0; status == PL_OK && i < mesh->field_count; i++) {
        const pl_field* f = &mesh->fields[i];
        status = pl_mesh_add_field(*out, f->kind, f->name, f->components, f->values, error);
    }
    if (status != PL_OK) {
        pl_mesh_destroy(*out);
        *out = NULL;
    }
    return status;
}

const pl_region* pl_mesh_region(const pl_mesh* mesh, pl_element_kind kind, const char* name) {
    for (int i = 0; i < mesh->region_count; i++)
        if (mesh->regions[i].kind == kind && strcmp(mesh->regions[i].name, name) == 0)
            return &mesh->regions[i];
    return NULL;
}

const pl_field* pl_mesh_field(const pl_mesh* mesh, pl_element_kind kind, const char* name) {
    for (int i = 0; i < mesh->field_count; i++)
        if (mesh->fields[i].kind == kind && strcmp(mesh->fields[i].name, name) == 0)
            return &mesh->fields[i];
    return NULL;
}

static bool is_ascending(const int* items, int count) {
    for (int i = 1; i < count; i++)
        if (items[i - 1] >= items[i]) return false;
    return true;
}

// sorts and removes repetitions; the new count
static int make_set(int* items, int count) {
    if (count == 0 || is_ascending(items, count)) return count;
    qsort(items, (size_t)count, sizeof(int), pl_compare_ints);
    int kept = 1;
    for (int i = 1; i < count; i++)
        if (items[i] != items[kept - 1]) items[kept++] = items[i];
    return kept;
}

pl_status pl_mesh_add_region(pl_mesh* mesh, pl_element_kind kind, const char* name, int tag,
                             const int* items, int count, pl_error* error) {
    int element_count = pl_mesh_element_count(mesh, kind);
    if (count < 0)
        return pl_fail(error, PL_ERROR_ARGUMENT, "region \"%s\" has %d items", name, count);
    for (int i = 0; i < count; i++)
        if (items[i] < 0 || items[i] >= element_count)
            return pl_fail(error, PL_ERROR_ARGUMENT, "region \"%s\" holds %s %d, but there are %d",
                           name, pl_element_kind_name(kind), items[i], element_count);
    int* scratch = PL_ALLOC(int, count);
    if (count && !scratch) return pl_fail_memory(error, "a region");
    copy_items(scratch, items, (size_t)count * sizeof(int));
    pl_region region = {.tag = tag, .kind = kind, .count = make_set(scratch, count)};
    region.name = pl_copy_text(name);
    region.items = PL_ALLOC(int, region.count);
    copy_items(region.items, scratch, region.items ? (size_t)region.count * sizeof(int) : 0);
    PL_FREE(scratch, int, count);
    size_t size = (size_t)mesh->region_count * sizeof(pl_region);
    pl_region* regions = NULL;
    if (region.name && (region.items || region.count == 0))
        regions = pl_realloc(mesh->regions, size, size + sizeof(pl_region));
    if (!regions) {
        pl_free_text(region.name);
        PL_FREE(region.items, int, region.count);
        return pl_fail_memory(error, "a region");
    }
    mesh->regions = regions;
    mesh->regions[mesh->region_count++] = region;
    return PL_OK;
}

pl_status pl_mesh_copy_region(pl_mesh* mesh, const pl_region* from, const int* items, int count,
                              pl_element_kind kind, pl_error* error) {
    pl_status status = pl_mesh_add_region(mesh, kind, from->name, from->tag, items, count, error);
    if (status == PL_OK) mesh->regions[mesh->region_count - 1].is_material = from->is_material;
    return status;
}

pl_status pl_mesh_add_field(pl_mesh* mesh, pl_element_kind kind, const char* name, int components,
                            const double* values, pl_error* error) {
    if (components < 1)
        return pl_fail(error, PL_ERROR_ARGUMENT, "field \"%s\" has %d components", name,
                       components);
    size_t count = (size_t)components * (size_t)pl_mesh_element_count(mesh, kind);
    pl_field field = {.kind = kind, .components = components};
    field.name = pl_copy_text(name);
    field.values = PL_ALLOC(double, count);
    size_t size = (size_t)mesh->field_count * sizeof(pl_field);
    pl_field* fields = NULL;
    if (field.name && (field.values || count == 0))
        fields = pl_realloc(mesh->fields, size, size + sizeof(pl_field));
    if (!fields) {
        pl_free_text(field.name);
        PL_FREE(field.values, double, count);
        return pl_fail_memory(error, "a field");
    }
    copy_items(field.values, values, count * sizeof(double));
    mesh->fields = fields;
    mesh->fields[mesh->field_count++] = field;
    return PL_OK;
}
