// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Formats of mesh files. A format is a table of operations, pl_format_NAME in read_NAME.c, and one
// line in PL_MESH_FORMAT_TABLE of pliant/mesh.h.
#ifndef PL_MESH_FORMAT_H
#define PL_MESH_FORMAT_H

#include "base/notes.h"
#include "mesh/mesh_object.h"
#include "mesh/mesh_sink.h"
#include "mesh/mesh_source.h"

typedef struct pl_mesh_format_kind {
    // Fills an empty mesh from a loaded file.
    pl_status (*read)(const pl_source* source, pl_mesh* mesh, pl_notes* notes, pl_error* error);
    // Writes the mesh to the sink. The sink remembers write failures; only a mesh that the format
    // cannot hold returns an error. NULL: the format is not written.
    pl_status (*write)(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                       pl_error* error);
    bool is_surface; // holds triangles only
} pl_mesh_format_kind;

#define PL_FORMAT_EXTERN(X, CODE, name, endings) extern const pl_mesh_format_kind pl_format_##name;
PL_MESH_FORMAT_TABLE(PL_FORMAT_EXTERN, )
#undef PL_FORMAT_EXTERN

// NULL for PL_MESH_AUTO and for numbers that are no format.
const pl_mesh_format_kind* pl_mesh_format_kind_of(pl_mesh_format format);
bool pl_mesh_format_is_written(pl_mesh_format format);

// True if the ending of the path, before any ".gz", is one of those given, separated by blanks.
bool pl_path_has_ending(const char* path, const char* endings);

// The format for a path's ending (ignoring ".gz"), or PL_MESH_AUTO.
pl_mesh_format pl_mesh_format_of(const char* path);

// The endings of all formats, or of all that are written: ".msh .node ...".
enum { PL_ENDINGS_SIZE = 200 };
void pl_mesh_format_endings(bool written, char text[PL_ENDINGS_SIZE]);

// The error of a path that no writer knows.
pl_status pl_mesh_format_refuse(const char* path, pl_error* error);

#endif
