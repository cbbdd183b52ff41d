// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Marks: a point with a line, drawn over everything else, because contacts are hidden between
// bodies.
#ifndef PL_RECORD_MARKS_H
#define PL_RECORD_MARKS_H

#include "record/image.h"
#include "record/render_types.h"

void pl_marks_draw(pl_image* image, const pl_render_options* options, const pl_render_mark* marks,
                   int count);

#endif
