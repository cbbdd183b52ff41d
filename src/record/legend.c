// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "record/legend.h"
#include "record/text_draw.h"

#include <math.h>
#include <stdio.h>

static const uint8_t INK[3] = {52, 56, 64};

double pl_nice_step(double range, int count) {
    if (!(range > 0.0) || !isfinite(range) || count < 1) return 0.0;
    double raw = range / count, power = pow(10.0, floor(log10(raw)));
    double part = raw / power;
    return power * (part < 1.5 ? 1.0 : part < 3.5 ? 2.0 : part < 7.5 ? 5.0 : 10.0);
}

// a number with the digits that its step needs
static void format_tick(double value, double step, char* text, size_t size) {
    if (fabs(value) < 1e-9 * step) value = 0.0;
    double largest = fmax(fabs(value), step);
    if (largest >= 1e5 || step < 1e-4) snprintf(text, size, "%.3g", value);
    else snprintf(text, size, "%.*f", step >= 1.0 ? 0 : (int)ceil(-log10(step) - 1e-9), value);
    for (char* p = text; *p; p++)
        if (*p == ',') *p = '.';
}

typedef struct bar {
    float x, y, width, height, size;
} bar;

static void draw_bar(pl_image* image, const pl_render_options* o, bar b) {
    float table[PL_COLORMAP_SIZE][3];
    pl_colormap_fill(o->map, table);
    int x0 = (int)b.x, y0 = (int)b.y, height = (int)b.height;
    for (int y = 0; y < height; y++) {
        int entry = (PL_COLORMAP_SIZE - 1) * (height - 1 - y) / (height > 1 ? height - 1 : 1);
        uint8_t rgb[3];
        for (int k = 0; k < 3; k++) rgb[k] = pl_srgb8(table[entry][k]);
        for (int x = 0; x < (int)b.width; x++) pl_image_blend(image, x0 + x, y0 + y, rgb, 1.0f);
    }
}

typedef struct tick {
    double part; // of the range
    char text[32];
} tick;
enum { MAX_TICKS = 16 };

static int find_ticks(const pl_render_options* o, tick ticks[MAX_TICKS]) {
    double low = o->value_low, range = o->value_high - low;
    double step = pl_nice_step(range, 5);
    if (!(step > 0.0)) return 0;
    double first = ceil(low / step - 1e-9);
    for (int i = 0; i < MAX_TICKS; i++) {
        double value = (first + i) * step;
        ticks[i].part = (value - low) / range;
        if (ticks[i].part > 1.0 + 1e-9) return i;
        format_tick(value, step, ticks[i].text, sizeof ticks[i].text);
    }
    return MAX_TICKS;
}

static void draw_ticks(pl_image* image, bar b, const tick* ticks, int count) {
    for (int i = 0; i < count; i++) {
        float y = b.y + (float)(1.0 - ticks[i].part) * (b.height - 1.0f);
        for (int x = 0; x < (int)(0.5f * b.size); x++)
            pl_image_blend(image, (int)(b.x + b.width) + x, (int)y, INK, 0.8f);
        pl_text_draw(image, b.x + b.width + b.size, y + 0.5f * b.size, b.size, INK, ticks[i].text);
    }
}

// a line for each category, smaller if there are many
static void draw_items(pl_image* image, const pl_render_options* o, bar b) {
    float table[PL_COLORMAP_SIZE][3], room = 0.68f * (float)image->height;
    pl_colormap_fill(o->map, table);
    float size = b.size, line = 1.6f * size;
    if ((float)o->item_count * line > room) size *= room / ((float)o->item_count * line);
    size = fmaxf(size, 6.0f);
    line = 1.6f * size;
    for (int i = 0; i < o->item_count && (float)(i + 1) * line < 1.1f * room; i++) {
        int value = o->items[i].value < PL_COLORMAP_SIZE ? o->items[i].value : PL_COLORMAP_SIZE - 1;
        uint8_t rgb[3];
        for (int k = 0; k < 3; k++) rgb[k] = pl_srgb8(table[value][k]);
        float y = b.y + (float)i * line;
        for (int dy = 0; dy < (int)size; dy++)
            for (int dx = 0; dx < (int)size; dx++)
                pl_image_blend(image, (int)b.x + dx, (int)y + dy, rgb, 1.0f);
        pl_text_draw(image, b.x + 1.5f * size, y + size, size, INK, o->items[i].name);
    }
}

void pl_legend_draw(pl_image* image, const pl_render_options* o) {
    float size = fmaxf(0.018f * (float)image->height, 7.0f);
    float edge = 2.0f * size;
    if (o->label) pl_text_draw(image, edge, (float)image->height - edge, size, INK, o->label);
    if (!o->legend) return;
    float left = (float)image->width * (1.0f - PL_LEGEND_PERCENT / 100.0f);
    bar b = {.x = left + size,
             .y = 0.24f * (float)image->height,
             .width = 1.6f * size,
             .height = 0.52f * (float)image->height,
             .size = size};
    tick ticks[MAX_TICKS];
    int tick_count = 0;
    if (o->map == PL_COLORMAP_CATEGORIES) b.y = 0.14f * (float)image->height;
    else tick_count = find_ticks(o, ticks);
    // in a narrow picture numbers need more than the width of the legend
    for (int i = 0; i < tick_count; i++) {
        float room = b.width + 1.5f * size + pl_text_width(ticks[i].text, size);
        b.x = fmaxf(fminf(b.x, (float)image->width - room), 0.0f);
    }
    float width = pl_text_width(o->legend, size);
    float title_x = fminf(b.x, (float)image->width - edge - width);
    pl_text_draw(image, fmaxf(title_x, edge), b.y - 1.5f * size, size, INK, o->legend);
    if (o->map == PL_COLORMAP_CATEGORIES) {
        draw_items(image, o, b);
        return;
    }
    draw_bar(image, o, b);
    draw_ticks(image, b, ticks, tick_count);
}
