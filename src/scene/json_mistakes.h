// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Names the mistakes that people make most often in JSON written by hand.
#ifndef PL_SCENE_JSON_MISTAKES_H
#define PL_SCENE_JSON_MISTAKES_H

#include <stddef.h>

// Looks for the first mistake in text that a JSON parser refused: a comment, a comma before a
// closing bracket, single quotes, a number that JSON does not have. Returns what is wrong and what
// to do, with the mistake's place in *offset, or NULL if it is something else.
const char* pl_json_mistake(const char* text, size_t size, size_t* offset);

#endif
