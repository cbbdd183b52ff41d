// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "contrast_shapes.h"

#include <math.h>

static bool everywhere(const double p[3], double width) { return p[0] + width > 0.0; }
static bool in_layer(const double p[3], double width) { return p[1] > 0.5 * width; }
static bool in_lumps(const double p[3], double width) {
    double x = fmod(p[0] / width, 1.0) - 0.5;
    return hypot(hypot(x, p[1] / width - 0.5), p[2] / width - 0.5) < 0.3;
}
static bool in_bone(const double p[3], double width) {
    return hypot(p[1] / width - 0.5, p[2] / width - 0.5) < 0.25;
}
static bool in_shell(const double p[3], double width) {
    double depth = fmin(p[0], 4.0 * width - p[0]);
    for (int c = 1; c < 3; c++) depth = fmin(depth, fmin(p[c], width - p[c]));
    return depth < 1.5;
}
// two elements thick, with two soft ones between them
static bool in_sheets(const double p[3], double width) {
    (void)width;
    return fmod(p[0], 4.0) < 2.0;
}
static bool in_rods(const double p[3], double width) {
    (void)width;
    return fmod(p[1], 4.0) < 2.0 && fmod(p[2], 4.0) < 2.0;
}

typedef struct contrast_shape {
    const char* name;
    bool (*is_stiff)(const double point[3], double width); // both in elements
} contrast_shape;

static const contrast_shape shapes[BENCH_CONTRAST_SHAPES] = {
    {"stiff", everywhere}, {"layer", in_layer},   {"lumps", in_lumps}, {"bone", in_bone},
    {"shell", in_shell},   {"sheets", in_sheets}, {"rods", in_rods}};

const char* bench_contrast_name(int shape) { return shapes[shape].name; }

void bench_contrast_fill(const pl_mesh* mesh, int shape, double element, double stiff,
                         double* contrast) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high = -INFINITY;
    for (int i = 0; i < 3 * mesh->vertex_count; i++) {
        low[i % 3] = fmin(low[i % 3], mesh->positions[i]);
        if (i % 3 == 1) high = fmax(high, mesh->positions[i]);
    }
    for (int t = 0; t < mesh->tet_count; t++) {
        double point[3] = {-low[0] / element, -low[1] / element, -low[2] / element};
        for (int k = 0; k < 12; k++)
            point[k % 3] += 0.25 * mesh->positions[3 * mesh->tets[4 * t + k / 3] + k % 3] / element;
        bool is_stiff = shape >= 0 && shapes[shape].is_stiff(point, (high - low[1]) / element);
        contrast[t] = is_stiff ? stiff : 1.0;
    }
}
