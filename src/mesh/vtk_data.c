// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Cell types are numbered as in VTK's vtkCellType.h (VTK User's Guide, File Formats).
#include "mesh/vtk_data.h"
#include "base/memory.h"
#include "mesh/polygons.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// a mesh has a few dozen fields at most; a file with more is broken or malicious
enum { TYPE_COUNT = 82, MAX_FIELDS = 256, MAX_COMPONENTS = 64 };
// bytes that fields of triangles may take, besides a multiple of the file's size: a polygon's
// values are repeated for each of its triangles
static const size_t FIELD_BYTES = (size_t)16 << 20;
static const size_t FIELD_BYTES_PER_FILE_BYTE = 64;

pl_vtk_data pl_vtk_data_of_none(void) {
    return (pl_vtk_data){.points = pl_array_of(sizeof(double)),
                         .types = pl_array_of(sizeof(int)),
                         .ends = pl_array_of(sizeof(int)),
                         .corners = pl_array_of(sizeof(int)),
                         .fields = pl_array_of(sizeof(pl_vtk_field))};
}

void pl_vtk_data_free(pl_vtk_data* data) {
    pl_vtk_field* fields = data->fields.data;
    for (size_t i = 0; i < data->fields.count; i++) {
        pl_free_text(fields[i].name);
        pl_array_free(&fields[i].values);
    }
    pl_array_free(&data->points);
    pl_array_free(&data->types);
    pl_array_free(&data->ends);
    pl_array_free(&data->corners);
    pl_array_free(&data->fields);
}

static pl_vtk_field* find_field(pl_vtk_data* data, bool on_cells, const char* name) {
    pl_vtk_field* fields = data->fields.data;
    for (size_t i = 0; i < data->fields.count; i++)
        if (fields[i].on_cells == on_cells && strcmp(fields[i].name, name) == 0) return &fields[i];
    return NULL;
}

static pl_vtk_field* new_field(pl_vtk_data* data, bool on_cells, const char* name, int components) {
    pl_vtk_field field = {.on_cells = on_cells, .components = components};
    field.values = pl_array_of(sizeof(double));
    field.name = pl_copy_text(name);
    if (!field.name) return NULL;
    pl_vtk_field* place = pl_array_add(&data->fields, 1);
    if (!place) {
        pl_free_text(field.name);
        return NULL;
    }
    *place = field;
    return place;
}

pl_status pl_vtk_add_values(pl_vtk_data* data, const char* path, bool on_cells, const char* name,
                            int components, size_t first, size_t count, double** out,
                            pl_error* error) {
    *out = NULL;
    pl_vtk_field* field = find_field(data, on_cells, name);
    size_t before = first * (size_t)components;
    if (field && (field->components != components || field->values.count > before))
        return pl_fail(error, PL_ERROR_FORMAT,
                       "%s: there are two arrays \"%s\", or pieces of it with different numbers of "
                       "components; rename one",
                       path, name);
    if (components > MAX_COMPONENTS || (!field && data->fields.count >= MAX_FIELDS))
        return pl_fail(error, PL_ERROR_LIMIT,
                       "%s: array \"%s\" is beyond the limit of %d components and %d arrays", path,
                       name, MAX_COMPONENTS, MAX_FIELDS);
    if (count == 0) return PL_OK;
    if (field ? field->values.count != before : first > 0) {
        data->partial_field_count += !field;
        return PL_OK;
    }
    if (!field) field = new_field(data, on_cells, name, components);
    *out = field ? pl_array_add(&field->values, count * (size_t)components) : NULL;
    return *out ? PL_OK : pl_fail_memory(error, path);
}

// how a cell type is handled
static const char* const type_names[TYPE_COUNT] = {
    [11] = "voxels",
    [12] = "hexahedra",
    [13] = "wedges",
    [14] = "pyramids",
    [15] = "pentagonal prisms",
    [16] = "hexagonal prisms",
    [21] = "quadratic edges",
    [22] = "quadratic triangles",
    [23] = "quadratic quads",
    [24] = "quadratic tetrahedra",
    [25] = "quadratic hexahedra",
    [26] = "quadratic wedges",
    [27] = "quadratic pyramids",
    [28] = "biquadratic quads",
    [29] = "triquadratic hexahedra",
    [34] = "biquadratic triangles",
    [35] = "cubic lines",
    [36] = "quadratic polygons",
    [41] = "convex point sets",
    [42] = "polyhedra",
    [68] = "Lagrange curves",
    [69] = "Lagrange triangles",
    [70] = "Lagrange quads",
    [71] = "Lagrange tetrahedra",
    [72] = "Lagrange hexahedra",
    [73] = "Lagrange wedges",
    [74] = "Lagrange pyramids",
    [75] = "Bezier curves",
    [76] = "Bezier triangles",
    [77] = "Bezier quads",
    [78] = "Bezier tetrahedra",
    [79] = "Bezier hexahedra",
    [80] = "Bezier wedges",
    [81] = "Bezier pyramids",
};

static bool is_skipped(int type) { return type >= 0 && type <= PL_VTK_POLY_LINE; }
static bool is_surface(int type) { return type >= PL_VTK_TRIANGLE && type <= PL_VTK_QUAD; }

// counts per type; a type that VTK does not have fails here
static pl_status count_types(const pl_vtk_data* data, const char* path, int64_t* counts,
                             pl_error* error) {
    const int* types = data->types.data;
    for (size_t i = 0; i < data->types.count; i++) {
        if (types[i] < 0 || types[i] >= TYPE_COUNT)
            return pl_fail(error, PL_ERROR_FORMAT,
                           "%s: cell %zu has type %d, which VTK does not "
                           "have",
                           path, i, types[i]);
        counts[types[i]]++;
    }
    return PL_OK;
}

static pl_status refuse_types(const int64_t* counts, const char* path, pl_error* error) {
    char list[400] = "";
    size_t used = 0;
    for (int type = PL_VTK_TET + 1; type < TYPE_COUNT; type++) {
        if (!counts[type] || used + 80 > sizeof list) continue;
        const char* name = type_names[type] ? type_names[type] : "cells";
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%lld %s (VTK type %d)",
                                 used ? ", " : "", (long long)counts[type], name, type);
    }
    if (!used) return PL_OK;
    return pl_fail(
        error, PL_ERROR_UNSUPPORTED,
        "%s: holds %s; pliant takes linear tetrahedra and triangles: convert the mesh to "
        "those first",
        path, list);
}

// the number of corners that a type must have; 0: any
static int corners_of(int type) {
    switch (type) {
    case PL_VTK_TRIANGLE: return 3;
    case PL_VTK_PIXEL:
    case PL_VTK_QUAD:
    case PL_VTK_TET: return 4;
    default: return 0;
    }
}

static pl_status check_cells(const pl_vtk_data* data, const char* path, pl_error* error) {
    const int *types = data->types.data, *ends = data->ends.data, *corners = data->corners.data;
    int point_count = (int)pl_vtk_point_count(data);
    for (int i = 0, begin = 0; i < (int)data->types.count; begin = ends[i++]) {
        int n = ends[i] - begin, expected = corners_of(types[i]);
        if (expected && n != expected)
            return pl_fail(error, PL_ERROR_FORMAT,
                           "%s: cell %d has type %d and %d points; that type has %d", path, i,
                           types[i], n, expected);
        for (int k = begin; k < ends[i]; k++)
            if (corners[k] < 0 || corners[k] >= point_count)
                return pl_fail(error, PL_ERROR_MESH,
                               "%s: cell %d refers to point %d, but there are %d points", path, i,
                               corners[k], point_count);
    }
    return PL_OK;
}

static bool add_strip(pl_faces* faces, const int* corners, int n) {
    if (n < 3) return pl_faces_add(faces, corners, NULL, NULL, n);
    for (int i = 0; i + 2 < n; i++) {
        int odd = i & 1;
        int triangle[3] = {corners[i + odd], corners[i + 1 - odd], corners[i + 2]};
        if (!pl_faces_add(faces, triangle, NULL, NULL, 3)) return false;
    }
    return true;
}

static bool add_surface_cell(pl_faces* faces, int type, const int* corners, int n) {
    if (type == PL_VTK_TRIANGLE_STRIP) return add_strip(faces, corners, n);
    if (type == PL_VTK_PIXEL) {
        int quad[4] = {corners[0], corners[1], corners[3], corners[2]};
        return pl_faces_add(faces, quad, NULL, NULL, 4);
    }
    return pl_faces_add(faces, corners, NULL, NULL, n);
}

// number of elements of a kind that a cell becomes
static int element_count_of(int type, int n, pl_element_kind kind) {
    if (kind == PL_ELEMENT_TET) return type == PL_VTK_TET;
    return is_surface(type) && n > 2 ? n - 2 : 0;
}

static pl_status make_elements(const pl_vtk_data* data, const int64_t* counts, const char* path,
                               pl_faces* faces, pl_mesh* mesh, pl_notes* notes, pl_error* error) {
    const int *types = data->types.data, *ends = data->ends.data, *corners = data->corners.data;
    if (!pl_mesh_set_tet_count(mesh, (int)counts[PL_VTK_TET])) return pl_fail_memory(error, path);
    int tet = 0;
    for (int i = 0, begin = 0; i < (int)data->types.count; begin = ends[i++]) {
        if (types[i] == PL_VTK_TET)
            memcpy(mesh->tets + 4 * (size_t)tet++, corners + begin, 4 * sizeof(int));
        else if (is_surface(types[i]) &&
                 !add_surface_cell(faces, types[i], corners + begin, ends[i] - begin))
            return pl_fail_memory(error, path);
    }
    return pl_faces_to_mesh(faces, path, mesh, notes, error);
}

static void copy_values(double* to, const double* from, int components) {
    memcpy(to, from, (size_t)components * sizeof(double));
}

// copies the values of cells to the elements that the cells became
static pl_status add_cell_field(const pl_vtk_data* data, const pl_vtk_field* field,
                                pl_element_kind kind, pl_mesh* mesh, pl_error* error) {
    int count = pl_mesh_element_count(mesh, kind), element = 0;
    if (count == 0) return PL_OK;
    const int *types = data->types.data, *ends = data->ends.data;
    const double* from = field->values.data;
    size_t components = (size_t)field->components;
    double* values = PL_ALLOC(double, components*(size_t)count);
    if (!values) return pl_fail_memory(error, "a field");
    for (int i = 0, begin = 0; i < (int)data->types.count; begin = ends[i++]) {
        int n = element_count_of(types[i], ends[i] - begin, kind);
        for (int k = 0; k < n; k++)
            copy_values(values + components * (size_t)element++, from + components * (size_t)i,
                        field->components);
    }
    pl_status status = pl_mesh_add_field(mesh, kind, field->name, field->components, values, error);
    PL_FREE(values, double, components*(size_t)count);
    return status;
}

static pl_status add_field(const pl_vtk_data* data, const pl_vtk_field* f, pl_mesh* mesh,
                           pl_error* error) {
    if (!f->on_cells)
        return pl_mesh_add_field(mesh, PL_ELEMENT_VERTEX, f->name, f->components, f->values.data,
                                 error);
    pl_status status = add_cell_field(data, f, PL_ELEMENT_TET, mesh, error);
    return status == PL_OK ? add_cell_field(data, f, PL_ELEMENT_TRIANGLE, mesh, error) : status;
}

static pl_status add_fields(pl_vtk_data* data, const pl_source* source, pl_mesh* mesh,
                            pl_notes* notes, pl_error* error) {
    pl_vtk_field* fields = data->fields.data;
    size_t bytes_left = FIELD_BYTES + FIELD_BYTES_PER_FILE_BYTE * source->size;
    for (size_t i = 0; i < data->fields.count; i++) {
        pl_vtk_field* f = &fields[i];
        size_t cells = f->on_cells ? data->types.count : (size_t)mesh->vertex_count;
        if (f->values.count != cells * (size_t)f->components) {
            data->partial_field_count++;
            continue;
        }
        size_t bytes = (size_t)mesh->triangle_count * (size_t)f->components * sizeof(double);
        if (f->on_cells && bytes > bytes_left)
            return pl_fail(error, PL_ERROR_LIMIT,
                           "%s: array \"%s\" on the triangles of polygons would take %zu MiB",
                           source->path, f->name, bytes >> 20);
        if (f->on_cells) bytes_left -= bytes;
        pl_status status = add_field(data, f, mesh, error);
        if (status != PL_OK) return status;
        pl_array_free(&f->values);
    }
    if (data->partial_field_count)
        pl_note(notes, PL_NOTE_MENDED, "%s: %d arrays that not every piece has were dropped",
                source->path, data->partial_field_count);
    return PL_OK;
}

pl_status pl_vtk_to_mesh(pl_vtk_data* data, const pl_source* source, pl_mesh* mesh, pl_notes* notes,
                         pl_error* error) {
    const char* path = source->path;
    if (pl_vtk_point_count(data) > INT_MAX / 3 || data->types.count > INT_MAX / 4)
        return pl_fail(error, PL_ERROR_LIMIT, "%s: more points or cells than pliant can handle",
                       path);
    int64_t counts[TYPE_COUNT] = {0};
    pl_status status = count_types(data, path, counts, error);
    if (status == PL_OK) status = refuse_types(counts, path, error);
    if (status == PL_OK) status = check_cells(data, path, error);
    if (status != PL_OK) return status;
    int64_t skipped = 0;
    for (int type = 0; is_skipped(type); type++) skipped += counts[type];
    if (skipped)
        pl_note(notes, PL_NOTE_INFO, "%s: %lld vertex and line cells were skipped", path,
                (long long)skipped);
    int vertex_count = (int)pl_vtk_point_count(data);
    void* positions;
    if (!pl_array_take(&data->points, &positions)) return pl_fail_memory(error, path);
    mesh->positions = positions;
    mesh->vertex_count = vertex_count;
    pl_faces faces = pl_faces_of_none();
    status = make_elements(data, counts, path, &faces, mesh, notes, error);
    pl_faces_free(&faces);
    return status == PL_OK ? add_fields(data, source, mesh, notes, error) : status;
}
