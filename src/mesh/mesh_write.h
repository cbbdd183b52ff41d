// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// What the writers of the formats have in common.
#ifndef PL_MESH_WRITE_H
#define PL_MESH_WRITE_H

#include "base/notes.h"
#include "mesh/mesh_object.h"
#include "mesh/mesh_sink.h"

// Puts the mesh into the sink; the sink keeps its own failures, so only a mesh that does not fit is
// returned.
typedef pl_status (*pl_mesh_writer)(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                                    pl_error* error);

pl_status pl_write_medit(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                         pl_error* error);
pl_status pl_write_gmsh(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                        pl_error* error);
pl_status pl_write_vtu(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                       pl_error* error);
// Formats of surfaces are given meshes of triangles only.
pl_status pl_write_obj(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                       pl_error* error);
pl_status pl_write_ply(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                       pl_error* error);
pl_status pl_write_stl(const pl_mesh* mesh, bool ascii, pl_sink* sink, pl_notes* notes,
                       pl_error* error);

#endif
