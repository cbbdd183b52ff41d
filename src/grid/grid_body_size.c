// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "grid/grid_body_size.h"
#include "base/memory.h"
#include "geometry/solid.h"
#include "grid/grid_material.h"
#include "grid/grid_volume.h"
#include "mesh/thickness.h"

#include <math.h>

// Default number of cells of a body, and the limit for thin bodies.
enum { DEFAULT_CELLS = 1200, MAX_DEFAULT_CELLS = 20000, CELLS_ACROSS_THIN = 2 };

pl_status pl_grid_choose_cell(pl_grid_body* b, const pl_method_body* def, const pl_mesh* surface,
                              const pl_surface_edges* edges, pl_error* error) {
    const pl_vec3 box = pl_box_size(pl_box_of_points(surface->positions, surface->vertex_count));
    const double longest = fmax(box.x, fmax(box.y, box.z));
    // a surface with holes has at least the volume of a sheet a hundredth as thick as it is long
    double volume =
        def->mesh->tet_count ? pl_grid_tet_volume(def->mesh) : fabs(edges->signed_volume);
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
    return PL_OK;
}

// Volume of the body. The signed volume of a surface is not reliable: for an open surface it
// depends on its position, and parts that are inside out cancel others.
pl_status pl_grid_measure(pl_grid_body* b, const pl_method_body* def, const pl_mesh* surface,
                          const pl_surface_edges* edges, pl_error* error) {
    double volume = 0.0;
    const bool clean = b->surface_kind == PL_GRID_SURFACE_CLEAN;
    pl_status status = PL_OK;
    if (b->general || !clean) status = fill_cells(b, surface, &volume, error);
    if (status == PL_OK && def->mesh->tet_count) volume = pl_grid_tet_volume(def->mesh);
    else if (status == PL_OK && clean && edges->part_count == 1)
        volume = fabs(edges->signed_volume);
    else if (status == PL_OK && clean)
        status = pl_grid_enclosed_volume(surface, b->pool, &volume, error);
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
