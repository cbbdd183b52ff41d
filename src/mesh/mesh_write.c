// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Writes a mesh to a path: chooses the format and calls its writer.
#include "mesh/mesh_format.h"

#include <pliant/mesh_surface.h>

static pl_status write_file(const pl_mesh* mesh, pl_mesh_format format, bool ascii,
                            const char* path, pl_notes* notes, pl_error* error) {
    pl_sink* sink;
    pl_status status = pl_sink_create(path, &sink, error);
    if (status != PL_OK) return status;
    pl_status written = pl_mesh_format_kind_of(format)->write(mesh, ascii, sink, notes, error);
    status = pl_sink_close(sink, written == PL_OK, error);
    return written != PL_OK ? written : status;
}

// for tets, surface formats get the boundary
static pl_status write_surface(const pl_mesh* mesh, pl_mesh_format format, bool ascii,
                               const char* path, pl_notes* notes, pl_error* error) {
    pl_surface* surface;
    pl_status status = pl_mesh_surface(mesh, &surface, error);
    if (status != PL_OK) return status;
    pl_note(notes, PL_NOTE_INFO, "%s: the boundary of the %d tets is written, %d triangles", path,
            mesh->tet_count, surface->mesh->triangle_count);
    status = write_file(surface->mesh, format, ascii, path, notes, error);
    pl_surface_destroy(surface);
    return status;
}

pl_status pl_mesh_write(const pl_mesh* mesh, const char* path, const pl_mesh_write_options* options,
                        pl_notes* notes, pl_error* error) {
    pl_mesh_format format = options ? options->format : PL_MESH_AUTO;
    if (format == PL_MESH_AUTO) format = pl_mesh_format_of(path);
    if (!pl_mesh_format_is_written(format)) return pl_mesh_format_refuse(path, error);
    bool ascii = options && options->ascii;
    return mesh->tet_count && pl_mesh_format_kind_of(format)->is_surface
               ? write_surface(mesh, format, ascii, path, notes, error)
               : write_file(mesh, format, ascii, path, notes, error);
}
