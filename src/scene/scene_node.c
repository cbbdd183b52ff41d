// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Parses JSON into a tree with positions. jansson has accepted the text before it is walked, so the
// walk needs no errors of its own. Members of an object are in text order (jansson keeps it, and
// refuses duplicate keys).
#include "scene/scene_node.h"
#include "base/memory.h"
#include "base/platform.h"
#include "mesh/mesh_source.h"
#include "scene/json_mistakes.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTE_LIMIT = 64 << 20, KEY_LIMIT = 1000, DEPTH_LIMIT = 200 };

struct pl_document {
    char* path;
    char* folder;
    pl_source source;
    json_t* json;
    bool is_override;
};

// ---------------------------------------------------------------- documents

static void document_destroy(pl_document* document) {
    if (!document) return;
    json_decref(document->json);
    pl_source_free(&document->source);
    pl_free_text(document->path);
    pl_free_text(document->folder);
    PL_FREE(document, pl_document, 1);
}

void pl_tree_free(pl_tree* tree) {
    pl_document** documents = tree->documents.data;
    for (size_t i = 0; i < tree->documents.count; i++) document_destroy(documents[i]);
    if (tree->documents.item_size) pl_array_free(&tree->documents);
    pl_arena_free(&tree->arena);
    *tree = (pl_tree){0};
}

static char* copy_part(const char* text, size_t size) {
    char* copy = pl_alloc(size + 1);
    if (copy) memcpy(copy, text, size);
    return copy;
}

// a document without its text; the tree owns it in any case
static pl_document* new_document(pl_tree* tree, const char* path, bool is_override,
                                 pl_error* error) {
    if (!tree->documents.item_size) tree->documents = pl_array_of(sizeof(pl_document*));
    pl_document* document = PL_ALLOC(pl_document, 1);
    if (document && !pl_array_push(&tree->documents, &document)) {
        PL_FREE(document, pl_document, 1);
        document = NULL;
    }
    if (document) {
        const char* slash = is_override ? NULL : pl_path_last_separator(path);
        document->is_override = is_override;
        document->path = pl_copy_text(path);
        document->folder = copy_part(path, slash ? (size_t)(slash - path) + 1 : 0);
        if (document->path && document->folder) return document;
    }
    pl_fail_memory(error, "the scene");
    return NULL;
}

const char* pl_node_folder(const pl_node* node) { return node->document->folder; }

// ---------------------------------------------------------------- messages

static void place_of(const pl_document* document, size_t offset, int* line, int* column) {
    *line = *column = 1;
    for (size_t i = 0; i < offset && i < document->source.size; i++) {
        unsigned char c = (unsigned char)document->source.data[i];
        if (c == '\n') (*line)++, *column = 1;
        else if ((c & 0xC0) != 0x80) // not inside a character of UTF-8
            (*column)++;
    }
}

pl_status pl_node_fail(const pl_node* node, const char* path, pl_error* error, pl_status status,
                       const char* format, ...) {
    char text[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char* colon = path && path[0] ? ": " : "";
    if (!path) path = "";
    if (!node || !node->document) return pl_fail(error, status, "%s%s%s", path, colon, text);
    if (node->document->is_override)
        return pl_fail(error, status, "--set %.200s: %.300s%s%s", node->document->path, path, colon,
                       text);
    int line, column;
    place_of(node->document, node->offset, &line, &column);
    return pl_fail(error, status, "%.300s:%d:%d: %.300s%s%s", node->document->path, line, column,
                   path, colon, text);
}

// ---------------------------------------------------------------- text to tree

typedef struct walk {
    pl_tree* tree;
    const pl_document* document;
    const char* at;
    const char* end;
    int depth;
    pl_error* error;
} walk;

static void skip_space(walk* w) {
    while (w->at < w->end && strchr(" \t\r\n,:", *w->at) && *w->at) w->at++;
}

static void skip_string(walk* w) {
    for (w->at++; w->at < w->end && *w->at != '"'; w->at++)
        if (*w->at == '\\') w->at++;
    w->at++;
}

static void skip_word(walk* w) {
    while (w->at < w->end && *w->at && !strchr(" \t\r\n,]}", *w->at)) w->at++;
}

pl_node* pl_tree_new_node(pl_tree* tree, pl_node_kind kind, const pl_node* place) {
    pl_node* node = PL_ARENA_ALLOC(&tree->arena, pl_node, 1);
    if (!node) return NULL;
    *node = (pl_node){.kind = kind};
    if (place) node->document = place->document, node->offset = place->offset;
    return node;
}

void pl_node_append(pl_node* parent, pl_node* child) {
    child->next = NULL;
    if (parent->last) parent->last->next = child;
    else parent->first = child;
    parent->last = child;
    parent->count++;
}

static pl_node* walk_value(walk* w, json_t* json);

static pl_node* walk_object(walk* w, json_t* json, pl_node* node) {
    if (json_object_size(json) > KEY_LIMIT) {
        pl_node_fail(node, NULL, w->error, PL_ERROR_LIMIT, "an object with more than %d keys",
                     KEY_LIMIT);
        return NULL;
    }
    w->at++;
    const char* key;
    json_t* value;
    json_object_foreach(json, key, value) {
        skip_space(w);
        size_t offset = (size_t)(w->at - w->document->source.data);
        skip_string(w);
        pl_node* child = walk_value(w, value);
        if (!child) return NULL;
        child->key = key;
        child->offset = offset;
        pl_node_append(node, child);
    }
    skip_space(w);
    w->at++;
    return node;
}

static pl_node* walk_array(walk* w, json_t* json, pl_node* node) {
    w->at++;
    for (size_t i = 0; i < json_array_size(json); i++) {
        pl_node* child = walk_value(w, json_array_get(json, i));
        if (!child) return NULL;
        pl_node_append(node, child);
    }
    skip_space(w);
    w->at++;
    return node;
}

static pl_node* walk_container(walk* w, json_t* json, pl_node* node) {
    if (++w->depth > DEPTH_LIMIT) {
        pl_node_fail(node, NULL, w->error, PL_ERROR_LIMIT,
                     "nested more than %d deep; no scene needs that, so some bracket is missing",
                     DEPTH_LIMIT);
        return NULL;
    }
    pl_node* done = json_is_object(json) ? walk_object(w, json, node) : walk_array(w, json, node);
    w->depth--;
    return done;
}

static pl_node* walk_value(walk* w, json_t* json) {
    skip_space(w);
    pl_node place = {.document = w->document, .offset = (size_t)(w->at - w->document->source.data)};
    pl_node* node = pl_tree_new_node(w->tree, PL_NODE_NULL, &place);
    if (!node) {
        pl_fail_memory(w->error, "the scene");
        return NULL;
    }
    switch (json_typeof(json)) {
    case JSON_OBJECT: node->kind = PL_NODE_OBJECT; return walk_container(w, json, node);
    case JSON_ARRAY: node->kind = PL_NODE_ARRAY; return walk_container(w, json, node);
    case JSON_STRING:
        node->kind = PL_NODE_TEXT;
        node->text = json_string_value(json);
        skip_string(w);
        return node;
    case JSON_INTEGER:
    case JSON_REAL:
        node->kind = PL_NODE_NUMBER;
        node->number = json_number_value(json);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        node->kind = PL_NODE_BOOL;
        node->truth = json_is_true(json);
        break;
    default: break;
    }
    skip_word(w);
    return node;
}

static pl_status parse_failed(const pl_document* document, const json_error_t* problem,
                              pl_error* error) {
    enum json_error_code code = json_error_code(problem);
    if (code == json_error_out_of_memory) return pl_fail_memory(error, "the scene");
    const char* advice = "";
    pl_status status = PL_ERROR_FORMAT;
    if (code == json_error_stack_overflow) {
        advice = "; no scene needs such nesting, so some bracket is missing";
        status = PL_ERROR_LIMIT;
    } else if (code == json_error_invalid_utf8) {
        advice = "; save the file as UTF-8";
    } else if (code == json_error_numeric_overflow) {
        advice = "; numbers must be below 1e308";
    }
    if (document->is_override)
        return pl_fail(error, status, "--set %.200s: not valid JSON: %s%s", document->path,
                       problem->text, advice);
    size_t offset;
    const char* mistake = pl_json_mistake(document->source.data, document->source.size, &offset);
    // the parser stops after the first mistake; a later one is not the cause
    if (mistake && code == json_error_invalid_syntax && offset < (size_t)problem->position + 2) {
        pl_node place = {.document = document, .offset = offset};
        return pl_node_fail(&place, NULL, error, status, "not valid JSON: %s", mistake);
    }
    return pl_fail(error, status, "%.500s:%d:%d: not valid JSON: %s%s", document->path,
                   problem->line, problem->column, problem->text, advice);
}

// integers become doubles, so none is too large
enum { PARSE_FLAGS = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL | JSON_DECODE_ANY };

// parses the document's text from start on
static pl_status parse(pl_tree* tree, pl_document* document, size_t start, pl_node** out,
                       pl_error* error) {
    json_error_t problem;
    const pl_source* source = &document->source;
    document->json = json_loadb(source->data + start, source->size - start, PARSE_FLAGS, &problem);
    if (!document->json) return parse_failed(document, &problem, error);
    walk w = {.tree = tree,
              .document = document,
              .at = source->data + start,
              .end = source->data + source->size,
              .error = error};
    *out = walk_value(&w, document->json);
    return *out ? PL_OK : error ? error->status : PL_ERROR_FORMAT;
}

pl_status pl_tree_load(pl_tree* tree, const char* path, const void* data, size_t size,
                       pl_node** out, pl_error* error) {
    pl_error own;
    if (!error) error = &own;
    pl_document* document = new_document(tree, path, false, error);
    if (!document) return PL_ERROR_MEMORY;
    pl_status status =
        data ? pl_source_from_memory(data, size, path, BYTE_LIMIT, &document->source, error)
             : pl_source_load(path, BYTE_LIMIT, &document->source, error);
    if (status != PL_OK) return status;
    bool has_mark = document->source.size >= 3 && !memcmp(document->source.data, "\xEF\xBB\xBF", 3);
    return parse(tree, document, has_mark ? 3 : 0, out, error);
}

pl_status pl_tree_parse_value(pl_tree* tree, const char* shown, const char* value, pl_node** out,
                              pl_error* error) {
    pl_error own;
    if (!error) error = &own;
    pl_document* document = new_document(tree, shown, true, error);
    if (!document) return PL_ERROR_MEMORY;
    pl_status status =
        pl_source_from_memory(value, strlen(value), shown, BYTE_LIMIT, &document->source, error);
    if (status != PL_OK) return status;
    status = parse(tree, document, 0, out, error);
    // anything that does not look like JSON is a string without quotes
    if (status != PL_ERROR_FORMAT || strchr("{[\"", value[0])) return status;
    pl_node place = {.document = document};
    *out = pl_tree_new_node(tree, PL_NODE_TEXT, &place);
    if (!*out) return pl_fail_memory(error, "the scene");
    (*out)->text = document->source.data; // zeros follow
    return PL_OK;
}

// ---------------------------------------------------------------- finding

pl_node* pl_node_member(const pl_node* node, const char* key) {
    for (pl_node* child = node->first; child; child = child->next)
        if (child->key && strcmp(child->key, key) == 0)
            return child->kind == PL_NODE_NULL ? NULL : child;
    return NULL;
}

bool pl_path_step(const char* path, pl_step* out) {
    *out = (pl_step){.number = -1};
    if (*path == '.') path++;
    if (*path == '\0') {
        out->after = path;
        return false;
    }
    out->is_index = *path == '[';
    if (out->is_index) path++;
    size_t size = strcspn(path, out->is_index ? "]" : ".[");
    if (size == 0 || size >= sizeof out->name || (out->is_index && path[size] != ']')) return false;
    memcpy(out->name, path, size);
    char* end;
    if (out->is_index) {
        long number = strtol(out->name, &end, 10);
        if (*end == '\0' && number >= 0) out->number = number;
    }
    out->after = path + size + (out->is_index ? 1 : 0);
    return true;
}

const pl_node* pl_tree_find(const pl_tree* tree, const char* path) {
    const pl_node* node = tree->root;
    pl_step step;
    while (node && pl_path_step(path, &step)) {
        const pl_node* next = NULL;
        if (!step.is_index && node->kind == PL_NODE_OBJECT) {
            next = pl_node_member(node, step.name);
        } else if (step.is_index && node->kind == PL_NODE_ARRAY && step.number >= 0) {
            next = node->first;
            for (long i = 0; next && i < step.number; i++) next = next->next;
        }
        if (!next) break;
        node = next;
        path = step.after;
    }
    return node;
}
