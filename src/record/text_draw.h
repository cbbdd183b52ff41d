// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Text in pictures: a font of strokes, smooth at every size.
#ifndef PL_RECORD_TEXT_DRAW_H
#define PL_RECORD_TEXT_DRAW_H

#include "record/image.h"

// Width of a text in pixels; size is the height of a capital letter.
float pl_text_width(const char* text, float size);
// Draws one line with its baseline's left end at (x, y). Bytes that are not printable ASCII appear
// as a question mark, one for each character of UTF-8.
void pl_text_draw(pl_image* image, float x, float y, float size, const uint8_t rgb[3],
                  const char* text);

#endif
