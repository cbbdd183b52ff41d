// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "view_message.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#define VERB_NAME(code, name) name,
static const char* const verb_names[PL_VIEW_VERB_COUNT] = {PL_VIEW_VERB_LIST(VERB_NAME)};
#undef VERB_NAME

// required and optional members of each verb
enum {
    BODY = 1,
    VERTEX = 2,
    AT = 4,
    ON = 8,
    NUMBER = 16,
    NAME = 32,
    TEXT = 64,
    FROM = 128,
    TO = 256
};
static const struct {
    unsigned needed, allowed;
} rules[PL_VIEW_VERB_COUNT] = {
    [PL_VIEW_GRAB] = {BODY | VERTEX | AT, 0},
    [PL_VIEW_MOVE] = {AT, NUMBER},
    [PL_VIEW_CUT] = {FROM | AT | TO, 0},
    [PL_VIEW_PAUSE] = {ON, 0},
    [PL_VIEW_SPEED] = {NUMBER, 0},
    [PL_VIEW_SET] = {NAME, NUMBER | TEXT},
    [PL_VIEW_COLOR] = {NAME, 0},
    [PL_VIEW_OPEN] = {NUMBER, 0},
    [PL_VIEW_SEEK] = {NUMBER, 0},
    [PL_VIEW_SPLIT] = {0, NAME | TEXT},
};

static pl_status refuse(pl_error* error, const char* text) {
    return pl_fail(error, PL_ERROR_FORMAT, "message refused: %s", text);
}

// short, printable ASCII
static bool take_name(const json_t* value, char out[PL_VIEW_NAME_SIZE]) {
    if (!json_is_string(value) || json_string_length(value) >= PL_VIEW_NAME_SIZE) return false;
    const char* text = json_string_value(value);
    for (const char* c = text; *c; c++)
        if (*c < ' ' || *c > '~') return false;
    if (strlen(text) != json_string_length(value)) return false;
    memcpy(out, text, strlen(text) + 1);
    return true;
}

static bool take_number(const json_t* value, double* out) {
    if (!json_is_number(value)) return false;
    *out = json_number_value(value);
    return isfinite(*out) && fabs(*out) <= 1e15;
}

static bool take_index(const json_t* value, int* out) {
    if (!json_is_integer(value)) return false;
    json_int_t number = json_integer_value(value);
    if (number < 0 || number > 1000000000) return false;
    *out = (int)number;
    return true;
}

static bool take_place(const json_t* value, double at[3]) {
    if (!json_is_array(value) || json_array_size(value) != 3) return false;
    for (size_t k = 0; k < 3; k++)
        if (!take_number(json_array_get(value, k), &at[k])) return false;
    return true;
}

// reads one member; returns its bit, or 0 if it is invalid
static unsigned take_member(const char* key, const json_t* value, pl_view_message* out) {
    if (strcmp(key, "body") == 0) return take_index(value, &out->body) ? BODY : 0;
    if (strcmp(key, "vertex") == 0) return take_index(value, &out->vertex) ? VERTEX : 0;
    if (strcmp(key, "at") == 0) return take_place(value, out->at) ? AT : 0;
    if (strcmp(key, "from") == 0) return take_place(value, out->from) ? FROM : 0;
    if (strcmp(key, "to") == 0) return take_place(value, out->to) ? TO : 0;
    if (strcmp(key, "name") == 0) return take_name(value, out->name) ? NAME : 0;
    if (strcmp(key, "text") == 0) return take_name(value, out->text) ? TEXT : 0;
    if (strcmp(key, "number") == 0) return take_number(value, &out->number) ? NUMBER : 0;
    if (strcmp(key, "on") != 0 || !json_is_boolean(value)) return 0;
    out->on = json_is_true(value);
    return ON;
}

static pl_status take_verb(const json_t* root, pl_view_message* out, pl_error* error) {
    char name[PL_VIEW_NAME_SIZE];
    if (!take_name(json_object_get(root, "do"), name))
        return refuse(error, "\"do\" is missing or not a short text");
    for (int v = 0; v < PL_VIEW_VERB_COUNT; v++) {
        if (strcmp(name, verb_names[v]) != 0) continue;
        out->verb = (pl_view_verb)v;
        return PL_OK;
    }
    return refuse(error, "\"do\" names nothing that a page may ask for");
}

static pl_status take_members(json_t* root, pl_view_message* out, pl_error* error) {
    unsigned seen = 0;
    const char* key;
    json_t* value;
    json_object_foreach(root, key, value) {
        if (strcmp(key, "do") == 0) continue;
        unsigned bit = take_member(key, value, out);
        if (!bit) return refuse(error, "a member is unknown or has the wrong type");
        seen |= bit;
    }
    unsigned needed = rules[out->verb].needed;
    if ((seen & needed) != needed) return refuse(error, "a member is missing");
    if (seen & ~(needed | rules[out->verb].allowed))
        return refuse(error, "a member does not belong to this request");
    out->has_number = (seen & NUMBER) != 0;
    if (out->verb == PL_VIEW_SET && !out->has_number && !(seen & TEXT))
        return refuse(error, "a value is missing");
    return PL_OK;
}

pl_status pl_view_message_read(const char* text, size_t size, pl_view_message* out,
                               pl_error* error) {
    *out = (pl_view_message){0};
    if (size > PL_VIEW_MESSAGE_LIMIT) return refuse(error, "it is too long");
    json_error_t cause;
    json_t* root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &cause);
    if (!root) return refuse(error, "it is not JSON");
    pl_status status =
        json_is_object(root) ? take_verb(root, out, error) : refuse(error, "it is not an object");
    if (status == PL_OK) status = take_members(root, out, error);
    json_decref(root);
    return status;
}
