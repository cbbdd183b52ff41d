// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The fine partner is a world of its own, with the body on its fine mesh and its attachments, that
// lives as long as its modes are looked for.
#include "world/world_eigenfit.h"
#include "base/memory.h"
#include "base/notes.h"
#include "eigenfit/eigenfit.h"
#include "fem/fem_build.h"
#include "mesh/topology.h"
#include "step/step_system.h"

#include <math.h>
#include <pliant/modes.h>
#include <string.h>

static double lambda_of(const pl_modes* m, int k) {
    double omega = 2.0 * 3.14159265358979323846 * m->frequency[k];
    return omega * omega;
}

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

enum { MAX_VALUES = 32 };

// A generated shape with the edge in place of its own.
static pl_status refine_shape(const pl_body* def, double edge, pl_shape_value* values,
                              pl_body* fine, pl_error* error) {
    int count = 0;
    for (int k = 0; k < def->generate.value_count; k++) {
        const pl_shape_value* value = &def->generate.values[k];
        if (strncmp(value->key, "count", 5) == 0 || count + 1 >= MAX_VALUES)
            return pl_fail(error, PL_ERROR_ARGUMENT,
                           "eigenfit: the shape is divided by \"%s\"; give it an \"edge\" instead, "
                           "or eigenfit.fine",
                           value->key);
        if (strcmp(value->key, "edge") != 0) values[count++] = *value;
    }
    values[count++] = (pl_shape_value){.key = "edge", .number = edge};
    fine->generate.values = values;
    fine->generate.value_count = count;
    return PL_OK;
}

static pl_status fine_body(const pl_world_body* body, pl_shape_value* values, pl_body* fine,
                           pl_error* error) {
    const pl_eigenfit* e = body->def->eigenfit;
    *fine = *body->def;
    fine->eigenfit = NULL;
    fine->render = pl_default_body().render;
    if (e->fine) {
        fine->shape = PL_SHAPE_MESH;
        fine->mesh = e->fine;
        return PL_OK;
    }
    double edge = isnan(e->edge) ? 0.5 * mean_edge(body->mesh, error) : e->edge;
    if (!(edge > 0.0)) return PL_ERROR_MEMORY;
    fine->edge = edge;
    if (body->def->shape == PL_SHAPE_GENERATE)
        return refine_shape(body->def, edge, values, fine, error);
    if (body->filled || !isnan(body->def->edge)) return PL_OK;
    return pl_fail(
        error, PL_ERROR_ARGUMENT,
        "eigenfit: the mesh of the body holds tets, which are not refined; give the mesh "
        "of the fine body in eigenfit.fine");
}

// What holds a body counts for its modes, not where to: colliders and files stay out of it.
static pl_status add_hold(pl_scene* scene, const pl_attachment* attachment, pl_error* error) {
    pl_attachment hold = pl_default_attachment();
    hold.name = attachment->name;
    hold.body = attachment->body;
    hold.where = attachment->where;
    hold.stiffness = attachment->stiffness;
    hold.hold_count = attachment->hold_count;
    hold.hold = attachment->hold;
    memcpy(hold.normal, attachment->normal, sizeof hold.normal);
    hold.from = attachment->from;
    hold.until = attachment->until;
    return pl_scene_add_attachment(scene, &hold, error);
}

static pl_status fine_scene(const pl_world* w, const pl_world_body* body, pl_scene** out,
                            pl_error* error) {
    pl_shape_value values[MAX_VALUES];
    pl_body fine;
    pl_status status = fine_body(body, values, &fine, error);
    if (status == PL_OK) status = pl_scene_create(out, error);
    if (status != PL_OK) return status;
    (*out)->threads = w->scene->threads;
    status = pl_scene_add_body(*out, &fine, error);
    for (int k = 0; status == PL_OK && k < w->scene->attachment_count; k++)
        if (&w->bodies[w->attachments[k].body] == body)
            status = add_hold(*out, &w->scene->attachments[k], error);
    return status;
}

// Modes of the fine body, or NULL after an error.
static pl_status fine_modes(const pl_world* w, const pl_world_body* body, int count, pl_modes** out,
                            pl_error* error) {
    pl_scene* scene = NULL;
    pl_world* fine = NULL;
    pl_error cause = {0};
    pl_status status = fine_scene(w, body, &scene, error);
    if (status == PL_OK) {
        status = pl_world_create(scene, &fine, NULL, &cause);
        if (status == PL_OK) status = pl_world_modes(fine, 0, count, out, &cause);
        if (status != PL_OK) pl_fail(error, status, "eigenfit, fine mesh: %.900s", cause.text);
    }
    pl_world_destroy(fine);
    pl_scene_destroy(scene);
    return status;
}

// ---------------------------------------------------------------- ratios

static pl_status find_ratios(const pl_modes* coarse, const pl_modes* fine, double* ratios,
                             pl_error* error) {
    if (coarse->rigid_count != fine->rigid_count)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "eigenfit: the body has %d rigid modes and the fine mesh %d; both must be "
                       "the same shape, in one piece each, held at the same places",
                       coarse->rigid_count, fine->rigid_count);
    if (fine->count < coarse->count)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "eigenfit: the fine mesh has %d modes, and %d are to be fitted; give a mesh "
                       "that is finer than the body",
                       fine->count, coarse->count);
    for (int k = 0; k < coarse->count; k++)
        ratios[k] = k < coarse->rigid_count ? 1.0 : lambda_of(fine, k) / lambda_of(coarse, k);
    return PL_OK;
}

static void note_ratios(const pl_world_body* body, const pl_modes* coarse, const pl_modes* fine,
                        const double* ratios, pl_notes* notes) {
    double low = INFINITY, high = 0.0;
    for (int k = coarse->rigid_count; k < coarse->count; k++) {
        low = fmin(low, ratios[k]);
        high = fmax(high, ratios[k]);
    }
    pl_note(notes, PL_NOTE_INFO,
            "body \"%s\": %d modes fitted to a mesh of %d vertices, eigenvalues times %.3f to %.3f",
            body->def->name, coarse->count - coarse->rigid_count, fine->vertex_count, low, high);
    if (high > 1.0 && body->def->eigenfit->fine)
        pl_note(notes, PL_NOTE_MENDED,
                "body \"%s\": eigenfit makes some modes stiffer; a finer mesh should make them "
                "softer: is eigenfit.fine the same shape?",
                body->def->name);
}

// ---------------------------------------------------------------- the term

static bool is_linear(const pl_world_body* body) {
    for (int e = 0; e < body->element_count; e++)
        if (body->materials[e].law != PL_LAW_LINEAR) return false;
    return !body->may_change;
}

// vertices that no mode moves are held
static void mark_held(const pl_modes* m, bool* fixed) {
    for (int v = 0; v < m->vertex_count; v++) {
        fixed[v] = true;
        for (int k = 0; k < m->count && fixed[v]; k++) {
            const double* u = m->shapes + 3 * ((size_t)k * (size_t)m->vertex_count + (size_t)v);
            fixed[v] = u[0] == 0.0 && u[1] == 0.0 && u[2] == 0.0;
        }
    }
}

static pl_status make_term(pl_world* w, pl_world_body* body, const pl_modes* coarse,
                           const double* ratios, double* lambda, bool* fixed, pl_error* error) {
    pl_fem_parts parts;
    pl_method_body alone = {body->def, body->mesh, body->is_cloth, body->materials, 0, false};
    pl_status status =
        pl_fem_parts_create(&alone, 1, body->mesh->vertex_count, w->pool, &parts, error);
    if (status != PL_OK) return status;
    for (int k = 0; k < coarse->count; k++) lambda[k] = lambda_of(coarse, k);
    mark_held(coarse, fixed);
    pl_eigenfit_input input = {.vertex_count = coarse->vertex_count,
                               .neighbour_offsets = parts.neighbour_offsets,
                               .neighbours = parts.neighbours,
                               .rest = body->mesh->positions,
                               .fixed = fixed,
                               .mode_count = coarse->count,
                               .rigid_count = coarse->rigid_count,
                               .lambda = lambda,
                               .shapes = coarse->shapes,
                               .ratios = ratios,
                               .is_linear = is_linear(body),
                               .tolerance = body->def->eigenfit->tolerance};
    pl_world_system* system = &w->systems[body->system];
    status = pl_eigenfit_term_create(&input, w->pool, &system->eigenfit, error);
    if (status == PL_OK)
        status = pl_step_add_term(system->data, pl_eigenfit_term_of(system->eigenfit), error);
    pl_fem_parts_free(&parts);
    return status;
}

static pl_status fit(pl_world* w, int b, pl_notes* notes, pl_error* error) {
    pl_world_body* body = &w->bodies[b];
    pl_modes *coarse = NULL, *fine = NULL;
    int count = body->def->eigenfit->modes, room = 0;
    double *ratios = NULL, *lambda = NULL;
    bool* fixed = PL_ALLOC(bool, body->mesh->vertex_count);
    pl_status status = fixed ? PL_OK : pl_fail_memory(error, "EigenFit");
    if (status == PL_OK) status = pl_world_modes(w, b, count, &coarse, error);
    if (status == PL_OK) status = fine_modes(w, body, count, &fine, error);
    if (status == PL_OK) {
        room = coarse->count;
        ratios = PL_ALLOC(double, room);
        lambda = PL_ALLOC(double, room);
        if (!ratios || !lambda) status = pl_fail_memory(error, "EigenFit");
    }
    if (status == PL_OK) status = find_ratios(coarse, fine, ratios, error);
    if (status == PL_OK) status = make_term(w, body, coarse, ratios, lambda, fixed, error);
    if (status == PL_OK) note_ratios(body, coarse, fine, ratios, notes);
    PL_FREE(fixed, bool, body->mesh->vertex_count);
    PL_FREE(ratios, double, room);
    PL_FREE(lambda, double, room);
    pl_modes_destroy(coarse);
    pl_modes_destroy(fine);
    return status;
}

pl_status pl_world_eigenfit_setup(pl_world* w, int s, pl_notes* notes, pl_error* error) {
    for (int b = 0; b < w->body_count; b++) {
        if (w->bodies[b].system != s || !w->bodies[b].def->eigenfit) continue;
        pl_error cause = {0};
        pl_status status = fit(w, b, notes, &cause); // a body with eigenfit has a system to itself
        if (status != PL_OK)
            pl_fail(error, status, "body \"%s\": %.900s", w->bodies[b].def->name, cause.text);
        return status;
    }
    return PL_OK;
}
