// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Walks over the bodies in the order in which fem_build.c made their elements, and gives each
// element its new numbers. Which elements a body has does not depend on the numbers that may
// change, so the walk visits the same elements.
#include "fem/fem_update.h"
#include "elements/body_parts.h"
#include "elements/tet_elements.h"
#include "fem/cloth_elements.h"
#include "fem/cloth_walk.h"
#include "fem/patch_elements.h"

#include <string.h>

// the sets of a system by kind, and the next element of each
typedef struct walk {
    pl_element_set *tets, *springs, *membranes, *patches, *hinges; // NULL: none of this kind
    int tet, spring, membrane, patch, hinge;
} walk;

static walk start_walk(const pl_step_model* model) {
    walk w = {0};
    for (int k = 0; k < model->set_count; k++) {
        pl_element_set* set = &model->sets[k];
        if (strcmp(set->kind->name, "tet") == 0) w.tets = set;
        if (strcmp(set->kind->name, "spring") == 0) w.springs = set;
        if (strcmp(set->kind->name, "membrane") == 0) w.membranes = set;
        if (strcmp(set->kind->name, "patch") == 0) w.patches = set;
        if (strcmp(set->kind->name, "hinge") == 0) w.hinges = set;
    }
    return w;
}

static pl_status update_solid(walk* w, const pl_method_body* body, pl_error* error) {
    for (int e = 0; e < body->mesh->tet_count; e++) {
        pl_material material;
        pl_status status = pl_law_of_solid(&body->materials[e], &material, error);
        if (status != PL_OK) return status;
        pl_tet_element_set_material(w->tets, w->tet++, &material);
    }
    return PL_OK;
}

static bool set_spring(void* user, const int corners[2], double stiffness) {
    walk* w = user;
    (void)corners;
    pl_spring_element_set(w->springs, w->spring++, stiffness);
    return true;
}

static bool set_membrane(void* user, const int corners[3], const pl_membrane* membrane) {
    walk* w = user;
    (void)corners;
    pl_membrane_element_set(w->membranes, w->membrane++, membrane);
    return true;
}

static bool set_patch(void* user, const int corners[6], const double form[6]) {
    walk* w = user;
    (void)corners;
    pl_patch_element_set(w->patches, w->patch++, form);
    return true;
}

static bool set_hinge(void* user, const int corners[4], double stiffness) {
    walk* w = user;
    (void)corners;
    pl_hinge_element_set(w->hinges, w->hinge++, stiffness);
    return true;
}

static pl_status update_cloth(walk* w, const pl_method_body* body, pl_error* error) {
    pl_cloth_visitor visitor = {w, set_spring, set_membrane, set_patch, set_hinge};
    return pl_cloth_walk(body, &visitor, error);
}

pl_status pl_fem_update(pl_step_system* system, const pl_method_body* bodies, int body_count,
                        pl_error* error) {
    pl_step_model model = pl_step_system_model(system);
    walk w = start_walk(&model);
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < body_count; k++)
        status = bodies[k].is_cloth ? update_cloth(&w, &bodies[k], error)
                                    : update_solid(&w, &bodies[k], error);
    if (status == PL_OK) pl_update_masses(&model, bodies, body_count);
    return status;
}
