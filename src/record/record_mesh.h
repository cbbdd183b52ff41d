// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A body of a recording as a mesh, for the writers of mesh formats.
#ifndef PL_RECORD_RECORD_MESH_H
#define PL_RECORD_RECORD_MESH_H

#include "record/recording.h"

// The body at rest, with its tets or triangles, texture coordinates, regions, and a field of zeros
// for each field of the recording. Of a body with tets the triangles are left out: they are the
// boundary.
pl_status pl_record_mesh_create(const pl_record_body* body, pl_mesh** out, pl_error* error);
// Positions and fields of the frame that was loaded last.
void pl_record_mesh_update(const pl_recording* recording, int body, pl_mesh* mesh);

#endif
