// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// From a mesh to a path: chooses the format and lets its writer fill the file.
#include "mesh/mesh_write.h"
#include "mesh/mesh_read.h"

static const pl_mesh_writer writers[PL_MESH_FORMAT_COUNT] = {
    [PL_MESH_GMSH] = pl_write_gmsh,
};

pl_status pl_mesh_write(const pl_mesh* mesh, const char* path, const pl_mesh_write_options* options,
                        pl_notes* notes, pl_error* error) {
    pl_mesh_format format = options ? options->format : PL_MESH_AUTO;
    if (format == PL_MESH_AUTO) format = pl_mesh_format_of(path);
    if (format <= PL_MESH_AUTO || format >= PL_MESH_FORMAT_COUNT || !writers[format])
        return pl_fail(
            error, PL_ERROR_UNSUPPORTED,
            "%s: meshes are written as .msh, .vtu, .mesh, .obj, .ply or .stl, each also with .gz",
            path);
    pl_sink* sink;
    pl_status status = pl_sink_create(path, &sink, error);
    if (status != PL_OK) return status;
    pl_status written = writers[format](mesh, options && options->ascii, sink, notes, error);
    status = pl_sink_close(sink, written == PL_OK, error);
    return written != PL_OK ? written : status;
}
