// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Elements of cloth: springs between two vertices, elastic triangles, hinges across an edge.
#ifndef PL_FEM_CLOTH_ELEMENTS_H
#define PL_FEM_CLOTH_ELEMENTS_H

#include "material/membrane.h"
#include "step/element_set.h"

// Each function copies its inputs. ends: 2 per spring; the rest length is that of the rest
// positions. stiffness [N/m].
pl_status pl_spring_elements_setup(pl_element_set* set, const double* rest, int vertex_count,
                                   const int* ends, int count, const double* stiffness,
                                   pl_error* error);
// triangles: 3 per element; a triangle without area is an error that names it.
pl_status pl_membrane_elements_setup(pl_element_set* set, const double* rest, int vertex_count,
                                     const int* triangles, int count, const pl_membrane* membranes,
                                     pl_error* error);
// hinges: 4 vertices per element: the two of the edge, then the opposite one of each triangle.
// stiffness: k of bending.h [J].
pl_status pl_hinge_elements_setup(pl_element_set* set, const double* rest, int vertex_count,
                                  const int* hinges, int count, const double* stiffness,
                                  pl_error* error);

// New values of an element: the stiffness of a spring or hinge, the law of a triangle.
void pl_spring_element_set(pl_element_set* set, int element, double stiffness);
void pl_hinge_element_set(pl_element_set* set, int element, double stiffness);
void pl_membrane_element_set(pl_element_set* set, int element, const pl_membrane* membrane);

// The functions of each kind of set, to compare with set->kind; and the values of its elements.
extern const pl_element_functions pl_spring_elements, pl_hinge_elements, pl_membrane_elements;
double pl_cloth_rest(const pl_element_set* set, int element);      // of a spring or hinge
double pl_cloth_stiffness(const pl_element_set* set, int element); // the same
// gradients: 6, of the shape functions in the plane; NULL if not wanted.
pl_membrane pl_cloth_membrane(const pl_element_set* set, int element, const double** gradients,
                              double* area);

#endif
