// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/sheet.h"

#include <stdio.h>

enum { GAP = 4, MAX_CELLS = 400 };

void pl_show_label(const pl_show* show, int frame, char* text, size_t size) {
    text[0] = '\0';
    if (!pl_show_is_recording(show)) return;
    // milliseconds as integers, so that no locale inserts a comma
    long long time = (long long)(1000.0 * pl_show_time(show, frame) + 0.5);
    snprintf(text, size, "frame %d   t = %lld.%03lld s", pl_show_number(show, frame), time / 1000,
             time % 1000);
}

static pl_status draw_cell(pl_show* show, pl_render_options options, bool labels, int frame,
                           double part, pl_pool* pool, pl_image* cell, pl_error* error) {
    const pl_render_scene* scene;
    char label[80];
    pl_show_label(show, frame, label, sizeof label);
    options.label = label[0] && labels ? label : NULL;
    pl_status status = pl_show_load(show, frame, &scene, error);
    if (status != PL_OK) return status;
    pl_show_move_camera(show, part, &options);
    return pl_render_draw(scene, &options, pool, cell, error);
}

pl_status pl_sheet_draw(pl_show* show, const pl_render_options* options, int columns, int rows,
                        bool labels, pl_pool* pool, pl_image* image, pl_error* error) {
    *image = (pl_image){0};
    if (columns < 1 || rows < 1 || columns > MAX_CELLS || rows > MAX_CELLS / columns)
        return pl_fail(error, PL_ERROR_ARGUMENT,
                       "a sheet of %d x %d pictures is not possible; give 1 to %d pictures in all",
                       columns, rows, MAX_CELLS);
    int count = pl_show_frame_count(show);
    int cells = columns * rows < count ? columns * rows : count;
    rows = (cells + columns - 1) / columns;
    pl_image cell = {0};
    pl_status status = pl_image_create(options->width, options->height, &cell, error);
    if (status == PL_OK)
        status = pl_image_create(columns * (options->width + GAP) - GAP,
                                 rows * (options->height + GAP) - GAP, image, error);
    if (status == PL_OK) pl_image_fill(image, (const uint8_t[3]){255, 255, 255});
    if (status == PL_OK && options->transparent) status = pl_image_add_alpha(image, error);
    for (int i = 0; status == PL_OK && i < cells; i++) {
        int frame = cells > 1 ? (int)((int64_t)i * (count - 1) / (cells - 1)) : count - 1;
        status = draw_cell(show, *options, labels, frame,
                           count > 1 ? (double)frame / (count - 1) : 0.0, pool, &cell, error);
        if (status == PL_OK)
            pl_image_paste(image, &cell, i % columns * (options->width + GAP),
                           i / columns * (options->height + GAP));
    }
    pl_image_free(&cell);
    if (status != PL_OK) pl_image_free(image);
    return status;
}
