// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "world/fit_partner.h"
#include "base/memory.h"
#include "mesh/topology.h"
#include "scene/selection.h"
#include "world/world_loads.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------- the fine body

static double mean_edge(const pl_mesh* mesh, pl_error* error) {
    pl_edges edges;
    if (pl_edges_create(mesh->tets, mesh->tet_count, 4, mesh->vertex_count, &edges, error) != PL_OK)
        return NAN;
    double sum = 0.0;
    for (int e = 0; e < edges.count; e++)
        sum += pl_distance(pl_vec3_load(mesh->positions + 3 * (size_t)edges.ends[2 * e]),
                           pl_vec3_load(mesh->positions + 3 * (size_t)edges.ends[2 * e + 1]));
    double mean = sum / edges.count;
    pl_edges_free(&edges);
    return mean;
}

pl_status pl_fit_define(const pl_body* def, double edge, pl_shape_value* values, pl_body* out,
                        pl_error* error) {
    int count = 0;
    *out = *def;
    for (int k = 0; k < def->generate.value_count; k++) {
        const pl_shape_value* value = &def->generate.values[k];
        if (strncmp(value->key, "count", 5) == 0 || count + 1 >= PL_FIT_MAX_VALUES)
            return pl_fail(error, PL_ERROR_ARGUMENT,
                           "eigenfit: \"%s\" sets the number of elements of the shape; give "
                           "\"edge\" instead%s",
                           value->key,
                           isnan(def->eigenfit->coarse_edge) ? ", or eigenfit.fine" : "");
        if (strcmp(value->key, "edge") != 0) values[count++] = *value;
    }
    values[count++] = (pl_shape_value){.key = "edge", .number = edge};
    out->generate.values = values;
    out->generate.value_count = count;
    return PL_OK;
}

static pl_status define(const pl_world_body* body, const pl_body* rest, pl_fit_partner* p,
                        pl_error* error) {
    const pl_eigenfit* e = rest->eigenfit;
    p->def = *rest;
    if (!isnan(e->coarse_edge)) return PL_OK;
    if (e->fine) {
        p->def.shape = PL_SHAPE_MESH;
        p->def.mesh = e->fine;
        return PL_OK;
    }
    double edge = isnan(e->edge) ? 0.5 * mean_edge(body->mesh, error) : e->edge;
    if (!(edge > 0.0)) return PL_ERROR_MEMORY;
    p->def.edge = edge;
    if (rest->shape == PL_SHAPE_GENERATE)
        return pl_fit_define(rest, edge, p->values, &p->def, error);
    if (body->filled || !isnan(rest->edge)) return PL_OK;
    return pl_fail(
        error, PL_ERROR_ARGUMENT,
        "eigenfit: the mesh of the body has tets, which pliant does not refine; give a fine mesh "
        "in eigenfit.fine, or set eigenfit.coarse_edge to use this mesh as the fine one");
}

// A coarse mesh made by pliant must have fewer vertices than the body's own.
static pl_status check_coarse(const pl_world_body* coarse, const pl_body* rest,
                              const pl_world_body* own, pl_error* error) {
    int count = coarse->mesh->vertex_count, own_count = own->mesh->vertex_count;
    if (isnan(rest->eigenfit->coarse_edge) || count < own_count) return PL_OK;
    return pl_fail(error, PL_ERROR_ARGUMENT,
                   "eigenfit.coarse_edge: a mesh with edges of %g m has %d vertices, but must have "
                   "fewer than the body's %d; give a longer edge",
                   rest->eigenfit->coarse_edge, count, own_count);
}

// Moves the fine mesh like the body, if that was moved out of another one at the start.
static void move_along(const pl_world_body* body, pl_mesh* fine) {
    for (size_t v = 0; v < (size_t)fine->vertex_count; v++)
        pl_vec3_store(fine->positions + 3 * v,
                      pl_add(pl_vec3_load(fine->positions + 3 * v), body->moved));
}

pl_status pl_fit_partner_create(const pl_world_body* body, const pl_body* rest, pl_pool* pool,
                                pl_fit_partner* out, pl_error* error) {
    *out = (pl_fit_partner){0};
    pl_error cause = {0};
    pl_status status = define(body, rest, out, error);
    if (status != PL_OK) return status;
    out->def.eigenfit = NULL;
    out->def.render.keep_surface = false;
    status = pl_world_body_setup(&out->def, pool, &out->body, NULL, &cause);
    if (status == PL_OK) {
        status = check_coarse(body, rest, &out->body, error);
        if (status != PL_OK) {
            pl_fit_partner_free(out);
            return status;
        }
    }
    if (status == PL_OK) move_along(body, out->body.mesh);
    if (status == PL_OK)
        status = pl_embedding_create(body->mesh, out->body.mesh, pool, &out->map, &cause);
    if (status == PL_OK) return PL_OK;
    pl_fit_partner_free(out);
    return pl_fail(error, status, "eigenfit, fine mesh: %.900s", cause.text);
}

pl_status pl_fit_partner_show(pl_fit_partner* p, pl_world_body* body, pl_error* error) {
    if (!body->def->render.keep_surface || body->filled) return PL_OK;
    pl_status status = pl_world_keep_boundary(&p->body, error);
    if (status != PL_OK) return status;
    body->filled = p->body.mesh;
    p->body.mesh = NULL;
    return PL_OK;
}

void pl_fit_partner_free(pl_fit_partner* p) {
    pl_embedding_destroy(p->map);
    pl_world_body_free(&p->body);
    *p = (pl_fit_partner){0};
}

// ---------------------------------------------------------------- what is held

// True if a selection is only valid on one mesh: on the other it would be other vertices.
static bool is_of_one_mesh(const pl_selection* s, const pl_mesh* other) {
    switch (s->kind) {
    case PL_SELECT_VERTICES:
    case PL_SELECT_NEAREST: return true;
    case PL_SELECT_REGION:
        return !pl_mesh_region(other, PL_ELEMENT_VERTEX, s->region) &&
               !pl_mesh_region(other, PL_ELEMENT_TRIANGLE, s->region) &&
               !pl_mesh_region(other, PL_ELEMENT_TET, s->region);
    default: break;
    }
    for (int k = 0; k < s->part_count; k++)
        if (is_of_one_mesh(&s->parts[k], other)) return true;
    return false;
}

static int nearest_vertex(const pl_mesh* mesh, pl_vec3 p) {
    int nearest = 0;
    double least = INFINITY;
    for (int v = 0; v < mesh->vertex_count; v++) {
        double distance = pl_distance(pl_vec3_load(mesh->positions + 3 * (size_t)v), p);
        if (distance < least) {
            least = distance;
            nearest = v;
        }
    }
    return nearest;
}

// Selects the fine vertices that are interpolated from held coarse vertices alone, and for each
// held coarse vertex the nearest fine one.
static pl_status carry_over(const pl_mesh* coarse, const int* held, int held_count,
                            const pl_fit_partner* p, pl_selected* out, pl_error* error) {
    const double whole = 1.0 - 1e-6;
    const pl_mesh* fine = p->body.mesh;
    double* weights = PL_ALLOC(double, coarse->vertex_count);
    double* sums = PL_ALLOC(double, fine->vertex_count);
    int count = 0;
    pl_status status = weights && sums ? PL_OK : pl_fail_memory(error, "EigenFit");
    for (int k = 0; status == PL_OK && k < held_count; k++) weights[held[k]] = 1.0;
    if (status == PL_OK) pl_embedding_interpolate(p->map, weights, 1, sums);
    for (int k = 0; status == PL_OK && k < held_count; k++)
        sums[nearest_vertex(fine, pl_vec3_load(coarse->positions + 3 * (size_t)held[k]))] = 1.0;
    for (int v = 0; status == PL_OK && v < fine->vertex_count; v++) count += sums[v] > whole;
    if (status == PL_OK) {
        out->items = PL_ALLOC(int, count);
        if (!out->items) status = pl_fail_memory(error, "EigenFit");
    }
    for (int v = 0; status == PL_OK && v < fine->vertex_count; v++)
        if (sums[v] > whole) out->items[out->count++] = v;
    PL_FREE(weights, double, coarse->vertex_count);
    PL_FREE(sums, double, fine->vertex_count);
    return status;
}

static pl_status add_pins(const pl_attachment* def, const pl_mesh* mesh, const int* vertices,
                          int count, pl_array* pins, pl_error* error) {
    pl_mat3 held;
    bool partial = pl_attachment_directions(def, &held);
    for (int k = 0; k < count; k++) {
        pl_vec3 place = pl_vec3_load(mesh->positions + 3 * (size_t)vertices[k]);
        pl_pin pin = {.vertex = vertices[k],
                      .hard = true,
                      .from = place,
                      .target = place,
                      .partial = partial,
                      .held = held};
        if (!pl_array_push(pins, &pin)) return pl_fail_memory(error, "pins");
    }
    return PL_OK;
}

pl_status pl_fit_add_pins(const pl_world* w, int k, const pl_fit_partner* p, pl_array* pins,
                          pl_error* error) {
    const pl_attachment* def = &w->scene->attachments[k];
    const pl_world_attachment* a = &w->attachments[k];
    const pl_mesh* coarse = w->bodies[a->body].mesh;
    if (!p) return add_pins(def, coarse, a->vertices, a->count, pins, error);
    const pl_mesh* fine = p->body.mesh;
    pl_selected selected = {0};
    pl_error cause = {0};
    pl_status status = PL_ERROR_ARGUMENT; // nothing is selected
    if (!is_of_one_mesh(&def->where, fine))
        status = pl_selection_vertices(&def->where, fine, def->body, &selected, &cause);
    if (status == PL_ERROR_ARGUMENT)
        status = carry_over(coarse, a->vertices, a->count, p, &selected, &cause);
    if (status != PL_OK) pl_fail(error, status, "eigenfit, fine mesh: %.900s", cause.text);
    if (status == PL_OK) status = add_pins(def, fine, selected.items, selected.count, pins, error);
    pl_selected_free(&selected);
    return status;
}
