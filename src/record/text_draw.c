// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// A glyph is a list of strokes. A stroke is a list of points: x as a digit in half units, y as a
// letter in half units from A = -2 (descenders) over E = 0 (baseline) and M = 4 (small letters) to
// Q = 6 (capitals). A stroke that begins with ~ is the control polygon of a smooth curve, which
// corner cutting (Chaikin 1974) draws.
#include "record/text_draw.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const char* const glyphs[95] = {
    "",                                   // space
    "0E0E 0Q0H",                          // !
    "0Q0O 2Q2O",                          // "
    "1E2Q 4E5Q 0I6I 0M6M",                // #
    "~6O6Q0Q0K6K6E0E0G 3Q3E",             // $
    "0E6Q ~0Q0N2N2Q0Q ~4H4E6E6H4H",       // %
    "~6E1N1Q4Q4N0H0E4E6I",                // &
    "0Q0O",                               // '
    "~2Q0N0G2D",                          // (
    "~0Q2N2G0D",                          // )
    "0J4N 4J0N 2O2I",                     // *
    "0I6I 3L3F",                          // +
    "0E0D",                               // ,
    "0I4I",                               // -
    "0E0E",                               // .
    "0D5Q",                               // /
    "~0Q0E6E6Q0Q",                        // 0
    "0O2Q2E",                             // 1
    "~0N0Q6Q6L0E 0E6E",                   // 2
    "~0O0Q6Q6K2K ~2K6K6E0E0G",            // 3
    "5E5Q0H7H",                           // 4
    "6Q1Q0K ~0K2M6M6E0E0G",               // 5
    "~5Q0Q0H0E6E6L0L0H",                  // 6
    "0Q6Q2E",                             // 7
    "~3K0K0Q6Q6K3K ~3K0K0E6E6K3K",        // 8
    "~1E6E6N6Q0Q0J6J6N",                  // 9
    "0E0E 0L0L",                          // :
    "0E0D 0L0L",                          // ;
    "5M0I5E",                             // <
    "0H5H 0K5K",                          // =
    "0M5I0E",                             // >
    "~0O0Q5Q5M2L2H 2E2E",                 // ?
    "~5H5K2K2H5H5G7G7Q0Q0E5E",            // @
    "0E3Q6E 1I5I",                        // A
    "0E0Q ~0Q6Q6K0K ~0K6K6E0E",           // B
    "~6O6Q0Q0E6E6G",                      // C
    "0E0Q ~0Q6Q6E0E",                     // D
    "5Q0Q0E5E 0K4K",                      // E
    "5Q0Q0E 0K4K",                        // F
    "~6O6Q0Q0E6E6J 6J3J",                 // G
    "0E0Q 6E6Q 0K6K",                     // H
    "0E0Q",                               // I
    "~4Q4J4E0E0G",                        // J
    "0E0Q 6Q0J 2L6E",                     // K
    "0Q0E5E",                             // L
    "0E0Q4H8Q8E",                         // M
    "0E0Q6E6Q",                           // N
    "~0Q0E7E7Q0Q",                        // O
    "0E0Q ~0Q6Q6J0J",                     // P
    "~0Q0E7E7Q0Q 4H7D",                   // Q
    "0E0Q ~0Q6Q6J0J 3J6E",                // R
    "~6O6Q0Q0K6K6E0E0G",                  // S
    "0Q6Q 3Q3E",                          // T
    "~0Q0J0E6E6J6Q",                      // U
    "0Q3E6Q",                             // V
    "0Q2E4N6E8Q",                         // W
    "0E6Q 0Q6E",                          // X
    "0Q3K6Q 3K3E",                        // Y
    "0Q6Q0E6E",                           // Z
    "2Q0Q0D2D",                           // [
    "0Q5D",                               // backslash
    "0Q2Q2D0D",                           // ]
    "0M2Q4M",                             // ^
    "0D6D",                               // _
    "0Q1O",                               // `
    "~5K5M0M0E5E5G 5M5E",                 // a
    "0Q0E ~0K0M5M5E0E0G",                 // b
    "~5K5M0M0E5E5G",                      // c
    "5Q5E ~5K5M0M0E5E5G",                 // d
    "0I5I ~5I5M0M0E5E5F",                 // e
    "~4Q2Q2N 2N2E 0M4M",                  // f
    "~5K5M0M0E5E5G 5M5D ~5D5A0A0B",       // g
    "0Q0E ~0K0M5M5K 5K5E",                // h
    "0M0E 0P0P",                          // i
    "1M1C ~1C1A0A 1P1P",                  // j
    "0Q0E 4M0H 1I4E",                     // k
    "0Q0E",                               // l
    "0M0E ~0K0M4M4K 4K4E ~4K4M8M8K 8K8E", // m
    "0M0E ~0K0M5M5K 5K5E",                // n
    "~0M0E5E5M0M",                        // o
    "0M0A ~0K0M5M5E0E0G",                 // p
    "5M5A ~5K5M0M0E5E5G",                 // q
    "0M0E ~0J0M3M",                       // r
    "~4L4M0M0I4I4E0E0F",                  // s
    "2P2G ~2G2E4E 0M4M",                  // t
    "0M0H ~0H0E5E5H 5M5E",                // u
    "0M2E4M",                             // v
    "0M2E4L6E8M",                         // w
    "0M4E 4M0E",                          // x
    "0M2E 5M1A",                          // y
    "0M4M0E4E",                           // z
    "~3Q1Q1J0J ~0J1J1D3D",                // {
    "0Q0C",                               // |
    "~0Q2Q2J3J ~3J2J2D0D",                // }
    "~0I1K3I4G5I",                        // ~
};

typedef struct point {
    float x, y;
} point;

enum { MAX_POINTS = 128, MAX_SEGMENTS = 256 };

typedef struct outline {
    int count;
    point from[MAX_SEGMENTS], to[MAX_SEGMENTS];
    float width;
} outline;

static const char* glyph_of(unsigned char c) {
    return glyphs[c >= 32 && c < 127 ? c - 32 : '?' - 32];
}

static float glyph_width(const char* glyph) {
    int widest = -1;
    for (const char* p = glyph; *p; p++)
        if (*p >= '0' && *p <= '9' && *p - '0' > widest) widest = *p - '0';
    return widest < 0 ? 2.0f : 0.5f * (float)widest;
}

// replaces each corner by two points on its sides; the ends of an open stroke stay
static int cut_corners(const point* in, int count, bool closed, point* out) {
    int n = 0;
    if (!closed) out[n++] = in[0];
    for (int i = 0; i + 1 < count && n + 3 < MAX_POINTS; i++) {
        point a = in[i], b = in[i + 1];
        out[n++] = (point){0.75f * a.x + 0.25f * b.x, 0.75f * a.y + 0.25f * b.y};
        out[n++] = (point){0.25f * a.x + 0.75f * b.x, 0.25f * a.y + 0.75f * b.y};
    }
    out[n] = closed ? out[0] : in[count - 1];
    return n + 1;
}

static void add_stroke(outline* o, point* points, int count, bool smooth) {
    point other[MAX_POINTS];
    bool closed =
        count > 2 && points[0].x == points[count - 1].x && points[0].y == points[count - 1].y;
    for (int round = 0; smooth && round < 3; round++) {
        count = cut_corners(points, count, closed, other);
        memcpy(points, other, (size_t)count * sizeof(point));
    }
    for (int i = 0; i + 1 < count && o->count < MAX_SEGMENTS; i++) {
        o->from[o->count] = points[i];
        o->to[o->count++] = points[i + 1];
    }
}

static outline outline_of(const char* glyph) {
    outline o = {.width = glyph_width(glyph)};
    while (*glyph) {
        point points[MAX_POINTS];
        int count = 0;
        bool smooth = *glyph == '~';
        if (smooth) glyph++;
        for (; glyph[0] && glyph[0] != ' '; glyph += 2)
            points[count++] =
                (point){0.5f * (float)(glyph[0] - '0'), 0.5f * (float)(glyph[1] - 'E')};
        if (*glyph == ' ') glyph++;
        add_stroke(&o, points, count, smooth);
    }
    return o;
}

static float distance_to_segment(point p, point a, point b) {
    float dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    float t = square > 0.0f ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / square : 0.0f;
    t = t < 0.0f ? 0.0f : t > 1.0f ? 1.0f : t;
    float ex = a.x + t * dx - p.x, ey = a.y + t * dy - p.y;
    return sqrtf(ex * ex + ey * ey);
}

static void draw_outline(pl_image* image, const outline* o, float x, float y, float unit,
                         const uint8_t rgb[3]) {
    float half = fmaxf(0.42f * unit, 0.55f); // half of the pen's width in pixels
    int x0 = (int)floorf(x - half - 1.0f), x1 = (int)ceilf(x + o->width * unit + half + 1.0f);
    int y0 = (int)floorf(y - 6.0f * unit - half - 1.0f),
        y1 = (int)ceilf(y + 2.0f * unit + half + 1.0f);
    for (int py = y0; py <= y1; py++)
        for (int px = x0; px <= x1; px++) {
            point p = {((float)px + 0.5f - x) / unit, (y - (float)py - 0.5f) / unit};
            float nearest = 1e9f;
            for (int i = 0; i < o->count; i++)
                nearest = fminf(nearest, distance_to_segment(p, o->from[i], o->to[i]));
            float alpha = half + 0.5f - nearest * unit;
            if (alpha > 0.0f) pl_image_blend(image, px, py, rgb, fminf(alpha, 1.0f));
        }
}

static bool continues_character(unsigned char c) { return (c & 0xc0) == 0x80; }

float pl_text_width(const char* text, float size) {
    float unit = size / 6.0f, width = 0.0f;
    for (; *text; text++)
        if (!continues_character((unsigned char)*text))
            width += (glyph_width(glyph_of((unsigned char)*text)) + 1.6f) * unit;
    return width > 0.0f ? width - 1.6f * unit : 0.0f;
}

void pl_text_draw(pl_image* image, float x, float y, float size, const uint8_t rgb[3],
                  const char* text) {
    float unit = size / 6.0f;
    for (; *text && x < (float)image->width; text++) {
        if (continues_character((unsigned char)*text)) continue;
        outline o = outline_of(glyph_of((unsigned char)*text));
        if (o.count > 0) draw_outline(image, &o, x, y, unit, rgb);
        x += (o.width + 1.6f) * unit;
    }
}
