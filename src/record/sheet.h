// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A contact sheet: pictures of frames from the first to the last, in rows.
#ifndef PL_RECORD_SHEET_H
#define PL_RECORD_SHEET_H

#include "record/show.h"

// options, framed for the show, give the size of each picture. image is created.
pl_status pl_sheet_draw(pl_show* show, const pl_render_options* options, int columns, int rows,
                        bool labels, pl_pool* pool, pl_image* image, pl_error* error);

// "frame 12   t = 0.480 s" for recordings, else an empty text.
void pl_show_label(const pl_show* show, int frame, char* text, size_t size);

#endif
