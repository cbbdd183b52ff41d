// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Bending elements: a triangle of cloth with its three neighbours (material/bend_patch.h).
#ifndef PL_FEM_PATCH_ELEMENTS_H
#define PL_FEM_PATCH_ELEMENTS_H

#include "step/element_set.h"

// Copies its inputs. corners: 6 per patch; forms: 6 per patch [J].
pl_status pl_patch_elements_setup(pl_element_set* set, const double* rest, int vertex_count,
                                  const int* corners, int count, const double* forms,
                                  pl_error* error);
void pl_patch_element_set(pl_element_set* set, int element, const double form[6]);

extern const pl_element_functions pl_patch_elements;
// rest: 3 angles, form: 6 numbers.
void pl_patch_element(const pl_element_set* set, int element, const double** rest,
                      const double** form);

#endif
