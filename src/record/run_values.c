// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/run_values.h"
#include "base/memory.h"
#include "mesh/embedding.h"
#include "mesh/surface.h"
#include "world/world_build.h"
#include "world/world_fields.h"

// numbers of a field in a body
static size_t field_size(const pl_run_values* v, int b, int f) {
    const pl_mesh* mesh = pl_world_mesh(v->world, b);
    return (size_t)v->fields[f].components * (size_t)pl_mesh_element_count(mesh, v->fields[f].kind);
}

static void free_body(const pl_run_values* v, int b) {
    pl_run_body* body = &v->bodies[b];
    size_t vertex_count = (size_t)pl_world_mesh(v->world, b)->vertex_count;
    for (int f = 0; body->fields && f < v->field_count; f++)
        PL_FREE(body->fields[f], double, field_size(v, b, f));
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
    pl_surface_destroy(body->fine_skin);
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
        v->fields[f] = (pl_record_field){name, pl_world_field_kind(v->kinds[f]),
                                         pl_world_field_components(v->kinds[f])};
    }
    return PL_OK;
}

// the triangles of the surface, by vertices of the mesh
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

static pl_status check_solid(const pl_run_values* v, int b, const char* key, pl_error* error) {
    if (pl_world_mesh(v->world, b)->tet_count > 0) return PL_OK;
    return pl_fail(error, PL_ERROR_UNSUPPORTED,
                   "bodies[%d].render.%s: works only with solids in this version; leave it out", b,
                   key);
}

// reads a mesh that is drawn in place of the body and follows its tets
static pl_status read_skin(pl_run_values* v, int b, const pl_body* def, pl_error* error) {
    pl_run_body* body = &v->bodies[b];
    if (check_solid(v, b, "surface", error) != PL_OK) return PL_ERROR_UNSUPPORTED;
    pl_error cause = {0};
    pl_status status = pl_mesh_read(def->render.surface, NULL, &body->read_skin, NULL, &cause);
    if (status != PL_OK)
        return pl_fail(error, status, "bodies[%d].render.surface: %.900s", b, cause.text);
    pl_transform_apply_mesh(&def->transform, body->read_skin);
    body->skin = body->read_skin;
    return PL_OK;
}

// generates the surface of the same shape with shorter edges
static pl_status make_skin(pl_run_values* v, int b, const pl_body* def, pl_error* error) {
    pl_run_body* body = &v->bodies[b];
    if (check_solid(v, b, "edge", error) != PL_OK) return PL_ERROR_UNSUPPORTED;
    pl_error cause = {0};
    pl_mesh* fine;
    pl_status status = pl_body_fine_mesh(def, &fine, &cause);
    if (status == PL_OK)
        status = pl_mesh_surface_by(v->world->pool, fine, &body->fine_skin, &cause);
    pl_mesh_destroy(fine);
    if (status != PL_OK)
        return pl_fail(error, status, "bodies[%d].render.edge: %.900s", b, cause.text);
    body->skin = body->fine_skin->mesh;
    return PL_OK;
}

// attaches the skin to the tets, and allocates its values
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
        if (v->fields[f].kind != PL_ELEMENT_VERTEX) continue; // a skin has no tets
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
    else if (!all && def->render.edge > 0.0) status = make_skin(v, b, def, error);
    else if (!all) body->skin = pl_world_filled_surface(v->world, b);
    if (status != PL_OK) return status;
    status = body->skin ? setup_skin(v, b, error) : setup_own_surface(v, b, all, error);
    if (status != PL_OK) return status;
    body->fields = PL_ALLOC(double*, v->field_count);
    body->weight = PL_ALLOC(double, vertex_count);
    if (!body->weight || (!body->fields && v->field_count))
        return pl_fail_memory(error, "the recording of a body");
    for (int f = 0; f < v->field_count; f++) {
        size_t size = field_size(v, b, f);
        body->fields[f] = PL_ALLOC(double, size);
        if (size && !body->fields[f]) return pl_fail_memory(error, "a field of a recording");
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

int pl_run_values_vertex(const pl_run_values* v, int b, int recorded) {
    const int* vertices = v->record_bodies[b].vertices;
    if (v->bodies[b].skin) return pl_embedding_vertex(v->bodies[b].embedding, recorded);
    return vertices ? vertices[recorded] : recorded;
}

void pl_run_values_update(pl_run_values* v, pl_world* world) {
    for (int b = 0; b < v->body_count; b++) {
        const double* x = pl_world_positions(world, b);
        for (int f = 0; f < v->field_count; f++)
            pl_world_fill_field(world, b, v->kinds[f], v->bodies[b].weight, v->bodies[b].fields[f]);
        if (v->bodies[b].skin) {
            pl_embedding_deform(v->bodies[b].embedding, x, world->pool, v->bodies[b].skin_positions,
                                NULL);
            x = v->bodies[b].skin_positions;
            for (int f = 0; f < v->field_count; f++)
                if (v->bodies[b].skin_fields[f])
                    pl_embedding_interpolate(v->bodies[b].embedding, v->bodies[b].fields[f],
                                             v->fields[f].components, v->bodies[b].skin_fields[f]);
        }
        double** fields = v->bodies[b].skin ? v->bodies[b].skin_fields : v->bodies[b].fields;
        v->values[b] = (pl_record_values){x, (const double* const*)fields};
    }
}
