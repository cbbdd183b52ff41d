// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "plot_svg.h"

#include <math.h>
#include <stdio.h>

enum {
    WIDTH = 720,
    HEIGHT = 420,
    LEFT = 70,
    RIGHT = 170,
    TOP = 40,
    BOTTOM = 50,
    X_TICKS = 5,
    MAX_STEPS = 10
};

typedef struct plot_area {
    FILE* file;
    double x_high;
    double low, high, step; // of y, of its power of ten if `floor` is above 0
    double floor;
} plot_area;

static const char* const COLOURS[] = {"#c0392b", "#1f618d", "#229954", "#8e44ad", "#d68910",
                                      "#16a085", "#7f8c8d", "#2c3e50", "#e84393", "#6d4c41"};
enum { COLOUR_COUNT = sizeof COLOURS / sizeof COLOURS[0] };

static double to_x(const plot_area* a, double x) {
    return LEFT + (WIDTH - LEFT - RIGHT) * (a->x_high > 0.0 ? x / a->x_high : 0.0);
}

static double scaled(const plot_area* a, double y) {
    return a->floor > 0.0 ? log10(fmax(y, a->floor)) : y;
}

static double to_y(const plot_area* a, double value) {
    return TOP + (HEIGHT - TOP - BOTTOM) * (a->high - value) / (a->high - a->low);
}

// `smallest`, 2, 5, 10, 20, ... times, so that there are at most MAX_STEPS
static double find_step(double range, double smallest) {
    static const double factors[] = {2.0, 2.5, 2.0};
    double step = smallest;
    for (int k = 0; range / step > MAX_STEPS; k++) step *= factors[k % 3];
    return step;
}

// far below the range of the values, but not below what doubles of their size can tell apart
static double smallest_step(double low, double high) {
    double size = fmax(fabs(low), fabs(high)), range = fmax(high - low, 1e-6 * size);
    return range > 0.0 ? pow(10.0, floor(log10(range)) - 2.0) : 1.0;
}

static plot_area find_area(FILE* file, const plot_line* lines, int count, double floor_of_y) {
    plot_area a = {.file = file, .floor = floor_of_y, .low = INFINITY, .high = -INFINITY};
    for (int k = 0; k < count; k++)
        for (int i = 0; i < lines[k].count; i++) {
            if (!isfinite(lines[k].y[i])) continue;
            a.x_high = fmax(a.x_high, lines[k].x[i]);
            a.low = fmin(a.low, scaled(&a, lines[k].y[i]));
            a.high = fmax(a.high, scaled(&a, lines[k].y[i]));
        }
    if (!(a.high >= a.low)) a.low = a.high = 0.0;
    a.step = find_step(a.high - a.low, floor_of_y > 0.0 ? 1.0 : smallest_step(a.low, a.high));
    a.low = a.step * floor(a.low / a.step);
    a.high = fmax(a.step * ceil(a.high / a.step), a.low + a.step);
    return a;
}

static void draw_axes(const plot_area* a, const char* x_name, const char* y_name) {
    int right = WIDTH - RIGHT, bottom = HEIGHT - BOTTOM;
    for (int k = 0; a->low + k * a->step < a->high + 0.5 * a->step; k++) {
        double value = a->low + k * a->step, y = to_y(a, value);
        fprintf(a->file,
                "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='#ddd'/>"
                "<text x='%d' y='%.1f' text-anchor='end'>%s%.3g</text>\n",
                LEFT, y, right, y, LEFT - 6, y + 4.0, a->floor > 0.0 ? "1e" : "",
                fabs(value) < 1e-9 * a->step ? 0.0 : value);
    }
    for (int k = 0; k <= X_TICKS; k++) {
        double value = a->x_high * k / X_TICKS, x = to_x(a, value);
        fprintf(a->file, "<text x='%.1f' y='%d' text-anchor='middle'>%.3g</text>\n", x, bottom + 18,
                value);
    }
    fprintf(a->file,
            "<path d='M%d %dV%dH%d' fill='none' stroke='#333'/>"
            "<text x='%d' y='%d' text-anchor='middle'>%s</text>"
            "<text transform='translate(16 %d) rotate(-90)' text-anchor='middle'>%s</text>\n",
            LEFT, TOP, bottom, right, (LEFT + right) / 2, HEIGHT - 12, x_name, (TOP + bottom) / 2,
            y_name);
}

static void draw_line(const plot_area* a, const plot_line* line, int number) {
    const char* colour = COLOURS[number % COLOUR_COUNT];
    fprintf(a->file, "<polyline fill='none' stroke='%s' stroke-width='1.6' points='", colour);
    for (int i = 0; i < line->count; i++)
        if (isfinite(line->y[i]))
            fprintf(a->file, "%.1f,%.1f ", to_x(a, line->x[i]), to_y(a, scaled(a, line->y[i])));
    int y = TOP + 12 + 20 * number, x = WIDTH - RIGHT + 12;
    fprintf(a->file,
            "'/>\n<line x1='%d' y1='%d' x2='%d' y2='%d' stroke='%s' stroke-width='3'/>"
            "<text x='%d' y='%d'>%s</text>\n",
            x, y - 4, x + 18, y - 4, colour, x + 24, y, line->name);
}

bool plot_svg_write(const char* path, const char* title, const char* x_name, const char* y_name,
                    const plot_line* lines, int line_count, double floor) {
    FILE* file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "pliant-bench: %s cannot be written\n", path);
        return false;
    }
    plot_area a = find_area(file, lines, line_count, floor);
    fprintf(file,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif' "
            "font-size='12'>\n<rect width='100%%' height='100%%' fill='#fff'/>"
            "<text x='%d' y='22' font-size='14'>%s</text>\n",
            WIDTH, HEIGHT, LEFT, title);
    draw_axes(&a, x_name, y_name);
    for (int k = 0; k < line_count; k++) draw_line(&a, &lines[k], k);
    fprintf(file, "</svg>\n");
    bool ok = fclose(file) == 0;
    if (!ok) fprintf(stderr, "pliant-bench: %s cannot be written\n", path);
    return ok;
}
