// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/marks.h"

#include <math.h>

// LENGTH: the longest line, relative to the size of the scene. POINT, LINE: radius of a point and
// half the width of a line, relative to the height of the picture.
static const double LENGTH = 0.3, POINT = 0.005, LINE = 0.0015;
static const uint8_t COLOR[3] = {20, 24, 40}, RIM[3] = {255, 255, 255};

// Projects a point to pixels; false if it is behind the camera.
static bool project(const pl_render_options* o, pl_vec3 at, double out[2]) {
    const pl_camera* c = &o->camera;
    const pl_vec3 d = pl_sub(at, c->eye);
    const double depth = -pl_dot(d, c->back);
    if (!(depth > 0.0)) return false;
    out[0] = 0.5 * o->width * (1.0 + pl_dot(d, c->right) / (depth * c->tan_x));
    out[1] = 0.5 * o->height * (1.0 - pl_dot(d, c->up) / (depth * c->tan_y));
    return fabs(out[0]) < 1e6 && fabs(out[1]) < 1e6;
}

// Distance of a pixel's middle from a segment.
static double distance_to(const double a[2], const double b[2], int x, int y) {
    const double way[2] = {b[0] - a[0], b[1] - a[1]};
    const double d[2] = {x + 0.5 - a[0], y + 0.5 - a[1]};
    const double square = way[0] * way[0] + way[1] * way[1];
    double part = square > 0.0 ? (way[0] * d[0] + way[1] * d[1]) / square : 0.0;
    part = fmin(fmax(part, 0.0), 1.0);
    return hypot(d[0] - part * way[0], d[1] - part * way[1]);
}

// A segment with round ends and smooth sides.
static void draw_stroke(pl_image* image, const double a[2], const double b[2], double half,
                        const uint8_t rgb[3]) {
    const int low_x = (int)fmax(floor(fmin(a[0], b[0]) - half - 1.0), 0.0);
    const int low_y = (int)fmax(floor(fmin(a[1], b[1]) - half - 1.0), 0.0);
    const int high_x = (int)fmin(ceil(fmax(a[0], b[0]) + half + 1.0), image->width - 1);
    const int high_y = (int)fmin(ceil(fmax(a[1], b[1]) + half + 1.0), image->height - 1);
    for (int y = low_y; y <= high_y; y++)
        for (int x = low_x; x <= high_x; x++) {
            const double cover = half + 0.5 - distance_to(a, b, x, y);
            if (cover > 0.0) pl_image_blend(image, x, y, rgb, (float)fmin(cover, 1.0));
        }
}

void pl_marks_draw(pl_image* image, const pl_render_options* options, const pl_render_mark* marks,
                   int count) {
    const double line = fmax(LINE * options->height, 0.6), point = POINT * options->height;
    // rims first, so that overlapping marks stay dark
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < count; k++) {
            double from[2], to[2];
            const pl_vec3 end = pl_madd(marks[k].at, LENGTH * options->radius, marks[k].along);
            if (!project(options, marks[k].at, from) || !project(options, end, to)) continue;
            const double rim = pass == 0 ? line : 0.0;
            draw_stroke(image, from, to, line + rim, pass ? COLOR : RIM);
            draw_stroke(image, from, from, point + rim, pass ? COLOR : RIM);
        }
}
