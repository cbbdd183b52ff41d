// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Rules of scenes that ranges in a table cannot express. Each is the `check` of a pl_type.
#ifndef PL_SCENE_RULES_H
#define PL_SCENE_RULES_H

#include "scene/scene_object.h"
#include "scene/scene_path.h"

// Where a check is, and where it writes what it finds.
struct pl_checker {
    pl_path path;
    pl_problem* problem;
};

// Records a problem at the current path, followed by a key if there is one.
PL_PRINTF(3, 4)
pl_status pl_check_fail(pl_checker* c, const char* key, const char* format, ...);

// Building blocks of rules: numbers within the range of a field, a direction that is not zero.
pl_status pl_check_numbers(pl_checker* c, const pl_field_info* field, const double* values,
                           size_t count);
pl_status pl_check_direction(pl_checker* c, const char* key, const double v[3]);

// True for fem and mixed, which use the same step.
bool pl_has_fem_step(const pl_body* body);

// The rules of the types that they are named after.
pl_status pl_check_gradient(pl_checker* c, const void* object);
pl_status pl_check_variation(pl_checker* c, const void* object);
pl_status pl_check_material(pl_checker* c, const void* object);
pl_status pl_check_motion(pl_checker* c, const void* object);
pl_status pl_check_curve(pl_checker* c, const void* object);
pl_status pl_check_selection(pl_checker* c, const void* object);
pl_status pl_check_attachment(pl_checker* c, const void* object);
pl_status pl_check_force(pl_checker* c, const void* object);
pl_status pl_check_body(pl_checker* c, const void* object);
pl_status pl_check_maker(pl_checker* c, const void* object);
pl_status pl_check_output(pl_checker* c, const void* object);

#endif
