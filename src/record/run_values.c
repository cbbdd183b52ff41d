// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/run_values.h"
#include "base/memory.h"
#include "math/mat3.h"
#include "math/svd3.h"

#include <math.h>
#include <string.h>

static int components_of(pl_output_field field) {
    return field == PL_OUTPUT_VELOCITY || field == PL_OUTPUT_DISPLACEMENT ? 3 : 1;
}

static bool is_handled(pl_output_field field) {
    return field == PL_OUTPUT_VELOCITY || field == PL_OUTPUT_DISPLACEMENT ||
           field == PL_OUTPUT_STRETCH || field == PL_OUTPUT_VOLUME;
}

static void free_body(const pl_run_values* v, int b) {
    pl_run_body* body = &v->bodies[b];
    size_t vertex_count = (size_t)pl_world_mesh(v->world, b)->vertex_count;
    for (int f = 0; body->fields && f < v->field_count; f++)
        PL_FREE(body->fields[f], double, (size_t)v->fields[f].components* vertex_count);
    PL_FREE(body->fields, double*, v->field_count);
    PL_FREE(body->rest, float, 3 * (size_t)v->record_bodies[b].vertex_count);
    PL_FREE(body->triangles, int, 3 * (size_t)v->record_bodies[b].triangle_count);
    pl_surface_destroy(body->surface);
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
        if (!is_handled(output->fields[f]))
            return pl_fail(error, PL_ERROR_UNSUPPORTED,
                           "output.fields: \"%s\" is not recorded by this version; velocity, "
                           "displacement, stretch "
                           "and volume are",
                           name);
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

static pl_status setup_body(pl_run_values* v, int b, const pl_scene* scene, pl_error* error) {
    const pl_mesh* mesh = pl_world_mesh(v->world, b);
    pl_run_body* body = &v->bodies[b];
    pl_record_body* out = &v->record_bodies[b];
    pl_status status = pl_mesh_surface(mesh, &body->surface, error);
    if (status != PL_OK) return status;
    const pl_mesh* surface = body->surface->mesh;
    bool all = scene->output.record == PL_RECORD_ALL;
    const pl_mesh* from = all ? mesh : surface;
    *out = (pl_record_body){.name = pl_world_body_name(v->world, b),
                            .vertex_count = from->vertex_count,
                            .triangle_count = surface->triangle_count,
                            .triangles = surface->triangles,
                            .tet_count = all ? mesh->tet_count : 0,
                            .tets = all ? mesh->tets : NULL,
                            .vertices = all ? NULL : body->surface->vertices,
                            .field_count = v->field_count,
                            .fields = v->fields};
    body->rest = PL_ALLOC(float, 3 * (size_t)from->vertex_count);
    out->rest = body->rest;
    for (int k = 0; k < 3; k++) out->color[k] = (float)scene->bodies[b].render.color[k];
    body->fields = PL_ALLOC(double*, v->field_count);
    if (all) out->triangles = body->triangles = whole_triangles(body->surface);
    if (!body->rest || !out->triangles || (!body->fields && v->field_count))
        return pl_fail_memory(error, "the recording of a body");
    for (int i = 0; i < 3 * from->vertex_count; i++) body->rest[i] = (float)from->positions[i];
    for (int f = 0; f < v->field_count; f++) {
        body->fields[f] =
            PL_ALLOC(double, (size_t)v->fields[f].components*(size_t)mesh->vertex_count);
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

// largest principal stretch, or volume ratio, of a tet
static double tet_value(pl_output_field field, const int* v, const double* rest, const double* x) {
    pl_mat3 inverse;
    if (!pl_mat3_inverse(edges_of(v, rest), &inverse)) return 1.0;
    pl_mat3 F = pl_mat3_mul(edges_of(v, x), inverse);
    if (field == PL_OUTPUT_VOLUME) return pl_mat3_det(F);
    pl_mat3 U, V;
    double s[3];
    pl_svd3(F, &U, s, &V);
    return s[0];
}

// the mean of the tets around each vertex, by their rest volumes; 1 where there is none
static void average_tets(pl_output_field field, const pl_mesh* mesh, const double* x, double* out) {
    memset(out, 0, (size_t)mesh->vertex_count * sizeof(double));
    double* weight = PL_ALLOC(double, mesh->vertex_count);
    for (int e = 0; weight && e < mesh->tet_count; e++) {
        const int* v = mesh->tets + 4 * (size_t)e;
        double volume = fabs(pl_mat3_det(edges_of(v, mesh->positions)));
        double value = tet_value(field, v, mesh->positions, x);
        for (int i = 0; i < 4; i++) out[v[i]] += volume * value, weight[v[i]] += volume;
    }
    for (int i = 0; i < mesh->vertex_count; i++)
        out[i] = weight && weight[i] > 0.0 ? out[i] / weight[i] : 1.0;
    PL_FREE(weight, double, mesh->vertex_count);
}

static void update_field(pl_output_field field, const pl_mesh* mesh, const double* x,
                         const double* velocity, double* out) {
    if (field == PL_OUTPUT_STRETCH || field == PL_OUTPUT_VOLUME) {
        average_tets(field, mesh, x, out);
        return;
    }
    for (int i = 0; i < 3 * mesh->vertex_count; i++)
        out[i] = field == PL_OUTPUT_VELOCITY ? velocity[i] : x[i] - mesh->positions[i];
}

void pl_run_values_update(pl_run_values* v, pl_world* world) {
    for (int b = 0; b < v->body_count; b++) {
        const pl_mesh* mesh = pl_world_mesh(world, b);
        const double* x = pl_world_positions(world, b);
        for (int f = 0; f < v->field_count; f++)
            update_field(v->kinds[f], mesh, x, pl_world_velocities(world, b),
                         v->bodies[b].fields[f]);
        v->values[b] = (pl_record_values){x, (const double* const*)v->bodies[b].fields};
    }
}
