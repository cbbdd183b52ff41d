// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// All bodies of method pbd: their state, and the loop of a step.
#ifndef PL_PBD_SYSTEM_H
#define PL_PBD_SYSTEM_H

#include "pbd/pbd_system_data.h"

pl_status pl_pbd_system_create(const pl_method_body* bodies, int body_count, int vertex_count,
                               pl_pool* pool, pl_pbd_system** out, pl_notes* notes,
                               pl_error* error);
void pl_pbd_system_destroy(pl_pbd_system* system);

// Updates settings of bodies that changed between steps.
pl_status pl_pbd_system_update(pl_pbd_system* system, const pl_method_body* bodies, int body_count,
                               pl_error* error);

// One step. On failure the state is unchanged and the error says why.
pl_status pl_pbd_system_step(pl_pbd_system* system, const pl_method_step* step,
                             pl_method_info* info, pl_error* error);

#endif
