// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// From bodies to what a fem system is made of.
#ifndef PL_FEM_BUILD_H
#define PL_FEM_BUILD_H

#include "material/material.h"
#include "method/method.h"
#include "step/element_set.h"
#include "step/step_objective.h"

typedef struct pl_fem_parts {
    int vertex_count;
    double* positions; // 3 per vertex
    double* mass;      // per vertex
    pl_element_set sets[PL_MAX_ELEMENT_SETS];
    int set_count;
    int* neighbour_offsets; // who shares an element with whom, ascending
    int* neighbours;
    pl_block_matrix mass_matrix; // empty if all bodies have lumped masses
} pl_fem_parts;

pl_status pl_fem_parts_create(const pl_method_body* bodies, int body_count, int vertex_count,
                              pl_pool* pool, pl_fem_parts* out, pl_error* error);
void pl_fem_parts_free(pl_fem_parts* parts);

// The law of a tet's material; and the mass of each vertex, of all bodies.
pl_status pl_fem_law_of_solid(const pl_element_material* from, pl_material* out, pl_error* error);
void pl_fem_lump_masses(const pl_method_body* bodies, int body_count, int vertex_count,
                        double* mass);
// The consistent masses; bodies with lumped ones, and vertices that are of no element, have them on
// the diagonal.
void pl_fem_fill_mass_matrix(const pl_method_body* bodies, int body_count, const double* lumped,
                             pl_block_matrix* M);

#endif
