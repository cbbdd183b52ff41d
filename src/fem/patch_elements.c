// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "fem/patch_elements.h"
#include "base/memory.h"
#include "fem/patch_lanes.h"
#include "material/bend_patch.h"

#include <string.h>

typedef struct patch_data {
    int count;
    pl_patch_values* patches;
} patch_data;

static void patches_destroy(void* data) {
    patch_data* d = data;
    PL_FREE(d->patches, pl_patch_values, d->count);
    PL_FREE(d, patch_data, 1);
}

static void load_corners(const double* x, pl_vec3 p[6]) {
    for (int i = 0; i < 6; i++) p[i] = pl_vec3_load(x + 3 * i);
}

static double patch_energy(const void* data, int e, const double* x) {
    const pl_patch_values* b = &((const patch_data*)data)->patches[e];
    pl_vec3 p[6];
    load_corners(x, p);
    return pl_patch_energy(p, b->rest, b->form, false, NULL, NULL);
}

static void patch_gradient(const void* data, int e, const double* x, double* gradient) {
    const pl_patch_values* b = &((const patch_data*)data)->patches[e];
    pl_vec3 p[6];
    load_corners(x, p);
    pl_patch_energy(p, b->rest, b->form, false, gradient, NULL);
}

static void patch_hessian(const void* data, int e, const double* x, bool projected,
                          double* hessian) {
    const pl_patch_values* b = &((const patch_data*)data)->patches[e];
    pl_vec3 p[6];
    load_corners(x, p);
    pl_patch_energy(p, b->rest, b->form, projected, NULL, hessian);
}

static void patch_projective(const void* data, int e, double* matrix) {
    pl_patch_values* b = &((const patch_data*)data)->patches[e];
    pl_patch_flat(b->slopes, b->form, matrix);
}

static double patch_energies(const pl_element_set* set, int first, int last, const double* x) {
    const patch_data* d = set->data;
    return pl_patch_lanes_energy(set->corners, d->patches, first, last, x);
}

static double patch_both(const pl_element_set* set, int first, int last, const double* x,
                         double* gradient) {
    const patch_data* d = set->data;
    return pl_patch_lanes_gradient(set->corners, d->patches, first, last, x, gradient);
}

static void patch_gradients(const pl_element_set* set, int first, int last, const double* x,
                            double* gradient) {
    patch_both(set, first, last, x, gradient);
}

const pl_element_functions pl_patch_elements = {.name = "patch",
                                                .corner_count = PL_PATCH_CORNERS,
                                                .energy = patch_energy,
                                                .gradient = patch_gradient,
                                                .hessian = patch_hessian,
                                                .projective = patch_projective,
                                                .destroy = patches_destroy,
                                                .gradients = patch_gradients,
                                                .energies = patch_energies,
                                                .energies_and_gradients = patch_both};

void pl_patch_element(const pl_element_set* set, int e, const double** rest, const double** form) {
    const pl_patch_values* b = &((const patch_data*)set->data)->patches[e];
    *rest = b->rest, *form = b->form;
}

void pl_patch_element_set(pl_element_set* set, int e, const double form[6]) {
    memcpy(((patch_data*)set->data)->patches[e].form, form, 6 * sizeof(double));
}

pl_status pl_patch_elements_setup(pl_element_set* set, const double* rest, int vertex_count,
                                  const int* corners, int count, const double* forms,
                                  pl_error* error) {
    *set = (pl_element_set){0};
    patch_data* d = PL_ALLOC(patch_data, 1);
    int* copy = PL_ALLOC(int, 6 * (size_t)count);
    if (d) d->patches = PL_ALLOC(pl_patch_values, d->count = count);
    if (!d || !copy || !d->patches) {
        if (d) patches_destroy(d);
        PL_FREE(copy, int, 6 * (size_t)count);
        return pl_fail_memory(error, "the bending of a cloth");
    }
    memcpy(copy, corners, 6 * (size_t)count * sizeof(int));
    for (int e = 0; e < count; e++) {
        pl_vec3 p[6];
        for (int i = 0; i < 6; i++)
            p[i] = pl_vec3_load(rest + 3 * (size_t)corners[6 * (size_t)e + (size_t)i]);
        pl_patch_angles(p, d->patches[e].rest);
        memcpy(d->patches[e].form, forms + 6 * (size_t)e, 6 * sizeof(double));
        pl_patch_slopes(p, d->patches[e].slopes);
    }
    return pl_element_set_setup(set, &pl_patch_elements, d, copy, count, vertex_count, error);
}
