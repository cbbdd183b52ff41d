// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Walks over the bodies in the order in which fem_build.c made their elements, and gives each its
// new numbers. Which elements there are does not depend on the numbers of a body that may change,
// and those of the others do not change; so the walk meets the same elements.
#include "fem/fem_update.h"
#include "fem/cloth_elements.h"
#include "fem/fem_build.h"
#include "fem/tet_elements.h"
#include "mesh/topology.h"

#include <string.h>

// the sets of a system by kind, each with the next element of the walk
typedef struct walk {
    pl_element_set *tets, *springs, *membranes, *hinges; // NULL: none of this kind
    int tet, spring, membrane, hinge;
} walk;

static walk start_walk(const pl_fem_model* model) {
    walk w = {0};
    for (int k = 0; k < model->set_count; k++) {
        pl_element_set* set = &model->sets[k];
        if (strcmp(set->kind->name, "tet") == 0) w.tets = set;
        if (strcmp(set->kind->name, "spring") == 0) w.springs = set;
        if (strcmp(set->kind->name, "membrane") == 0) w.membranes = set;
        if (strcmp(set->kind->name, "hinge") == 0) w.hinges = set;
    }
    return w;
}

static pl_status update_solid(walk* w, const pl_method_body* body, pl_error* error) {
    for (int e = 0; e < body->mesh->tet_count; e++) {
        pl_material material;
        pl_status status = pl_fem_law_of_solid(&body->materials[e], &material, error);
        if (status != PL_OK) return status;
        pl_tet_element_set_material(w->tets, w->tet++, &material);
    }
    return PL_OK;
}

static void update_hinge(walk* w, const pl_method_body* body, const int* sides, double bend) {
    const pl_mesh* mesh = body->mesh;
    int edge[2];
    pl_triangle_edge(mesh->triangles + 3 * (size_t)(sides[0] / 3), sides[0] % 3, edge);
    int corners[4] = {edge[0], edge[1], mesh->triangles[sides[0]], mesh->triangles[sides[1]]};
    pl_vec3 p[4];
    for (int i = 0; i < 4; i++) p[i] = pl_vec3_load(mesh->positions + 3 * (size_t)corners[i]);
    pl_hinge_element_set(w->hinges, w->hinge++, p, bend);
}

// two triangles at an edge, as fem_build.c adds them
static void update_pair(walk* w, const pl_method_body* body, const int* sides, double weight) {
    const pl_element_material* m = &body->materials[sides[0] / 3];
    if (body->mesh->triangles[sides[0]] == body->mesh->triangles[sides[1]]) return;
    if (m->law == PL_LAW_SPRINGS && (m->shear > 0.0 || body->may_change))
        pl_spring_element_set(w->springs, w->spring++, weight * m->shear);
    if (m->bend > 0.0 || body->may_change) update_hinge(w, body, sides, weight * m->bend);
}

static void update_edges(walk* w, const pl_method_body* body, const pl_side_groups* sides) {
    for (int g = 0; g < sides->groups.count; g++) {
        const int* members = sides->groups.items + sides->groups.offsets[g];
        int pair[2];
        const pl_element_material* m = &body->materials[members[0] / 3];
        bool springs = m->law == PL_LAW_SPRINGS;
        if (springs) pl_spring_element_set(w->springs, w->spring++, m->stretch);
        for (pl_edge_pairs pairs = pl_edge_pairs_of(sides, g); pl_edge_pairs_next(&pairs, pair);)
            update_pair(w, body, pair, pl_edge_pairs_weight(&pairs));
    }
}

static pl_status update_cloth(walk* w, const pl_method_body* body, pl_error* error) {
    const pl_mesh* mesh = body->mesh;
    for (int e = 0; e < mesh->triangle_count; e++) {
        const pl_element_material* m = &body->materials[e];
        if (m->law == PL_LAW_SPRINGS) continue;
        pl_membrane membrane = {PL_MEMBRANE_COROTATED, m->mu, m->lambda};
        pl_membrane_element_set(w->membranes, w->membrane++, &membrane);
    }
    pl_side_groups sides;
    pl_status status = pl_side_groups_create(mesh->triangles, mesh->triangle_count, 3,
                                             mesh->vertex_count, &sides, error);
    if (status != PL_OK) return status;
    update_edges(w, body, &sides);
    pl_side_groups_free(&sides);
    return PL_OK;
}

pl_status pl_fem_update(pl_fem_system* system, const pl_method_body* bodies, int body_count,
                        pl_error* error) {
    pl_fem_model model = pl_fem_system_model(system);
    walk w = start_walk(&model);
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < body_count; k++)
        status = bodies[k].is_cloth ? update_cloth(&w, &bodies[k], error)
                                    : update_solid(&w, &bodies[k], error);
    if (status != PL_OK) return status;
    pl_fem_lump_masses(bodies, body_count, model.vertex_count, model.mass);
    if (model.mass_matrix)
        pl_fem_fill_mass_matrix(bodies, body_count, model.mass, model.mass_matrix);
    model.settings->damping_mass = bodies[0].body->damping.mass;
    model.settings->damping_stiffness = bodies[0].body->damping.stiffness;
    return PL_OK;
}
