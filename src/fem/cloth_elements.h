// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Elements of cloth: springs between two vertices, elastic triangles, hinges across an edge.
#ifndef PL_FEM_CLOTH_ELEMENTS_H
#define PL_FEM_CLOTH_ELEMENTS_H

#include "fem/element_set.h"
#include "material/membrane.h"

// Each copies what it is given. ends: 2 per spring; the rest length is that of the rest positions.
// stiffness [N/m].
pl_status pl_spring_elements_setup(pl_element_set* set, const double* rest, int vertex_count,
                                   const int* ends, int count, const double* stiffness,
                                   pl_error* error);
// triangles: 3 per element; one without area is an error that names it.
pl_status pl_membrane_elements_setup(pl_element_set* set, const double* rest, int vertex_count,
                                     const int* triangles, int count, const pl_membrane* membranes,
                                     pl_error* error);
// hinges: 4 per element, the edge first, then the vertex of each triangle; stiffness: of the sheet
// [N m].
pl_status pl_hinge_elements_setup(pl_element_set* set, const double* rest, int vertex_count,
                                  const int* hinges, int count, const double* stiffness,
                                  pl_error* error);

// New values of an element: the stiffness of a spring, that of the sheet around a hinge whose
// corners were at p at rest, the law of a triangle.
void pl_spring_element_set(pl_element_set* set, int element, double stiffness);
void pl_hinge_element_set(pl_element_set* set, int element, const pl_vec3 p[4], double stiffness);
void pl_membrane_element_set(pl_element_set* set, int element, const pl_membrane* membrane);

bool pl_is_spring_set(const pl_element_set* set);
// Rest length [m] and stiffness [N/m] of a spring.
void pl_spring_element_values(const pl_element_set* set, int element, double* rest,
                              double* stiffness);

#endif
