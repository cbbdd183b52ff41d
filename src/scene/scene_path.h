// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Paths in a scene, such as bodies[0].material.young: building and resolving them.
#ifndef PL_SCENE_PATH_H
#define PL_SCENE_PATH_H

#include "scene/scene_type.h"

// A path that grows and shrinks as tables are walked; truncated if it does not fit.
typedef struct pl_path {
    char text[1024];
    size_t size;
} pl_path;

// Appends ".key" or "[index]"; returns the previous size, to restore.
size_t pl_path_push_key(pl_path* path, const char* key);
size_t pl_path_push_index(pl_path* path, int index);
void pl_path_pop(pl_path* path, size_t size);

// What a path names: a field of a struct, or one component of a vector.
typedef struct pl_place {
    const pl_type* type;
    const pl_field_info* field;
    void* object;  // the struct that holds the field
    int component; // -1 for all of it
    pl_path path;  // with indices in place of names
} pl_place;

pl_status pl_scene_locate(const pl_scene* scene, const char* path, pl_place* out, pl_error* error);
// The number that a place holds, or NULL if it is not one double.
double* pl_place_number(const pl_place* place);

// Writes `unknown key "x"; did you mean "y"?` or a list of the known keys.
void pl_describe_unknown(const pl_type* type, const char* key, char* text, size_t size);
// Writes the names of choices, separated by commas.
void pl_describe_choices(const pl_choices* choices, char* text, size_t size);

#endif
