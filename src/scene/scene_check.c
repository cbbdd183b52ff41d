// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Resolves and checks a scene. First come the choices left to pliant, then the ranges in the tables
// and the rules of their types (scene_rules.h), then names and references. Stops at the first
// problem.
#include "base/memory.h"
#include "scene/animation.h"
#include "scene/combinations.h"
#include "scene/scene_rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- by the tables

static pl_status check_ints(pl_checker* c, const pl_field_info* field, const int* values,
                            int count) {
    double low = field->choices ? 0 : field->low;
    double high = field->choices ? field->choices->count - 1 : field->high;
    for (int i = 0; i < count; i++)
        if (values[i] < low || values[i] > high)
            return pl_check_fail(c, NULL, "is %d; it must be from %.0f to %.0f", values[i], low,
                                 high);
    return PL_OK;
}

static pl_status check_object(pl_checker* c, const pl_type* type, const void* object);

static pl_status check_list(pl_checker* c, const pl_field_info* field, const void* object) {
    const char* items = pl_load_pointer(object, field->offset);
    int count = pl_load_int(object, field->count_offset);
    if (count < 0 || (count > 0 && !items))
        return pl_check_fail(c, NULL, "has a count of %d", count);
    if ((field->flags & PL_REQUIRED) && count == 0)
        return pl_check_fail(c, NULL, "is missing: %s", field->help);
    switch (field->kind) {
    case PL_FIELD_INTS:
    case PL_FIELD_CHOICES: return check_ints(c, field, (const int*)(const void*)items, count);
    case PL_FIELD_NUMBERS:
        return pl_check_numbers(c, field, (const double*)(const void*)items,
                                (size_t)count * (size_t)field->width);
    case PL_FIELD_TEXTS: return PL_OK;
    default: break;
    }
    for (int i = 0; i < count; i++) {
        size_t before = field->flags & PL_SINGLE ? c->path.size : pl_path_push_index(&c->path, i);
        pl_status status = check_object(c, field->type, items + (size_t)i * field->type->size);
        if (status != PL_OK) return status;
        pl_path_pop(&c->path, before);
    }
    return PL_OK;
}

static pl_status check_field(pl_checker* c, const pl_field_info* field, const void* object) {
    const char* member = (const char*)object + field->offset;
    switch (field->kind) {
    case PL_FIELD_BOOL:
    case PL_FIELD_FLAG: return PL_OK;
    case PL_FIELD_INT:
    case PL_FIELD_CHOICE: {
        int value = pl_load_int(object, field->offset);
        return check_ints(c, field, &value, 1);
    }
    case PL_FIELD_NUMBER:
    case PL_FIELD_VECTOR:
        return pl_check_numbers(c, field, (const double*)(const void*)member, (size_t)field->width);
    case PL_FIELD_TEXT:
    case PL_FIELD_FILE: {
        const char* text = pl_load_pointer(object, field->offset);
        bool needed = (field->flags & (PL_REQUIRED | PL_VARIANT)) != 0;
        if (needed && (!text || !text[0]))
            return pl_check_fail(c, NULL, "is missing: %s", field->help);
        return PL_OK;
    }
    case PL_FIELD_OBJECT: return check_object(c, field->type, member);
    case PL_FIELD_OPTIONAL: {
        const void* inner = pl_load_pointer(object, field->offset);
        return inner ? check_object(c, field->type, inner) : PL_OK;
    }
    default: return check_list(c, field, object);
    }
}

// true for all fields except variants that were not chosen
static bool is_chosen(const pl_type* type, const pl_field_info* field, const void* object) {
    if (!(field->flags & PL_VARIANT)) return true;
    int variant = pl_load_int(object, type->variant_offset);
    return pl_choice_find(type->variants, field->key) == variant;
}

static pl_status check_object(pl_checker* c, const pl_type* type, const void* object) {
    if (type->variants) {
        int variant = pl_load_int(object, type->variant_offset);
        if (variant < 0 || variant >= type->variants->count)
            return pl_check_fail(c, NULL, "has an unknown kind (%d)", variant);
    }
    for (int i = 0; i < type->field_count; i++) {
        const pl_field_info* field = &type->fields[i];
        if ((field->flags & PL_HIDDEN) || !is_chosen(type, field, object)) continue;
        size_t before = pl_path_push_key(&c->path, field->key);
        pl_status status = check_field(c, field, object);
        if (status != PL_OK) return status;
        pl_path_pop(&c->path, before);
    }
    return type->check ? type->check(c, object) : PL_OK;
}

// ---------------------------------------------------------------- names

typedef struct named {
    const char* name;
    int index;
} named;

static int compare_named(const void* a, const void* b) {
    const named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

// names the unnamed items of a list, and refuses duplicate names
static pl_status check_names(pl_checker* c, pl_scene* scene, const char* key, const char* prefix) {
    const pl_field_info* list = pl_type_field(&pl_type_scene, key);
    const pl_field_info* name = pl_type_field(list->type, "name");
    int count = pl_load_int(scene, list->count_offset);
    char* items = pl_load_pointer(scene, list->offset);
    if (count <= 0) return PL_OK;
    named* all = PL_ALLOC(named, count);
    if (!all) return PL_ERROR_MEMORY;
    pl_status status = PL_OK;
    for (int i = 0; i < count && status == PL_OK; i++) {
        char* item = items + (size_t)i * list->type->size;
        const char* text = pl_load_pointer(item, name->offset);
        if (!text || !text[0]) {
            char fresh[64];
            snprintf(fresh, sizeof fresh, "%s%d", prefix, i);
            pl_field_free(name, item);
            text = pl_copy_text(fresh);
            pl_store_pointer(item, name->offset, text);
            if (!text) status = PL_ERROR_MEMORY;
        }
        all[i] = (named){text, i};
    }
    if (status == PL_OK) {
        qsort(all, (size_t)count, sizeof(named), compare_named);
        for (int i = 1; i < count && status == PL_OK; i++) {
            if (strcmp(all[i].name, all[i - 1].name) != 0) continue;
            snprintf(c->path.text, sizeof c->path.text, "%s[%d]", key, all[i].index);
            c->path.size = strlen(c->path.text);
            status =
                pl_check_fail(c, "name", "\"%.100s\" is the name of %s[%d] already; give another",
                              all[i].name, key, all[i - 1].index);
        }
    }
    PL_FREE(all, named, count);
    return status;
}

// refuses a reference to something that does not exist; an empty reference is allowed
static pl_status check_reference(pl_checker* c, const pl_scene* scene, const char* list_key,
                                 const char* key, const char* what, const char* name) {
    if (!name || !name[0]) return PL_OK;
    const pl_field_info* list = pl_type_field(&pl_type_scene, list_key);
    const pl_field_info* own = pl_type_field(list->type, "name");
    int count = pl_load_int(scene, list->count_offset), known = 0;
    const char* items = pl_load_pointer(scene, list->offset);
    const char* names[256];
    for (int i = 0; i < count; i++) {
        const char* text = pl_load_pointer(items + (size_t)i * list->type->size, own->offset);
        if (strcmp(text, name) == 0) return PL_OK;
        if (known < 256) names[known++] = text;
    }
    if (known == 0)
        return pl_check_fail(c, key, "there is no %s \"%.100s\"; the scene has none", what, name);
    const char* meant = pl_nearest_name(name, names, known);
    return pl_check_fail(c, key, "there is no %s \"%.100s\"; %s \"%.100s\"%s", what, name,
                         meant ? "did you mean" : "there is for instance", meant ? meant : names[0],
                         meant ? "?" : "");
}

static void path_to(pl_checker* c, const char* list, int index) {
    c->path.size = 0;
    pl_path_push_key(&c->path, list);
    pl_path_push_index(&c->path, index);
}

// Only fem and mixed can hold single directions, because their matrices couple all three.
static pl_status check_holder(pl_checker* c, const pl_scene* scene, const pl_attachment* a) {
    if (!a->hold_count && isnan(a->normal[0])) return PL_OK;
    const char* key = a->hold_count ? "hold" : "normal";
    for (int b = 0; b < scene->body_count; b++) {
        const pl_body* body = &scene->bodies[b];
        if (strcmp(body->name, a->body) != 0) continue;
        if (!pl_has_fem_step(body))
            return pl_check_fail(
                c, key,
                "does not work with method \"%s\" of body \"%.100s\", which holds vertices in all "
                "directions; use \"fem\" or \"mixed\", or leave it out",
                pl_method_name((int)body->method), body->name);
        if (body->nonlinear == PL_NONLINEAR_PROJECTIVE)
            return pl_check_fail(
                c, key,
                "does not work with nonlinear \"projective\" of body \"%.100s\", which has one "
                "matrix for all directions; use \"newton\", or leave it out",
                body->name);
    }
    return PL_OK;
}

static bool has_vertex_numbers(const pl_selection* s) {
    for (int k = 0; k < s->part_count; k++)
        if (has_vertex_numbers(&s->parts[k])) return true;
    return s->kind == PL_SELECT_VERTICES;
}

// A body with eigenfit.coarse_edge is simulated on a different mesh. name: NULL for all bodies
static pl_status check_numbering(pl_checker* c, const pl_scene* scene, const char* name,
                                 const pl_selection* where) {
    for (int i = 0; i < scene->body_count; i++) {
        const pl_body* body = &scene->bodies[i];
        if (body->eigenfit && !isnan(body->eigenfit->coarse_edge) &&
            (!name || strcmp(name, body->name) == 0) && has_vertex_numbers(where))
            return pl_check_fail(
                c, "where",
                "\"vertices\" refers to the mesh of body \"%.100s\", but "
                "eigenfit.coarse_edge simulates it on another mesh; select by position",
                body->name);
    }
    return PL_OK;
}

static pl_status check_references(pl_checker* c, const pl_scene* scene) {
    pl_status status = PL_OK;
    for (int i = 0; i < scene->attachment_count && status == PL_OK; i++) {
        const pl_attachment* a = &scene->attachments[i];
        path_to(c, "attachments", i);
        status = check_reference(c, scene, "bodies", "body", "body", a->body);
        if (status == PL_OK && a->target == PL_TARGET_COLLIDER)
            status = check_reference(c, scene, "colliders", "collider", "collider", a->collider);
        if (status == PL_OK) status = check_holder(c, scene, a);
        if (status == PL_OK) status = check_numbering(c, scene, a->body, &a->where);
    }
    for (int i = 0; i < scene->force_count && status == PL_OK; i++) {
        path_to(c, "forces", i);
        const pl_force* force = &scene->forces[i];
        status = check_reference(c, scene, "bodies", "body", "body", force->body);
        if (status == PL_OK) status = check_numbering(c, scene, force->body, &force->where);
    }
    for (int i = 0; i < scene->wind_count && status == PL_OK; i++) {
        path_to(c, "wind", i);
        for (int k = 0; k < scene->winds[i].body_count && status == PL_OK; k++)
            status =
                check_reference(c, scene, "bodies", "bodies", "body", scene->winds[i].bodies[k]);
    }
    return status;
}

// ---------------------------------------------------------------- bodies

static pl_status check_poisson(pl_checker* c, const pl_body* body, const pl_material_def* material,
                               const char* key) {
    double mu, lambda;
    pl_material_def_lame(material, &mu, &lambda);
    if (lambda < 0.0 && body->method == PL_METHOD_MIXED)
        return pl_check_fail(c, key,
                             "is below 0, which method \"mixed\" does not support; use \"fem\"");
    if (!isinf(lambda) || body->method == PL_METHOD_MIXED || body->kind == PL_BODY_CLOTH)
        return PL_OK;
    return pl_check_fail(c, key,
                         "is 0.5, which only method \"mixed\" supports; use that, or 0.499");
}

static pl_status resolve_regions(pl_checker* c, pl_body* body) {
    for (int i = 0; i < body->region_count; i++) {
        pl_region_material* region = (pl_region_material*)&body->regions[i];
        if (region->material.law == PL_LAW_AUTO) region->material.law = body->material.law;
        const int values[PL_COMBINE_COUNT] = {body->method,         body->kind,
                                              region->material.law, body->nonlinear,
                                              body->integrator,     body->linear};
        char key[64];
        snprintf(key, sizeof key, "regions[%d].material.law", i);
        if (!pl_combination_allowed(values))
            return pl_check_fail(c, key, "\"%s\" does not work with the body's method and solvers",
                                 pl_law_name(region->material.law));
        snprintf(key, sizeof key, "regions[%d].material.poisson", i);
        pl_status status = check_poisson(c, body, &region->material, key);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

static bool has_one_partner(const pl_eigenfit* e) {
    int partners = (e->fine != NULL) + !isnan(e->edge) + !isnan(e->coarse_edge);
    return partners + (e->ratio_count > 0) <= 1 && !(e->ratio_count > 0 && e->dac);
}

static pl_status resolve_body(pl_checker* c, pl_body* body) {
    bool is_cloth = body->shape == PL_SHAPE_GENERATE && body->generate.shape &&
                    strncmp(body->generate.shape, "cloth", 5) == 0;
    if (body->kind == PL_BODY_AUTO) body->kind = is_cloth ? PL_BODY_CLOTH : PL_BODY_SOLID;
    if (body->rigid) body->method = PL_METHOD_RIGID;
    const char* key;
    char text[512];
    bool is_open = body->linear == PL_LINEAR_AUTO && pl_has_fem_step(body);
    if (!pl_combination_resolve(body, &key, text, sizeof text)) {
        pl_check_fail(c, key, "%s", text);
        return pl_method_is_available(body->method) ? PL_ERROR_FORMAT : PL_ERROR_UNSUPPORTED;
    }
    if (body->eigenfit &&
        (body->method != PL_METHOD_FEM || body->nonlinear == PL_NONLINEAR_PROJECTIVE ||
         body->kind != PL_BODY_SOLID || body->integrator == PL_INTEGRATOR_QUASISTATIC))
        return pl_check_fail(c, "eigenfit",
                             "works only with solids in motion, method \"fem\" and nonlinear "
                             "\"newton\" or \"linearised\"");
    if (body->eigenfit && body->eigenfit->fine && !body->eigenfit->fine[0])
        return pl_check_fail(c, "eigenfit.fine",
                             "is empty; give the name of a mesh file, or leave it out");
    if (body->eigenfit && !has_one_partner(body->eigenfit))
        return pl_check_fail(c, "eigenfit",
                             "give at most one of \"fine\", \"edge\", \"coarse_edge\" and "
                             "\"ratios\"; \"ratios\" excludes \"dac\"");
    pl_status status = check_poisson(c, body, &body->material, "material.poisson");
    if (status == PL_OK) status = resolve_regions(c, body);
    // the best linear solver depends on the size of the system, which only the world knows
    if (is_open) body->linear = PL_LINEAR_AUTO;
    return status;
}

static void point_up(const pl_scene* scene, const pl_plane_shape* plane) {
    double* normal = ((pl_plane_shape*)plane)->normal;
    for (int k = 0; k < 3 && isnan(plane->normal[2]); k++) normal[k] = (int)scene->up == k;
}

static void point_up_in(const pl_scene* scene, const pl_selection* selection) {
    point_up(scene, &selection->half_space);
    for (int i = 0; i < selection->part_count; i++) point_up_in(scene, &selection->parts[i]);
}

// sets defaults that depend on `up`: gravity and the normals of planes
static void resolve_up(pl_scene* scene) {
    for (int k = 0; k < 3 && isnan(scene->gravity[2]); k++)
        scene->gravity[k] = (int)scene->up == k ? -9.81 : 0.0;
    for (int i = 0; i < scene->collider_count; i++) point_up(scene, &scene->colliders[i].plane);
    for (int i = 0; i < scene->attachment_count; i++)
        point_up_in(scene, &scene->attachments[i].where);
    for (int i = 0; i < scene->force_count; i++) point_up_in(scene, &scene->forces[i].where);
}

// ---------------------------------------------------------------- curves

static pl_status check_animations(pl_checker* c, const pl_scene* scene) {
    for (int i = 0; i < scene->animation_count; i++) {
        const pl_animation* animation = &scene->animations[i];
        c->path.size = 0;
        pl_path_push_key(&c->path, animation->path);
        pl_place place;
        pl_error error;
        if (pl_scene_locate(scene, animation->path, &place, &error) != PL_OK)
            return pl_check_fail(c, NULL, "has a curve but does not exist");
        pl_status status = check_object(c, &pl_type_curve, &animation->curve);
        if (status != PL_OK) return status;
        double low, high;
        pl_curve_bounds(&animation->curve, &low, &high);
        if (low < place.field->low || high > place.field->high)
            return pl_check_fail(c, NULL, "varies from %g to %g; it must stay between %g and %g %s",
                                 low, high, place.field->low, place.field->high, place.field->unit);
    }
    return PL_OK;
}

static pl_status resolve_bodies(pl_checker* c, pl_scene* scene) {
    pl_status status = PL_OK;
    for (int i = 0; i < scene->body_count && status == PL_OK; i++) {
        path_to(c, "bodies", i);
        status = resolve_body(c, (pl_body*)&scene->bodies[i]);
    }
    return status;
}

pl_status pl_scene_resolve_at(pl_scene* scene, pl_problem* problem) {
    pl_checker c = {.problem = problem};
    problem->path[0] = problem->text[0] = '\0';
    resolve_up(scene);
    pl_status status = check_object(&c, &pl_type_scene, scene);
    if (status == PL_OK) status = resolve_bodies(&c, scene);
    if (status == PL_OK) status = check_names(&c, scene, "bodies", "body");
    if (status == PL_OK) status = check_names(&c, scene, "colliders", "collider");
    if (status == PL_OK) status = check_names(&c, scene, "attachments", "attachment");
    if (status == PL_OK) status = check_references(&c, scene);
    if (status == PL_OK) status = check_animations(&c, scene);
    return status;
}

static pl_status fail_with(pl_status status, const pl_problem* problem, pl_error* error) {
    if (status == PL_ERROR_MEMORY) return pl_fail_memory(error, "the scene");
    if (status == PL_OK) return PL_OK;
    if (status == PL_ERROR_FORMAT) status = PL_ERROR_ARGUMENT; // there is no file here
    return pl_fail(error, status, "%.300s: %s", problem->path, problem->text);
}

pl_status pl_scene_resolve_bodies(pl_scene* scene, pl_error* error) {
    pl_problem problem = {{0}, {0}};
    pl_checker c = {.problem = &problem};
    resolve_up(scene);
    return fail_with(resolve_bodies(&c, scene), &problem, error);
}

pl_status pl_scene_resolve(pl_scene* scene, pl_error* error) {
    pl_problem problem;
    return fail_with(pl_scene_resolve_at(scene, &problem), &problem, error);
}
