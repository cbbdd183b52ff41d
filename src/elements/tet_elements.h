// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Linear tetrahedra, each with a material law.
#ifndef PL_ELEMENTS_TET_ELEMENTS_H
#define PL_ELEMENTS_TET_ELEMENTS_H

#include "material/material.h"
#include "step/element_set.h"

// Elements of tets (4 indices each) at rest positions; materials: one per tet. An inverted or flat
// tet is an error that names it.
pl_status pl_tet_elements_setup(pl_element_set* set, const double* rest, int vertex_count,
                                const int* tets, int tet_count, const pl_material* materials,
                                pl_error* error);

// The same on several threads. Takes ownership of corners and materials (from PL_ALLOC; NULL:
// memory ran out), even if it fails.
pl_status pl_tet_elements_take(pl_element_set* set, const double* rest, int vertex_count,
                               int* corners, int tet_count, pl_material* materials, pl_pool* pool,
                               pl_error* error);

// Rest volume of an element [m^3].
double pl_tet_element_volume(const pl_element_set* set, int element);
void pl_tet_element_set_material(pl_element_set* set, int element, const pl_material* material);

// The functions of these sets, to compare with set->kind; and the materials of a set, one per tet.
extern const pl_element_functions pl_tet_elements;
const pl_material* pl_tet_element_materials(const pl_element_set* set);

#endif
