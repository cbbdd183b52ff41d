// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Converts a JSON tree to the structs, driven by their tables.
#ifndef PL_SCENE_READ_H
#define PL_SCENE_READ_H

#include "scene/scene_node.h"
#include "scene/scene_path.h"
#include "scene/scene_type.h"

// pl_scene_read and pl_scene_check_files together, so that errors in meshes and selections also
// have file, line and column.
pl_status pl_scene_read_checked(const char* path, const char* const* overrides, int override_count,
                                pl_scene** out, pl_notes* notes, pl_error* error);

// Source of a scene: a file, or memory with a path for messages and for finding other files.
typedef struct pl_scene_source {
    const char* path;
    const void* data; // NULL: the file at path
    size_t size;
} pl_scene_source;

// Prefixes an error with its position in the file. The error comes from a scene that pl_scene_read
// read with the same arguments, for example from pl_world_create. The position is that of the path
// or body that the text starts with, or of a faulty mesh or selection. Other errors stay unchanged.
void pl_scene_explain(const pl_scene_source* source, const char* const* overrides,
                      int override_count, const pl_scene* scene, pl_error* error);

// Like pl_scene_read, from memory; path is used in messages and to find other files. Entry point of
// the fuzzer.
pl_status pl_scene_read_memory(const void* data, size_t size, const char* path,
                               const char* const* overrides, int override_count, pl_scene** out,
                               pl_notes* notes, pl_error* error);

#endif
