// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// How large the cells of a body are, and how much of them it fills.
#include "base/memory.h"
#include "geometry/box.h"
#include "geometry/solid.h"
#include "grid/grid_body.h"
#include "grid/grid_material.h"
#include "mesh/thickness.h"

#include <math.h>

enum { TRIANGLES_PER_TASK = 256 };
// Distance of the test points on both sides of a triangle, relative to the body's diagonal.
static const double SIDE_DISTANCE = 1e-7;

// The volume of a mesh's tets, of either orientation [m^3].
static double tet_volume(const pl_mesh* mesh) {
    double sum = 0.0;
    for (int t = 0; t < mesh->tet_count; t++) {
        const int* v = mesh->tets + 4 * (size_t)t;
        pl_vec3 x[4];
        for (int i = 0; i < 4; i++) x[i] = pl_vec3_load(mesh->positions + 3 * (size_t)v[i]);
        sum += fabs(pl_det4(x[0], x[1], x[2], x[3])) / 6.0;
    }
    return sum;
}

typedef struct volume_job {
    const pl_mesh* surface;
    const pl_solid* solid;
    pl_vec3 middle;
    double side_distance;
} volume_job;

static double cones_of(int begin, int end, void* user) {
    const volume_job* job = user;
    double sum = 0.0;
    for (int t = begin; t < end; t++) {
        const int* v = job->surface->triangles + 3 * (size_t)t;
        pl_vec3 x[3];
        for (int i = 0; i < 3; i++)
            x[i] = pl_sub(pl_vec3_load(job->surface->positions + 3 * (size_t)v[i]), job->middle);
        pl_vec3 normal = pl_cross(pl_sub(x[1], x[0]), pl_sub(x[2], x[0]));
        double twice_area = pl_norm(normal);
        if (!(twice_area > 0.0)) continue;
        pl_vec3 center = pl_madd(job->middle, 1.0 / 3.0, pl_add(x[0], pl_add(x[1], x[2])));
        double step = job->side_distance / twice_area;
        int sign = (int)pl_solid_inside(job->solid, pl_madd(center, -step, normal)) -
                   (int)pl_solid_inside(job->solid, pl_madd(center, step, normal));
        sum += sign * pl_dot(x[0], pl_cross(x[1], x[2])) / 6.0;
    }
    return sum;
}

// The volume inside a closed surface without intersections [m^3]. Parts may face either way; a part
// inside another that faces the opposite way is a cavity.
//
// Divergence theorem: the volume is the sum of the cones over the triangles that bound the inside.
// A triangle is a boundary if exactly one of its sides is inside. Which side it is decides the sign
// of the cone, not the orientation of the triangle.
static pl_status enclosed_volume(const pl_mesh* surface, pl_pool* pool, double* out,
                                 pl_error* error) {
    pl_solid solid;
    pl_status status = pl_solid_build(surface->positions, surface->triangles,
                                      surface->triangle_count, true, &solid, error);
    *out = 0.0;
    if (status != PL_OK) return status;
    pl_box box = pl_box_empty();
    for (int v = 0; v < surface->vertex_count; v++)
        box = pl_box_add_point(box, pl_vec3_load(surface->positions + 3 * (size_t)v));
    volume_job job = {surface, &solid, pl_lerp(box.low, box.high, 0.5),
                      SIDE_DISTANCE * pl_box_diagonal(box)};
    *out = pl_parallel_sum(pool, cones_of, surface->triangle_count, TRIANGLES_PER_TASK, &job);
    pl_solid_free(&solid);
    return PL_OK;
}

// Default number of cells of a body, and the limit for thin bodies.
enum { DEFAULT_CELLS = 1200, MAX_DEFAULT_CELLS = 20000, CELLS_ACROSS_THIN = 2 };

pl_status pl_grid_choose_cell(pl_grid_body* b, const pl_method_body* def, const pl_mesh* surface,
                              const pl_surface_edges* edges, pl_error* error) {
    const pl_vec3 box = pl_box_size(pl_box_of_points(surface->positions, surface->vertex_count));
    const double longest = fmax(box.x, fmax(box.y, box.z));
    // a surface with holes has at least the volume of a sheet a hundredth as thick as it is long
    double volume = def->mesh->tet_count ? tet_volume(def->mesh) : fabs(edges->signed_volume);
    if (b->surface_kind != PL_GRID_SURFACE_CLEAN || !(volume > 0.0))
        volume = fmax(0.5 * box.x * box.y * box.z, 0.01 * longest * longest * longest);
    pl_solid solid;
    pl_thickness thickness = {NAN, NAN};
    pl_status status = pl_solid_build(surface->positions, surface->triangles,
                                      surface->triangle_count, false, &solid, error);
    if (status != PL_OK) return status;
    status = pl_surface_thickness(surface, &solid, b->pool, &thickness, error);
    pl_solid_free(&solid);
    double cell = cbrt(volume / DEFAULT_CELLS);
    if (!isnan(thickness.thin)) cell = fmin(cell, thickness.thin / CELLS_ACROSS_THIN);
    b->frame.cell = fmax(cell, cbrt(volume / MAX_DEFAULT_CELLS));
    return status;
}

static float* make_field(float* field, int size, float value) {
    if (field) return field;
    field = PL_ALLOC(float, size);
    for (int i = 0; field && i < size; i++) field[i] = value;
    return field;
}

// Gives the cells that were added to thin parts stiffness and mass of the cells beside them.
static pl_status share_with_added(pl_grid_body* b, pl_error* error) {
    const pl_grid_level* fine = &b->lattice.levels[0];
    const float cells = (float)fine->cell_count, before = cells - (float)b->thickening.added.count;
    b->fractions = make_field(b->fractions, fine->field_size, 1.0f);
    b->cell_mass = make_field(NULL, fine->field_size, cells / before);
    if (!b->fractions || !b->cell_mass) return pl_fail_memory(error, "the cells of a lattice");
    pl_status status = pl_grid_share_cells(&b->thickening, fine, &b->cells, b->fractions, error);
    if (status != PL_OK) return status;
    return pl_grid_share_cells(&b->thickening, fine, &b->cells, b->cell_mass, error);
}

// Volume that the surface fills in the cells [m^3]; and the stiffness of cells in the general
// lattice.
static pl_status fill_cells(pl_grid_body* b, const pl_mesh* surface, double* volume,
                            pl_error* error) {
    const pl_grid_level* fine = &b->lattice.levels[0];
    pl_grid_filling filling;
    pl_status status =
        pl_grid_fractions(surface, fine, &b->cells, &b->frame, b->pool, &filling, error);
    if (status != PL_OK) return status;
    if (b->general) b->fractions = filling.fractions;
    else PL_FREE(filling.fractions, float, fine->field_size);
    const bool encloses = filling.has_inside || b->surface_kind != PL_GRID_SURFACE_OPEN;
    *volume = encloses ? filling.cells * pow(b->frame.cell, 3.0) : 0.0;
    return b->thickening.added.count ? share_with_added(b, error) : PL_OK;
}

// Volume of the body. The signed volume of a surface is not reliable: for an open surface it
// depends on its position, and parts that are inside out cancel others.
pl_status pl_grid_measure(pl_grid_body* b, const pl_method_body* def, const pl_mesh* surface,
                          const pl_surface_edges* edges, pl_error* error) {
    double volume = 0.0;
    const bool clean = b->surface_kind == PL_GRID_SURFACE_CLEAN;
    pl_status status = PL_OK;
    if (b->general || !clean) status = fill_cells(b, surface, &volume, error);
    if (status == PL_OK && def->mesh->tet_count) volume = tet_volume(def->mesh);
    else if (status == PL_OK && clean && edges->part_count == 1)
        volume = fabs(edges->signed_volume);
    else if (status == PL_OK && clean) status = enclosed_volume(surface, b->pool, &volume, error);
    if (status != PL_OK) return status;
    b->lattice_volume = b->lattice.levels[0].cell_count * pow(b->frame.cell, 3.0);
    b->filling = volume / b->lattice_volume;
    b->density = def->body->material.density * b->filling;
    if (volume > 0.0) return PL_OK;
    return pl_fail(error, PL_ERROR_MESH,
                   "body \"%s\": the surface encloses nothing that %g m cells could see; close "
                   "it, or use smaller cells (grid.cell)",
                   b->name, b->frame.cell);
}
