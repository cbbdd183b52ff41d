// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Visits the elements of a cloth one after the other, with their values: springs along edges and
// across them (mesh/spring_net.h) or elastic triangles, and in both cases patches and hinges where
// the cloth has a bending stiffness (material/bend_sheet.h). Which elements there are, and in which
// order, does not depend on the numbers of a body that may change.
#ifndef PL_FEM_CLOTH_WALK_H
#define PL_FEM_CLOTH_WALK_H

#include "material/membrane.h"
#include "method/method.h"

// Corners are vertices of the body. A function returns false if memory runs out.
typedef struct pl_cloth_visitor {
    void* user;
    bool (*spring)(void* user, const int corners[2], double stiffness);
    bool (*membrane)(void* user, const int corners[3], const pl_membrane* membrane);
    bool (*patch)(void* user, const int corners[6], const double form[6]);
    bool (*hinge)(void* user, const int corners[4], double stiffness);
} pl_cloth_visitor;

pl_status pl_cloth_walk(const pl_method_body* body, const pl_cloth_visitor* visitor,
                        pl_error* error);

#endif
