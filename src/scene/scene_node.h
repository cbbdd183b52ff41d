// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A JSON document as a tree that knows the file and position of each value. jansson parses; a
// parallel walk over the text finds the positions. Included files and values from the command line
// are merged into one tree.
#ifndef PL_SCENE_NODE_H
#define PL_SCENE_NODE_H

#include "base/arena.h"
#include "base/array.h"
#include "base/fail.h"

#include <stdbool.h>

typedef enum pl_node_kind {
    PL_NODE_NULL,
    PL_NODE_BOOL,
    PL_NODE_NUMBER,
    PL_NODE_TEXT,
    PL_NODE_ARRAY,
    PL_NODE_OBJECT,
} pl_node_kind;

typedef struct pl_document pl_document;

typedef struct pl_node {
    pl_node_kind kind;
    bool truth;       // PL_NODE_BOOL
    double number;    // PL_NODE_NUMBER
    const char* text; // PL_NODE_TEXT
    int count;        // items or members
    struct pl_node *first, *last, *next;
    const char* key; // as a member of an object
    const pl_document* document;
    size_t offset; // in the document: of the value, or of the key if it has one
} pl_node;

typedef struct pl_tree {
    pl_arena arena;
    pl_array documents; // pl_document*
    pl_node* root;      // an object, after reading
} pl_tree;

// Reads a file and all that it includes; every file must be an object with "pliant": 1.
pl_status pl_tree_read(const char* path, pl_tree* tree, pl_error* error);
// The same from memory; path is used in messages and to find what is included.
pl_status pl_tree_read_memory(const void* data, size_t size, const char* path, pl_tree* tree,
                              pl_error* error);
// Applies "bodies[0].material.young=1e5". Creates missing objects, and the next item of a list.
pl_status pl_tree_override(pl_tree* tree, const char* text, pl_error* error);
// Parses a value as on the command line: JSON, or a string without quotes. It becomes the root of
// an empty tree.
pl_status pl_tree_value(const char* text, pl_tree* tree, pl_error* error);
void pl_tree_free(pl_tree* tree);

// The member of an object that is not null, or NULL.
pl_node* pl_node_member(const pl_node* node, const char* key);
// The node at a path, or the last existing node on the way.
const pl_node* pl_tree_find(const pl_tree* tree, const char* path);
// The folder, with a trailing slash, that file names in this document are relative to; or "".
const char* pl_node_folder(const pl_node* node);
// Fails with "file:line:column: path: ..." for the position of the node.
pl_status pl_node_fail(const pl_node* node, const char* path, pl_error* error, pl_status status,
                       const char* format, ...) PL_PRINTF(5, 6);

// Shared by scene_merge.c and scene_node.c.
pl_status pl_tree_load(pl_tree* tree, const char* path, const void* data, size_t size,
                       pl_node** out, pl_error* error);
pl_node* pl_tree_new_node(pl_tree* tree, pl_node_kind kind, const pl_node* place);
void pl_node_append(pl_node* parent, pl_node* child);
// Takes a JSON value from text that is part of a document of its own, shown as `--set SHOWN`.
pl_status pl_tree_parse_value(pl_tree* tree, const char* shown, const char* value, pl_node** out,
                              pl_error* error);

// One step of a path: a key, or an index in brackets.
typedef struct pl_step {
    char name[128];
    bool is_index;     // in brackets
    long number;       // of an index that is a number, else -1
    const char* after; // the rest of the path
} pl_step;
// Returns false at the end of the path, and for text that is not a path (then out->after is NULL).
bool pl_path_step(const char* path, pl_step* out);

#endif
