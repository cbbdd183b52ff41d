// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The numbered list of scenes that a page may open. Pages never see paths.
#ifndef PL_VIEW_SCENES_H
#define PL_VIEW_SCENES_H

#include "base/array.h"
#include "base/fail.h"

typedef struct pl_view_scene {
    char* path;  // of a scene file, or the folder of a run
    char* name;  // the last part of the path, which pages see
    char* title; // of the scene, or the name
    bool is_recording;
    const char* const* overrides; // "path=value"; borrowed
    int override_count;
} pl_view_scene;

typedef struct pl_view_scenes {
    pl_array items; // of pl_view_scene
} pl_view_scenes;

pl_view_scenes pl_view_scenes_begin(void);
void pl_view_scenes_free(pl_view_scenes* scenes);
int pl_view_scenes_count(const pl_view_scenes* scenes);
const pl_view_scene* pl_view_scenes_at(const pl_view_scenes* scenes, int index);

// Adds a scene file or the folder of a run, which must exist. Overrides are borrowed.
pl_status pl_view_scenes_add(pl_view_scenes* scenes, const char* path, const char* const* overrides,
                             int override_count, pl_error* error);
// Adds every scene file of a folder, sorted by name, except those already in the list.
pl_status pl_view_scenes_add_folder(pl_view_scenes* scenes, const char* folder, pl_error* error);

#endif
