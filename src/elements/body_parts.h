// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Makes of bodies what a system of a step consists of: positions, masses, sets of elements, and
// which vertices share an element. Tets are made here. Cloth is made by a function of the method,
// so that a method of solids alone needs none of its elements.
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
    int* neighbour_offsets; // who shares an element with whom, ascending
    int* neighbours;
    pl_block_matrix mass_matrix; // empty if all bodies have lumped masses
} pl_body_parts;

// Appends the element sets of all cloth among the bodies; positions are there.
typedef pl_status (*pl_make_cloth)(const pl_method_body* bodies, int body_count,
                                   pl_body_parts* parts, pl_error* error);

// make_cloth: NULL if no body is cloth.
pl_status pl_body_parts_create(const pl_method_body* bodies, int body_count, int vertex_count,
                               pl_make_cloth make_cloth, pl_pool* pool, pl_body_parts* out,
                               pl_error* error);
void pl_body_parts_free(pl_body_parts* parts);

// The law of a tet's material.
pl_status pl_law_of_solid(const pl_element_material* from, pl_material* out, pl_error* error);

// Masses and damping after the numbers of the bodies have changed.
void pl_update_masses(pl_step_model* model, const pl_method_body* bodies, int body_count);

#endif
