// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Line plots as SVG.
#ifndef PL_BENCH_PLOT_SVG_H
#define PL_BENCH_PLOT_SVG_H

#include <stdbool.h>

typedef struct plot_line {
    const char* name;
    const double *x, *y;
    int count;
} plot_line;

// y is logarithmic, and values below `floor` are drawn at it; linear if `floor` is 0. False after a
// message.
bool plot_svg_write(const char* path, const char* title, const char* x_name, const char* y_name,
                    const plot_line* lines, int line_count, double floor);

#endif
