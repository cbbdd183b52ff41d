// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Creates a body from its definition in the scene: mesh (a surface is filled with tets), materials,
// surface and contact.
#include "base/log.h"
#include "base/memory.h"
#include "base/notes.h"
#include "geometry/box.h"
#include "mesh/mesh_object.h"
#include "mesh/surface.h"
#include "world/body_hints.h"
#include "world/fit_partner.h"
#include "world/world_build.h"

#include <math.h>
#include <pliant/tetrahedralise.h>
#include <string.h>

void pl_world_body_free(pl_world_body* body) {
    pl_mesh_destroy(body->mesh);
    pl_mesh_destroy(body->filled);
    pl_surface_destroy(body->surface);
    PL_FREE(body->materials, pl_element_material, body->element_count);
    PL_FREE(body->next, pl_element_material, body->element_count);
    pl_material_maps_destroy(body->maps);
    *body = (pl_world_body){0};
}

// Default number of tets along the diagonal of a body, if it has no `edge` and is thick enough.
// Coarse, for fast frames; programs that only make a mesh use finer ones.
static const double TETS_ALONG = 30.0;
// Thin bodies get more tets, up to about this total.
enum { TET_LIMIT = 500000 };

static double diagonal_of(const pl_mesh* surface) {
    pl_box box = pl_box_empty();
    for (int v = 0; v < surface->vertex_count; v++)
        box = pl_box_add_point(box, pl_vec3_load(surface->positions + 3 * (size_t)v));
    return surface->vertex_count ? pl_box_diagonal(box) : 0.0;
}

// replaces a closed surface by tets
static pl_status fill_with_tets(pl_world_body* b, double edge, pl_pool* pool, pl_notes* notes,
                                pl_error* error) {
    pl_tetrahedralise_options options = pl_default_tetrahedralise_options();
    if (isnan(edge)) options.coarsest_edge = diagonal_of(b->mesh) / TETS_ALONG;
    else options.edge = edge;
    options.tet_limit = TET_LIMIT;
    options.use_tetgen = b->def->mesher == PL_MESHER_TETGEN;
    options.allow_split = b->def->allow_split;
    options.pool = pool;
    pl_mesh* tets;
    pl_log(PL_LOG_DEBUG, "body \"%s\": filling %d triangles with tets", b->def->name,
           b->mesh->triangle_count);
    pl_status status = pl_tetrahedralise(b->mesh, &options, &tets, notes, error);
    if (status != PL_OK) return status;
    pl_note(notes, PL_NOTE_INFO, "body \"%s\": the surface was filled with %d tets", b->def->name,
            tets->tet_count);
    if (b->def->render.keep_surface) b->filled = b->mesh;
    else pl_mesh_destroy(b->mesh);
    b->mesh = tets;
    return PL_OK;
}

double pl_world_modulus(const pl_world_body* b, const pl_element_material* m) {
    // method mixed keeps the volume of groups of elements, so a single element is softer
    static const double MAX_MIXED_LAMBDA = 10.0;
    bool is_mixed = b->def->method == PL_METHOD_MIXED;
    return 2.0 * m->mu + (is_mixed ? fmin(m->lambda, MAX_MIXED_LAMBDA * m->mu) : m->lambda);
}

// Sets the contact stiffness. For a vertex of a solid it is k = 10 (2 mu + lambda) times the
// element size, with the stiffest element, so that a body sinks in by far less than an element.
// Cloth is much stiffer in its plane than its weight requires, and steps converge badly on
// obstacles as stiff as that, so its k is a tenth of its modulus.
void pl_world_choose_contact(pl_world_body* b) {
    double stiffest = 0.0, area = 0.0;
    const pl_mesh* surface = b->surface->mesh;
    for (int e = 0; e < b->element_count; e++) {
        const pl_element_material* m = &b->materials[e];
        bool springs = m->law == PL_LAW_SPRINGS && b->is_cloth;
        double own = springs ? m->stretch : pl_world_modulus(b, m);
        stiffest = fmax(stiffest, fmax(own, 0.0));
    }
    if (b->element_count == 0) { // a surface for a lattice
        double mu, lambda;
        pl_material_def_lame(&b->def->material, &mu, &lambda);
        stiffest = 2.0 * mu + lambda;
    }
    for (int t = 0; t < surface->triangle_count; t++) {
        const int* v = surface->triangles + 3 * (size_t)t;
        pl_vec3 a = pl_vec3_load(surface->positions + 3 * (size_t)v[0]);
        pl_vec3 e1 = pl_sub(pl_vec3_load(surface->positions + 3 * (size_t)v[1]), a);
        pl_vec3 e2 = pl_sub(pl_vec3_load(surface->positions + 3 * (size_t)v[2]), a);
        area += 0.5 * pl_norm(pl_cross(e1, e2));
    }
    b->surface_size = diagonal_of(surface);
    double edge = surface->triangle_count ? sqrt(area / surface->triangle_count) : 0.0;
    const pl_body_contact* contact = &b->def->contact;
    double scale = b->is_cloth ? 0.1 : 10.0 * edge; // moduli of cloth are per length already
    b->contact_stiffness = isnan(contact->stiffness) ? stiffest * scale : contact->stiffness;
    b->contact_thickness =
        isnan(contact->thickness) ? (b->is_cloth ? 0.1 * edge : 0.0) : contact->thickness;
}

// adds a region of vertices as a region of corners
static pl_status add_corner_region(const pl_mesh* mesh, const pl_region* region, pl_mesh* out,
                                   pl_error* error) {
    int count = 0, corner_count = 3 * mesh->triangle_count;
    bool* inside = PL_ALLOC(bool, mesh->vertex_count);
    int* items = PL_ALLOC(int, corner_count);
    pl_status status = PL_OK;
    if (!inside || (corner_count && !items)) status = pl_fail_memory(error, "a region");
    for (int k = 0; status == PL_OK && k < region->count; k++) inside[region->items[k]] = true;
    for (int c = 0; status == PL_OK && c < corner_count; c++)
        if (inside[mesh->triangles[c]]) items[count++] = c;
    if (status == PL_OK)
        status = pl_mesh_copy_region(out, region, items, count, region->kind, error);
    PL_FREE(inside, bool, mesh->vertex_count);
    PL_FREE(items, int, corner_count);
    return status;
}

static pl_status copy_regions(const pl_mesh* mesh, pl_mesh* out, pl_error* error) {
    pl_status status = PL_OK;
    for (int k = 0; status == PL_OK && k < mesh->region_count; k++) {
        const pl_region* r = &mesh->regions[k];
        status = r->kind == PL_ELEMENT_VERTEX
                     ? add_corner_region(mesh, r, out, error)
                     : pl_mesh_copy_region(out, r, r->items, r->count, r->kind, error);
    }
    return status;
}

// Gives each triangle its own vertices, for cloth that tears (pbd/tearing.h). Fields are dropped.
static pl_status part_triangles(pl_world_body* b, pl_notes* notes, pl_error* error) {
    const pl_mesh* mesh = b->mesh;
    int count = 3 * mesh->triangle_count;
    double* positions = PL_ALLOC(double, 3 * (size_t)count);
    int* triangles = PL_ALLOC(int, count);
    pl_mesh* out = NULL;
    pl_status status = PL_OK;
    if (count && (!positions || !triangles)) status = pl_fail_memory(error, "triangles");
    for (int c = 0; status == PL_OK && c < count; c++) {
        memcpy(positions + 3 * (size_t)c, mesh->positions + 3 * (size_t)mesh->triangles[c],
               3 * sizeof(double));
        triangles[c] = c;
    }
    if (status == PL_OK)
        status = pl_mesh_create(positions, count, NULL, 0, triangles, count / 3, &out, error);
    if (status == PL_OK) status = copy_regions(mesh, out, error);
    if (status == PL_OK && !pl_mesh_copy_corners(mesh, out))
        status = pl_fail_memory(error, "triangles");
    if (status == PL_OK) { // adjacent triangles no longer share vertices
        PL_FREE(out->triangle_faces, int, out->triangle_count);
        out->triangle_faces = NULL;
    }
    PL_FREE(positions, double, 3 * (size_t)count);
    PL_FREE(triangles, int, count);
    if (status != PL_OK) {
        pl_mesh_destroy(out);
        return status;
    }
    if (mesh->field_count)
        pl_note(notes, PL_NOTE_INFO,
                "body \"%s\": fields of the mesh are ignored, because the cloth can tear",
                b->def->name);
    pl_mesh_destroy(b->mesh);
    b->mesh = out;
    return PL_OK;
}

pl_status pl_world_keep_boundary(pl_world_body* b, pl_error* error) {
    pl_surface* surface;
    pl_status status = pl_mesh_surface(b->mesh, &surface, error);
    if (status != PL_OK) return status;
    pl_mesh_destroy(b->mesh);
    b->mesh = surface->mesh;
    PL_FREE(surface->vertices, int, b->mesh->vertex_count);
    PL_FREE(surface->elements, int, b->mesh->triangle_count);
    surface->mesh = NULL; // the mesh lives on
    pl_surface_destroy(surface);
    return PL_OK;
}

// Replaces the mesh of a body with eigenfit.coarse_edge by a coarse mesh inside its boundary. The
// boundary is still what is drawn.
static pl_status coarsen(pl_world_body* b, pl_pool* pool, pl_notes* notes, pl_error* error) {
    double edge = b->def->eigenfit->coarse_edge;
    pl_status status = b->mesh->tet_count ? pl_world_keep_boundary(b, error) : PL_OK;
    if (status != PL_OK || b->def->shape != PL_SHAPE_GENERATE)
        return status == PL_OK ? fill_with_tets(b, edge, pool, notes, error) : status;
    pl_shape_value values[PL_FIT_MAX_VALUES];
    pl_body coarse;
    pl_mesh* tets;
    status = pl_fit_define(b->def, edge, values, &coarse, error);
    if (status == PL_OK) status = pl_body_mesh(&coarse, &tets, NULL, error);
    if (status != PL_OK) return status;
    if (b->def->render.keep_surface) b->filled = b->mesh;
    else pl_mesh_destroy(b->mesh);
    b->mesh = tets;
    return tets->tet_count
               ? PL_OK
               : pl_fail(error, PL_ERROR_ARGUMENT, "eigenfit.coarse_edge: the shape has no tets");
}

static bool is_coarsened(const pl_body* def) {
    return def->eigenfit && !isnan(def->eigenfit->coarse_edge);
}

static pl_status prepare(pl_world_body* b, pl_pool* pool, pl_notes* notes, pl_error* error) {
    pl_status status = pl_body_mesh(b->def, &b->mesh, notes, error);
    if (status != PL_OK) return status;
    b->is_cloth = b->def->kind == PL_BODY_CLOTH;
    if (is_coarsened(b->def)) status = coarsen(b, pool, notes, error);
    if (status != PL_OK) return status;
    if (!b->is_cloth && b->mesh->tet_count == 0 && b->def->method != PL_METHOD_GRID &&
        b->def->method != PL_METHOD_RIGID)
        status = fill_with_tets(b, b->def->edge, pool, notes, error);
    if (status == PL_OK) status = pl_body_hints(b->def, b->mesh, b->is_cloth, notes, error);
    if (status != PL_OK) return status;
    bool tears = b->def->method == PL_METHOD_PBD && !isnan(b->def->pbd.tear);
    if (tears && b->is_cloth) status = part_triangles(b, notes, error);
    if (status != PL_OK) return status;
    b->element_count = b->is_cloth ? b->mesh->triangle_count : b->mesh->tet_count;
    b->materials = PL_ALLOC(pl_element_material, b->element_count);
    if (!b->materials && b->element_count) return pl_fail_memory(error, "the materials of a body");
    status = pl_material_maps_create(b->def, b->mesh, b->is_cloth, &b->maps, error);
    if (status == PL_OK) status = pl_body_materials(b->maps, pool, b->materials, error);
    if (status == PL_OK) status = pl_mesh_surface_by(pool, b->mesh, &b->surface, error);
    if (status == PL_OK) pl_world_choose_contact(b);
    return status;
}

pl_status pl_world_body_setup(const pl_body* def, pl_pool* pool, pl_world_body* out,
                              pl_notes* notes, pl_error* error) {
    *out = (pl_world_body){.def = def};
    pl_error cause = {0};
    pl_status status = prepare(out, pool, notes, &cause);
    if (status == PL_OK) return PL_OK;
    pl_world_body_free(out);
    return pl_fail(error, status, "body \"%s\": %.900s", def->name, cause.text);
}
