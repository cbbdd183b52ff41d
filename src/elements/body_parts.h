// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Turns bodies into the parts of a step's system: positions, masses, element sets, and which
// vertices share an element. Sets of tets are made here. Sets of cloth are made by a function of
// the method, so that methods for solids alone do not need them.
#ifndef PL_ELEMENTS_BODY_PARTS_H
#define PL_ELEMENTS_BODY_PARTS_H

#include "material/material.h"
#include "method/method.h"
#include "step/element_set.h"
#include "step/step_objective.h"
#include "step/step_system.h"

typedef struct pl_body_parts {
    int vertex_count;
    double* positions; // 3 per vertex
    double* mass;      // per vertex
    pl_element_set sets[PL_MAX_ELEMENT_SETS];
    int set_count;
    int* neighbour_offsets; // vertices that share an element, ascending
    int* neighbours;
    pl_block_matrix mass_matrix; // empty if all bodies have lumped masses
} pl_body_parts;

// Appends the element sets of all cloth among the bodies; positions must be set.
typedef pl_status (*pl_make_cloth)(const pl_method_body* bodies, int body_count,
                                   pl_body_parts* parts, pl_error* error);

// make_cloth: NULL if no body is cloth.
pl_status pl_body_parts_create(const pl_method_body* bodies, int body_count, int vertex_count,
                               pl_make_cloth make_cloth, pl_pool* pool, pl_body_parts* out,
                               pl_error* error);
void pl_body_parts_free(pl_body_parts* parts);

// The law of a tet's material.
pl_status pl_law_of_solid(const pl_element_material* from, pl_material* out, pl_error* error);

// Recomputes masses and damping after numbers of the bodies have changed.
void pl_update_masses(pl_step_model* model, const pl_method_body* bodies, int body_count);

#endif
