// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The files that a scene names: loads and places the meshes of bodies, and checks that everything
// which refers to them can be found.
#include "base/memory.h"
#include "base/notes.h"
#include "math/vec3.h"
#include "scene/animation.h"
#include "scene/scene_object.h"
#include "scene/scene_type.h"
#include "scene/selection.h"

#include <math.h>
#include <pliant/generate.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// ---------------------------------------------------------------- meshes

static double longest_side(const double* positions, int vertex_count) {
    pl_vec3 low = pl_vec3_load(positions), high = low;
    for (int v = 1; v < vertex_count; v++) {
        pl_vec3 x = pl_vec3_load(positions + 3 * (size_t)v);
        low = pl_min3(low, x);
        high = pl_max3(high, x);
    }
    return fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
}

void pl_transform_apply(const pl_transform* transform, double* positions, int vertex_count) {
    if (vertex_count <= 0) return;
    double side = longest_side(positions, vertex_count);
    double fit = isnan(transform->size) || !(side > 0.0) ? 1.0 : transform->size / side;
    pl_mat3 R = pl_rotation_of_angles(transform->rotate);
    bool turns =
        transform->rotate[0] != 0 || transform->rotate[1] != 0 || transform->rotate[2] != 0;
    for (int v = 0; v < vertex_count; v++) {
        double* p = positions + 3 * (size_t)v;
        for (int k = 0; k < 3; k++) p[k] *= fit * transform->scale[k];
        // without a rotation nothing is rounded
        if (turns) pl_vec3_store(p, pl_mat3_apply(&R, pl_vec3_load(p)));
        for (int k = 0; k < 3; k++) p[k] += transform->translate[k];
    }
}

void pl_transform_apply_mesh(const pl_transform* transform, pl_mesh* mesh) {
    pl_transform_apply(transform, mesh->positions, mesh->vertex_count);
    pl_mat3 R = pl_rotation_of_angles(transform->rotate);
    for (int i = 0; i < mesh->normal_count; i++) {
        double* n = mesh->normals + 3 * (size_t)i;
        for (int k = 0; k < 3; k++) n[k] /= transform->scale[k];
        pl_vec3_store(n, pl_mat3_apply(&R, pl_vec3_load(n)));
    }
}

// edge: replaces the generator's own unless NAN
static pl_status generate(const pl_shape_maker* maker, double edge, pl_mesh** out,
                          pl_error* error) {
    pl_generate_options options;
    pl_status status = pl_generate_defaults(maker->shape, &options, error);
    for (int i = 0; i < maker->value_count && status == PL_OK; i++) {
        const pl_shape_value* v = &maker->values[i];
        status = v->word ? pl_generate_set_text(maker->shape, &options, v->key, v->word, error)
                         : pl_generate_set_number(maker->shape, &options, v->key, v->number, error);
    }
    if (status == PL_OK && !isnan(edge)) {
        status = pl_generate_set_number(maker->shape, &options, "edge", edge, error);
        options.count_x = options.count_y = options.count_z = 0; // they would count in its place
    }
    return status == PL_OK ? pl_generate(maker->shape, &options, out, error) : status;
}

pl_status pl_body_fine_mesh(const pl_body* body, pl_mesh** out, pl_error* error) {
    *out = NULL;
    if (body->shape != PL_SHAPE_GENERATE)
        return pl_fail(error, PL_ERROR_ARGUMENT, "render.edge works only with \"generate\"");
    pl_transform transform = body->transform;
    pl_status status = generate(&body->generate, body->render.edge, out, error);
    if (status == PL_OK && !isnan(transform.size)) {
        // the size is that of the body's own mesh, whose box may be a little smaller
        pl_mesh* own;
        status = generate(&body->generate, NAN, &own, error);
        if (status != PL_OK) return status;
        const double side = longest_side(own->positions, own->vertex_count);
        for (int k = 0; k < 3; k++) transform.scale[k] *= transform.size / side;
        transform.size = NAN;
        pl_mesh_destroy(own);
    }
    if (status == PL_OK) pl_transform_apply_mesh(&transform, *out);
    return status;
}

pl_status pl_body_mesh(const pl_body* body, pl_mesh** out, pl_notes* notes, pl_error* error) {
    *out = NULL;
    if (body->shape == PL_SHAPE_MESH && !body->mesh)
        return pl_fail(error, PL_ERROR_ARGUMENT, "body \"%.100s\" has no mesh", body->name);
    pl_status status = body->shape == PL_SHAPE_MESH
                           ? pl_mesh_read(body->mesh, NULL, out, notes, error)
                           : generate(&body->generate, NAN, out, error);
    if (status != PL_OK) return status;
    if ((*out)->tet_count == 0 && (*out)->triangle_count == 0) {
        pl_mesh_destroy(*out);
        *out = NULL;
        return pl_fail(error, PL_ERROR_MESH,
                       "the mesh of body \"%.100s\" has neither tets nor triangles", body->name);
    }
    pl_transform_apply_mesh(&body->transform, *out);
    return PL_OK;
}

// ---------------------------------------------------------------- what refers to them

typedef struct file_checker {
    const pl_scene* scene;
    pl_notes* notes;
    pl_error error; // of the call that failed
    pl_problem* problem;
} file_checker;

// reports an error with the path of the reference
static pl_status fail_at(file_checker* c, pl_status status, const char* list, int index,
                         const char* key) {
    snprintf(c->problem->path, sizeof c->problem->path, "%s[%d].%s", list, index, key);
    snprintf(c->problem->text, sizeof c->problem->text, "%.600s", c->error.text);
    return status;
}

static pl_status check_region_names(const pl_body* body, const pl_mesh* mesh, pl_error* error) {
    pl_status status = PL_OK;
    for (int i = 0; i < body->region_count && status == PL_OK; i++) {
        pl_selection region = pl_default_selection();
        region.kind = PL_SELECT_REGION;
        region.region = body->regions[i].region;
        pl_selected found;
        status = pl_selection_vertices(&region, mesh, body->name, &found, error);
        pl_selected_free(&found);
    }
    return status;
}

static pl_status check_fields(const pl_body* body, const pl_mesh* mesh, pl_error* error) {
    for (int i = 0; i < body->variation_count; i++) {
        const pl_variation* v = &body->variations[i];
        bool found = v->kind != PL_VARIATION_FIELD;
        for (int kind = PL_ELEMENT_VERTEX; kind <= PL_ELEMENT_TET && !found; kind++) {
            const pl_field* field = pl_mesh_field(mesh, (pl_element_kind)kind, v->field.name);
            found = field && field->components == 1;
        }
        if (!found)
            return pl_fail(error, PL_ERROR_ARGUMENT,
                           "the mesh of body \"%.100s\" has no field \"%.100s\" of single numbers",
                           body->name, v->field.name);
    }
    return PL_OK;
}

static pl_status check_force(const pl_force* force, const pl_body* body, const pl_mesh* mesh,
                             pl_error* error) {
    pl_selected selected;
    pl_status status;
    if (force->kind == PL_FORCE_PRESSURE || force->kind == PL_FORCE_TRACTION) {
        pl_surface* surface = NULL;
        status = pl_mesh_surface(mesh, &surface, error);
        if (status != PL_OK) return status;
        status = pl_selection_triangles(&force->where, mesh, surface, body->name, &selected, error);
        pl_surface_destroy(surface);
    } else {
        status = pl_selection_vertices(&force->where, mesh, body->name, &selected, error);
    }
    pl_selected_free(&selected);
    return status;
}

static pl_status check_selections(file_checker* c, const pl_body* body, const pl_mesh* mesh) {
    const pl_scene* scene = c->scene;
    for (int i = 0; i < scene->attachment_count; i++) {
        if (strcmp(scene->attachments[i].body, body->name) != 0) continue;
        pl_selected selected;
        pl_status status = pl_selection_vertices(&scene->attachments[i].where, mesh, body->name,
                                                 &selected, &c->error);
        pl_selected_free(&selected);
        if (status == PL_OK) continue;
        pl_error cause = c->error;
        pl_fail(&c->error, status, "attachment \"%.100s\": %.700s", scene->attachments[i].name,
                cause.text);
        return fail_at(c, status, "attachments", i, "where");
    }
    for (int i = 0; i < scene->force_count; i++) {
        const char* name =
            scene->forces[i].body; // without a name, some bodies may have none selected
        if (!name || strcmp(name, body->name) != 0) continue;
        pl_status status = check_force(&scene->forces[i], body, mesh, &c->error);
        if (status != PL_OK) return fail_at(c, status, "forces", i, "where");
    }
    return PL_OK;
}

static pl_status check_body(file_checker* c, int index) {
    const pl_body* body = &c->scene->bodies[index];
    pl_mesh* mesh;
    pl_status status = pl_body_mesh(body, &mesh, c->notes, &c->error);
    if (status != PL_OK)
        return fail_at(c, status, "bodies", index, pl_body_shape_name(body->shape));
    const char* key = "render.edge";
    if (body->render.edge > 0.0 && mesh->tet_count == 0)
        status = pl_fail(&c->error, PL_ERROR_UNSUPPORTED, "works only with solids; leave it out");
    if (status == PL_OK) {
        key = "regions";
        status = check_region_names(body, mesh, &c->error);
    }
    if (status == PL_OK) {
        key = "vary";
        status = check_fields(body, mesh, &c->error);
    }
    if (status != PL_OK) status = fail_at(c, status, "bodies", index, key);
    else status = check_selections(c, body, mesh);
    pl_mesh_destroy(mesh);
    return status;
}

static pl_status check_readable(file_checker* c, const char* path, const char* list, int index,
                                const char* key) {
    if (!path || !path[0] || access(path, R_OK) == 0) return PL_OK;
    pl_fail(&c->error, PL_ERROR_IO,
            "%.400s cannot be read (names are relative to the file that contains them)", path);
    return fail_at(c, PL_ERROR_IO, list, index, key);
}

static pl_status check_body_files(file_checker* c, int i) {
    const pl_body* body = &c->scene->bodies[i];
    pl_status status = check_readable(c, body->render.surface, "bodies", i, "render.surface");
    if (status == PL_OK && body->eigenfit)
        status = check_readable(c, body->eigenfit->fine, "bodies", i, "eigenfit.fine");
    return status;
}

// every file that the shape of a collider names
static pl_status check_collider_files(file_checker* c, int i) {
    const pl_collider* collider = &c->scene->colliders[i];
    const char* shape = pl_collider_shape_name(collider->shape);
    const pl_field_info* own = pl_type_field(&pl_type_collider, shape);
    const char* object = (const char*)collider + own->offset;
    pl_status status = PL_OK;
    for (int k = 0; k < own->type->field_count && status == PL_OK; k++) {
        const pl_field_info* field = &own->type->fields[k];
        if (field->kind != PL_FIELD_FILE) continue;
        bool is_short = own->type->shorthand && strcmp(own->type->shorthand, field->key) == 0;
        char key[64];
        snprintf(key, sizeof key, "%s%s%s", shape, is_short ? "" : ".", is_short ? "" : field->key);
        status = check_readable(c, pl_load_pointer(object, field->offset), "colliders", i, key);
    }
    return status;
}

pl_status pl_scene_check_files_at(const pl_scene* scene, pl_notes* notes, pl_problem* problem) {
    file_checker c = {.scene = scene, .notes = notes, .problem = problem};
    pl_status status = PL_OK;
    // quick checks first
    for (int i = 0; i < scene->body_count && status == PL_OK; i++) status = check_body_files(&c, i);
    for (int i = 0; i < scene->collider_count && status == PL_OK; i++)
        status = check_collider_files(&c, i);
    for (int i = 0; i < scene->attachment_count && status == PL_OK; i++)
        if (scene->attachments[i].target == PL_TARGET_CACHE)
            status = check_readable(&c, scene->attachments[i].cache, "attachments", i, "cache");
    for (int i = 0; i < scene->body_count && status == PL_OK; i++) status = check_body(&c, i);
    return status;
}

pl_status pl_scene_check_files(const pl_scene* scene, pl_notes* notes, pl_error* error) {
    pl_problem problem;
    pl_status status = pl_scene_check_files_at(scene, notes, &problem);
    if (status == PL_OK) return PL_OK;
    return pl_fail(error, status, "%.300s: %s", problem.path, problem.text);
}
