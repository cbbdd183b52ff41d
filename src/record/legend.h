// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The legend of a colour map and the label of a picture.
#ifndef PL_RECORD_LEGEND_H
#define PL_RECORD_LEGEND_H

#include "base/pool.h"
#include "record/image.h"
#include "record/render_types.h"

// Fraction of the picture's width that the legend takes; the camera should leave it free.
enum { PL_LEGEND_PERCENT = 14 };

void pl_legend_draw(pl_image* image, const pl_render_options* options);

// A step of 1, 2 or 5 times a power of ten that divides a range into about `count` parts.
double pl_nice_step(double range, int count);

#endif
