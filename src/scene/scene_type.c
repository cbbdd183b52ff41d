// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Operations on any struct that has a table: defaults, copying, freeing.
#include "scene/scene_type.h"
#include "base/memory.h"

#include <string.h>

#define TYPE_ROW(name) &pl_type_##name,
static const pl_type* const types[] = {PL_TYPE_LIST(TYPE_ROW)};
#undef TYPE_ROW

int pl_type_count(void) { return (int)(sizeof types / sizeof types[0]); }
const pl_type* pl_type_at(int index) { return types[index]; }

const pl_field_info* pl_type_field(const pl_type* type, const char* key) {
    for (int i = 0; i < type->field_count; i++)
        if (!(type->fields[i].flags & PL_HIDDEN) && strcmp(type->fields[i].key, key) == 0)
            return &type->fields[i];
    return NULL;
}

void* pl_load_pointer(const void* object, size_t offset) {
    void* pointer;
    memcpy(&pointer, (const char*)object + offset, sizeof pointer);
    return pointer;
}

void pl_store_pointer(void* object, size_t offset, const void* pointer) {
    memcpy((char*)object + offset, &pointer, sizeof pointer);
}

int pl_load_int(const void* object, size_t offset) {
    int value;
    memcpy(&value, (const char*)object + offset, sizeof value);
    return value;
}

void pl_store_int(void* object, size_t offset, int value) {
    memcpy((char*)object + offset, &value, sizeof value);
}

size_t pl_field_item_size(const pl_field_info* field) {
    switch (field->kind) {
    case PL_FIELD_INTS:
    case PL_FIELD_CHOICES: return sizeof(int);
    case PL_FIELD_NUMBERS: return (size_t)field->width * sizeof(double);
    case PL_FIELD_TEXTS: return sizeof(char*);
    case PL_FIELD_OPTIONAL:
    case PL_FIELD_LIST: return field->type->size;
    default: return 0;
    }
}

bool pl_field_is_counted(const pl_field_info* field) {
    return field->kind == PL_FIELD_INTS || field->kind == PL_FIELD_NUMBERS ||
           field->kind == PL_FIELD_CHOICES || field->kind == PL_FIELD_TEXTS ||
           field->kind == PL_FIELD_LIST;
}

static bool is_text(const pl_field_info* field) {
    return field->kind == PL_FIELD_TEXT || field->kind == PL_FIELD_FILE;
}

static bool is_pointer(const pl_field_info* field) {
    return pl_field_is_counted(field) || is_text(field) || field->kind == PL_FIELD_OPTIONAL;
}

// ---------------------------------------------------------------- defaults

static void default_field(const pl_field_info* field, void* object) {
    char* member = (char*)object + field->offset;
    switch (field->kind) {
    case PL_FIELD_BOOL: *(bool*)member = field->preset[0] != 0.0; break;
    case PL_FIELD_INT:
    case PL_FIELD_CHOICE: pl_store_int(object, field->offset, (int)field->preset[0]); break;
    case PL_FIELD_NUMBER:
    case PL_FIELD_VECTOR:
        memcpy(member, field->preset, (size_t)field->width * sizeof(double));
        break;
    case PL_FIELD_OBJECT: pl_type_default(field->type, member); break;
    default: break; // pointers and counts are zero
    }
}

void pl_type_default(const pl_type* type, void* object) {
    memset(object, 0, type->size);
    for (int i = 0; i < type->field_count; i++)
        if (!(type->fields[i].flags & PL_ALIAS)) default_field(&type->fields[i], object);
}

// ---------------------------------------------------------------- freeing

static int item_count(const pl_field_info* field, const void* object) {
    return pl_field_is_counted(field) ? pl_load_int(object, field->count_offset) : 1;
}

static void free_items(const pl_field_info* field, char* items, int count) {
    size_t item_size = pl_field_item_size(field);
    for (int i = 0; i < count; i++) {
        if (field->kind == PL_FIELD_TEXTS)
            pl_free_text(pl_load_pointer(items, (size_t)i * item_size));
        else if (field->type) pl_type_free(field->type, items + (size_t)i * item_size);
    }
    pl_free(items, (size_t)count * item_size);
}

void pl_field_free(const pl_field_info* field, void* object) {
    if (field->kind == PL_FIELD_OBJECT) pl_type_free(field->type, (char*)object + field->offset);
    if (!is_pointer(field)) return;
    char* data = pl_load_pointer(object, field->offset);
    if (is_text(field)) pl_free_text(data);
    else if (data) free_items(field, data, item_count(field, object));
    pl_store_pointer(object, field->offset, NULL);
    if (pl_field_is_counted(field)) pl_store_int(object, field->count_offset, 0);
}

void pl_type_free(const pl_type* type, void* object) {
    for (int i = 0; i < type->field_count; i++)
        if (!(type->fields[i].flags & PL_ALIAS)) pl_field_free(&type->fields[i], object);
}

// ---------------------------------------------------------------- copying

// clears the pointers of a bitwise copy, so that it owns nothing
static void forget_pointers(const pl_type* type, void* object) {
    for (int i = 0; i < type->field_count; i++) {
        const pl_field_info* field = &type->fields[i];
        if (field->kind == PL_FIELD_OBJECT)
            forget_pointers(field->type, (char*)object + field->offset);
        if (is_pointer(field)) pl_store_pointer(object, field->offset, NULL);
        if (pl_field_is_counted(field)) pl_store_int(object, field->count_offset, 0);
    }
}

static bool copy_fields(const pl_type* type, const void* from, void* to);

static bool copy_items(const pl_field_info* field, const char* items, int count, char* copy) {
    size_t item_size = pl_field_item_size(field);
    if (field->kind != PL_FIELD_TEXTS) memcpy(copy, items, (size_t)count * item_size);
    if (field->type)
        for (int i = 0; i < count; i++) forget_pointers(field->type, copy + (size_t)i * item_size);
    for (int i = 0; i < count; i++) {
        size_t at = (size_t)i * item_size;
        if (field->kind == PL_FIELD_TEXTS) {
            const char* text = pl_load_pointer(items, at);
            char* own = pl_copy_text(text ? text : "");
            if (!own) return false;
            pl_store_pointer(copy, at, own);
        } else if (field->type && !copy_fields(field->type, items + at, copy + at)) {
            return false;
        }
    }
    return true;
}

static bool copy_field(const pl_field_info* field, const void* from, void* to) {
    if (field->kind == PL_FIELD_OBJECT)
        return copy_fields(field->type, (const char*)from + field->offset,
                           (char*)to + field->offset);
    if (!is_pointer(field)) return true;
    const char* data = pl_load_pointer(from, field->offset);
    if (!data) return true;
    if (is_text(field)) {
        char* own = pl_copy_text(data);
        pl_store_pointer(to, field->offset, own);
        return own != NULL;
    }
    int count = item_count(field, from);
    if (count <= 0) return true;
    char* copy = pl_alloc_items((size_t)count, pl_field_item_size(field));
    if (!copy) return false;
    pl_store_pointer(to, field->offset, copy);
    if (pl_field_is_counted(field)) pl_store_int(to, field->count_offset, count);
    return copy_items(field, data, count, copy);
}

static bool copy_fields(const pl_type* type, const void* from, void* to) {
    for (int i = 0; i < type->field_count; i++)
        if (!(type->fields[i].flags & PL_ALIAS) && !copy_field(&type->fields[i], from, to))
            return false;
    return true;
}

bool pl_type_copy(const pl_type* type, const void* from, void* to) {
    memcpy(to, from, type->size);
    forget_pointers(type, to);
    if (copy_fields(type, from, to)) return true;
    pl_type_free(type, to);
    return false;
}

// ---------------------------------------------------------------- comparing

static bool are_same_numbers(const double* a, const double* b, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i] && (a[i] == a[i] || b[i] == b[i])) return false; // two NANs are the same
    return true;
}

static bool are_same_texts(const char* a, const char* b) {
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool is_same_type(const pl_type* type, const void* a, const void* b) {
    if (type->variants &&
        pl_load_int(a, type->variant_offset) != pl_load_int(b, type->variant_offset))
        return false;
    for (int i = 0; i < type->field_count; i++)
        if (!pl_field_is_same(&type->fields[i], a, b)) return false;
    return true;
}

static bool are_same_items(const pl_field_info* field, const char* a, const char* b, int count) {
    size_t size = pl_field_item_size(field);
    for (int i = 0; i < count; i++) {
        const void *x = a + (size_t)i * size, *y = b + (size_t)i * size;
        bool same = field->kind == PL_FIELD_TEXTS
                        ? are_same_texts(pl_load_pointer(x, 0), pl_load_pointer(y, 0))
                    : field->kind == PL_FIELD_NUMBERS ? are_same_numbers(x, y, (size_t)field->width)
                    : field->type                     ? is_same_type(field->type, x, y)
                                                      : memcmp(x, y, size) == 0;
        if (!same) return false;
    }
    return true;
}

bool pl_field_is_same(const pl_field_info* field, const void* a, const void* b) {
    const void *x = (const char*)a + field->offset, *y = (const char*)b + field->offset;
    switch (field->kind) {
    case PL_FIELD_FLAG: return true;
    case PL_FIELD_BOOL: return *(const bool*)x == *(const bool*)y;
    case PL_FIELD_INT:
    case PL_FIELD_CHOICE: return pl_load_int(a, field->offset) == pl_load_int(b, field->offset);
    case PL_FIELD_NUMBER:
    case PL_FIELD_VECTOR: return are_same_numbers(x, y, (size_t)field->width);
    case PL_FIELD_OBJECT: return is_same_type(field->type, x, y);
    default: break;
    }
    const char *p = pl_load_pointer(a, field->offset), *q = pl_load_pointer(b, field->offset);
    if (is_text(field)) return are_same_texts(p, q);
    if (field->kind == PL_FIELD_OPTIONAL) return p && q ? is_same_type(field->type, p, q) : p == q;
    int count = item_count(field, a);
    return count == item_count(field, b) && are_same_items(field, p, q, count);
}
