// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Meshes: tetrahedra, triangles, named regions and fields on them, and mesh files.
#ifndef PLIANT_MESH_H
#define PLIANT_MESH_H

#include <pliant/parallel.h>
#include <pliant/status.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pl_element_kind {
    PL_ELEMENT_VERTEX,
    PL_ELEMENT_TRIANGLE,
    PL_ELEMENT_TET,
} pl_element_kind;

/// A named set of vertices, triangles or tets, for instance a physical group of Gmsh. Sets may
/// overlap.
typedef struct pl_region {
    char* name;
    int tag;              ///< number in the file, 0 where there is none
    pl_element_kind kind; ///< what the items are
    int count;
    int* items;       ///< ascending indices
    bool is_material; ///< comes from usemtl of OBJ; written as usemtl, and as a material of glTF
} pl_region;

/// Named values on every vertex, triangle or tet, for instance a cell array of VTK.
typedef struct pl_field {
    char* name;
    pl_element_kind kind;
    int components;
    double* values; ///< components per element, NaN where the file gives none
} pl_field;

/// A mesh of tets, of triangles, or of both (then the triangles mark parts of the boundary). You
/// may read all members. Change them by pliant's functions only, which keep arrays and counts
/// consistent.
typedef struct pl_mesh {
    int vertex_count;
    double* positions; ///< 3 per vertex [m]
    int tet_count;
    int* tets; ///< 4 per tet; positive volume: (b-a) . ((c-a) x (d-a)) > 0
    int triangle_count;
    int* triangles; ///< 3 per triangle, counter-clockwise from outside
    int uv_count;
    double* uvs;       ///< 2 per texture coordinate
    int* triangle_uvs; ///< 3 per triangle, -1 for none; NULL if uv_count is 0
    int normal_count;
    double* normals;       ///< 3 per normal of the file, of any length
    int* triangle_normals; ///< 3 per triangle, -1 for none; NULL if normal_count is 0
    /// The face of the file to which each triangle belongs, ascending, so triangles of a face are
    /// consecutive. NULL if every face is a triangle.
    int* triangle_faces;
    int region_count;
    pl_region* regions;
    int field_count;
    pl_field* fields;
} pl_mesh;

/// Mesh from the caller's arrays, which are copied; tets or triangles may be NULL with count 0.
/// Indices are checked, shapes are not (pl_mesh_check does that). Returns PL_ERROR_MESH and leaves
/// *out NULL if an index is out of range.
PL_API pl_status pl_mesh_create(const double* positions, int vertex_count, const int* tets,
                                int tet_count, const int* triangles, int triangle_count,
                                pl_mesh** out, pl_error* error);
PL_API pl_status pl_mesh_copy(const pl_mesh* mesh, pl_mesh** out, pl_error* error);
PL_API void pl_mesh_destroy(pl_mesh* mesh);

/// Number of elements of a kind.
PL_API int pl_mesh_element_count(const pl_mesh* mesh, pl_element_kind kind);
/// The first region or field of that name and kind, or NULL.
PL_API const pl_region* pl_mesh_region(const pl_mesh* mesh, pl_element_kind kind, const char* name);
PL_API const pl_field* pl_mesh_field(const pl_mesh* mesh, pl_element_kind kind, const char* name);
/// Adds copies of the caller's arrays. Items must be in range; they are sorted and made unique.
PL_API pl_status pl_mesh_add_region(pl_mesh* mesh, pl_element_kind kind, const char* name, int tag,
                                    const int* items, int count, pl_error* error);
PL_API pl_status pl_mesh_add_field(pl_mesh* mesh, pl_element_kind kind, const char* name,
                                   int components, const double* values, pl_error* error);

// Formats of meshes: F(X, CODE, name, file endings). A format is one line here and one file,
// src/mesh/read_NAME.c.
#define PL_MESH_FORMAT_TABLE(F, X)                                                                 \
    F(X, GMSH, gmsh, "msh")                                                                        \
    F(X, TETGEN, tetgen, "node ele")                                                               \
    F(X, MEDIT, medit, "mesh")                                                                     \
    F(X, VTK, vtk, "vtk")                                                                          \
    F(X, VTU, vtu, "vtu")                                                                          \
    F(X, OBJ, obj, "obj")                                                                          \
    F(X, PLY, ply, "ply")                                                                          \
    F(X, STL, stl, "stl")                                                                          \
    F(X, OFF, off, "off")

// name, file endings
#define PL_MESH_FORMAT_ROW(X, CODE, name, endings) X(PL_MESH_##CODE, #name, endings)
#define PL_MESH_FORMAT_LIST(X)                                                                     \
    X(PL_MESH_AUTO, "auto", "")                                                                    \
    PL_MESH_FORMAT_TABLE(PL_MESH_FORMAT_ROW, X)

#define PL_MESH_FORMAT_ENUM(code, name, endings) code,
typedef enum pl_mesh_format {
    PL_MESH_FORMAT_LIST(PL_MESH_FORMAT_ENUM) PL_MESH_FORMAT_COUNT
} pl_mesh_format;
#undef PL_MESH_FORMAT_ENUM

typedef struct pl_mesh_read_options {
    pl_mesh_format format; ///< PL_MESH_AUTO: by the file's ending, ignoring .gz
    bool strict;           ///< a note of kind PL_NOTE_MENDED becomes an error
    /// Largest file to read, after decompression. 0: 4 GiB, and 1 GiB for gzip files. Gzip files
    /// that unpack to over 64 MiB and over 100 times the bytes read are refused at any limit.
    uint64_t byte_limit;
} pl_mesh_read_options;

/// Reads any of the formats above, plain or gzipped. options, notes and error may be NULL. For
/// TetGen give either the .node or the .ele file; the other one is found beside it. Errors name
/// file and line.
PL_API pl_status pl_mesh_read(const char* path, const pl_mesh_read_options* options, pl_mesh** out,
                              pl_notes* notes, pl_error* error);

typedef struct pl_mesh_write_options {
    pl_mesh_format format; ///< PL_MESH_AUTO: by the file's ending; .gz compresses
    bool ascii;            ///< numbers as text where the format has both; the default is binary
} pl_mesh_write_options;

/// Writes .msh (4.1), .vtu, .mesh, .obj, .ply or .stl. The file appears under its name only when it
/// is complete. What the format cannot hold (fields in OBJ, tets in STL) is noted. options, notes
/// and error may be NULL.
PL_API pl_status pl_mesh_write(const pl_mesh* mesh, const char* path,
                               const pl_mesh_write_options* options, pl_notes* notes,
                               pl_error* error);

#ifdef __cplusplus
}
#endif
#endif
