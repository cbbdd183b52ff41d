// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Makes the elements of cloth that cloth_walk.h finds. They are collected first, since their number
// is not known in advance.
#include "fem/fem_build.h"
#include "base/array.h"
#include "fem/cloth_elements.h"
#include "fem/cloth_walk.h"
#include "fem/patch_elements.h"

// elements of one kind while they are collected: corners and one record each
typedef struct collected {
    pl_array corners; // of int
    pl_array values;  // a membrane, the form of a patch, or a stiffness
} collected;

typedef struct cloth_collector {
    collected springs, membranes, patches, hinges;
    int first_vertex; // of the current body
} cloth_collector;

static bool collect(collected* c, const int* corners, int corner_count, int first_vertex,
                    const void* value) {
    int* to = pl_array_add(&c->corners, (size_t)corner_count);
    if (!to) return false;
    for (int i = 0; i < corner_count; i++) to[i] = corners[i] + first_vertex;
    return pl_array_push(&c->values, value);
}

static void collected_free(collected* c) {
    pl_array_free(&c->corners);
    pl_array_free(&c->values);
}

static bool add_spring(void* user, const int corners[2], double stiffness) {
    cloth_collector* c = user;
    return collect(&c->springs, corners, 2, c->first_vertex, &stiffness);
}

static bool add_membrane(void* user, const int corners[3], const pl_membrane* membrane) {
    cloth_collector* c = user;
    return collect(&c->membranes, corners, 3, c->first_vertex, membrane);
}

static bool add_patch(void* user, const int corners[6], const double form[6]) {
    cloth_collector* c = user;
    return collect(&c->patches, corners, 6, c->first_vertex, form);
}

static bool add_hinge(void* user, const int corners[4], double stiffness) {
    cloth_collector* c = user;
    return collect(&c->hinges, corners, 4, c->first_vertex, &stiffness);
}

static pl_status make_sets(cloth_collector* c, pl_body_parts* p, pl_error* error) {
    pl_status status = PL_OK;
    if (status == PL_OK && c->springs.values.count) {
        status = pl_spring_elements_setup(&p->sets[p->set_count], p->positions, p->vertex_count,
                                          c->springs.corners.data, (int)c->springs.values.count,
                                          c->springs.values.data, error);
        if (status == PL_OK) p->set_count++;
    }
    if (status == PL_OK && c->membranes.values.count) {
        status = pl_membrane_elements_setup(
            &p->sets[p->set_count], p->positions, p->vertex_count, c->membranes.corners.data,
            (int)c->membranes.values.count, c->membranes.values.data, error);
        if (status == PL_OK) p->set_count++;
    }
    if (status == PL_OK && c->patches.values.count) {
        status = pl_patch_elements_setup(&p->sets[p->set_count], p->positions, p->vertex_count,
                                         c->patches.corners.data, (int)c->patches.values.count,
                                         c->patches.values.data, error);
        if (status == PL_OK) p->set_count++;
    }
    if (status == PL_OK && c->hinges.values.count) {
        status = pl_hinge_elements_setup(&p->sets[p->set_count], p->positions, p->vertex_count,
                                         c->hinges.corners.data, (int)c->hinges.values.count,
                                         c->hinges.values.data, error);
        if (status == PL_OK) p->set_count++;
    }
    return status;
}

static pl_status make_cloth(const pl_method_body* bodies, int body_count, pl_body_parts* parts,
                            pl_error* error) {
    cloth_collector c = {
        .springs = {pl_array_of(sizeof(int)), pl_array_of(sizeof(double))},
        .membranes = {pl_array_of(sizeof(int)), pl_array_of(sizeof(pl_membrane))},
        .patches = {pl_array_of(sizeof(int)), pl_array_of(6 * sizeof(double))},
        .hinges = {pl_array_of(sizeof(int)), pl_array_of(sizeof(double))},
    };
    pl_cloth_visitor visitor = {&c, add_spring, add_membrane, add_patch, add_hinge};
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < body_count; k++) {
        c.first_vertex = bodies[k].first_vertex;
        if (bodies[k].is_cloth) status = pl_cloth_walk(&bodies[k], &visitor, error);
    }
    if (status == PL_OK) status = make_sets(&c, parts, error);
    collected_free(&c.springs);
    collected_free(&c.membranes);
    collected_free(&c.patches);
    collected_free(&c.hinges);
    return status;
}

pl_status pl_fem_parts_create(const pl_method_body* bodies, int body_count, int vertex_count,
                              pl_pool* pool, pl_body_parts* out, pl_error* error) {
    return pl_body_parts_create(bodies, body_count, vertex_count, make_cloth, pool, out, error);
}
