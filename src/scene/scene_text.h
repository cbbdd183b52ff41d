// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A growing text buffer. The first failure is remembered and reported at the end.
#ifndef PL_SCENE_TEXT_H
#define PL_SCENE_TEXT_H

#include "base/array.h"
#include "base/fail.h"
#include "scene/scene_type.h"

#include <pliant/scene.h>

typedef struct pl_text {
    pl_array bytes;
    bool failed; // an allocation failed
} pl_text;

pl_text pl_text_begin(void);
void pl_text_free(pl_text* text);
void pl_text_add(pl_text* text, const char* part);
void pl_text_format(pl_text* text, const char* format, ...) PL_PRINTF(2, 3);
// A new line with two blanks for each level.
void pl_text_line(pl_text* text, int level);
// As JSON: the shortest of 1 to 17 digits that reads back to the same bits; a quoted string.
void pl_text_number(pl_text* text, double value);
void pl_text_quote(pl_text* text, const char* value);
// A choice as JSON: a text, or true or false if that is its name.
void pl_choice_write(pl_text* text, const pl_choices* choices, int value);
// The text with a terminating zero, or NULL if an allocation failed.
const char* pl_text_get(pl_text* text);

// The whole scene as JSON; what `pliant check` prints.
pl_status pl_scene_to_text(const pl_scene* scene, pl_text* text, pl_error* error);
// docs/scene.schema.json, and the generated part of docs/scene.md.
pl_status pl_scene_schema(pl_text* text, pl_error* error);
pl_status pl_scene_docs(pl_text* text, pl_error* error);

#endif
