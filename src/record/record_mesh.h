// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A body of a recording as a mesh, for the writers of mesh formats.
#ifndef PL_RECORD_RECORD_MESH_H
#define PL_RECORD_RECORD_MESH_H

#include "record/recording.h"

// The body at rest, with its tets or triangles, texture coordinates, regions, and a zero field for
// each field of the recording. A body with tets has no triangles here, since they are its boundary.
pl_status pl_record_mesh_create(const pl_record_body* body, pl_mesh** out, pl_error* error);
// Sets positions and fields to those of the frame loaded last.
void pl_record_mesh_update(const pl_recording* recording, int body, pl_mesh* mesh);

#endif
