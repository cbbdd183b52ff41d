// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Reading by the tables. Fields are read in the order of their table, whatever their order in the
// file, so that a region's material can start from that of its body.
#include "scene/scene_read.h"
#include "base/memory.h"
#include "base/notes.h"
#include "base/platform.h"
#include "scene/animation.h"
#include "scene/scene_object.h"
#include "scene/scene_starter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct scene_reader {
    pl_scene* scene; // gets the animations
    pl_path path;    // of what is being read
    pl_error* error;
} scene_reader;

static pl_status fail_memory(scene_reader* reader) {
    return pl_fail_memory(reader->error, "the scene");
}

static pl_status fail_expected(scene_reader* reader, const pl_node* node, const char* what) {
    char found[128];
    switch (node->kind) {
    case PL_NODE_NULL: snprintf(found, sizeof found, "null"); break;
    case PL_NODE_BOOL: snprintf(found, sizeof found, "%s", node->truth ? "true" : "false"); break;
    case PL_NODE_NUMBER: snprintf(found, sizeof found, "%g", node->number); break;
    case PL_NODE_TEXT: snprintf(found, sizeof found, "\"%.80s\"", node->text); break;
    case PL_NODE_ARRAY: snprintf(found, sizeof found, "a list of %d", node->count); break;
    case PL_NODE_OBJECT: snprintf(found, sizeof found, "an object"); break;
    }
    return pl_node_fail(node, reader->path.text, reader->error, PL_ERROR_FORMAT,
                        "expected %s, found %s", what, found);
}

// ---------------------------------------------------------------- single values

static pl_status read_object(scene_reader* reader, const pl_type* type, const pl_node* node,
                             void* object);

static pl_status read_curve(scene_reader* reader, const pl_node* node, double* out) {
    pl_curve curve;
    pl_type_default(&pl_type_curve, &curve);
    pl_status status = read_object(reader, &pl_type_curve, node, &curve);
    if (status == PL_OK && curve.key_count == 0 && !pl_node_member(node, "value"))
        status = pl_node_fail(node, reader->path.text, reader->error, PL_ERROR_FORMAT,
                              "a curve needs \"keyframes\" or \"value\"");
    if (status == PL_OK)
        status = pl_scene_put_animation(reader->scene, reader->path.text, &curve, reader->error);
    if (status == PL_OK) *out = pl_curve_value(&curve, 0.0, NULL);
    pl_type_free(&pl_type_curve, &curve);
    return status;
}

// A number, or a curve that it follows from now on; path is the reader's.
static pl_status read_number(scene_reader* reader, const pl_field_info* field, const pl_node* node,
                             double* out) {
    bool animated = (field->flags & PL_ANIMATED) != 0;
    if (node->kind == PL_NODE_OBJECT && animated) return read_curve(reader, node, out);
    if (node->kind != PL_NODE_NUMBER)
        return fail_expected(reader, node, animated ? "a number or a curve" : "a number");
    if (animated) pl_scene_drop_animation(reader->scene, reader->path.text);
    *out = node->number;
    return PL_OK;
}

static pl_status read_int(scene_reader* reader, const pl_node* node, int* out) {
    if (node->kind != PL_NODE_NUMBER || node->number != floor(node->number))
        return fail_expected(reader, node, "a whole number");
    if (fabs(node->number) > 2147483647.0)
        return fail_expected(reader, node, "a whole number below 2147483648");
    *out = (int)node->number;
    return PL_OK;
}

static pl_status read_choice(scene_reader* reader, const pl_choices* choices, const pl_node* node,
                             int* out) {
    char names[512], what[640];
    pl_describe_choices(choices, names, sizeof names);
    snprintf(what, sizeof what, "one of %s", names);
    if (node->kind == PL_NODE_BOOL) *out = pl_choice_find(choices, node->truth ? "true" : "false");
    if (node->kind == PL_NODE_TEXT) *out = pl_choice_find(choices, node->text);
    else if (node->kind != PL_NODE_BOOL || *out < 0) return fail_expected(reader, node, what);
    if (*out >= 0) return PL_OK;
    const char* all[64];
    for (int i = 0; i < choices->count && i < 64; i++) all[i] = choices->items[i].name;
    const char* meant = pl_nearest_name(node->text, all, choices->count);
    if (!meant) return fail_expected(reader, node, what);
    return pl_node_fail(node, reader->path.text, reader->error, PL_ERROR_FORMAT,
                        "there is no \"%.80s\"; did you mean \"%s\"? (%s)", node->text, meant,
                        what);
}

// a file name is relative to the file that contains it
static pl_status read_text(scene_reader* reader, const pl_node* node, bool is_file, char** out) {
    if (node->kind != PL_NODE_TEXT)
        return fail_expected(reader, node, is_file ? "the name of a file" : "a text");
    bool joins = is_file && node->text[0] != '\0' && !pl_path_is_absolute(node->text);
    const char* folder = joins ? pl_node_folder(node) : "";
    size_t size = strlen(folder) + strlen(node->text);
    *out = pl_alloc(size + 1);
    if (!*out) return fail_memory(reader);
    snprintf(*out, size + 1, "%s%s", folder, node->text);
    return PL_OK;
}

static pl_status read_vector(scene_reader* reader, const pl_field_info* field, const pl_node* node,
                             double* out) {
    if ((field->flags & PL_UNIFORM) && node->kind == PL_NODE_NUMBER) {
        for (int i = 0; i < field->width; i++) out[i] = node->number;
        return PL_OK;
    }
    if (node->kind != PL_NODE_ARRAY || node->count != field->width) {
        char what[64];
        snprintf(what, sizeof what, "a list of %d numbers", field->width);
        return fail_expected(reader, node, what);
    }
    int i = 0;
    for (const pl_node* item = node->first; item; item = item->next, i++) {
        size_t before = pl_path_push_index(&reader->path, i);
        pl_status status = read_number(reader, field, item, &out[i]);
        if (status != PL_OK) return status;
        pl_path_pop(&reader->path, before);
    }
    return PL_OK;
}

// ---------------------------------------------------------------- lists

static pl_status read_group(scene_reader* reader, const pl_field_info* field, const pl_node* node,
                            double* out) {
    pl_field_info numbers = {.width = field->width};
    if (field->width == 1) return read_number(reader, &numbers, node, out);
    return read_vector(reader, &numbers, node, out);
}

static pl_status read_item(scene_reader* reader, const pl_field_info* field, const pl_node* node,
                           void* item) {
    switch (field->kind) {
    case PL_FIELD_INTS: return read_int(reader, node, item);
    case PL_FIELD_CHOICES: return read_choice(reader, field->choices, node, item);
    case PL_FIELD_NUMBERS: return read_group(reader, field, node, item);
    case PL_FIELD_TEXTS: {
        char* text = NULL;
        pl_status status = read_text(reader, node, false, &text);
        pl_store_pointer(item, 0, text);
        return status;
    }
    default: return read_object(reader, field->type, node, item);
    }
}

// the region at the reader's path starts with the body's material, and with the curves in it
static pl_status inherit_material(scene_reader* reader, const pl_body* body, int index,
                                  pl_region_material* region) {
    region->material = body->material;
    char from[1100], to[1100];
    int size = (int)(strrchr(reader->path.text, '.') - reader->path.text);
    int from_size = snprintf(from, sizeof from, "%.*s.material.", size, reader->path.text);
    for (int i = 0; i < reader->scene->animation_count; i++) {
        const pl_animation* animation = &reader->scene->animations[i];
        if (strncmp(animation->path, from, (size_t)from_size) != 0) continue;
        snprintf(to, sizeof to, "%s[%d].material.%s", reader->path.text, index,
                 animation->path + from_size);
        pl_status status =
            pl_scene_put_animation(reader->scene, to, &animation->curve, reader->error);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

static pl_status prepare_items(scene_reader* reader, const pl_field_info* field, const void* object,
                               char* items, int count) {
    pl_status status = PL_OK;
    for (int i = 0; field->type && i < count && status == PL_OK; i++) {
        pl_type_default(field->type, items + (size_t)i * field->type->size);
        if (field->flags & PL_INHERIT)
            status = inherit_material(reader, object, i, &((pl_region_material*)(void*)items)[i]);
    }
    return status;
}

static pl_status read_list(scene_reader* reader, const pl_field_info* field, const pl_node* node,
                           void* object) {
    // a single item may omit the brackets where that is unambiguous
    bool single =
        (field->flags & PL_SINGLE) != 0 ||
        (node->kind != PL_NODE_ARRAY && field->kind != PL_FIELD_LIST && field->width <= 1);
    if (!single && node->kind != PL_NODE_ARRAY) return fail_expected(reader, node, "a list");
    pl_field_free(field, object);
    int count = single ? 1 : node->count;
    if (count == 0) return PL_OK;
    char* items = pl_alloc_items((size_t)count, pl_field_item_size(field));
    if (!items) return fail_memory(reader);
    pl_store_pointer(object, field->offset, items);
    pl_store_int(object, field->count_offset, count);
    pl_status status = prepare_items(reader, field, object, items, count);
    const pl_node* item = single ? node : node->first;
    for (int i = 0; i < count && status == PL_OK; i++, item = item->next) {
        size_t before = single ? reader->path.size : pl_path_push_index(&reader->path, i);
        status = read_item(reader, field, item, items + (size_t)i * pl_field_item_size(field));
        if (status == PL_OK) pl_path_pop(&reader->path, before);
    }
    return status;
}

static pl_status read_optional(scene_reader* reader, const pl_field_info* field,
                               const pl_node* node, void* object) {
    pl_field_free(field, object);
    void* inner = pl_alloc(field->type->size);
    if (!inner) return fail_memory(reader);
    pl_type_default(field->type, inner);
    pl_store_pointer(object, field->offset, inner);
    return read_object(reader, field->type, node, inner);
}

// ---------------------------------------------------------------- objects

static pl_status read_value(scene_reader* reader, const pl_field_info* field, const pl_node* node,
                            void* object) {
    void* member = (char*)object + field->offset;
    switch (field->kind) {
    case PL_FIELD_BOOL:
        if (node->kind != PL_NODE_BOOL) return fail_expected(reader, node, "true or false");
        *(bool*)member = node->truth;
        return PL_OK;
    case PL_FIELD_FLAG:
        if (node->kind == PL_NODE_BOOL && node->truth) return PL_OK;
        return fail_expected(reader, node, "true");
    case PL_FIELD_INT: return read_int(reader, node, member);
    case PL_FIELD_NUMBER: return read_number(reader, field, node, member);
    case PL_FIELD_VECTOR: return read_vector(reader, field, node, member);
    case PL_FIELD_CHOICE: return read_choice(reader, field->choices, node, member);
    case PL_FIELD_TEXT:
    case PL_FIELD_FILE: {
        char* text = NULL;
        pl_status status = read_text(reader, node, field->kind == PL_FIELD_FILE, &text);
        if (status != PL_OK) return status;
        pl_field_free(field, object);
        pl_store_pointer(object, field->offset, text);
        return PL_OK;
    }
    case PL_FIELD_OBJECT: return read_object(reader, field->type, node, member);
    case PL_FIELD_OPTIONAL: return read_optional(reader, field, node, object);
    default: return read_list(reader, field, node, object);
    }
}

// removes a constant of a material, with its curve
static void forget_constant(scene_reader* reader, const char* key, double* value) {
    pl_path path = reader->path;
    char* dot = strrchr(path.text, '.');
    path.size = dot ? (size_t)(dot - path.text) : 0;
    pl_path_push_key(&path, key);
    pl_scene_drop_animation(reader->scene, path.text);
    *value = NAN;
}

// a pair of elastic constants replaces another pair, such as an inherited one
static void replace_constants(scene_reader* reader, const char* key, pl_material_def* material) {
    bool is_young = strcmp(key, "young") == 0 || strcmp(key, "poisson") == 0;
    if (is_young) forget_constant(reader, "mu", &material->mu);
    if (is_young || strcmp(key, "bulk") == 0) forget_constant(reader, "lambda", &material->lambda);
    if (is_young || strcmp(key, "lambda") == 0) forget_constant(reader, "bulk", &material->bulk);
}

static pl_status check_constants(scene_reader* reader, const pl_node* node) {
    static const char* const pairs[][2] = {
        {"young", "mu"},       {"young", "lambda"}, {"young", "bulk"}, {"poisson", "mu"},
        {"poisson", "lambda"}, {"poisson", "bulk"}, {"lambda", "bulk"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const pl_node* second = pl_node_member(node, pairs[i][1]);
        if (second && pl_node_member(node, pairs[i][0]))
            return pl_node_fail(second, reader->path.text, reader->error, PL_ERROR_FORMAT,
                                "has both \"%s\" and \"%s\"; give young and poisson, or mu with "
                                "one of lambda and bulk",
                                pairs[i][0], pairs[i][1]);
    }
    return PL_OK;
}

// Reads the value of one field into its struct, replacing the old value. Checks types;
// pl_scene_resolve checks ranges.
static pl_status read_member(scene_reader* reader, const pl_type* type, const pl_field_info* field,
                             const pl_node* node, void* object) {
    if (field->flags & PL_VARIANT)
        pl_store_int(object, type->variant_offset, pl_choice_find(type->variants, field->key));
    if (type == &pl_type_material) replace_constants(reader, field->key, object);
    return read_value(reader, field, node, object);
}

static bool is_remark(const pl_type* type, const char* key) {
    return strcmp(key, "comment") == 0 || (type == &pl_type_scene && strcmp(key, "$schema") == 0);
}

static bool is_parameter(const pl_node* child) {
    return child->kind != PL_NODE_NULL && !is_remark(&pl_type_maker, child->key) &&
           !pl_type_field(&pl_type_maker, child->key);
}

static pl_status read_parameter(scene_reader* reader, const pl_node* node, pl_shape_value* value) {
    value->key = pl_copy_text(node->key);
    if (!value->key) return fail_memory(reader);
    value->number = node->number;
    if (node->kind == PL_NODE_NUMBER) return PL_OK;
    if (node->kind != PL_NODE_TEXT) return fail_expected(reader, node, "a number or a word");
    char* word = NULL;
    pl_status status = read_text(reader, node, false, &word);
    value->word = word;
    return status;
}

// unknown keys of a generated shape are parameters of that shape
static pl_status read_parameters(scene_reader* reader, const pl_node* node, pl_shape_maker* maker) {
    pl_field_free(&pl_type_maker.fields[pl_type_maker.field_count - 1], maker);
    int count = 0;
    for (const pl_node* child = node->first; child; child = child->next)
        count += is_parameter(child);
    if (count == 0) return PL_OK;
    pl_shape_value* values = PL_ALLOC(pl_shape_value, count);
    if (!values) return fail_memory(reader);
    maker->values = values;
    maker->value_count = count;
    for (const pl_node* child = node->first; child; child = child->next) {
        if (!is_parameter(child)) continue;
        size_t before = pl_path_push_key(&reader->path, child->key);
        pl_status status = read_parameter(reader, child, values++);
        if (status != PL_OK) return status;
        pl_path_pop(&reader->path, before);
    }
    return PL_OK;
}

static pl_status check_keys(scene_reader* reader, const pl_type* type, const pl_node* node) {
    for (const pl_node* child = node->first; child && !type->open; child = child->next) {
        if (is_remark(type, child->key) || pl_type_field(type, child->key)) continue;
        char text[640];
        pl_describe_unknown(type, child->key, text, sizeof text);
        return pl_node_fail(child, reader->path.text, reader->error, PL_ERROR_FORMAT, "%s", text);
    }
    return PL_OK;
}

static pl_status fail_variant(scene_reader* reader, const pl_type* type, const pl_node* node,
                              const char* first, const char* second) {
    char names[512];
    pl_describe_choices(type->variants, names, sizeof names);
    if (!first)
        return pl_node_fail(node, reader->path.text, reader->error, PL_ERROR_FORMAT,
                            "needs one of the keys %s", names);
    return pl_node_fail(node, reader->path.text, reader->error, PL_ERROR_FORMAT,
                        "has both \"%s\" and \"%s\"; keep one of them", first, second);
}

static pl_status read_object(scene_reader* reader, const pl_type* type, const pl_node* node,
                             void* object) {
    if (node->kind != PL_NODE_OBJECT && type->shorthand)
        return read_value(reader, pl_type_field(type, type->shorthand), node, object);
    if (node->kind != PL_NODE_OBJECT) return fail_expected(reader, node, "an object");
    pl_status status = check_keys(reader, type, node);
    if (status == PL_OK && type == &pl_type_material) status = check_constants(reader, node);
    if (status != PL_OK) return status;
    const char* variant = NULL;
    for (int i = 0; i < type->field_count; i++) {
        const pl_field_info* field = &type->fields[i];
        const pl_node* child = field->flags & PL_HIDDEN ? NULL : pl_node_member(node, field->key);
        if (!child) continue;
        if ((field->flags & PL_VARIANT) && variant)
            return fail_variant(reader, type, child, variant, field->key);
        if (field->flags & PL_VARIANT) variant = field->key;
        size_t before = pl_path_push_key(&reader->path, field->key);
        status = read_member(reader, type, field, child, object);
        if (status != PL_OK) return status;
        pl_path_pop(&reader->path, before);
    }
    if (type->variant_required && !variant) return fail_variant(reader, type, node, NULL, NULL);
    return type->open ? read_parameters(reader, node, object) : PL_OK;
}

// ---------------------------------------------------------------- the scene

// the scene being read, and its notes
typedef struct request {
    pl_scene_source source;
    const char* const* overrides;
    int override_count;
    bool with_files;
    pl_notes* notes;
    pl_error* error;
} request;

// prefixes a problem found in the structs with its position in the file
static pl_status tell(const pl_tree* tree, pl_status status, const pl_problem* problem,
                      pl_error* error) {
    if (status == PL_OK) return PL_OK;
    if (status == PL_ERROR_MEMORY) return pl_fail_memory(error, "the scene");
    return pl_node_fail(pl_tree_find(tree, problem->path), problem->path, error, status, "%s",
                        problem->text);
}

static pl_status build(const request* r, pl_tree* tree, pl_scene* scene) {
    pl_status status = PL_OK;
    for (int i = 0; i < r->override_count && status == PL_OK; i++)
        status = pl_tree_override(tree, r->overrides[i], r->error);
    scene_reader reader = {.scene = scene, .error = r->error};
    if (status == PL_OK) status = read_object(&reader, &pl_type_scene, tree->root, scene);
    if (status != PL_OK) return status;
    pl_problem problem;
    status = pl_scene_resolve_at(scene, &problem);
    if (status == PL_OK && r->with_files)
        status = pl_scene_check_files_at(scene, r->notes, &problem);
    return tell(tree, status, &problem, r->error);
}

// the scene of a mesh alone
static pl_status read_starter(const char* path, pl_tree* tree, pl_error* error) {
    pl_text text = pl_text_begin();
    pl_status status = pl_scene_starter(path, &text, error);
    if (status == PL_OK)
        status = pl_tree_read_memory(text.bytes.data, text.bytes.count, path, tree, error);
    pl_text_free(&text);
    return status;
}

static pl_status read_tree(const pl_scene_source* source, pl_tree* tree, pl_error* error) {
    if (!source->data && pl_path_is_mesh(source->path))
        return read_starter(source->path, tree, error);
    if (!source->data) return pl_tree_read(source->path, tree, error);
    return pl_tree_read_memory(source->data, source->size, source->path, tree, error);
}

static pl_status read_scene(const request* r, pl_scene** out) {
    *out = NULL;
    pl_tree tree = {0};
    pl_status status = read_tree(&r->source, &tree, r->error);
    pl_scene* scene = NULL;
    if (status == PL_OK) status = pl_scene_create(&scene, r->error);
    if (status == PL_OK) status = build(r, &tree, scene);
    pl_tree_free(&tree);
    if (status == PL_OK) {
        if (!r->source.data && pl_path_is_mesh(r->source.path))
            pl_note(r->notes, PL_NOTE_INFO,
                    "%s is a mesh, so pliant made a scene for it; `pliant check %s > scene.json` "
                    "writes that scene, with every key, for you to change",
                    r->source.path, r->source.path);
        if (scene->body_count == 0)
            pl_note(r->notes, PL_NOTE_INFO, "%s: the scene has no bodies: nothing will move",
                    r->source.path);
        *out = scene;
    } else {
        pl_scene_destroy(scene);
    }
    return status;
}

pl_status pl_scene_read(const char* path, const char* const* overrides, int override_count,
                        pl_scene** out, pl_notes* notes, pl_error* error) {
    request r = {.source = {.path = path},
                 .overrides = overrides,
                 .override_count = override_count,
                 .notes = notes,
                 .error = error};
    return read_scene(&r, out);
}

pl_status pl_scene_read_checked(const char* path, const char* const* overrides, int override_count,
                                pl_scene** out, pl_notes* notes, pl_error* error) {
    request r = {.source = {.path = path},
                 .overrides = overrides,
                 .override_count = override_count,
                 .with_files = true,
                 .notes = notes,
                 .error = error};
    return read_scene(&r, out);
}

pl_status pl_scene_read_memory(const void* data, size_t size, const char* path,
                               const char* const* overrides, int override_count, pl_scene** out,
                               pl_notes* notes, pl_error* error) {
    request r = {.source = {path, size ? data : "", size},
                 .overrides = overrides,
                 .override_count = override_count,
                 .notes = notes,
                 .error = error};
    return read_scene(&r, out);
}

// The text after the path that it starts with, or NULL if it starts otherwise. A body may be given
// by its name.
static const char* split_path(const pl_scene* scene, const char* text, pl_problem* problem,
                              bool* by_name) {
    for (int b = 0; b < scene->body_count; b++) {
        char begin[160];
        int length = snprintf(begin, sizeof begin, "body \"%.140s\": ", scene->bodies[b].name);
        *by_name = strncmp(text, begin, (size_t)length) == 0;
        if (!*by_name) continue;
        snprintf(problem->path, sizeof problem->path, "bodies[%d]", b);
        return text + length;
    }
    const char* colon = strstr(text, ": ");
    if (!colon || (size_t)(colon - text) >= sizeof problem->path) return NULL;
    snprintf(problem->path, sizeof problem->path, "%.*s", (int)(colon - text), text);
    pl_place place;
    return pl_scene_locate(scene, problem->path, &place, NULL) == PL_OK ? colon + 2 : NULL;
}

void pl_scene_explain(const pl_scene_source* source, const char* const* overrides,
                      int override_count, const pl_scene* scene, pl_error* error) {
    pl_problem problem = {{0}, {0}}, better = {{0}, {0}};
    bool by_name = false;
    const char* rest = split_path(scene, error->text, &problem, &by_name);
    if (!rest || error->status == PL_ERROR_MEMORY) return;
    snprintf(problem.text, sizeof problem.text, "%.600s", rest);
    pl_tree tree = {0};
    pl_status status = read_tree(source, &tree, NULL);
    for (int i = 0; i < override_count && status == PL_OK; i++)
        status = pl_tree_override(&tree, overrides[i], NULL);
    // for files, fields and regions of a body, name the key and suggest a name
    if (status == PL_OK && by_name) {
        pl_status found = pl_scene_check_files_at(scene, NULL, &better);
        if (found != PL_OK && found != PL_ERROR_MEMORY) problem = better;
    }
    if (status == PL_OK) tell(&tree, error->status, &problem, error);
    pl_tree_free(&tree);
}

pl_status pl_scene_set(pl_scene* scene, const char* path, const char* value, pl_error* error) {
    pl_place place;
    pl_status status = pl_scene_locate(scene, path, &place, error);
    if (status != PL_OK) return status;
    pl_tree tree = {0};
    status = pl_tree_value(value, &tree, error);
    scene_reader reader = {.scene = scene, .error = error, .path = place.path};
    if (status == PL_OK && place.component >= 0)
        status = read_number(&reader, place.field, tree.root, pl_place_number(&place));
    else if (status == PL_OK)
        status = read_member(&reader, place.type, place.field, tree.root, place.object);
    pl_tree_free(&tree);
    return status;
}
