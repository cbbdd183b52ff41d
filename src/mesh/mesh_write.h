// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Shared by the mesh writers.
#ifndef PL_MESH_WRITE_H
#define PL_MESH_WRITE_H

#include "base/notes.h"
#include "mesh/mesh_object.h"
#include "mesh/mesh_sink.h"

// Writes the mesh to the sink. The sink remembers write failures; only a mesh that the format
// cannot hold returns an error.
typedef pl_status (*pl_mesh_writer)(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                                    pl_error* error);

pl_status pl_write_medit(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                         pl_error* error);
pl_status pl_write_gmsh(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                        pl_error* error);
pl_status pl_write_vtu(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                       pl_error* error);
// Surface formats only get meshes of triangles.
pl_status pl_write_obj(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                       pl_error* error);
pl_status pl_write_ply(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                       pl_error* error);
pl_status pl_write_stl(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                       pl_error* error);

#endif
