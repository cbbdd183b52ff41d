// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/run_values.h"
#include "base/memory.h"
#include "material/material.h"
#include "math/svd3.h"
#include "world/world_build.h"

#include <math.h>
#include <string.h>

static int components_of(pl_output_field field) {
    return field == PL_OUTPUT_VELOCITY || field == PL_OUTPUT_DISPLACEMENT ? 3 : 1;
}

static void free_body(const pl_run_values* v, int b) {
    pl_run_body* body = &v->bodies[b];
    size_t vertex_count = (size_t)pl_world_mesh(v->world, b)->vertex_count;
    for (int f = 0; body->fields && f < v->field_count; f++)
        PL_FREE(body->fields[f], double, (size_t)v->fields[f].components* vertex_count);
    PL_FREE(body->fields, double*, v->field_count);
    PL_FREE(body->weight, double, vertex_count);
    PL_FREE(body->rest, float, 3 * (size_t)v->record_bodies[b].vertex_count);
    PL_FREE(body->triangles, int, 3 * (size_t)v->record_bodies[b].triangle_count);
    pl_run_surface_free(&body->taken);
    for (int f = 0; body->skin_fields && f < v->field_count; f++)
        PL_FREE(body->skin_fields[f], double,
                (size_t)v->fields[f].components*(size_t)body->skin->vertex_count);
    PL_FREE(body->skin_fields, double*, v->field_count);
    if (body->skin) PL_FREE(body->skin_positions, double, 3 * (size_t)body->skin->vertex_count);
    pl_embedding_destroy(body->embedding);
    pl_mesh_destroy(body->read_skin);
}

void pl_run_values_free(pl_run_values* v) {
    for (int b = 0; v->bodies && v->record_bodies && b < v->body_count; b++) free_body(v, b);
    PL_FREE(v->bodies, pl_run_body, v->body_count);
    PL_FREE(v->record_bodies, pl_record_body, v->body_count);
    PL_FREE(v->values, pl_record_values, v->body_count);
    PL_FREE(v->fields, pl_record_field, v->field_count);
    PL_FREE(v->kinds, pl_output_field, v->field_count);
    *v = (pl_run_values){0};
}

static pl_status choose_fields(pl_run_values* v, const pl_output* output, pl_error* error) {
    v->field_count = output->field_count;
    v->fields = PL_ALLOC(pl_record_field, v->field_count);
    v->kinds = PL_ALLOC(pl_output_field, v->field_count);
    if (v->field_count && (!v->fields || !v->kinds))
        return pl_fail_memory(error, "the fields of a recording");
    for (int f = 0; f < v->field_count; f++) {
        const char* name = pl_output_field_name((int)output->fields[f]);
        v->kinds[f] = output->fields[f];
        v->fields[f] = (pl_record_field){name, PL_ELEMENT_VERTEX, components_of(output->fields[f])};
    }
    return PL_OK;
}

// the triangles of the surface with the mesh's own vertices
static int* whole_triangles(const pl_surface* surface) {
    size_t count = 3 * (size_t)surface->mesh->triangle_count;
    int* triangles = PL_ALLOC(int, count);
    for (size_t i = 0; triangles && i < count; i++)
        triangles[i] = surface->vertices[surface->mesh->triangles[i]];
    return triangles;
}

static pl_status take_rest(const pl_mesh* from, pl_run_body* body, pl_record_body* out,
                           pl_error* error) {
    body->rest = PL_ALLOC(float, 3 * (size_t)from->vertex_count);
    if (!body->rest) return pl_fail_memory(error, "the recording of a body");
    out->vertex_count = from->vertex_count;
    out->rest = body->rest;
    for (int i = 0; i < 3 * from->vertex_count; i++) body->rest[i] = (float)from->positions[i];
    return PL_OK;
}

// a mesh that is drawn in place of the body and moves with its tets
static pl_status read_skin(pl_run_values* v, int b, const pl_body* def, pl_error* error) {
    pl_run_body* body = &v->bodies[b];
    if (pl_world_mesh(v->world, b)->tet_count == 0)
        return pl_fail(error, PL_ERROR_UNSUPPORTED,
                       "bodies[%d].render.surface: goes with solids only in this version; leave it "
                       "out",
                       b);
    pl_error cause = {0};
    pl_status status = pl_mesh_read(def->render.surface, NULL, &body->read_skin, NULL, &cause);
    if (status != PL_OK)
        return pl_fail(error, status, "bodies[%d].render.surface: %.900s", b, cause.text);
    pl_transform_apply_mesh(&def->transform, body->read_skin);
    body->skin = body->read_skin;
    return PL_OK;
}

// ties the skin to the tets, and makes room for its values
static pl_status setup_skin(pl_run_values* v, int b, pl_error* error) {
    pl_run_body* body = &v->bodies[b];
    pl_record_body* out = &v->record_bodies[b];
    pl_status status = pl_embedding_create(pl_world_mesh(v->world, b), body->skin, v->world->pool,
                                           &body->embedding, error);
    if (status == PL_OK) status = take_rest(body->skin, body, out, error);
    if (status == PL_OK) status = pl_run_surface_take(body->skin, &body->taken, out, error);
    if (status != PL_OK) return status;
    out->triangle_count = body->skin->triangle_count;
    out->triangles = body->skin->triangles;
    body->skin_positions = PL_ALLOC(double, 3 * (size_t)body->skin->vertex_count);
    body->skin_fields = PL_ALLOC(double*, v->field_count);
    bool ready = body->skin_positions && (body->skin_fields || v->field_count == 0);
    for (int f = 0; ready && f < v->field_count; f++) {
        size_t count = (size_t)v->fields[f].components * (size_t)body->skin->vertex_count;
        body->skin_fields[f] = PL_ALLOC(double, count);
        ready = body->skin_fields[f] != NULL;
    }
    return ready ? PL_OK : pl_fail_memory(error, "the recording of a body");
}

static pl_status setup_own_surface(pl_run_values* v, int b, bool all, pl_error* error) {
    const pl_mesh* mesh = pl_world_mesh(v->world, b);
    pl_run_body* body = &v->bodies[b];
    pl_record_body* out = &v->record_bodies[b];
    body->surface = v->world->bodies[b].surface;
    const pl_mesh* surface = body->surface->mesh;
    pl_status status = take_rest(all ? mesh : surface, body, out, error);
    if (status == PL_OK) status = pl_run_surface_take(surface, &body->taken, out, error);
    if (status != PL_OK) return status;
    out->triangle_count = surface->triangle_count;
    out->triangles = surface->triangles;
    out->vertices = body->surface->vertices;
    if (!all) return PL_OK;
    out->vertices = NULL;
    out->tet_count = mesh->tet_count;
    out->tets = mesh->tets;
    out->triangles = body->triangles = whole_triangles(body->surface);
    return out->triangles ? PL_OK : pl_fail_memory(error, "the recording of a body");
}

static pl_status setup_body(pl_run_values* v, int b, const pl_scene* scene, pl_error* error) {
    const pl_body* def = &scene->bodies[b];
    pl_run_body* body = &v->bodies[b];
    pl_record_body* out = &v->record_bodies[b];
    size_t vertex_count = (size_t)pl_world_mesh(v->world, b)->vertex_count;
    *out = (pl_record_body){.name = pl_world_body_name(v->world, b),
                            .field_count = v->field_count,
                            .fields = v->fields};
    for (int k = 0; k < 3; k++) out->color[k] = (float)def->render.color[k];
    bool all = scene->output.record == PL_RECORD_ALL;
    pl_status status = PL_OK;
    if (def->render.surface && def->render.surface[0]) status = read_skin(v, b, def, error);
    else if (!all) body->skin = v->world->bodies[b].filled;
    if (status != PL_OK) return status;
    status = body->skin ? setup_skin(v, b, error) : setup_own_surface(v, b, all, error);
    if (status != PL_OK) return status;
    body->fields = PL_ALLOC(double*, v->field_count);
    body->weight = PL_ALLOC(double, vertex_count);
    if (!body->weight || (!body->fields && v->field_count))
        return pl_fail_memory(error, "the recording of a body");
    for (int f = 0; f < v->field_count; f++) {
        body->fields[f] = PL_ALLOC(double, (size_t)v->fields[f].components* vertex_count);
        if (!body->fields[f]) return pl_fail_memory(error, "a field of a recording");
    }
    return PL_OK;
}

pl_status pl_run_values_setup(pl_run_values* v, pl_world* world, const pl_scene* scene,
                              pl_error* error) {
    *v = (pl_run_values){.world = world, .body_count = pl_world_body_count(world)};
    v->bodies = PL_ALLOC(pl_run_body, v->body_count);
    v->record_bodies = PL_ALLOC(pl_record_body, v->body_count);
    v->values = PL_ALLOC(pl_record_values, v->body_count);
    pl_status status = v->bodies && v->record_bodies && v->values
                           ? choose_fields(v, &scene->output, error)
                           : pl_fail_memory(error, "a recording");
    for (int b = 0; status == PL_OK && b < v->body_count; b++)
        status = setup_body(v, b, scene, error);
    if (status != PL_OK) {
        pl_run_values_free(v);
        return status;
    }
    v->head = (pl_record_head){.up_axis = (int)scene->up,
                               .frame_step = scene->time_step * scene->output.every,
                               .body_count = v->body_count,
                               .bodies = v->record_bodies};
    return PL_OK;
}

static pl_mat3 edges_of(const int* v, const double* x) {
    pl_vec3 a = pl_vec3_load(x + 3 * (size_t)v[0]);
    return pl_mat3_from_columns(pl_sub(pl_vec3_load(x + 3 * (size_t)v[1]), a),
                                pl_sub(pl_vec3_load(x + 3 * (size_t)v[2]), a),
                                pl_sub(pl_vec3_load(x + 3 * (size_t)v[3]), a));
}

// the law of an element; false for springs, which have no stress
static bool material_of(const pl_element_material* from, pl_material* out) {
    *out = (pl_material){.mu = from->mu, .lambda = from->lambda};
    if (from->law == PL_LAW_MOONEY_RIVLIN) out->rivlin = pl_material_rivlin(from->mu, from->mu2);
    return pl_material_find(pl_law_name((int)from->law), &out->kind);
}

// pressure or von Mises stress, of Cauchy's stress P F' / det F
static double stress_value(pl_output_field field, const pl_material* material, pl_mat3 F) {
    double volume = pl_mat3_det(F);
    if (!(volume > 0.0)) return 0.0; // turned inside out: there is no such stress
    pl_mat3 stress = pl_mat3_mul(pl_material_stress(material, F), pl_mat3_transpose(F));
    double mean = (stress.m[0] + stress.m[4] + stress.m[8]) / 3.0, square = 0.0;
    if (field == PL_OUTPUT_PRESSURE) return -mean / volume;
    for (int i = 0; i < 9; i++) {
        double deviation = stress.m[i] - (i % 4 == 0 ? mean : 0.0);
        square += deviation * deviation;
    }
    return sqrt(1.5 * square) / volume;
}

// one number of a tet
static double tet_value(pl_output_field field, const pl_element_material* element, const int* v,
                        const double* rest, const double* x) {
    pl_mat3 inverse;
    bool is_ratio = field == PL_OUTPUT_STRETCH || field == PL_OUTPUT_VOLUME;
    if (!pl_mat3_inverse(edges_of(v, rest), &inverse)) return is_ratio ? 1.0 : 0.0;
    pl_mat3 F = pl_mat3_mul(edges_of(v, x), inverse), U, V;
    if (field == PL_OUTPUT_VOLUME) return pl_mat3_det(F);
    if (field == PL_OUTPUT_STRETCH) {
        double s[3];
        pl_svd3(F, &U, s, &V);
        return s[0];
    }
    pl_material material;
    if (!material_of(element, &material)) return 0.0;
    return field == PL_OUTPUT_ENERGY ? pl_material_energy(&material, F)
                                     : stress_value(field, &material, F);
}

// the mean of the tets around each vertex, by their rest volumes; that of rest where there is none
static void average_tets(pl_output_field field, const pl_world_body* body, const double* x,
                         double* weight, double* out) {
    const pl_mesh* mesh = body->mesh;
    bool is_ratio = field == PL_OUTPUT_STRETCH || field == PL_OUTPUT_VOLUME;
    memset(out, 0, (size_t)mesh->vertex_count * sizeof(double));
    memset(weight, 0, (size_t)mesh->vertex_count * sizeof(double));
    for (int e = 0; !body->is_cloth && e < mesh->tet_count; e++) {
        const int* v = mesh->tets + 4 * (size_t)e;
        double volume = fabs(pl_mat3_det(edges_of(v, mesh->positions)));
        double value = tet_value(field, &body->materials[e], v, mesh->positions, x);
        for (int i = 0; i < 4; i++) out[v[i]] += volume * value, weight[v[i]] += volume;
    }
    for (int i = 0; i < mesh->vertex_count; i++)
        out[i] = weight[i] > 0.0 ? out[i] / weight[i] : is_ratio ? 1.0 : 0.0;
}

static void update_field(pl_run_values* v, pl_world* world, int b, pl_output_field field,
                         double* out) {
    const pl_mesh* mesh = pl_world_mesh(world, b);
    const double *x = pl_world_positions(world, b), *velocity = pl_world_velocities(world, b);
    switch (field) {
    case PL_OUTPUT_VELOCITY:
        memcpy(out, velocity, 3 * (size_t)mesh->vertex_count * sizeof(double));
        return;
    case PL_OUTPUT_DISPLACEMENT:
        for (int i = 0; i < 3 * mesh->vertex_count; i++) out[i] = x[i] - mesh->positions[i];
        return;
    case PL_OUTPUT_CONTACT: pl_world_contact_forces(world, b, out); return;
    default: average_tets(field, &world->bodies[b], x, v->bodies[b].weight, out); return;
    }
}

void pl_run_values_update(pl_run_values* v, pl_world* world) {
    for (int b = 0; b < v->body_count; b++) {
        const double* x = pl_world_positions(world, b);
        for (int f = 0; f < v->field_count; f++)
            update_field(v, world, b, v->kinds[f], v->bodies[b].fields[f]);
        if (v->bodies[b].skin) {
            pl_embedding_deform(v->bodies[b].embedding, x, world->pool, v->bodies[b].skin_positions,
                                NULL);
            x = v->bodies[b].skin_positions;
            for (int f = 0; f < v->field_count; f++)
                pl_embedding_interpolate(v->bodies[b].embedding, v->bodies[b].fields[f],
                                         v->fields[f].components, v->bodies[b].skin_fields[f]);
        }
        double** fields = v->bodies[b].skin ? v->bodies[b].skin_fields : v->bodies[b].fields;
        v->values[b] = (pl_record_values){x, (const double* const*)fields};
    }
}
