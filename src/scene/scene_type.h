// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The field tables of scenes: each struct of pliant/scene.h has a pl_type, a table of its members
// with key, unit, range, default and help. Reading, writing, defaults, copying, checking,
// `--set`, the JSON Schema and the tables of docs/scene.md all walk these tables.
#ifndef PL_SCENE_TYPE_H
#define PL_SCENE_TYPE_H

#include "base/fail.h"

#include <pliant/scene.h>

// The values of a choice.
typedef struct pl_choice {
    const char* name;
    const char* help;
} pl_choice;

typedef struct pl_choices {
    int count;
    const pl_choice* items;
} pl_choices;

#define PL_CHOICES(type, list, last) extern const pl_choices pl_choices_of_##type;
PL_CHOICE_LISTS(PL_CHOICES)
#undef PL_CHOICES

typedef enum pl_field_kind {
    PL_FIELD_BOOL,
    PL_FIELD_INT,
    PL_FIELD_NUMBER,
    PL_FIELD_VECTOR, // width numbers in place
    PL_FIELD_CHOICE,
    PL_FIELD_TEXT,
    PL_FIELD_FILE,     // a text that is a path
    PL_FIELD_FLAG,     // true, only to choose a variant; no member
    PL_FIELD_INTS,     // pointer and count
    PL_FIELD_NUMBERS,  // pointer and count of groups of width numbers
    PL_FIELD_CHOICES,  // pointer and count
    PL_FIELD_TEXTS,    // pointer and count
    PL_FIELD_OBJECT,   // a struct in place
    PL_FIELD_OPTIONAL, // pointer to a struct, or NULL
    PL_FIELD_LIST,     // pointer to structs and count
} pl_field_kind;

enum {
    PL_AUTO = 1,      // NAN means "chosen by pliant"; preset_text says how
    PL_ANIMATED = 2,  // may follow a curve during the run
    PL_VARIANT = 4,   // one of several keys of which an object has exactly one
    PL_ALIAS = 8,     // shares its member with another field that owns it
    PL_HIDDEN = 16,   // not in files
    PL_SINGLE = 32,   // a list that holds one, written without brackets
    PL_REQUIRED = 64, // a text or list that may not be empty; numbers: preset NAN without PL_AUTO
    PL_UNIFORM = 128, // a vector that may be given as one number
    PL_INHERIT = 256, // items of a list start from the body's material
};

typedef struct pl_type pl_type;
typedef struct pl_checker pl_checker; // see scene_rules.h

typedef struct pl_field_info {
    const char* key;
    pl_field_kind kind;
    int flags;
    size_t offset, count_offset;
    int width;
    double low, high; // of numbers and of every item of vectors and lists
    double preset[3];
    const char* preset_text; // of PL_AUTO, for people
    const char* unit;        // "" for none
    const char* help;
    const pl_choices* choices;
    const pl_type* type; // of objects and lists
} pl_field_info;

struct pl_type {
    const char* name; // in the schema and the docs
    const char* help;
    size_t size;
    const pl_field_info* fields;
    int field_count;
    const char* shorthand;      // key whose value may replace the whole object, or NULL
    const pl_choices* variants; // names are the keys of variants, or NULL
    size_t variant_offset;
    bool variant_required;
    bool open; // also accepts the keys of the generators' table
    // Checks what ranges cannot express; NULL: nothing more.
    pl_status (*check)(pl_checker* checker, const void* object);
};

// All types; the first is the scene. The types of collider shapes are in src/collider.
#define PL_TYPE_OF_SHAPE(X, CODE, name, type, help) X(name)
#define PL_TYPE_LIST(X)                                                                            \
    X(scene)                                                                                       \
    X(body)                                                                                        \
    X(maker)                                                                                       \
    X(maker_value)                                                                                 \
    X(transform)                                                                                   \
    X(material)                                                                                    \
    X(region_material)                                                                             \
    X(variation)                                                                                   \
    X(gradient)                                                                                    \
    X(field_source)                                                                                \
    X(damping)                                                                                     \
    X(multigrid)                                                                                   \
    X(mixed)                                                                                       \
    X(grid)                                                                                        \
    X(pbd)                                                                                         \
    X(eigenfit)                                                                                    \
    X(body_contact)                                                                                \
    X(render)                                                                                      \
    X(collider)                                                                                    \
    PL_COLLIDER_TABLE(PL_TYPE_OF_SHAPE, X)                                                         \
    X(attachment)                                                                                  \
    X(selection)                                                                                   \
    X(side)                                                                                        \
    X(nearest)                                                                                     \
    X(force)                                                                                       \
    X(wind)                                                                                        \
    X(motion)                                                                                      \
    X(pose_key)                                                                                    \
    X(oscillation)                                                                                 \
    X(curve)                                                                                       \
    X(animation)                                                                                   \
    X(output)

#define PL_TYPE_EXTERN(name) extern const pl_type pl_type_##name;
PL_TYPE_LIST(PL_TYPE_EXTERN)
#undef PL_TYPE_EXTERN

int pl_type_count(void);
const pl_type* pl_type_at(int index);

// The field of a key that files may use, or NULL.
const pl_field_info* pl_type_field(const pl_type* type, const char* key);

// Fills a struct with its defaults; allocates nothing.
void pl_type_default(const pl_type* type, void* object);
// Deep copy. Returns false if allocation fails; `to` then owns nothing.
bool pl_type_copy(const pl_type* type, const void* from, void* to);
// Frees what a struct points to and sets those pointers to NULL.
void pl_type_free(const pl_type* type, void* object);
// The same for one field.
void pl_field_free(const pl_field_info* field, void* object);
// True if a field has the same value in two structs of its type.
bool pl_field_is_same(const pl_field_info* field, const void* a, const void* b);

// Access to a member at a field's offset, independent of the pointer's type.
void* pl_load_pointer(const void* object, size_t offset);
void pl_store_pointer(void* object, size_t offset, const void* pointer);
int pl_load_int(const void* object, size_t offset);
void pl_store_int(void* object, size_t offset, int value);
// True for kinds with a pointer and a count; and the size of one item in bytes.
bool pl_field_is_counted(const pl_field_info* field);
size_t pl_field_item_size(const pl_field_info* field);

// The index of a name; -1 for none.
int pl_choice_find(const pl_choices* choices, const char* name);
// The most similar of count names, or NULL.
const char* pl_nearest_name(const char* name, const char* const* names, int count);

// Rows of the tables.
#define PL_ROW(T, key_, member, kind_) .key = key_, .kind = kind_, .offset = offsetof(T, member)
#define PL_ROW_BOOL(T, key_, member, preset_, help_)                                               \
    { PL_ROW(T, key_, member, PL_FIELD_BOOL), .preset = {preset_}, .unit = "", .help = help_ }
#define PL_ROW_INT(T, key_, member, low_, high_, preset_, help_)                                   \
    {                                                                                              \
        PL_ROW(T, key_, member, PL_FIELD_INT), .low = low_, .high = high_, .preset = {preset_},    \
                                               .unit = "", .help = help_                           \
    }
#define PL_ROW_NUMBER(T, key_, member, flags_, unit_, low_, high_, preset_, help_)                 \
    {                                                                                              \
        PL_ROW(T, key_, member, PL_FIELD_NUMBER), .flags = flags_, .width = 1, .unit = unit_,      \
                                                  .low = low_, .high = high_, .preset = {preset_}, \
                                                  .help = help_                                    \
    }
#define PL_ROW_AUTO(T, key_, member, flags_, unit_, low_, high_, preset_text_, help_)              \
    {                                                                                              \
        PL_ROW(T, key_, member, PL_FIELD_NUMBER),                                                  \
            .flags = PL_AUTO | (flags_), .width = 1, .unit = unit_, .low = low_, .high = high_,    \
            .preset = {NAN}, .preset_text = preset_text_, .help = help_                            \
    }
#define PL_ROW_VECTOR(T, key_, member, flags_, unit_, low_, high_, x, y, z, help_)                 \
    {                                                                                              \
        PL_ROW(T, key_, member, PL_FIELD_VECTOR), .flags = flags_, .width = 3, .unit = unit_,      \
                                                  .low = low_, .high = high_, .preset = {x, y, z}, \
                                                  .help = help_                                    \
    }
#define PL_ROW_VECTOR_AUTO(T, key_, member, flags_, unit_, low_, high_, preset_text_, help_)       \
    {                                                                                              \
        PL_ROW(T, key_, member, PL_FIELD_VECTOR),                                                  \
            .flags = PL_AUTO | (flags_), .width = 3, .unit = unit_, .low = low_, .high = high_,    \
            .preset = {NAN, NAN, NAN}, .preset_text = preset_text_, .help = help_                  \
    }
#define PL_ROW_CHOICE(T, key_, member, choice_, preset_, help_)                                    \
    {                                                                                              \
        PL_ROW(T, key_, member, PL_FIELD_CHOICE), .choices = &pl_choices_of_##choice_,             \
                                                  .preset = {preset_}, .unit = "", .help = help_   \
    }
#define PL_ROW_TEXT(T, key_, member, kind_, flags_, help_)                                         \
    { PL_ROW(T, key_, member, kind_), .flags = flags_, .unit = "", .help = help_ }
#define PL_ROW_OBJECT(T, key_, member, kind_, flags_, type_, help_)                                \
    {                                                                                              \
        PL_ROW(T, key_, member, kind_), .flags = flags_, .type = &pl_type_##type_, .unit = "",     \
                                        .help = help_                                              \
    }
#define PL_ROW_LIST(T, key_, member, count_, flags_, type_, help_)                                 \
    {                                                                                              \
        PL_ROW(T, key_, member, PL_FIELD_LIST), .count_offset = offsetof(T, count_),               \
                                                .flags = flags_, .type = &pl_type_##type_,         \
                                                .unit = "", .help = help_                          \
    }
#define PL_ROW_ARRAY(T, key_, member, count_, kind_, flags_, width_, unit_, low_, high_, help_)    \
    {                                                                                              \
        PL_ROW(T, key_, member, kind_), .count_offset = offsetof(T, count_), .flags = flags_,      \
                                        .width = width_, .unit = unit_, .low = low_,               \
                                        .high = high_, .help = help_                               \
    }

#define PL_TYPE_TABLE(c_type, rows)                                                                \
    .size = sizeof(c_type), .fields = rows, .field_count = (int)(sizeof rows / sizeof rows[0])

#endif
