// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The mesh writers, see pl_mesh_format_kind.
#ifndef PL_MESH_WRITE_H
#define PL_MESH_WRITE_H

#include "mesh/mesh_format.h"

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
