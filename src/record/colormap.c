// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Method: B. Ottosson, "A perceptual color space for image processing" (2020): the two matrices and
// the cube between them. A map is a path in lightness, chroma and hue.
#include "record/colormap.h"
#include "math/vec3.h"

#include <math.h>
#include <stdbool.h>

static bool lch_to_linear(double lightness, double chroma, double hue, double rgb[3]) {
    double angle = hue * (PL_PI / 180.0);
    double a = chroma * cos(angle), b = chroma * sin(angle);
    double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
    double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
    double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
    l = l * l * l, m = m * m * m, s = s * s * s;
    rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
    for (int k = 0; k < 3; k++)
        if (!(rgb[k] >= -1e-6 && rgb[k] <= 1.0 + 1e-6)) return false;
    return true;
}

// Linear RGB in [0, 1] of lightness, chroma and hue [degrees]; chroma is reduced to what a screen
// can show.
static void color_from_lch(double lightness, double chroma, double hue, float rgb[3]) {
    double color[3], low = 0.0, high = chroma;
    if (!lch_to_linear(lightness, chroma, hue, color)) {
        // bisection for the largest chroma that a screen can show at this lightness and hue
        for (int i = 0; i < 40; i++) {
            double middle = 0.5 * (low + high);
            if (lch_to_linear(lightness, middle, hue, color)) low = middle;
            else high = middle;
        }
        lch_to_linear(lightness, low, hue, color);
    }
    for (int k = 0; k < 3; k++) rgb[k] = (float)fmin(fmax(color[k], 0.0), 1.0);
}

static void sequential_color(double t, float rgb[3]) {
    // keeps chroma within what a screen can show, which is least at teal
    double from_teal = t - 0.43;
    double chroma = 0.1 + 0.28 * from_teal * from_teal;
    color_from_lch(0.29 + 0.63 * t, chroma, 302.0 - 197.0 * t, rgb);
}

static void diverging_color(double t, float rgb[3]) {
    double side = fabs(2.0 * t - 1.0);
    color_from_lch(0.93 - 0.48 * side, 0.005 + 0.14 * side, t < 0.5 ? 255.0 : 28.0, rgb);
}

// hues by the golden angle, lightness in three steps
static void category_color(int index, float rgb[3]) {
    color_from_lch(0.66 + 0.08 * (index % 3), 0.14, fmod(25.0 + 137.507764 * index, 360.0), rgb);
}

void pl_colormap_fill(pl_colormap map, float table[PL_COLORMAP_SIZE][3]) {
    for (int i = 0; i < PL_COLORMAP_SIZE; i++) {
        double t = (double)i / (PL_COLORMAP_SIZE - 1);
        if (map == PL_COLORMAP_SEQUENTIAL) sequential_color(t, table[i]);
        else if (map == PL_COLORMAP_DIVERGING) diverging_color(t, table[i]);
        else category_color(i, table[i]);
    }
}

void pl_palette_color(int index, float rgb[3]) {
    static const struct {
        double lightness, chroma, hue;
    } colors[] = {{0.61, 0.17, 29.0},  {0.63, 0.10, 205.0}, {0.80, 0.15, 85.0}, {0.60, 0.16, 300.0},
                  {0.72, 0.15, 142.0}, {0.60, 0.15, 257.0}, {0.70, 0.17, 0.0},  {0.74, 0.05, 70.0}};
    enum { COUNT = sizeof colors / sizeof colors[0] };
    unsigned k = (unsigned)index;
    // later rounds of the palette are a little darker
    double lightness = colors[k % COUNT].lightness - 0.06 * ((k / COUNT) % 3);
    color_from_lch(lightness, colors[k % COUNT].chroma, colors[k % COUNT].hue, rgb);
}

uint8_t pl_srgb8(float linear) {
    if (!(linear > 0.0f)) return 0;
    if (linear >= 1.0f) return 255;
    double x = linear;
    double s = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1.0 / 2.4) - 0.055;
    return (uint8_t)(255.0 * s + 0.5);
}

float pl_linear_of_srgb(float srgb) {
    double s = srgb > 0.0f ? srgb < 1.0f ? (double)srgb : 1.0 : 0.0;
    return (float)(s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4));
}

void pl_srgb_fill(uint8_t table[PL_SRGB_SIZE]) {
    for (int i = 0; i < PL_SRGB_SIZE; i++) {
        float root = (float)i / (PL_SRGB_SIZE - 1);
        table[i] = pl_srgb8(root * root);
    }
}
