// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Detects the most common mistakes in hand-written JSON.
#ifndef PL_SCENE_JSON_MISTAKES_H
#define PL_SCENE_JSON_MISTAKES_H

#include <stddef.h>

// Looks for the first mistake in text that a JSON parser refused: a comment, a comma before a
// closing bracket, single quotes, a number that JSON does not have. Returns what is wrong and how
// to fix it, with the position in *offset; NULL if it is something else.
const char* pl_json_mistake(const char* text, size_t size, size_t* offset);

#endif
