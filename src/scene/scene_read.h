// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// From a tree of JSON to the structs, by their tables.
#ifndef PL_SCENE_READ_H
#define PL_SCENE_READ_H

#include "scene/scene_node.h"
#include "scene/scene_path.h"
#include "scene/scene_type.h"

typedef struct pl_reader {
    pl_scene* scene; // gets the animations
    pl_path path;    // of what is being read
    pl_error* error;
} pl_reader;

// Reads the value of one field into the struct that holds it, in place of what was there. Types are
// checked here, ranges by pl_scene_resolve.
pl_status pl_read_member(pl_reader* reader, const pl_type* type, const pl_field_info* field,
                         const pl_node* node, void* object);
// A number, or a curve that it follows from now on; path is the reader's.
pl_status pl_read_number(pl_reader* reader, const pl_field_info* field, const pl_node* node,
                         double* out);

// pl_scene_read and pl_scene_check_files in one, so that what is wrong with a mesh or a selection
// is told with file, line and column, too.
pl_status pl_scene_read_checked(const char* path, const char* const* overrides, int override_count,
                                pl_scene** out, pl_notes* notes, pl_error* error);

// Where a scene is read from: a file, or memory with a path for messages and to find other files.
typedef struct pl_scene_source {
    const char* path;
    const void* data; // NULL: the file at path
    size_t size;
} pl_scene_source;

// Puts the place in the file before an error of what was made of a scene that pl_scene_read read
// with the same arguments, such as pl_world_create's: what is wrong with a mesh or a selection, or
// the place of the path or body that the text begins with. Other errors stay as they are.
void pl_scene_explain(const pl_scene_source* source, const char* const* overrides,
                      int override_count, const pl_scene* scene, pl_error* error);

// As pl_scene_read, from memory; path is used in messages and to find other files. What the fuzzer
// calls.
pl_status pl_scene_read_memory(const void* data, size_t size, const char* path,
                               const char* const* overrides, int override_count, pl_scene** out,
                               pl_notes* notes, pl_error* error);

#endif
