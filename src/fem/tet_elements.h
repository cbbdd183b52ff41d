// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Linear tetrahedra with a material law each.
#ifndef PL_FEM_TET_ELEMENTS_H
#define PL_FEM_TET_ELEMENTS_H

#include "fem/element_set.h"
#include "material/material.h"

// Elements of tets (4 indices each) at rest positions; materials: one per tet. An inverted or flat
// tet is an error that names it.
pl_status pl_tet_elements_setup(pl_element_set* set, const double* rest, int vertex_count,
                                const int* tets, int tet_count, const pl_material* materials,
                                pl_error* error);

bool pl_is_tet_set(const pl_element_set* set);
const pl_material* pl_tet_element_materials(const pl_element_set* set);
// Rest volume of an element [m^3].
double pl_tet_element_volume(const pl_element_set* set, int element);
void pl_tet_element_set_material(pl_element_set* set, int element, const pl_material* material);

#endif
