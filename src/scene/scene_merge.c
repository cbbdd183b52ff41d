// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Merges several files, and values from the command line, into one tree. A file overrides what it
// includes: objects are merged key by key; lists of objects are concatenated, and items with the
// same name are merged; everything else is replaced.
#include "base/memory.h"
#include "base/platform.h"
#include "scene/scene_node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 256, CHAIN_LIMIT = 32, NAMED_LIMIT = 10000 };

// files being read, each included by the next
typedef struct chain {
    const char* path;
    const char* real; // canonical path, to identify files
    const struct chain* from;
} chain;

// ---------------------------------------------------------------- merging

static bool holds_objects(const pl_node* node) {
    for (const pl_node* item = node->first; item; item = item->next)
        if (item->kind != PL_NODE_OBJECT) return false;
    return node->kind == PL_NODE_ARRAY;
}

static pl_node* item_named(const pl_node* list, const char* name) {
    for (pl_node* item = list->first; item; item = item->next) {
        const pl_node* own = item->kind == PL_NODE_OBJECT ? pl_node_member(item, "name") : NULL;
        if (own && own->kind == PL_NODE_TEXT && strcmp(own->text, name) == 0) return item;
    }
    return NULL;
}

// replaces the contents of a value; its key and its position stay
static void replace_value(pl_node* node, const pl_node* by) {
    pl_node* next = node->next;
    const char* key = node->key;
    *node = *by;
    node->next = next;
    node->key = key;
}

static pl_status merge_into(pl_node* base, pl_node* over, pl_error* error);

static pl_status merge_objects(pl_node* base, pl_node* over, pl_error* error) {
    for (pl_node *member = over->first, *next; member; member = next) {
        next = member->next;
        pl_node* known = base->first;
        while (known && strcmp(known->key, member->key) != 0) known = known->next;
        if (!known) {
            pl_node_append(base, member);
            continue;
        }
        pl_status status = merge_into(known, member, error);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

static pl_status merge_lists(pl_node* base, pl_node* over, pl_error* error) {
    if (base->count > NAMED_LIMIT && over->count > NAMED_LIMIT)
        return pl_node_fail(over, over->key, error, PL_ERROR_LIMIT,
                            "lists of more than %d items cannot be merged; use one file",
                            NAMED_LIMIT);
    for (pl_node *item = over->first, *next; item; item = next) {
        next = item->next;
        const pl_node* name = pl_node_member(item, "name");
        pl_node* known = name && name->kind == PL_NODE_TEXT ? item_named(base, name->text) : NULL;
        pl_status status = PL_OK;
        if (known) status = merge_into(known, item, error);
        else pl_node_append(base, item);
        if (status != PL_OK) return status;
    }
    return PL_OK;
}

static pl_status merge_into(pl_node* base, pl_node* over, pl_error* error) {
    if (base->kind == PL_NODE_OBJECT && over->kind == PL_NODE_OBJECT)
        return merge_objects(base, over, error);
    if (base->count && over->count && holds_objects(base) && holds_objects(over))
        return merge_lists(base, over, error);
    replace_value(base, over);
    return PL_OK;
}

// ---------------------------------------------------------------- including

static pl_status check_version(const pl_node* root, pl_error* error) {
    if (root->kind != PL_NODE_OBJECT)
        return pl_node_fail(root, NULL, error, PL_ERROR_FORMAT,
                            "a scene is an object: {\"pliant\": 1, ...}");
    const pl_node* version = pl_node_member(root, "pliant");
    if (!version)
        return pl_node_fail(root, NULL, error, PL_ERROR_FORMAT,
                            "the key \"pliant\" is missing; begin with {\"pliant\": 1, ...}");
    if (version->kind != PL_NODE_NUMBER || version->number != 1.0)
        return pl_node_fail(version, "pliant", error, PL_ERROR_UNSUPPORTED,
                            "this pliant reads version 1 of the format; write \"pliant\": 1, or "
                            "get a newer pliant");
    return PL_OK;
}

// writes "a.json -> b.json -> a.json" from the outermost file on
static void describe_chain(const chain* files, char* text, size_t size) {
    if (files->from) describe_chain(files->from, text, size);
    size_t used = strlen(text);
    if (used < size) snprintf(text + used, size - used, "%s -> ", files->path);
}

static pl_status check_chain(const chain* files, const pl_node* include, const char* path,
                             const char* real, pl_error* error) {
    int length = 0;
    for (const chain* file = files; file; file = file->from) {
        if (++length > CHAIN_LIMIT)
            return pl_node_fail(include, "include", error, PL_ERROR_LIMIT,
                                "files include one another more than %d deep", CHAIN_LIMIT);
        if (strcmp(file->real, real) != 0) continue;
        char text[512] = "";
        describe_chain(files, text, sizeof text);
        return pl_node_fail(include, "include", error, PL_ERROR_FORMAT,
                            "files include one another in a circle: %s%s; remove one of them", text,
                            path);
    }
    return PL_OK;
}

static pl_status load(pl_tree* tree, const char* path, const void* data, size_t size,
                      const chain* from, pl_node** out, pl_error* error);

// loads one included file and merges it into *merged (or becomes it)
static pl_status include_file(pl_tree* tree, const pl_node* name, const chain* files,
                              pl_node** merged, pl_error* error) {
    if (name->kind != PL_NODE_TEXT || name->text[0] == '\0')
        return pl_node_fail(name, "include", error, PL_ERROR_FORMAT,
                            "expected the name of a file, or a list of names");
    if (tree->documents.count >= FILE_LIMIT)
        return pl_node_fail(name, "include", error, PL_ERROR_LIMIT,
                            "more than %d files are included", FILE_LIMIT);
    char path[4096];
    int size = snprintf(path, sizeof path, "%s%s",
                        pl_path_is_absolute(name->text) ? "" : pl_node_folder(name), name->text);
    if (size < 0 || (size_t)size >= sizeof path)
        return pl_node_fail(name, "include", error, PL_ERROR_FORMAT, "this name is too long");
    char real[4096];
    if (!pl_path_real(path, real, sizeof real))
        return pl_node_fail(
            name, "include", error, PL_ERROR_IO,
            "there is no file %s (names are relative to the file that contains them)", path);
    pl_status status = check_chain(files, name, path, real, error);
    pl_node* root = NULL;
    if (status == PL_OK) status = load(tree, path, NULL, 0, files, &root, error);
    if (status != PL_OK) return status;
    if (*merged) return merge_into(*merged, root, error);
    *merged = root;
    return PL_OK;
}

// takes a key out of an object, or an item out of a list
static void remove_member(pl_node* parent, const pl_node* member) {
    pl_node* children = parent->first;
    parent->first = parent->last = NULL;
    parent->count = 0;
    for (pl_node *child = children, *next; child; child = next) {
        next = child->next;
        if (child != member) pl_node_append(parent, child);
    }
}

static pl_status include_all(pl_tree* tree, pl_node* root, const chain* files, pl_node** out,
                             pl_error* error) {
    const pl_node* include = pl_node_member(root, "include");
    *out = root;
    if (!include) return PL_OK;
    pl_node* merged = NULL;
    pl_status status = PL_OK;
    if (include->kind == PL_NODE_ARRAY) {
        for (const pl_node* name = include->first; name && status == PL_OK; name = name->next)
            status = include_file(tree, name, files, &merged, error);
    } else {
        status = include_file(tree, include, files, &merged, error);
    }
    if (status != PL_OK) return status;
    remove_member(root, include);
    if (!merged) return PL_OK;
    *out = merged;
    return merge_into(merged, root, error);
}

static pl_status load(pl_tree* tree, const char* path, const void* data, size_t size,
                      const chain* from, pl_node** out, pl_error* error) {
    pl_node* root = NULL;
    pl_status status = pl_tree_load(tree, path, data, size, &root, error);
    if (status == PL_OK) status = check_version(root, error);
    if (status != PL_OK) return status;
    char real[4096];
    if (!pl_path_real(path, real, sizeof real)) snprintf(real, sizeof real, "%s", path);
    chain files = {path, real, from};
    return include_all(tree, root, &files, out, error);
}

pl_status pl_tree_read(const char* path, pl_tree* tree, pl_error* error) {
    return load(tree, path, NULL, 0, NULL, &tree->root, error);
}

pl_status pl_tree_read_memory(const void* data, size_t size, const char* path, pl_tree* tree,
                              pl_error* error) {
    return load(tree, path, size ? data : "", size, NULL, &tree->root, error);
}

// ---------------------------------------------------------------- values from the command line

static pl_status wrong_path(const char* text, const char* what, pl_error* error) {
    return pl_fail(error, PL_ERROR_ARGUMENT,
                   "--set %.300s: %s; write it like bodies[0].material.young=1e5", text, what);
}

// the list item that a step names; one past the end is created, with the value's position
static pl_status step_into_list(pl_tree* tree, pl_node* node, const pl_step* step, const char* text,
                                const pl_node* value, pl_node** out, pl_error* error) {
    char what[256];
    if (step->number < 0) {
        *out = item_named(node, step->name);
        snprintf(what, sizeof what, "nothing there is named \"%s\"", step->name);
        return *out ? PL_OK : wrong_path(text, what, error);
    }
    bool removes = value->kind == PL_NODE_NULL;
    if (step->number > node->count - (removes ? 1 : 0)) {
        snprintf(what, sizeof what, "index %ld is past the end of a list of %d", step->number,
                 node->count);
        return wrong_path(text, what, error);
    }
    *out = node->first;
    for (long i = 0; *out && i < step->number; i++) *out = (*out)->next;
    if (*out) return PL_OK;
    *out = pl_tree_new_node(tree, PL_NODE_NULL, value);
    if (!*out) return pl_fail_memory(error, "the scene");
    pl_node_append(node, *out);
    return PL_OK;
}

static pl_status step_into_object(pl_tree* tree, pl_node* node, const pl_step* step,
                                  const pl_node* value, pl_node** out, pl_error* error) {
    for (*out = node->first; *out; *out = (*out)->next)
        if (strcmp((*out)->key, step->name) == 0) return PL_OK;
    *out = pl_tree_new_node(tree, PL_NODE_NULL, value);
    char* key = pl_arena_alloc(&tree->arena, strlen(step->name) + 1);
    if (!*out || !key) return pl_fail_memory(error, "the scene");
    strcpy(key, step->name);
    (*out)->key = key;
    pl_node_append(node, *out);
    return PL_OK;
}

static pl_status override_at(pl_tree* tree, const char* text, const char* path,
                             const pl_node* value, pl_error* error) {
    pl_node *node = tree->root, *list = NULL; // list: the one that the last step entered
    pl_step step;
    while (pl_path_step(path, &step)) {
        if (node->kind == PL_NODE_NULL) node->kind = step.is_index ? PL_NODE_ARRAY : PL_NODE_OBJECT;
        if (node->kind != (step.is_index ? PL_NODE_ARRAY : PL_NODE_OBJECT)) {
            char what[256];
            snprintf(what, sizeof what, "there is no %s \"%s\" in the value before it",
                     step.is_index ? "item" : "key", step.name);
            return wrong_path(text, what, error);
        }
        list = step.is_index ? node : NULL;
        pl_status status = step.is_index
                               ? step_into_list(tree, node, &step, text, value, &node, error)
                               : step_into_object(tree, node, &step, value, &node, error);
        if (status != PL_OK) return status;
        path = step.after;
    }
    if (!step.after || node == tree->root) return wrong_path(text, "this is not a path", error);
    if (list && value->kind == PL_NODE_NULL) remove_member(list, node);
    else replace_value(node, value);
    return PL_OK;
}

pl_status pl_tree_override(pl_tree* tree, const char* text, pl_error* error) {
    const char* equals = strchr(text, '=');
    if (!equals || equals == text) return wrong_path(text, "expected PATH=VALUE", error);
    size_t size = (size_t)(equals - text);
    char path[1024];
    if (size >= sizeof path) return wrong_path(text, "this path is too long", error);
    memcpy(path, text, size);
    path[size] = '\0';
    pl_node* value = NULL;
    pl_status status = pl_tree_parse_value(tree, text, equals + 1, &value, error);
    return status == PL_OK ? override_at(tree, text, path, value, error) : status;
}

pl_status pl_tree_value(const char* text, pl_tree* tree, pl_error* error) {
    return pl_tree_parse_value(tree, text, text, &tree->root, error);
}
