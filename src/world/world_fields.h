// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Fields of bodies: motion, strain, stress, energy, contact.
#ifndef PL_WORLD_FIELDS_H
#define PL_WORLD_FIELDS_H

#include <pliant/world.h>

pl_element_kind pl_world_field_kind(pl_output_field field);
int pl_world_field_components(pl_output_field field);
// Like pl_world_field, without allocation. weight: work space, a number per vertex.
void pl_world_fill_field(const pl_world* world, int body, pl_output_field field, double* weight,
                         double* out);

#endif
