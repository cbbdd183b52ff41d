// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Creates a body in its lattice; its masses, visible vertices and energies.
#include "grid/grid_body.h"
#include "base/memory.h"
#include "base/notes.h"
#include "geometry/bvh.h"
#include "geometry/triangle_tree.h"
#include "grid/grid_embedding.h"
#include "mesh/surface_notes.h"

#include <math.h>
#include <pliant/mesh_surface.h>
#include <string.h>

// largest lambda / mu with pressures eliminated in the residual: nu = 0.4998
static const double MAX_LAMBDA = 2499.0;

static pl_vec3 size_of(const pl_mesh* mesh) {
    return pl_box_size(pl_box_of_points(mesh->positions, mesh->vertex_count));
}

static pl_status allocate(pl_grid_body* b, pl_error* error) {
    int size = b->lattice.levels[0].field_size;
    b->springs = PL_ALLOC(double, 9 * (size_t)b->point_count);
    b->gain = PL_ALLOC(double, 3 * (size_t)b->point_count);
    bool ok = (b->springs && b->gain) || b->point_count == 0;
    for (int a = 0; a < 3; a++) {
        b->velocity[a] = PL_ALLOC(double, size);
        b->before[a] = PL_ALLOC(double, size);
        b->applied[a] = PL_ALLOC(double, size);
        b->more_mass[a] = PL_ALLOC(float, size);
        ok = ok && b->velocity[a] && b->before[a] && b->applied[a] && b->more_mass[a];
        if (!b->second_order) continue;
        b->past[a] = PL_ALLOC(double, size);
        b->past_velocity[a] = PL_ALLOC(double, size);
        ok = ok && b->past[a] && b->past_velocity[a];
    }
    b->pressure_before = PL_ALLOC(double, size);
    b->turn = b->uses_corot ? PL_ALLOC(pl_quat, size) : NULL;
    b->turn_before = b->uses_corot ? PL_ALLOC(pl_quat, size) : NULL;
    ok = ok && b->pressure_before && (!b->uses_corot || (b->turn && b->turn_before));
    for (int i = 0; ok && b->uses_corot && i < size; i++)
        b->turn[i] = (pl_quat){0.0, 0.0, 0.0, 1.0};
    b->pinned = PL_ALLOC(int, b->vertex_count);
    b->triangles = PL_ALLOC(int, 3 * (size_t)b->triangle_count);
    ok = ok && (b->pinned || !b->vertex_count) && (b->triangles || !b->triangle_count);
    b->tets = PL_ALLOC(int, 4 * (size_t)b->tet_count);
    ok = ok && (b->tets || !b->tet_count);
    b->held = PL_ALLOC(int, size);
    b->next_held = PL_ALLOC(int, size);
    b->is_single = PL_ALLOC(bool, b->vertex_count);
    b->targets = PL_ALLOC(double, 3 * (size_t)b->vertex_count);
    ok = ok && b->held && b->next_held && ((b->is_single && b->targets) || !b->vertex_count);
    return ok ? PL_OK : pl_fail_memory(error, "a body in a lattice");
}

static pl_status create_corot(const pl_grid_body* b, const float* moduli, pl_grid_corot* out,
                              pl_error* error) {
    const pl_status status =
        pl_grid_corot_create(&b->lattice, moduli, b->rotates, b->turn, b->pool, out, error);
    out->freezes_buckled = b->dynamic;
    out->uncouples = b->rotates;
    return status;
}

pl_status pl_grid_body_make_cycles(pl_grid_body* b, pl_error* error) {
    if (b->uses_corot) {
        b->cycles = &b->corot.cycles;
        return create_corot(b, b->moduli, &b->corot, error);
    }
    b->cycles = &b->linear.cycles;
    pl_status status = pl_grid_linear_create(&b->lattice, &b->cells, b->pool, &b->linear, error);
    return status == PL_OK ? pl_grid_linear_reserve(&b->linear, error) : status;
}

// Reports the defects of a surface, as filling with tets does. The boundary of tets is always
// clean.
static pl_status examine(pl_grid_body* b, const pl_mesh* surface, pl_surface_edges* edges,
                         pl_notes* notes, pl_error* error) {
    b->surface_kind = PL_GRID_SURFACE_CLEAN;
    if (b->tet_count) return PL_OK;
    pl_status status =
        pl_surface_edges_count(surface->positions, surface->vertex_count, surface->triangles,
                               surface->triangle_count, edges, error);
    if (status != PL_OK) return status;
    if (!(edges->area > 0.0))
        return pl_fail(error, PL_ERROR_MESH,
                       "body \"%s\": the surface has no area, so there is no inside", b->name);
    bool intersects;
    pl_note_surface_edges(edges, notes);
    status = pl_note_surface_intersections(surface, b->pool, &intersects, notes, error);
    if (edges->boundary_count) b->surface_kind = PL_GRID_SURFACE_OPEN;
    else if (intersects || edges->manifold_count < edges->edge_count)
        b->surface_kind = PL_GRID_SURFACE_TANGLED;
    return status;
}

// Largest distance between contact points, in cells.
static const double POINT_SPACING = 0.75;

static pl_status check_finite(const pl_mesh* mesh, pl_error* error) {
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++)
        if (!isfinite(mesh->positions[i]))
            return pl_fail(error, PL_ERROR_MESH,
                           "vertex %zu has a coordinate that is not finite (%g); repair the mesh "
                           "first",
                           i / 3, mesh->positions[i]);
    return PL_OK;
}

// Embeds vertices without a cell nearby, such as those that no triangle uses, at the nearest point
// of the surface. Returns how many; first: one of them.
static int anchor_to(pl_grid_body* b, const pl_triangle_tree* tree, int* first) {
    int count = 0, cell[3];
    for (int v = 0; v < b->vertex_count; v++) {
        double* at = b->anchor + 3 * (size_t)v;
        if (pl_grid_cell_of(&b->cells, &b->frame, at, cell)) continue;
        pl_vec3_store(at, pl_triangle_tree_nearest(tree, pl_vec3_load(at), INFINITY).at.point);
        if (count++ == 0) *first = v;
    }
    return count;
}

static bool all_are_near(const pl_grid_body* b) {
    int cell[3];
    for (int v = 0; v < b->vertex_count; v++)
        if (!pl_grid_cell_of(&b->cells, &b->frame, b->rest + 3 * (size_t)v, cell)) return false;
    return true;
}

static pl_status find_anchors(pl_grid_body* b, const pl_mesh* surface, pl_notes* notes,
                              pl_error* error) {
    b->anchor = b->rest;
    if (all_are_near(b)) return PL_OK;
    double* anchor = PL_ALLOC(double, 3 * (size_t)b->point_count);
    if (!anchor) return pl_fail_memory(error, "the vertices of a lattice");
    b->anchor = anchor;
    memcpy(b->anchor, b->rest, 3 * (size_t)b->point_count * sizeof(double));
    pl_triangle_tree tree;
    pl_status status = pl_triangle_tree_build(surface->positions, surface->triangles,
                                              surface->triangle_count, &tree, error);
    if (status != PL_OK) return status;
    int first = 0, count = anchor_to(b, &tree, &first);
    pl_triangle_tree_free(&tree);
    pl_note(notes, PL_NOTE_MENDED,
            "body \"%s\": %d vertices lie away from the surface, first %d; each moves with the "
            "nearest place of the surface, and what holds it holds that place",
            b->name, count, first);
    return PL_OK;
}

// Builds the points of the body (vertices, and points on large triangles) and lists those that
// collide.
static pl_status make_points(pl_grid_body* b, const pl_method_body* def, const pl_surface* shell,
                             pl_notes* notes, pl_error* error) {
    pl_grid_surface_points more;
    const int on_surface = shell->mesh->vertex_count;
    pl_status status =
        pl_grid_surface_points_create(shell->mesh, POINT_SPACING * b->frame.cell, &more, error);
    if (status != PL_OK) return status;
    b->point_count = b->vertex_count + more.count;
    b->rest = PL_ALLOC(double, 3 * (size_t)b->point_count);
    b->share = PL_ALLOC(double, b->point_count);
    b->colliding_count = on_surface + more.count;
    b->colliding = PL_ALLOC(int, b->colliding_count);
    if (b->rest && b->share && b->colliding) {
        double area = 0.0;
        memcpy(b->rest, def->mesh->positions, 3 * (size_t)b->vertex_count * sizeof(double));
        if (more.count)
            memcpy(b->rest + 3 * (size_t)b->vertex_count, more.positions,
                   3 * (size_t)more.count * sizeof(double));
        for (int k = 0; k < b->colliding_count; k++) {
            b->colliding[k] =
                k < on_surface ? shell->vertices[k] : b->vertex_count + k - on_surface;
            double own = k < on_surface ? more.vertex_area[k] : more.areas[k - on_surface];
            b->share[b->colliding[k]] = own;
            area += own;
        }
        for (int v = 0; v < b->point_count; v++)
            b->share[v] = area > 0.0 ? b->share[v] * on_surface / area : 1.0;
        status = find_anchors(b, shell->mesh, notes, error);
    } else status = pl_fail_memory(error, "the points of a lattice");
    pl_grid_surface_points_free(&more);
    return status;
}

// Warns about thin quasistatic bodies that their weight would bend far: they converge slowly or not
// at all in one frame. The sag is that of a plate clamped along one side, relative to its length.
static void note_slender(const pl_grid_body* b, const pl_method_body* def, const pl_vec3 box,
                         pl_notes* notes) {
    static const double FAR = 0.5, GRAVITY = 9.81, SLENDER = 10.0;
    const double sides[3] = {box.x, box.y, box.z};
    double longest = fmax(box.x, fmax(box.y, box.z)), shortest = fmin(box.x, fmin(box.y, box.z));
    const double area = sides[0] * sides[1] * sides[2] / fmax(shortest, 1e-300);
    const double thickness = b->filling * b->lattice_volume / area;
    if (b->dynamic || !b->rotates || !(longest > SLENDER * thickness)) return;
    const double sag = 1.5 * def->body->material.density * GRAVITY * pow(longest, 3.0) /
                       (def->body->material.young * thickness * thickness);
    if (sag > FAR)
        pl_note(
            notes, PL_NOTE_INFO,
            "body \"%s\": it is about %.0f cells thin, and under gravity its weight would bend it "
            "by far "
            "more than its thickness; a lattice at rest hardly converges there in one frame. Let "
            "its "
            "weight grow over several frames (gravity or density by keyframes), hold it at more "
            "places, or use integrator \"euler\" with damping",
            b->name, fmax(thickness / b->frame.cell, 1.0));
}

static void note_lattice(const pl_grid_body* b, const pl_method_body* def, pl_notes* notes) {
    pl_note(notes, PL_NOTE_INFO, "body \"%s\": a lattice of %d cells of %g m, %d levels", b->name,
            b->lattice.levels[0].cell_count, b->frame.cell, b->lattice.level_count);
    const int thin =
        b->uses_corot ? b->thickening.thin_count : pl_grid_cells_count_layers(&b->cells);
    if (thin)
        pl_note(notes, PL_NOTE_INFO,
                "body \"%s\": %d cells are in parts one cell thin, %s; smaller "
                "cells (grid.cell) follow the body more closely",
                b->name, thin,
                b->uses_corot ? "and got soft cells beside them so that these can bend"
                              : "which do not bend");
    if (!isnan(def->body->contact.stiffness))
        pl_note(
            notes, PL_NOTE_INFO,
            "body \"%s\": contact.stiffness is an upper limit with method grid; contacts are no "
            "stiffer than the lattice at their faces",
            b->name);
}

// makes the cells that the surface overlaps, and their levels
static pl_status make_cells(pl_grid_body* b, const pl_grid* settings, const pl_mesh* surface,
                            pl_error* error) {
    pl_error cause = {0};
    pl_status status = pl_grid_voxelise(surface, settings->padding, b->pool, &b->frame, &b->cells,
                                        b->uses_corot ? &b->thickening : NULL, &cause);
    // room for a layer of Dirichlet cells outside the body
    if (status == PL_OK) status = pl_grid_cells_widen(&b->cells, &cause);
    if (status != PL_OK) return pl_fail(error, status, "body \"%s\": %.900s", b->name, cause.text);
    status = pl_grid_lattice_create(&b->cells, &b->lattice, error);
    if (status != PL_OK) return status;
    const pl_grid_level* fine = &b->lattice.levels[0];
    if (fine->face_count == 0)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "body \"%s\": its lattice of %g m cells has nothing that could deform; use "
                       "smaller cells (grid.cell)",
                       b->name, b->frame.cell);
    return PL_OK;
}

// makes the fields of the lattice and embeds the points
static pl_status make_fields(pl_grid_body* b, const pl_method_body* def, const pl_surface* shell,
                             pl_notes* notes, pl_error* error) {
    const pl_grid_level* fine = &b->lattice.levels[0];
    pl_status status = make_points(b, def, shell, notes, error);
    if (status == PL_OK) status = pl_grid_state_create(fine, &b->state, error);
    if (status == PL_OK) status = allocate(b, error);
    if (status == PL_OK)
        status =
            pl_grid_embed(fine, &b->cells, &b->frame, b->anchor, b->point_count, &b->map, error);
    if (status == PL_OK && b->is_smooth)
        status = pl_grid_tricubic_create(fine, &b->cells, &b->frame, b->anchor, b->vertex_count,
                                         &b->tricubic, error);
    if (status == PL_OK)
        status = pl_grid_pieces_create(fine, &b->cells, &b->frame, b->anchor, b->point_count,
                                       &b->pieces, error);
    if (status != PL_OK) return status;
    pl_grid_gains(&b->map, fine->field_size, b->applied, b->gain);
    for (size_t i = 0; i < 3 * (size_t)b->triangle_count; i++)
        b->triangles[i] = shell->vertices[shell->mesh->triangles[i]];
    if (b->tet_count) memcpy(b->tets, def->mesh->tets, 4 * (size_t)b->tet_count * sizeof(int));
    return PL_OK;
}

static pl_status make_lattice(pl_grid_body* b, const pl_method_body* def, const pl_surface* shell,
                              pl_notes* notes, pl_error* error) {
    const pl_grid* settings = &def->body->grid;
    const pl_mesh* surface = shell->mesh;
    b->triangle_count = surface->triangle_count;
    b->tet_count = def->mesh->tet_count;
    if (surface->triangle_count == 0 || !(pl_norm(size_of(surface)) > 0.0))
        return pl_fail(error, PL_ERROR_MESH,
                       "body \"%s\": a lattice needs a surface that encloses something", b->name);
    b->frame.cell = settings->cell;
    pl_surface_edges edges = {0};
    pl_status status = examine(b, surface, &edges, notes, error);
    if (status == PL_OK && isnan(settings->cell))
        status = pl_grid_choose_cell(b, def, surface, &edges, error);
    if (status == PL_OK) status = make_cells(b, settings, surface, error);
    if (status == PL_OK) status = make_fields(b, def, shell, notes, error);
    if (status == PL_OK) status = pl_grid_measure(b, def, surface, &edges, error);
    if (status == PL_OK && b->uses_corot)
        status = pl_grid_moduli(def, &b->lattice.levels[0], &b->cells, &b->frame, b->fractions,
                                b->mu, &b->moduli, error);
    if (status == PL_OK) status = pl_grid_body_make_cycles(b, error);
    if (status != PL_OK) return status;
    pl_grid_body_set_masses(b);
    note_lattice(b, def, notes);
    note_slender(b, def, size_of(surface), notes);
    return PL_OK;
}

// Returns true if Poisson's ratio is too large for the lattice.
static bool set_moduli(pl_grid_body* b, const pl_material_def* material) {
    pl_material_def_lame(material, &b->mu, &b->lambda);
    if (!b->uses_corot || b->lambda <= MAX_LAMBDA * b->mu) return false;
    b->lambda = MAX_LAMBDA * b->mu;
    return true;
}

pl_status pl_grid_body_create(const pl_method_body* def, pl_pool* pool, pl_grid_body* out,
                              pl_notes* notes, pl_error* error) {
    const pl_body* body = def->body;
    *out = (pl_grid_body){.name = body->name,
                          .first_vertex = def->first_vertex,
                          .vertex_count = def->mesh->vertex_count,
                          .damping_mass = body->damping.mass,
                          .damping_stiffness = body->damping.stiffness,
                          .dynamic = body->integrator != PL_INTEGRATOR_QUASISTATIC,
                          .second_order = body->integrator == PL_INTEGRATOR_BDF2,
                          .tolerance = body->solver.linear_tolerance,
                          .max_cycles = body->solver.linear_iterations,
                          .rotates = body->material.law != PL_LAW_LINEAR,
                          .update_every = body->grid.update_every,
                          .is_smooth = body->grid.embedding == PL_GRID_EMBEDDING_TRICUBIC,
                          .pool = pool};
    out->thickening.added = pl_array_of(3 * sizeof(int));
    out->uses_corot = out->rotates || body->region_count || body->variation_count;
    if (set_moduli(out, &body->material))
        pl_note(notes, PL_NOTE_INFO,
                "body \"%s\": a Poisson's ratio above 0.4998 is taken as 0.4998 with this law",
                out->name);
    pl_surface* surface = NULL;
    pl_status status = check_finite(def->mesh, error);
    if (status == PL_OK) status = pl_mesh_surface(def->mesh, &surface, error);
    if (status == PL_OK) status = make_lattice(out, def, surface, notes, error);
    pl_surface_destroy(surface);
    if (status != PL_OK) pl_grid_body_free(out);
    return status;
}

// rebuilds the levels for new moduli of cells, and takes ownership of these
static pl_status change_moduli(pl_grid_body* b, float* moduli, pl_error* error) {
    size_t size = (size_t)b->lattice.levels[0].field_size;
    bool same = moduli && b->moduli ? memcmp(moduli, b->moduli, size * sizeof(float)) == 0
                                    : !moduli && !b->moduli;
    pl_grid_corot corot;
    pl_status status = PL_OK;
    if (!same) status = create_corot(b, moduli, &corot, error);
    if (same || status != PL_OK) {
        PL_FREE(moduli, float, size);
        return status;
    }
    pl_grid_corot_free(&b->corot);
    b->corot = corot;
    PL_FREE(b->moduli, float, size);
    b->moduli = moduli;
    return PL_OK;
}

// Dirichlet cells outside the body have no modulus, as at creation.
static void set_outside(pl_grid_body* b, pl_cell kind) {
    const pl_grid_level* l = &b->lattice.levels[0];
    for (int s = 0; s < l->segment_count; s++) {
        const pl_grid_segment* g = &l->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++)
            if (b->held[g->begin + i] < 0)
                b->cells.kinds[pl_grid_cells_index(&b->cells, g->x + i, g->y, g->z)] =
                    (uint8_t)kind;
    }
}

pl_status pl_grid_body_update(pl_grid_body* b, const pl_method_body* def, pl_error* error) {
    const pl_body* body = def->body;
    pl_status status = PL_OK;
    if (b->uses_corot) {
        float* moduli;
        double mu, lambda;
        pl_material_def_lame(&body->material, &mu, &lambda);
        set_outside(b, PL_CELL_EXTERIOR);
        status = pl_grid_moduli(def, &b->lattice.levels[0], &b->cells, &b->frame, b->fractions, mu,
                                &moduli, error);
        set_outside(b, PL_CELL_DIRICHLET);
        if (status == PL_OK) status = change_moduli(b, moduli, error);
    }
    if (status != PL_OK) return status;
    set_moduli(b, &body->material);
    b->density = body->material.density * b->filling;
    b->damping_mass = body->damping.mass;
    b->damping_stiffness = body->damping.stiffness;
    b->coefficients_fit = false;
    return PL_OK;
}

void pl_grid_body_free(pl_grid_body* b) {
    int size = b->lattice.level_count ? b->lattice.levels[0].field_size : 0;
    for (int a = 0; a < 3; a++) {
        PL_FREE(b->velocity[a], double, size);
        PL_FREE(b->before[a], double, size);
        PL_FREE(b->applied[a], double, size);
        PL_FREE(b->more_mass[a], float, size);
        PL_FREE(b->past[a], double, size), PL_FREE(b->past_velocity[a], double, size);
        PL_FREE(b->guess[a], double, size);
    }
    PL_FREE(b->pressure_before, double, size), PL_FREE(b->guess_pressure, double, size);
    PL_FREE(b->guess_turn, pl_quat, size);
    PL_FREE(b->turn, pl_quat, size), PL_FREE(b->turn_before, pl_quat, size);
    PL_FREE(b->moduli, float, size), PL_FREE(b->fractions, float, size);
    PL_FREE(b->cell_mass, float, size);
    pl_grid_corot_free(&b->corot);
    PL_FREE(b->springs, double, 9 * (size_t)b->point_count);
    PL_FREE(b->gain, double, 3 * (size_t)b->point_count);
    PL_FREE(b->share, double, b->point_count);
    PL_FREE(b->colliding, int, b->colliding_count);
    if (b->anchor != b->rest) PL_FREE(b->anchor, double, 3 * (size_t)b->point_count);
    PL_FREE(b->triangles, int, 3 * (size_t)b->triangle_count);
    PL_FREE(b->tets, int, 4 * (size_t)b->tet_count);
    PL_FREE(b->fits, pl_grid_fit, b->fit_room);
    PL_FREE(b->pinned, int, b->vertex_count);
    PL_FREE(b->rest, double, 3 * (size_t)b->point_count);
    PL_FREE(b->held, int, size);
    PL_FREE(b->next_held, int, size);
    PL_FREE(b->is_single, bool, b->vertex_count);
    PL_FREE(b->targets, double, 3 * (size_t)b->vertex_count);
    PL_FREE(b->first_chunks, pl_grid_chunk_place, b->first_chunk_count);
    pl_array_free(&b->thickening.added);
    pl_grid_pieces_free(&b->pieces);
    pl_grid_embedding_free(&b->map);
    pl_grid_tricubic_free(&b->tricubic);
    if (b->lattice.level_count) pl_grid_state_free(&b->lattice.levels[0], &b->state);
    pl_grid_linear_free(&b->linear);
    pl_grid_lattice_free(&b->lattice);
    pl_grid_cells_free(&b->cells);
    *b = (pl_grid_body){0};
}

// Mass of an interior face beyond one cell's, in cells: half of both adjacent cells, plus the outer
// half of a cell whose far face is not a variable.
static float more_mass(const pl_grid_body* b, const pl_grid_segment* g, int a, int i) {
    const pl_grid_level* l = &b->lattice.levels[0];
    const int cells[2] = {g->begin + i, pl_grid_below(g, a, i)};
    double mass = -1.0;
    for (int k = 0; k < 2; k++)
        mass += pl_grid_cell_mass(b, cells[k]) * (pl_grid_has_stress(l, a, cells[k]) ? 0.5 : 1.0);
    return (float)mass;
}

void pl_grid_body_set_masses(pl_grid_body* b) {
    const pl_grid_level* l = &b->lattice.levels[0];
    for (int a = 0; a < 3; a++) {
        for (int s = 0; s < l->segment_count; s++)
            for (int i = 0; i < l->segments[s].count * PL_GRID_CHUNK; i++) {
                int at = l->segments[s].begin + i;
                bool own = pl_grid_bit(l->masks[at / PL_GRID_CHUNK].face[a], at);
                b->more_mass[a][at] = own ? more_mass(b, &l->segments[s], a, i) : 0.0f;
            }
        b->state.more_mass[a] = b->more_mass[a];
    }
}

void pl_grid_body_masses(const pl_grid_body* b, const pl_method_body* def, double* out) {
    const pl_mesh* mesh = def->mesh;
    int corners = mesh->tet_count ? 4 : 3,
        count = mesh->tet_count ? mesh->tet_count : mesh->triangle_count;
    const int* items = mesh->tet_count ? mesh->tets : mesh->triangles;
    double total = 0.0;
    memset(out, 0, (size_t)b->vertex_count * sizeof(double));
    // shares by volume, or by area if there is only a surface
    for (int e = 0; e < count; e++) {
        const int* v = items + (size_t)e * (size_t)corners;
        pl_vec3 x = pl_vec3_load(b->rest + 3 * (size_t)v[0]);
        pl_vec3 p = pl_sub(pl_vec3_load(b->rest + 3 * (size_t)v[1]), x);
        pl_vec3 q = pl_sub(pl_vec3_load(b->rest + 3 * (size_t)v[2]), x);
        double share =
            corners == 3
                ? pl_norm(pl_cross(p, q))
                : fabs(pl_dot(pl_cross(p, q), pl_sub(pl_vec3_load(b->rest + 3 * (size_t)v[3]), x)));
        for (int i = 0; i < corners; i++) out[v[i]] += share;
        total += share * corners;
    }
    double mass = b->density * b->lattice_volume;
    for (int v = 0; v < b->vertex_count; v++)
        out[v] = total > 0.0 ? mass * out[v] / total : mass / b->vertex_count;
}

static void interpolate_vertices(pl_grid_body* b, double* const field[3], double* out) {
    pl_grid_extend(&b->map, field);
    if (b->is_smooth) pl_grid_tricubic_interpolate(&b->tricubic, field, out, b->pool);
    else pl_grid_interpolate_first(&b->map, b->vertex_count, field, out, b->pool);
}

void pl_grid_body_vertices(pl_grid_body* b, double* positions, double* velocities) {
    interpolate_vertices(b, b->state.u, positions);
    for (size_t i = 0; i < 3 * (size_t)b->vertex_count; i++)
        positions[i] =
            b->pinned[i / 3] && !b->is_single[i / 3] ? b->targets[i] : positions[i] + b->rest[i];
    interpolate_vertices(b, b->velocity, velocities);
}

void pl_grid_body_points(pl_grid_body* b, double* const u[3], double* out) {
    pl_grid_extend_near(&b->map, u);
    pl_grid_interpolate(&b->map, u, out, b->pool);
    for (size_t i = 0; i < 3 * (size_t)b->point_count; i++) out[i] += b->rest[i];
}

void pl_grid_face_rest(const pl_grid_body* b, const pl_grid_segment* segment, int axis, int offset,
                       double place[3]) {
    double at[3] = {segment->x + offset + 0.5, segment->y + 0.5, segment->z + 0.5};
    at[axis] -= 0.5;
    for (int d = 0; d < 3; d++)
        place[d] = b->frame.origin[d] + b->frame.cell * pl_grid_unfolded(&b->frame, d, at[d]);
}

void pl_grid_body_add_field(const pl_grid_body* b, double* const field[3], pl_vec3 linear,
                            const pl_mat3* gradient) {
    const pl_grid_level* l = &b->lattice.levels[0];
    for (int s = 0; s < l->segment_count; s++) {
        const pl_grid_segment* g = &l->segments[s];
        for (int i = 0; i < g->count * PL_GRID_CHUNK; i++)
            for (int a = 0; a < 3; a++) {
                double at[3];
                pl_grid_face_rest(b, g, a, i, at);
                pl_vec3 v = pl_add(linear, pl_mat3_apply(gradient, pl_vec3_load(at)));
                field[a][g->begin + i] += a == 0 ? v.x : a == 1 ? v.y : v.z;
            }
    }
}

pl_method_energies pl_grid_body_energies(const pl_grid_body* b) {
    const pl_grid_level* l = &b->lattice.levels[0];
    double sum = 0.0, h = b->frame.cell;
    for (int i = 0; i < l->field_size; i++)
        for (int a = 0; a < 3; a++)
            if (pl_grid_bit(l->masks[i / PL_GRID_CHUNK].face[a], i))
                sum += pl_grid_mass_of(&b->state, a, i) * b->velocity[a][i] * b->velocity[a][i];
    const double elastic = b->cycles->functions->energy(b->cycles, &b->state, h);
    return (pl_method_energies){.kinetic = 0.5 * b->density * h * h * h * sum,
                                .elastic = b->mu * h * elastic};
}
