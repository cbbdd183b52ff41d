// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The parts of a system of tets and cloth.
#ifndef PL_FEM_BUILD_H
#define PL_FEM_BUILD_H

#include "elements/body_parts.h"

// As pl_body_parts_create, with the elements of cloth.
pl_status pl_fem_parts_create(const pl_method_body* bodies, int body_count, int vertex_count,
                              pl_pool* pool, pl_body_parts* out, pl_error* error);

#endif
