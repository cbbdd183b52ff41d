// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/record_mesh.h"
#include "base/memory.h"
#include "mesh/mesh_object.h"
#include "record/run_surface.h"

#include <string.h>

static pl_status copy_uvs(const pl_record_body* b, pl_mesh* mesh, pl_error* error) {
    if (!b->triangle_uvs || mesh->triangle_count == 0) return PL_OK;
    mesh->uvs = PL_ALLOC(double, 2 * (size_t)b->uv_count);
    mesh->uv_count = mesh->uvs ? b->uv_count : 0;
    mesh->triangle_uvs = PL_ALLOC(int, 3 * (size_t)b->triangle_count);
    if (!mesh->uvs || !mesh->triangle_uvs) return pl_fail_memory(error, b->name);
    for (int i = 0; i < 2 * b->uv_count; i++) mesh->uvs[i] = (double)b->uvs[i];
    memcpy(mesh->triangle_uvs, b->triangle_uvs, 12 * (size_t)b->triangle_count);
    return PL_OK;
}

static pl_status copy_normals(const pl_record_body* b, pl_mesh* mesh, pl_error* error) {
    if (!b->triangle_normals || mesh->triangle_count == 0) return PL_OK;
    mesh->normals = PL_ALLOC(double, 3 * (size_t)b->normal_count);
    mesh->normal_count = mesh->normals ? b->normal_count : 0;
    mesh->triangle_normals = PL_ALLOC(int, 3 * (size_t)b->triangle_count);
    if (!mesh->normals || !mesh->triangle_normals) return pl_fail_memory(error, b->name);
    for (int i = 0; i < 3 * b->normal_count; i++) mesh->normals[i] = (double)b->normals[i];
    memcpy(mesh->triangle_normals, b->triangle_normals, 12 * (size_t)b->triangle_count);
    return PL_OK;
}

static pl_status copy_faces(const pl_record_body* b, pl_mesh* mesh, pl_error* error) {
    if (!b->triangle_faces || mesh->triangle_count == 0) return PL_OK;
    mesh->triangle_faces = PL_ALLOC(int, b->triangle_count);
    if (!mesh->triangle_faces) return pl_fail_memory(error, b->name);
    memcpy(mesh->triangle_faces, b->triangle_faces, 4 * (size_t)b->triangle_count);
    return PL_OK;
}

static pl_status copy_regions(const pl_record_body* b, pl_mesh* mesh, pl_error* error) {
    if (!b->triangle_regions || mesh->triangle_count == 0) return PL_OK;
    int* items = PL_ALLOC(int, mesh->triangle_count);
    if (!items) return pl_fail_memory(error, b->name);
    pl_status status = PL_OK;
    for (int r = 0; status == PL_OK && r < b->region_count; r++) {
        int count = 0;
        for (int t = 0; t < b->triangle_count; t++)
            if (b->triangle_regions[t] == r) items[count++] = t;
        status = pl_mesh_add_region(mesh, PL_ELEMENT_TRIANGLE, b->region_names[r], r + 1, items,
                                    count, error);
        if (status == PL_OK) mesh->regions[mesh->region_count - 1].is_material = true;
    }
    PL_FREE(items, int, mesh->triangle_count);
    return status;
}

// true if the mesh has elements for the field
static bool is_carried(const pl_mesh* mesh, const pl_record_field* f) {
    return f->kind == PL_ELEMENT_VERTEX || pl_mesh_element_count(mesh, f->kind) > 0;
}

static pl_status add_fields(const pl_record_body* b, pl_mesh* mesh, pl_error* error) {
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < b->field_count; k++) {
        const pl_record_field* f = &b->fields[k];
        if (!is_carried(mesh, f)) continue;
        size_t count = (size_t)pl_mesh_element_count(mesh, f->kind) * (size_t)f->components;
        double* zeros = PL_ALLOC(double, count);
        if (count > 0 && !zeros) return pl_fail_memory(error, b->name);
        status = pl_mesh_add_field(mesh, f->kind, f->name, f->components, zeros, error);
        PL_FREE(zeros, double, count);
    }
    return status;
}

pl_status pl_record_mesh_create(const pl_record_body* b, pl_mesh** out, pl_error* error) {
    *out = NULL;
    double* rest = PL_ALLOC(double, 3 * (size_t)b->vertex_count);
    if (b->vertex_count > 0 && !rest) return pl_fail_memory(error, b->name);
    for (int i = 0; i < 3 * b->vertex_count; i++) rest[i] = (double)b->rest[i];
    pl_mesh* mesh = NULL;
    bool solid = b->tet_count > 0;
    pl_status status =
        pl_mesh_create(rest, b->vertex_count, b->tets, b->tet_count, solid ? NULL : b->triangles,
                       solid ? 0 : b->triangle_count, &mesh, error);
    PL_FREE(rest, double, 3 * (size_t)b->vertex_count);
    if (status == PL_OK) status = copy_uvs(b, mesh, error);
    if (status == PL_OK) status = copy_normals(b, mesh, error);
    if (status == PL_OK) status = copy_faces(b, mesh, error);
    if (status == PL_OK) status = copy_regions(b, mesh, error);
    if (status == PL_OK) status = add_fields(b, mesh, error);
    if (status == PL_OK) *out = mesh;
    else pl_mesh_destroy(mesh);
    return status;
}

void pl_record_mesh_update(const pl_recording* recording, int body, pl_mesh* mesh) {
    const pl_record_body* b = &pl_recording_head(recording)->bodies[body];
    const float* positions = pl_recording_positions(recording, body);
    for (int i = 0; i < 3 * mesh->vertex_count; i++) mesh->positions[i] = (double)positions[i];
    if (mesh->triangle_normals) pl_turn_normals(b, positions, mesh->normals);
    int next = 0; // fields of the mesh are in the order of the recording's
    for (int k = 0; k < b->field_count; k++) {
        if (!is_carried(mesh, &b->fields[k])) continue;
        pl_field* field = &mesh->fields[next++];
        const float* values = pl_recording_field(recording, body, k);
        size_t count = (size_t)pl_mesh_element_count(mesh, field->kind) * (size_t)field->components;
        for (size_t i = 0; i < count; i++) field->values[i] = (double)values[i];
    }
}
