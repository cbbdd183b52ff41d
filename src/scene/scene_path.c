// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "scene/scene_path.h"
#include "scene/scene_node.h"

#include <stdio.h>
#include <string.h>

size_t pl_path_push_key(pl_path* path, const char* key) {
    size_t before = path->size;
    int added = snprintf(path->text + before, sizeof path->text - before, "%s%s",
                         before > 0 ? "." : "", key);
    path->size = before + (size_t)added;
    if (path->size >= sizeof path->text) path->size = sizeof path->text - 1;
    return before;
}

size_t pl_path_push_index(pl_path* path, int index) {
    size_t before = path->size;
    int added = snprintf(path->text + before, sizeof path->text - before, "[%d]", index);
    path->size = before + (size_t)added;
    if (path->size >= sizeof path->text) path->size = sizeof path->text - 1;
    return before;
}

void pl_path_pop(pl_path* path, size_t size) {
    path->size = size;
    path->text[size] = '\0';
}

// ---------------------------------------------------------------- describing

static void add_text(char* text, size_t size, const char* part) {
    size_t used = strlen(text);
    if (used < size) snprintf(text + used, size - used, "%s", part);
}

void pl_describe_choices(const pl_choices* choices, char* text, size_t size) {
    text[0] = '\0';
    for (int i = 0; i < choices->count; i++) {
        if (i > 0) add_text(text, size, ", ");
        add_text(text, size, choices->items[i].name);
    }
}

void pl_describe_unknown(const pl_type* type, const char* key, char* text, size_t size) {
    const char* names[128] = {NULL};
    int count = 0;
    for (int i = 0; i < type->field_count && count < 128; i++)
        if (!(type->fields[i].flags & PL_HIDDEN)) names[count++] = type->fields[i].key;
    const char* meant = pl_nearest_name(key, names, count);
    if (meant) {
        snprintf(text, size, "unknown key \"%.100s\"; did you mean \"%s\"?", key, meant);
        return;
    }
    snprintf(text, size, "unknown key \"%.100s\"; known here: ", key);
    for (int i = 0; i < count; i++) {
        if (i > 0) add_text(text, size, ", ");
        add_text(text, size, names[i]);
    }
}

// ---------------------------------------------------------------- finding

static pl_status no_place(const char* path, const char* what, pl_error* error) {
    return pl_fail(error, PL_ERROR_ARGUMENT, "%.300s: %s", path, what);
}

static const char* name_of(const pl_type* type, const void* item) {
    const pl_field_info* field = pl_type_field(type, "name");
    return field && field->kind == PL_FIELD_TEXT ? pl_load_pointer(item, field->offset) : NULL;
}

// the index in a list that a step names, or -1
static int find_item(const pl_field_info* field, const void* object, const pl_step* step) {
    const char* items = pl_load_pointer(object, field->offset);
    int count = pl_load_int(object, field->count_offset);
    if (step->number >= 0) return step->number < count ? (int)step->number : -1;
    for (int i = 0; i < count; i++) {
        const char* name = name_of(field->type, items + (size_t)i * field->type->size);
        if (name && strcmp(name, step->name) == 0) return i;
    }
    return -1;
}

// enters the struct of the current field; false if there is none
static bool enter_field(pl_place* place, pl_step* step, bool* more) {
    const pl_field_info* field = place->field;
    void* inner = NULL;
    if (field->kind == PL_FIELD_OBJECT) inner = (char*)place->object + field->offset;
    if (field->kind == PL_FIELD_OPTIONAL) inner = pl_load_pointer(place->object, field->offset);
    if (field->kind == PL_FIELD_LIST && step->is_index) {
        int index = find_item(field, place->object, step);
        if (index < 0) return false;
        inner = (char*)pl_load_pointer(place->object, field->offset) +
                (size_t)index * field->type->size;
        pl_path_push_index(&place->path, index);
        *more = pl_path_step(step->after, step);
    }
    if (!inner) return false;
    place->object = inner;
    place->type = field->type;
    return true;
}

// the component of a vector that the last step names
static bool enter_vector(pl_place* place, pl_step* step, bool* more) {
    place->component = step->number < place->field->width ? (int)step->number : -1;
    pl_path_push_index(&place->path, place->component);
    *more = pl_path_step(step->after, step);
    return place->component >= 0 && !*more;
}

pl_status pl_scene_locate(const pl_scene* scene, const char* path, pl_place* out, pl_error* error) {
    *out = (pl_place){.type = &pl_type_scene, .object = (void*)scene, .component = -1};
    pl_step step;
    bool more = pl_path_step(path, &step);
    while (more) {
        char text[512];
        out->field = step.is_index ? NULL : pl_type_field(out->type, step.name);
        if (!out->field) {
            pl_describe_unknown(out->type, step.name, text, sizeof text);
            return no_place(path, text, error);
        }
        pl_path_push_key(&out->path, out->field->key);
        more = pl_path_step(step.after, &step);
        if (!more) break;
        bool vector = out->field->kind == PL_FIELD_VECTOR && step.is_index;
        if (!(vector ? enter_vector(out, &step, &more) : enter_field(out, &step, &more))) {
            snprintf(text, sizeof text, "there is no \"%s\" in \"%s\"", step.name, out->field->key);
            return no_place(path, text, error);
        }
        if (!more && !vector) return no_place(path, "name a key in it, too", error);
    }
    if (!step.after || !out->field) return no_place(path, "this is not a path", error);
    return PL_OK;
}

double* pl_place_number(const pl_place* place) {
    double* member = (double*)(void*)((char*)place->object + place->field->offset);
    if (place->field->kind == PL_FIELD_NUMBER) return member;
    if (place->field->kind == PL_FIELD_VECTOR && place->component >= 0)
        return member + place->component;
    return NULL;
}
