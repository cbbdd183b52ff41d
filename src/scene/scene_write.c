// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Writes a scene as JSON, driven by the tables. Choices made by pliant are written explicitly;
// unset values (NAN, no text, an empty list) are omitted.
#include "base/platform.h"
#include "mesh/mesh_sink.h"
#include "scene/scene_path.h"
#include "scene/scene_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct writer {
    pl_text* text;
    const pl_scene* scene;
    pl_path path;
    char folder[4096]; // current folder, for file names
} writer;

static void write_object(writer* w, const pl_type* type, const void* object, int level);

static const pl_curve* curve_at(const writer* w) {
    for (int i = 0; i < w->scene->animation_count; i++)
        if (strcmp(w->scene->animations[i].path, w->path.text) == 0)
            return &w->scene->animations[i].curve;
    return NULL;
}

static void write_number(writer* w, const pl_field_info* field, double value, int level) {
    const pl_curve* curve = field->flags & PL_ANIMATED ? curve_at(w) : NULL;
    if (curve) write_object(w, &pl_type_curve, curve, level);
    else pl_text_number(w->text, value);
}

static void write_file(writer* w, const char* path) {
    char whole[8192];
    bool joins = path[0] != '\0' && w->folder[0] && !pl_path_is_absolute(path);
    snprintf(whole, sizeof whole, "%s%s%s", joins ? w->folder : "", joins ? "/" : "", path);
    pl_text_quote(w->text, whole);
}

static void write_vector(writer* w, const pl_field_info* field, const double* values, int level) {
    pl_text_add(w->text, "[");
    for (int i = 0; i < field->width; i++) {
        if (i > 0) pl_text_add(w->text, ", ");
        size_t before = pl_path_push_index(&w->path, i);
        write_number(w, field, values[i], level);
        pl_path_pop(&w->path, before);
    }
    pl_text_add(w->text, "]");
}

static void write_item(writer* w, const pl_field_info* field, const char* item, int level) {
    pl_field_info plain = {.width = field->width};
    switch (field->kind) {
    case PL_FIELD_INTS: pl_text_format(w->text, "%d", pl_load_int(item, 0)); break;
    case PL_FIELD_CHOICES:
        pl_text_quote(w->text, field->choices->items[pl_load_int(item, 0)].name);
        break;
    case PL_FIELD_NUMBERS:
        if (field->width == 1) pl_text_number(w->text, *(const double*)(const void*)item);
        else write_vector(w, &plain, (const double*)(const void*)item, level);
        break;
    case PL_FIELD_TEXTS: pl_text_quote(w->text, pl_load_pointer(item, 0)); break;
    default: write_object(w, field->type, item, level); break;
    }
}

static void write_list(writer* w, const pl_field_info* field, const void* object, int level) {
    const char* items = pl_load_pointer(object, field->offset);
    int count = pl_load_int(object, field->count_offset);
    bool single = (field->flags & PL_SINGLE) != 0, lines = field->kind == PL_FIELD_LIST;
    if (!single) pl_text_add(w->text, "[");
    for (int i = 0; i < count; i++) {
        size_t before = single ? w->path.size : pl_path_push_index(&w->path, i);
        if (i > 0) pl_text_add(w->text, lines ? "," : ", ");
        if (lines && !single) pl_text_line(w->text, level + 1);
        write_item(w, field, items + (size_t)i * pl_field_item_size(field),
                   single ? level : level + 1);
        pl_path_pop(&w->path, before);
    }
    if (lines && !single) pl_text_line(w->text, level);
    if (!single) pl_text_add(w->text, "]");
}

static void write_value(writer* w, const pl_field_info* field, const void* object, int level) {
    const char* member = (const char*)object + field->offset;
    switch (field->kind) {
    case PL_FIELD_BOOL: pl_text_add(w->text, *(const bool*)member ? "true" : "false"); break;
    case PL_FIELD_FLAG: pl_text_add(w->text, "true"); break;
    case PL_FIELD_INT: pl_text_format(w->text, "%d", pl_load_int(object, field->offset)); break;
    case PL_FIELD_NUMBER: write_number(w, field, *(const double*)(const void*)member, level); break;
    case PL_FIELD_VECTOR: write_vector(w, field, (const double*)(const void*)member, level); break;
    case PL_FIELD_CHOICE:
        pl_choice_write(w->text, field->choices, pl_load_int(object, field->offset));
        break;
    case PL_FIELD_TEXT: pl_text_quote(w->text, pl_load_pointer(object, field->offset)); break;
    case PL_FIELD_FILE: write_file(w, pl_load_pointer(object, field->offset)); break;
    case PL_FIELD_OBJECT: write_object(w, field->type, member, level); break;
    case PL_FIELD_OPTIONAL:
        write_object(w, field->type, pl_load_pointer(object, field->offset), level);
        break;
    default: write_list(w, field, object, level); break;
    }
}

// young and poisson of a material given by mu
static bool is_replaced(const pl_type* type, const pl_field_info* field, const void* object) {
    return type == &pl_type_material && !isnan(((const pl_material_def*)object)->mu) &&
           (strcmp(field->key, "young") == 0 || strcmp(field->key, "poisson") == 0);
}

static bool is_said(const writer* w, const pl_type* type, const pl_field_info* field,
                    const void* object) {
    if ((field->flags & PL_HIDDEN) || is_replaced(type, field, object)) return false;
    if (field->flags & PL_VARIANT)
        return pl_choice_find(type->variants, field->key) ==
               pl_load_int(object, type->variant_offset);
    if (pl_field_is_counted(field)) return pl_load_int(object, field->count_offset) > 0;
    switch (field->kind) {
    case PL_FIELD_NUMBER:
    case PL_FIELD_VECTOR:
        return !isnan(*(const double*)(const void*)((const char*)object + field->offset)) ||
               curve_at(w);
    case PL_FIELD_TEXT:
    case PL_FIELD_FILE:
    case PL_FIELD_OPTIONAL: return pl_load_pointer(object, field->offset) != NULL;
    default: return true;
    }
}

static void write_parameters(writer* w, const pl_shape_maker* maker, int level) {
    for (int i = 0; i < maker->value_count; i++) {
        pl_text_add(w->text, ",");
        pl_text_line(w->text, level + 1);
        pl_text_quote(w->text, maker->values[i].key);
        pl_text_add(w->text, ": ");
        if (maker->values[i].word) pl_text_quote(w->text, maker->values[i].word);
        else pl_text_number(w->text, maker->values[i].number);
    }
}

static void write_object(writer* w, const pl_type* type, const void* object, int level) {
    pl_text_add(w->text, "{");
    bool first = true;
    for (int i = 0; i < type->field_count; i++) {
        const pl_field_info* field = &type->fields[i];
        size_t before = pl_path_push_key(&w->path, field->key);
        if (is_said(w, type, field, object)) {
            if (!first) pl_text_add(w->text, ",");
            first = false;
            pl_text_line(w->text, level + 1);
            pl_text_format(w->text, "\"%s\": ", field->key);
            write_value(w, field, object, level + 1);
        }
        pl_path_pop(&w->path, before);
    }
    if (type->open) write_parameters(w, object, level);
    if (!first) pl_text_line(w->text, level);
    pl_text_add(w->text, "}");
}

pl_status pl_scene_to_text(const pl_scene* scene, pl_text* text, pl_error* error) {
    writer w = {.text = text, .scene = scene};
    if (!getcwd(w.folder, sizeof w.folder)) w.folder[0] = '\0';
    write_object(&w, &pl_type_scene, scene, 0);
    pl_text_add(text, "\n");
    return text->failed ? pl_fail_memory(error, "the text of a scene") : PL_OK;
}

pl_status pl_scene_write(const pl_scene* scene, const char* path, pl_error* error) {
    pl_text text = pl_text_begin();
    pl_status status = pl_scene_to_text(scene, &text, error);
    pl_sink* sink = NULL;
    if (status == PL_OK) status = pl_sink_create(path, &sink, error);
    if (status == PL_OK) {
        pl_sink_bytes(sink, text.bytes.data, text.bytes.count);
        status = pl_sink_close(sink, true, error);
    }
    pl_text_free(&text);
    return status;
}
