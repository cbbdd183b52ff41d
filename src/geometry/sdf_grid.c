// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Nodes outside the band have the width of the band as their distance. This lower bound is
// sufficient so far from the surface, and saves a sweep over the grid.
#include "geometry/sdf_grid.h"
#include "base/memory.h"

enum { ROW_BLOCK = 4, ROW_CHUNK = 64 };

typedef struct fill {
    const pl_solid* solid;
    const pl_sdf_grid* grid;
    double band;
} fill;

static void fill_row(const fill* f, int row) {
    const pl_sdf_grid* grid = f->grid;
    double* values = grid->values + (size_t)row * (size_t)grid->size[0];
    double points[3 * ROW_CHUNK];
    for (int begin = 0; begin < grid->size[0]; begin += ROW_CHUNK) {
        int count = grid->size[0] - begin < ROW_CHUNK ? grid->size[0] - begin : ROW_CHUNK;
        for (int i = 0; i < count; i++) {
            points[3 * i] = grid->origin.x + grid->spacing * (begin + i);
            points[3 * i + 1] = grid->origin.y + grid->spacing * (row % grid->size[1]);
            points[3 * i + 2] = grid->origin.z + grid->spacing * (row / grid->size[1]);
        }
        pl_solid_distances(f->solid, points, count, f->band, values + begin);
    }
}

static void fill_task(int begin, int end, int worker, void* user) {
    (void)worker;
    for (int row = begin; row < end; row++) fill_row(user, row);
}

static pl_status choose_size(const pl_solid* solid, const pl_sdf_options* options,
                             pl_sdf_grid* grid, pl_error* error) {
    if (!(options->spacing > 0.0) || !(options->margin >= 0.0) || !isfinite(options->margin))
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "a distance grid needs a spacing above 0 and a margin of 0 or more, not %g "
                       "and %g",
                       options->spacing, options->margin);
    if (solid->tree.bvh.node_count == 0)
        return pl_fail(error, PL_ERROR_MESH, "a distance grid needs a surface with triangles");
    pl_box box = solid->tree.bvh.nodes[0].box;
    pl_vec3 margin = {options->margin, options->margin, options->margin};
    grid->origin = pl_sub(box.low, margin);
    pl_vec3 extent = pl_add(pl_box_size(box), pl_scale(2.0, margin));
    double cells[3] = {ceil(extent.x / options->spacing), ceil(extent.y / options->spacing),
                       ceil(extent.z / options->spacing)};
    double nodes = (cells[0] + 1.0) * (cells[1] + 1.0) * (cells[2] + 1.0);
    if (!(nodes < 2147483647.0))
        return pl_fail(error, PL_ERROR_LIMIT,
                       "a spacing of %g gives a distance grid of %.3g nodes; take a larger one",
                       options->spacing, nodes);
    for (int k = 0; k < 3; k++) grid->size[k] = (int)cells[k] + 1;
    grid->spacing = options->spacing;
    return PL_OK;
}

static size_t node_count(const pl_sdf_grid* grid) {
    return (size_t)grid->size[0] * (size_t)grid->size[1] * (size_t)grid->size[2];
}

pl_status pl_sdf_grid_build(const pl_solid* solid, const pl_sdf_options* options, pl_pool* pool,
                            pl_sdf_grid* out, pl_error* error) {
    *out = (pl_sdf_grid){0};
    pl_sdf_grid grid = {0};
    pl_status status = choose_size(solid, options, &grid, error);
    if (status != PL_OK) return status;
    grid.values = PL_ALLOC(double, node_count(&grid));
    if (!grid.values) return pl_fail_memory(error, "a distance grid");
    fill f = {solid, &grid, options->band > 0.0 ? options->band : INFINITY};
    pl_parallel_for(pool, fill_task, grid.size[1] * grid.size[2], ROW_BLOCK, &f);
    *out = grid;
    return PL_OK;
}

void pl_sdf_grid_free(pl_sdf_grid* grid) {
    PL_FREE(grid->values, double, node_count(grid));
    *grid = (pl_sdf_grid){0};
}

// the cell of a coordinate; *t: position in the cell. There is one cell less than nodes.
static int locate(double x, int size, double* t) {
    double clamped = fmin(fmax(x, 0.0), size - 1.0);
    int cell = (int)clamped;
    if (cell > size - 2) cell = size > 1 ? size - 2 : 0;
    *t = clamped - cell;
    return cell;
}

static double mix(double a, double b, double t) { return a + t * (b - a); }

double pl_sdf_grid_value(const pl_sdf_grid* grid, pl_vec3 p, pl_vec3* gradient) {
    pl_vec3 local = pl_scale(1.0 / grid->spacing, pl_sub(p, grid->origin));
    double t[3];
    size_t i = (size_t)locate(local.x, grid->size[0], &t[0]);
    size_t j = (size_t)locate(local.y, grid->size[1], &t[1]);
    size_t k = (size_t)locate(local.z, grid->size[2], &t[2]);
    size_t row = (size_t)grid->size[0], layer = row * (size_t)grid->size[1];
    size_t dx = grid->size[0] > 1, dy = grid->size[1] > 1 ? row : 0;
    size_t dz = grid->size[2] > 1 ? layer : 0;
    const double* v = grid->values + k * layer + j * row + i;
    double x00 = mix(v[0], v[dx], t[0]), x10 = mix(v[dy], v[dy + dx], t[0]);
    double x01 = mix(v[dz], v[dz + dx], t[0]), x11 = mix(v[dz + dy], v[dz + dy + dx], t[0]);
    double y0 = mix(x00, x10, t[1]), y1 = mix(x01, x11, t[1]);
    pl_vec3 inside = {(double)i + t[0], (double)j + t[1], (double)k + t[2]};
    if (gradient) {
        double d0 = mix(v[dx] - v[0], v[dy + dx] - v[dy], t[1]);
        double d1 = mix(v[dz + dx] - v[dz], v[dz + dy + dx] - v[dz + dy], t[1]);
        pl_vec3 slope = {mix(d0, d1, t[2]), mix(x10 - x00, x11 - x01, t[2]), y1 - y0};
        *gradient = pl_scale(1.0 / grid->spacing, slope);
    }
    return mix(y0, y1, t[2]) + grid->spacing * pl_distance(local, inside);
}
