// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "view_scenes.h"
#include "base/memory.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SCENE_LIMIT = 500 };

pl_view_scenes pl_view_scenes_begin(void) {
    return (pl_view_scenes){pl_array_of(sizeof(pl_view_scene))};
}

int pl_view_scenes_count(const pl_view_scenes* s) { return (int)s->items.count; }

const pl_view_scene* pl_view_scenes_at(const pl_view_scenes* s, int index) {
    if (index < 0 || index >= pl_view_scenes_count(s)) return NULL;
    return (const pl_view_scene*)s->items.data + index;
}

void pl_view_scenes_free(pl_view_scenes* s) {
    pl_view_scene* items = s->items.data;
    for (size_t k = 0; k < s->items.count; k++) {
        pl_free_text(items[k].path);
        pl_free_text(items[k].title);
        pl_free_text(items[k].name);
    }
    pl_array_free(&s->items);
}

// the last part of a path
static char* name_of(const char* path) {
    size_t end = strlen(path), begin;
    while (end > 1 && path[end - 1] == '/') end--;
    for (begin = end; begin > 0 && path[begin - 1] != '/';) begin--;
    char* name = pl_alloc(end - begin + 1);
    if (name) memcpy(name, path + begin, end - begin);
    return name;
}

// the title of a scene file, or its name
static char* title_of(const char* path) {
    json_error_t cause;
    json_t* root = json_load_file(path, 0, &cause);
    const char* title = root ? json_string_value(json_object_get(root, "title")) : NULL;
    char* copy = title && title[0] ? pl_copy_text(title) : name_of(path);
    json_decref(root);
    return copy;
}

pl_status pl_view_scenes_add(pl_view_scenes* s, const char* path, const char* const* overrides,
                             int override_count, pl_error* error) {
    struct stat info;
    if (stat(path, &info) != 0)
        return pl_fail(error, PL_ERROR_IO,
                       "%s: is not there; give a scene file or the folder of a "
                       "run",
                       path);
    if (pl_view_scenes_count(s) >= SCENE_LIMIT)
        return pl_fail(error, PL_ERROR_LIMIT, "more than %d scenes", SCENE_LIMIT);
    size_t size = strlen(path);
    bool is_recording = S_ISDIR(info.st_mode) || (size > 4 && strcmp(path + size - 4, ".plr") == 0);
    pl_view_scene item = {.path = pl_copy_text(path),
                          .name = name_of(path),
                          .title = is_recording ? name_of(path) : title_of(path),
                          .is_recording = is_recording,
                          .overrides = overrides,
                          .override_count = override_count};
    if (item.path && item.title && item.name && pl_array_push(&s->items, &item)) return PL_OK;
    pl_free_text(item.path);
    pl_free_text(item.title);
    pl_free_text(item.name);
    return pl_fail_memory(error, "the list of scenes");
}

static int is_scene(const struct dirent* entry) {
    size_t size = strlen(entry->d_name);
    return size > 5 && strcmp(entry->d_name + size - 5, ".json") == 0;
}

static bool is_known(const pl_view_scenes* s, const char* path) {
    struct stat a, b;
    for (int k = 0; k < pl_view_scenes_count(s); k++)
        if (stat(path, &a) == 0 && stat(pl_view_scenes_at(s, k)->path, &b) == 0 &&
            a.st_ino == b.st_ino && a.st_dev == b.st_dev)
            return true;
    return false;
}

pl_status pl_view_scenes_add_folder(pl_view_scenes* s, const char* folder, pl_error* error) {
    struct dirent** entries;
    int count = scandir(folder, &entries, is_scene, alphasort);
    if (count < 0) return pl_fail(error, PL_ERROR_IO, "%s: is not a readable folder", folder);
    pl_status status = PL_OK;
    for (int k = 0; k < count; k++) {
        char path[4096];
        int size = snprintf(path, sizeof path, "%s/%s", folder, entries[k]->d_name);
        if (status == PL_OK && size < (int)sizeof path && !is_known(s, path))
            status = pl_view_scenes_add(s, path, NULL, 0, error);
        free(entries[k]);
    }
    free(entries);
    return status;
}
