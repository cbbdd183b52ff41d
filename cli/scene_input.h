// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The scene argument of a verb: a file, or "-" for standard input.
#ifndef PL_CLI_SCENE_INPUT_H
#define PL_CLI_SCENE_INPUT_H

#include "options.h"
#include "scene/scene_read.h"

typedef struct scene_input {
    pl_scene_source source;
    char* text; // of standard input, owned
} scene_input;

// Reads standard input to its end if path is "-". Files that such a scene names are relative to the
// current folder.
pl_status scene_input_open(const char* path, scene_input* out, pl_error* error);
void scene_input_close(scene_input* input);

pl_status scene_input_read(const scene_input* input, const text_list* overrides, pl_scene** out,
                           pl_notes* notes, pl_error* error);
// As pl_scene_explain.
void scene_input_explain(const scene_input* input, const text_list* overrides,
                         const pl_scene* scene, pl_error* error);

#endif
