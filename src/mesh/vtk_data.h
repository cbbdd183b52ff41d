// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The data of both VTK formats (points, cells of many types, and values on both), and their
// conversion to a mesh.
#ifndef PL_VTK_DATA_H
#define PL_VTK_DATA_H

#include "base/array.h"
#include "base/notes.h"
#include "mesh/mesh_object.h"
#include "mesh/mesh_source.h"

enum {
    PL_VTK_VERTEX = 1,
    PL_VTK_POLY_VERTEX = 2,
    PL_VTK_LINE = 3,
    PL_VTK_POLY_LINE = 4,
    PL_VTK_TRIANGLE = 5,
    PL_VTK_TRIANGLE_STRIP = 6,
    PL_VTK_POLYGON = 7,
    PL_VTK_PIXEL = 8,
    PL_VTK_QUAD = 9,
    PL_VTK_TET = 10,
};

// Values on points or cells. Several pieces of a file append to one.
typedef struct pl_vtk_field {
    char* name;
    bool on_cells;
    int components;
    pl_array values; // double
} pl_vtk_field;

typedef struct pl_vtk_data {
    pl_array points;         // double, 3 per point
    pl_array types;          // int per cell
    pl_array ends;           // int per cell: where its corners end
    pl_array corners;        // int
    pl_array fields;         // pl_vtk_field
    int partial_field_count; // fields that some piece has but an earlier one lacks
} pl_vtk_data;

static inline size_t pl_vtk_point_count(const pl_vtk_data* data) { return data->points.count / 3; }

pl_vtk_data pl_vtk_data_of_none(void);
void pl_vtk_data_free(pl_vtk_data* data);

// Room for count * components more values of the field of that name; first is the number of points
// or cells before these. *out is NULL if there is nothing to fill: no values, or earlier pieces had
// no such field, which pl_vtk_to_mesh notes. Fails if the field has these values already or has
// another number of components, and if there are more fields than a mesh should have.
pl_status pl_vtk_add_values(pl_vtk_data* data, const char* path, bool on_cells, const char* name,
                            int components, size_t first, size_t count, double** out,
                            pl_error* error);

// Makes the mesh. Tets, triangles, polygons and strips are kept, vertices and lines are skipped
// with a note, and anything else is refused by name and count. Fields of cells become fields of
// tets and of triangles. Takes the points out of the data. source: names the file in messages; its
// size limits fields of polygons that are cut into triangles.
pl_status pl_vtk_to_mesh(pl_vtk_data* data, const pl_source* source, pl_mesh* mesh, pl_notes* notes,
                         pl_error* error);

#endif
