// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Resolves and checks a scene: first the choices left to pliant, then the ranges in the tables,
// then everything that no table can express. Stops at the first problem.
#include "base/memory.h"
#include "scene/animation.h"
#include "scene/combinations.h"
#include "scene/scene_object.h"
#include "scene/scene_path.h"

#include <math.h>
#include <pliant/generate.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct checker {
    pl_path path;
    pl_problem* problem;
} checker;

// records the problem at the current path, followed by a key if there is one
PL_PRINTF(3, 4)
static pl_status fail(checker* c, const char* key, const char* format, ...) {
    size_t before = key ? pl_path_push_key(&c->path, key) : c->path.size;
    memcpy(c->problem->path, c->path.text, sizeof c->problem->path);
    pl_path_pop(&c->path, before);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->problem->text, sizeof c->problem->text, format, arguments);
    va_end(arguments);
    return PL_ERROR_FORMAT;
}

// ---------------------------------------------------------------- by the tables

static pl_status check_number(checker* c, const pl_field_info* field, double value) {
    const char* blank = field->unit[0] ? " " : "";
    if (isnan(value) && (field->flags & PL_AUTO)) return PL_OK;
    if (isnan(value)) return fail(c, NULL, "is missing: %s", field->help);
    if (value < field->low || value > field->high)
        return fail(c, NULL, "is %g; it must be from %g to %g%s%s", value, field->low, field->high,
                    blank, field->unit);
    return PL_OK;
}

static pl_status check_numbers(checker* c, const pl_field_info* field, const double* values,
                               size_t count) {
    for (size_t i = 0; i < count; i++) {
        pl_status status = check_number(c, field, values[i]);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

static pl_status check_ints(checker* c, const pl_field_info* field, const int* values, int count) {
    double low = field->choices ? 0 : field->low;
    double high = field->choices ? field->choices->count - 1 : field->high;
    for (int i = 0; i < count; i++)
        if (values[i] < low || values[i] > high)
            return fail(c, NULL, "is %d; it must be from %.0f to %.0f", values[i], low, high);
    return PL_OK;
}

static pl_status check_object(checker* c, const pl_type* type, const void* object);

static pl_status check_list(checker* c, const pl_field_info* field, const void* object) {
    const char* items = pl_load_pointer(object, field->offset);
    int count = pl_load_int(object, field->count_offset);
    if (count < 0 || (count > 0 && !items)) return fail(c, NULL, "has a count of %d", count);
    if ((field->flags & PL_REQUIRED) && count == 0)
        return fail(c, NULL, "is missing: %s", field->help);
    switch (field->kind) {
    case PL_FIELD_INTS:
    case PL_FIELD_CHOICES: return check_ints(c, field, (const int*)(const void*)items, count);
    case PL_FIELD_NUMBERS:
        return check_numbers(c, field, (const double*)(const void*)items,
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

static pl_status check_field(checker* c, const pl_field_info* field, const void* object) {
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
        return check_numbers(c, field, (const double*)(const void*)member, (size_t)field->width);
    case PL_FIELD_TEXT:
    case PL_FIELD_FILE: {
        const char* text = pl_load_pointer(object, field->offset);
        bool needed = (field->flags & (PL_REQUIRED | PL_VARIANT)) != 0;
        if (needed && (!text || !text[0])) return fail(c, NULL, "is missing: %s", field->help);
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

// ---------------------------------------------------------------- what no table can say

static bool is_zero(const double v[3]) { return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0; }

static pl_status check_direction(checker* c, const char* key, const double v[3]) {
    return is_zero(v) ? fail(c, key, "is zero; a direction must not be zero") : PL_OK;
}

static pl_status check_hold(checker* c, const pl_attachment* a) {
    for (int i = 0; i < a->hold_count; i++)
        for (int k = 0; k < i; k++)
            if (a->hold[i] == a->hold[k])
                return fail(c, "hold", "has %s twice; name each axis once",
                            pl_axis_name((int)a->hold[i]));
    if (isnan(a->normal[0])) return PL_OK;
    if (a->hold_count) return fail(c, "normal", "replaces hold; give one of the two");
    return check_direction(c, "normal", a->normal);
}

static pl_status check_box(checker* c, const pl_box_shape* box) {
    for (int k = 0; k < 3; k++)
        if (box->min[k] > box->max[k])
            return fail(c, "max", "is below min along %s (%g < %g); swap them", pl_axis_name(k),
                        box->max[k], box->min[k]);
    return PL_OK;
}

static pl_status check_chain(checker* c, const pl_chain_shape* chain) {
    if (chain->radius_count == 1 || chain->radius_count == chain->point_count) return PL_OK;
    return fail(c, "radii", "has %d radii for %d points; give one for each, or one for all",
                chain->radius_count, chain->point_count);
}

static pl_status check_gradient(checker* c, const pl_gradient* gradient) {
    if (gradient->spacing == PL_SPACING_LOGARITHMIC && (gradient->from <= 0 || gradient->to <= 0))
        return fail(c, "spacing", "logarithmic needs both ends above 0, they are %g and %g",
                    gradient->from, gradient->to);
    return check_direction(c, "direction", gradient->direction);
}

static pl_status check_variation(checker* c, const pl_variation* variation) {
    const pl_field_info* field =
        pl_type_field(&pl_type_material, pl_material_key_name(variation->parameter));
    if (variation->kind != PL_VARIATION_GRADIENT) return PL_OK;
    size_t before = pl_path_push_key(&c->path, "gradient");
    const double ends[2] = {variation->gradient.from, variation->gradient.to};
    pl_status status = check_numbers(c, field, ends, 2);
    pl_path_pop(&c->path, before);
    return status;
}

static pl_status check_material(checker* c, const pl_material_def* m) {
    bool has_lambda = !isnan(m->lambda), has_bulk = !isnan(m->bulk);
    if (!isnan(m->mu) && has_lambda == has_bulk)
        return fail(c, "mu", "goes with one of lambda and bulk");
    if (isnan(m->mu) && (has_lambda || has_bulk))
        return fail(c, has_lambda ? "lambda" : "bulk",
                    "goes with mu; give that too, or young and poisson in place of both");
    double mu, lambda;
    pl_material_def_lame(m, &mu, &lambda);
    if (!(3.0 * lambda + 2.0 * mu > 0.0))
        return fail(c,
                    has_bulk     ? "bulk"
                    : has_lambda ? "lambda"
                                 : "poisson",
                    "makes the bulk modulus %g Pa; it must be above 0", lambda + 2.0 / 3.0 * mu);
    return PL_OK;
}

static pl_status check_keys(checker* c, const double* times, size_t stride, int count) {
    for (int k = 1; k < count; k++)
        if (!(times[(size_t)k * stride] > times[(size_t)(k - 1) * stride]))
            return fail(c, "keyframes",
                        "key %d is at %g s, not after key %d at %g s; put them in order", k,
                        times[(size_t)k * stride], k - 1, times[(size_t)(k - 1) * stride]);
    return PL_OK;
}

static pl_status check_motion(checker* c, const pl_motion* motion) {
    if (motion->spin_rate != 0.0 && is_zero(motion->spin_axis))
        return fail(c, "spin_axis", "is zero; a direction must not be zero");
    if (motion->key_count == 0) return PL_OK;
    return check_keys(c, &motion->keys[0].time, sizeof(pl_pose_key) / sizeof(double),
                      motion->key_count);
}

static pl_status check_curve(checker* c, const pl_curve* curve) {
    return check_keys(c, curve->keys, 2, curve->key_count);
}

static pl_status check_selection(checker* c, const pl_selection* s) {
    bool combines = s->kind == PL_SELECT_AND || s->kind == PL_SELECT_OR || s->kind == PL_SELECT_NOT;
    if (combines && s->part_count == 0)
        return fail(c, NULL, "\"%s\" needs a selection in it", pl_selection_kind_name(s->kind));
    if (s->kind == PL_SELECT_NOT && s->part_count != 1)
        return fail(c, NULL, "\"not\" takes one selection, it has %d", s->part_count);
    if (s->kind == PL_SELECT_VERTICES && s->vertex_count == 0)
        return fail(c, "vertices", "is empty; name at least one vertex");
    return PL_OK;
}

static pl_status check_times(checker* c, double from, double until) {
    if (isnan(until) || until > from) return PL_OK;
    return fail(c, "until", "is %g s, not after from (%g s)", until, from);
}

static pl_status check_collider(checker* c, const pl_collider* collider) {
    const pl_capsule_shape* rod = &collider->cylinder;
    if (collider->shape == PL_COLLIDER_CYLINDER && memcmp(rod->from, rod->to, sizeof rod->to) == 0)
        return fail(c, "cylinder", "has no length: from and to are the same point");
    return PL_OK;
}

static pl_status check_levels(checker* c, const pl_body* body) {
    const pl_multigrid* m = &body->multigrid;
    for (int i = 1; i < m->level_count; i++)
        if (m->levels[i] <= m->levels[i - 1])
            return fail(c, "levels",
                        "%d comes after %d; the coarsest comes first and each is finer",
                        m->levels[i], m->levels[i - 1]);
    return PL_OK;
}

// fem and mixed use the same step
static bool has_fem_step(const pl_body* body) {
    return body->method == PL_METHOD_FEM || body->method == PL_METHOD_MIXED;
}

static pl_status check_mass(checker* c, const pl_body* body) {
    if (body->mass == PL_MASS_LUMPED || has_fem_step(body)) return PL_OK;
    return fail(c, "mass", "\"%s\" does not go with method \"%s\"; use \"lumped\"",
                pl_mass_name((int)body->mass), pl_method_name((int)body->method));
}

static pl_status check_render(checker* c, const pl_body* body) {
    if (!(body->render.edge > 0.0)) return PL_OK;
    if (body->shape != PL_SHAPE_GENERATE)
        return fail(c, "render.edge",
                    "goes with \"generate\"; of other bodies, name a mesh as "
                    "render.surface");
    if (body->render.surface && body->render.surface[0])
        return fail(c, "render.edge", "and render.surface exclude one another");
    return PL_OK;
}

static pl_status check_body(checker* c, const pl_body* body) {
    pl_status status = check_mass(c, body);
    if (status == PL_OK) status = check_render(c, body);
    return status == PL_OK ? check_levels(c, body) : status;
}

static pl_status check_maker(checker* c, const pl_shape_maker* maker) {
    pl_generate_options options;
    pl_error error;
    if (pl_generate_defaults(maker->shape, &options, &error) != PL_OK)
        return fail(c, "shape", "%s", error.text);
    for (int i = 0; i < maker->value_count; i++) {
        const pl_shape_value* v = &maker->values[i];
        pl_status status =
            v->word ? pl_generate_set_text(maker->shape, &options, v->key, v->word, &error)
                    : pl_generate_set_number(maker->shape, &options, v->key, v->number, &error);
        if (status != PL_OK) return fail(c, v->key, "%s", error.text);
    }
    return PL_OK;
}

// checks that the recording includes the elements of its fields
static pl_status check_output(checker* c, const pl_output* output) {
    for (int i = 0; i < output->field_count; i++)
        if (output->fields[i] == PL_OUTPUT_ELEMENT_STRESS && output->record != PL_RECORD_ALL)
            return fail(c, "fields",
                        "element_stress belongs to tets, but only the surface is recorded; add "
                        "\"record\": \"all\", or use stress, which is at vertices");
    return PL_OK;
}

static pl_status check_rules(checker* c, const pl_type* type, const void* object) {
    if (type == &pl_type_box) return check_box(c, object);
    if (type == &pl_type_plane)
        return check_direction(c, "normal", ((const pl_plane_shape*)object)->normal);
    if (type == &pl_type_torus)
        return check_direction(c, "axis", ((const pl_torus_shape*)object)->axis);
    if (type == &pl_type_chain) return check_chain(c, object);
    if (type == &pl_type_gradient) return check_gradient(c, object);
    if (type == &pl_type_variation) return check_variation(c, object);
    if (type == &pl_type_material) return check_material(c, object);
    if (type == &pl_type_motion) return check_motion(c, object);
    if (type == &pl_type_curve) return check_curve(c, object);
    if (type == &pl_type_selection) return check_selection(c, object);
    if (type == &pl_type_collider) return check_collider(c, object);
    if (type == &pl_type_maker) return check_maker(c, object);
    if (type == &pl_type_body) return check_body(c, object);
    if (type == &pl_type_output) return check_output(c, object);
    if (type == &pl_type_attachment) {
        const pl_attachment* a = object;
        pl_status status = check_times(c, a->from, a->until);
        return status == PL_OK ? check_hold(c, a) : status;
    }
    if (type == &pl_type_force) {
        const pl_force* f = object;
        return check_times(c, f->from, f->until);
    }
    return PL_OK;
}

static pl_status check_object(checker* c, const pl_type* type, const void* object) {
    if (type->variants) {
        int variant = pl_load_int(object, type->variant_offset);
        if (variant < 0 || variant >= type->variants->count)
            return fail(c, NULL, "has an unknown kind (%d)", variant);
    }
    for (int i = 0; i < type->field_count; i++) {
        const pl_field_info* field = &type->fields[i];
        if ((field->flags & PL_HIDDEN) || !is_chosen(type, field, object)) continue;
        size_t before = pl_path_push_key(&c->path, field->key);
        pl_status status = check_field(c, field, object);
        if (status != PL_OK) return status;
        pl_path_pop(&c->path, before);
    }
    return check_rules(c, type, object);
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
static pl_status check_names(checker* c, pl_scene* scene, const char* key, const char* prefix) {
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
            status = fail(c, "name", "\"%.100s\" is the name of %s[%d] already; give another",
                          all[i].name, key, all[i - 1].index);
        }
    }
    PL_FREE(all, named, count);
    return status;
}

// refuses a reference to something that does not exist; empty ones are allowed
static pl_status check_reference(checker* c, const pl_scene* scene, const char* list_key,
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
        return fail(c, key, "there is no %s \"%.100s\"; the scene has none", what, name);
    const char* meant = pl_nearest_name(name, names, known);
    return fail(c, key, "there is no %s \"%.100s\"; %s \"%.100s\"%s", what, name,
                meant ? "did you mean" : "there is for instance", meant ? meant : names[0],
                meant ? "?" : "");
}

static void path_to(checker* c, const char* list, int index) {
    c->path.size = 0;
    pl_path_push_key(&c->path, list);
    pl_path_push_index(&c->path, index);
}

// Only fem and mixed can hold single directions, because their matrices couple all three.
static pl_status check_holder(checker* c, const pl_scene* scene, const pl_attachment* a) {
    if (!a->hold_count && isnan(a->normal[0])) return PL_OK;
    const char* key = a->hold_count ? "hold" : "normal";
    for (int b = 0; b < scene->body_count; b++) {
        const pl_body* body = &scene->bodies[b];
        if (strcmp(body->name, a->body) != 0) continue;
        if (!has_fem_step(body))
            return fail(c, key,
                        "does not go with method \"%s\" of body \"%.100s\", which holds vertices "
                        "in all directions; use \"fem\" or \"mixed\", or leave it out",
                        pl_method_name((int)body->method), body->name);
        if (body->nonlinear == PL_NONLINEAR_PROJECTIVE)
            return fail(c, key,
                        "does not go with nonlinear \"projective\" of body \"%.100s\", whose one "
                        "matrix is that of all directions; use \"newton\", or leave it out",
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
static pl_status check_numbering(checker* c, const pl_scene* scene, const char* name,
                                 const pl_selection* where) {
    for (int i = 0; i < scene->body_count; i++) {
        const pl_body* body = &scene->bodies[i];
        if (body->eigenfit && !isnan(body->eigenfit->coarse_edge) &&
            (!name || strcmp(name, body->name) == 0) && has_vertex_numbers(where))
            return fail(c, "where",
                        "\"vertices\" refers to the mesh of body \"%.100s\", but "
                        "eigenfit.coarse_edge simulates it on another mesh; select by position",
                        body->name);
    }
    return PL_OK;
}

static pl_status check_references(checker* c, const pl_scene* scene) {
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

static pl_status check_poisson(checker* c, const pl_body* body, const pl_material_def* material,
                               const char* key) {
    double mu, lambda;
    pl_material_def_lame(material, &mu, &lambda);
    if (lambda < 0.0 && body->method == PL_METHOD_MIXED)
        return fail(c, key, "is below 0, where method \"mixed\" has no pressure; use \"fem\"");
    if (!isinf(lambda) || body->method == PL_METHOD_MIXED || body->kind == PL_BODY_CLOTH)
        return PL_OK;
    return fail(c, key, "is 0.5, which only method \"mixed\" can do; use that, or 0.499");
}

static pl_status resolve_regions(checker* c, pl_body* body) {
    for (int i = 0; i < body->region_count; i++) {
        pl_region_material* region = (pl_region_material*)&body->regions[i];
        if (region->material.law == PL_LAW_AUTO) region->material.law = body->material.law;
        const int values[PL_COMBINE_COUNT] = {body->method,         body->kind,
                                              region->material.law, body->nonlinear,
                                              body->integrator,     body->linear};
        char key[64];
        snprintf(key, sizeof key, "regions[%d].material.law", i);
        if (!pl_combination_allowed(values))
            return fail(c, key, "\"%s\" does not go with the body's method and solvers",
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

static pl_status resolve_body(checker* c, pl_body* body) {
    bool is_cloth = body->shape == PL_SHAPE_GENERATE && body->generate.shape &&
                    strncmp(body->generate.shape, "cloth", 5) == 0;
    if (body->kind == PL_BODY_AUTO) body->kind = is_cloth ? PL_BODY_CLOTH : PL_BODY_SOLID;
    const char* key;
    char text[512];
    bool is_open = body->linear == PL_LINEAR_AUTO && has_fem_step(body);
    if (!pl_combination_resolve(body, &key, text, sizeof text)) {
        fail(c, key, "%s", text);
        return pl_method_is_available(body->method) ? PL_ERROR_FORMAT : PL_ERROR_UNSUPPORTED;
    }
    if (body->eigenfit &&
        (body->method != PL_METHOD_FEM || body->nonlinear == PL_NONLINEAR_PROJECTIVE ||
         body->kind != PL_BODY_SOLID || body->integrator == PL_INTEGRATOR_QUASISTATIC))
        return fail(c, "eigenfit",
                    "goes with solids in motion, method \"fem\" and nonlinear \"newton\" or "
                    "\"linearised\" only");
    if (body->eigenfit && body->eigenfit->fine && !body->eigenfit->fine[0])
        return fail(c, "eigenfit.fine", "is empty; give the name of a mesh file, or leave it out");
    if (body->eigenfit && !has_one_partner(body->eigenfit))
        return fail(c, "eigenfit",
                    "give one of \"fine\", \"edge\", \"coarse_edge\" and \"ratios\" at most, and "
                    "\"ratios\" not with \"dac\"");
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

static pl_status check_animations(checker* c, const pl_scene* scene) {
    for (int i = 0; i < scene->animation_count; i++) {
        const pl_animation* animation = &scene->animations[i];
        c->path.size = 0;
        pl_path_push_key(&c->path, animation->path);
        pl_place place;
        pl_error error;
        if (pl_scene_locate(scene, animation->path, &place, &error) != PL_OK)
            return fail(c, NULL, "has a curve but does not exist");
        pl_status status = check_object(c, &pl_type_curve, &animation->curve);
        if (status != PL_OK) return status;
        double low, high;
        pl_curve_bounds(&animation->curve, &low, &high);
        if (low < place.field->low || high > place.field->high)
            return fail(c, NULL, "varies from %g to %g; it must stay between %g and %g %s", low,
                        high, place.field->low, place.field->high, place.field->unit);
    }
    return PL_OK;
}

static pl_status resolve_bodies(checker* c, pl_scene* scene) {
    pl_status status = PL_OK;
    for (int i = 0; i < scene->body_count && status == PL_OK; i++) {
        path_to(c, "bodies", i);
        status = resolve_body(c, (pl_body*)&scene->bodies[i]);
    }
    return status;
}

pl_status pl_scene_resolve_at(pl_scene* scene, pl_problem* problem) {
    checker c = {.problem = problem};
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
    checker c = {.problem = &problem};
    resolve_up(scene);
    return fail_with(resolve_bodies(&c, scene), &problem, error);
}

pl_status pl_scene_resolve(pl_scene* scene, pl_error* error) {
    pl_problem problem;
    return fail_with(pl_scene_resolve_at(scene, &problem), &problem, error);
}
