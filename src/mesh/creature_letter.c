// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The letters A to Z as inflated tubes. Strokes are drawn on a lattice of 5 x 7 points.
#include "mesh/creature.h"
#include "mesh/generator.h"

enum { MAX_STROKES = 32 };
static const double tube_radius = 0.095;

// The points of each stroke as pairs of digits, x then y; blanks separate strokes.
static const char* const letters[26] = {
    "002640 1232",                   // A
    "0006263544342303 233241302000", // B
    "4536160501103041",              // C
    "00062645412000",                // D
    "46060040 0333",                 // E
    "460600 0333",                   // F
    "45361605011030414323",          // G
    "0006 4046 0343",                // H
    "2026 1636 1030",                // I
    "46413010 1001",                 // J
    "0600 460240 ",                  // K
    "060040",                        // L
    "0006234640",                    // M
    "00064046",                      // N
    "103041453616050110",            // O
    "00062645443303",                // P
    "103041453616050110 2240",       // Q
    "00062645443303 2340",           // R
    "453616050413334241301001",      // S
    "0646 2620",                     // T
    "060110304146",                  // U
    "062046",                        // V
    "0610233046",                    // W
    "0046 0640",                     // X
    "062346 2320",                   // Y
    "06460040",                      // Z
};

static pl_vec3 lattice_point(const char* digits) {
    double step = (1.0 - 2.0 * tube_radius) / 6.0;
    return (pl_vec3){step * (digits[0] - '2'), tube_radius + step * (digits[1] - '0'), 0.0};
}

static bool is_point(const char* digits) {
    return digits[0] && digits[0] != ' ' && digits[1] && digits[1] != ' ';
}

static int draw_strokes(const char* points, pl_part* parts) {
    int count = 0;
    for (const char* at = points; *at; at++) {
        if (*at == ' ') continue;
        for (; is_point(at + 2) && count < MAX_STROKES; at += 2)
            parts[count++] = (pl_part){.kind = PL_PART_LIMB,
                                       .region = "letter",
                                       .a = lattice_point(at),
                                       .ra = tube_radius,
                                       .b = lattice_point(at + 2),
                                       .rb = tube_radius,
                                       .blend = 0.004};
        at++;
    }
    return count;
}

pl_status pl_generate_letter(const pl_generate_options* options, pl_mesh** out, pl_error* error) {
    pl_part parts[MAX_STROKES];
    int count = draw_strokes(letters[options->letter], parts);
    pl_creature letter = {.name = "letter", .parts = parts, .part_count = count};
    pl_creature_measure(&letter);
    return pl_generate_creature(&letter, options, out, error);
}
