// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Box, bar and tapered panel: one lattice under three maps.
#include "base/memory.h"
#include "mesh/generator.h"

#include <math.h>

enum { X_MIN = 1, X_MAX = 2, Y_MIN = 4, Y_MAX = 8, Z_MIN = 16, Z_MAX = 32 };

static const pl_shape_region box_regions[] = {
    {"x_min", X_MIN}, {"x_max", X_MAX}, {"y_min", Y_MIN}, {"y_max", Y_MAX},
    {"z_min", Z_MIN}, {"z_max", Z_MAX}, {NULL, 0},
};

static void map_box(const void* data, double u, double v, double t, double* position) {
    const pl_generate_options* o = data;
    position[0] = o->size_x * u;
    position[1] = o->size_y * v;
    position[2] = o->size_z * t;
}

// the quadrilateral (0,0) (size_x,right_low) (size_x,right_high) (0,left_height), bilinear
static void map_panel(const void* data, double u, double v, double t, double* position) {
    const pl_generate_options* o = data;
    position[0] = o->size_x * u;
    position[1] =
        (1.0 - u) * (v * o->left_height) + u * ((1.0 - v) * o->right_low + v * o->right_high);
    position[2] = o->thickness * t;
}

typedef struct lattice {
    double lengths[3]; // typical, along the three directions
    int counts[3];     // requested; 0: from the edge length
    void (*map)(const void* data, double u, double v, double t, double* position);
} lattice;

// the number of cells along each direction, and the shortest cell
static pl_status count_cells(const pl_generate_options* o, lattice* l, double* shortest,
                             pl_error* error) {
    double longest = fmax(l->lengths[0], fmax(l->lengths[1], l->lengths[2]));
    double cell = pl_cell_size((pl_tet_pattern)o->pattern, o->edge);
    *shortest = longest;
    bool edge_used = !l->counts[0] || !l->counts[1] || !l->counts[2];
    pl_status status = edge_used ? pl_check_edge(o->edge, longest, error) : PL_OK;
    if (status != PL_OK) return status;
    for (int d = 0; d < 3; d++) {
        if (!l->counts[d]) l->counts[d] = pl_cell_count(l->lengths[d], cell, 1);
        *shortest = fmin(*shortest, l->lengths[d] / l->counts[d]);
    }
    double nx = l->counts[0], ny = l->counts[1], nz = l->counts[2];
    return pl_check_element_count(12.0 * nx * ny * nz + 4.0 * (nx * ny + ny * nz + nz * nx), error);
}

static pl_status generate_lattice(const pl_generate_options* o, lattice l, pl_mesh** out,
                                  pl_error* error) {
    double shortest;
    pl_status status = count_cells(o, &l, &shortest, error);
    if (status != PL_OK) return status;
    const unsigned char masks[4] = {X_MIN, X_MAX, Y_MIN, Y_MAX};
    pl_quads quads = {0};
    pl_hexes hexes = {0};
    pl_sweep sweep = {
        .layers = l.counts[2], .first_mask = Z_MIN, .last_mask = Z_MAX, .data = o, .map = l.map};
    pl_shape shape = {.regions = box_regions,
                      .pattern = (pl_tet_pattern)o->pattern,
                      .jitter = o->jitter * shortest,
                      .seed = o->seed};
    if (!pl_quads_grid(l.counts[0], l.counts[1], false, masks, &quads) ||
        !pl_sweep_quads(&quads, &sweep, &hexes))
        status = pl_fail_memory(error, "the cells of a mesh");
    pl_quads_free(&quads);
    if (status == PL_OK) status = pl_hexes_to_mesh(&hexes, &shape, out, error);
    pl_hexes_free(&hexes);
    return status;
}

pl_status pl_generate_box(const pl_generate_options* o, pl_mesh** out, pl_error* error) {
    lattice l = {{o->size_x, o->size_y, o->size_z}, {o->count_x, o->count_y, o->count_z}, map_box};
    return generate_lattice(o, l, out, error);
}

pl_status pl_generate_panel(const pl_generate_options* o, pl_mesh** out, pl_error* error) {
    if (!(o->right_high > o->right_low))
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "right_high is %g m, not above right_low, which is %g m", o->right_high,
                       o->right_low);
    double mean_height = 0.5 * (o->left_height + o->right_high - o->right_low);
    lattice l = {
        {o->size_x, mean_height, o->thickness}, {o->count_x, o->count_y, o->count_z}, map_panel};
    return generate_lattice(o, l, out, error);
}

static pl_status add_end(pl_mesh* mesh, const char* name, int tag, double low, double high,
                         pl_error* error) {
    int* items = PL_ALLOC(int, mesh->vertex_count);
    if (!items) return pl_fail_memory(error, "the regions of a mesh");
    int count = 0;
    for (int v = 0; v < mesh->vertex_count; v++) {
        double x = mesh->positions[3 * (size_t)v];
        if (x >= low && x <= high) items[count++] = v;
    }
    pl_status status = pl_mesh_add_region(mesh, PL_ELEMENT_VERTEX, name, tag, items, count, error);
    PL_FREE(items, int, mesh->vertex_count);
    return status;
}

pl_status pl_generate_bar(const pl_generate_options* o, pl_mesh** out, pl_error* error) {
    if (2.0 * o->end_length >= o->size_x)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "end_length is %g m, so the ends of a bar of %g m meet; it must be less "
                       "than half of size_x",
                       o->end_length, o->size_x);
    pl_status status = pl_generate_box(o, out, error);
    // so that rounding does not drop the last layer of an end
    double slack = 1e-9 * o->size_x, length = o->end_length + slack;
    if (status == PL_OK) status = add_end(*out, "left", 7, -slack, length, error);
    if (status == PL_OK)
        status = add_end(*out, "right", 8, o->size_x - length, o->size_x + slack, error);
    if (status != PL_OK) {
        pl_mesh_destroy(*out);
        *out = NULL;
    }
    return status;
}
