// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Vertices and edges of two triangles: their possible pairs, the pairs that count as belonging to
// these triangles, and the pairs whose boxes overlap.
#ifndef PL_CONTACT_FEATURE_PAIRS_H
#define PL_CONTACT_FEATURE_PAIRS_H

#include "contact/wide_box.h"

// the corners of edge k of a triangle: 01, 02, 12, as in pl_edges
static const int PL_TRIANGLE_EDGE[3][2] = {{0, 1}, {0, 2}, {1, 2}};

// Boxes around the paths of a triangle's three vertices and three edges, and of the whole triangle.
enum { PL_OF_EDGES = 3, PL_OF_WHOLE = 6, PL_BOXES };
typedef struct pl_triangle_boxes {
    pl_wide_box of[PL_BOXES];
} pl_triangle_boxes;

// A pair of features of two triangles: a vertex of either one and the other triangle, or two edges.
// Stores the boxes of the two features, their vertices, and whether the second triangle's feature
// comes first.
typedef struct pl_feature_pair {
    unsigned char boxes[2];
    unsigned char corners[4]; // 0 to 2 of the first triangle, 3 to 5 of the second
    bool is_turned, is_edges;
} pl_feature_pair;

enum { PL_FEATURE_PAIRS = 15, PL_FIRST_EDGES = 6 };
static const pl_feature_pair PL_FEATURES[PL_FEATURE_PAIRS] = {
    {{0, 6}, {0, 3, 4, 5}, false, false}, {{6, 0}, {3, 0, 1, 2}, true, false},
    {{1, 6}, {1, 3, 4, 5}, false, false}, {{6, 1}, {4, 0, 1, 2}, true, false},
    {{2, 6}, {2, 3, 4, 5}, false, false}, {{6, 2}, {5, 0, 1, 2}, true, false},
    {{3, 3}, {0, 1, 3, 4}, false, true},  {{3, 4}, {0, 1, 3, 5}, false, true},
    {{3, 5}, {0, 1, 4, 5}, false, true},  {{4, 3}, {0, 2, 3, 4}, false, true},
    {{4, 4}, {0, 2, 3, 5}, false, true},  {{4, 5}, {0, 2, 4, 5}, false, true},
    {{5, 3}, {1, 2, 3, 4}, false, true},  {{5, 4}, {1, 2, 3, 5}, false, true},
    {{5, 5}, {1, 2, 4, 5}, false, true}};

// Three bits, with step - 1 zeros between them.
static inline unsigned pl_spread_bits(unsigned bits, int step) {
    return (bits & 1u) | (bits & 2u) << (step - 1) | (bits & 4u) << (2 * step - 2);
}

// A bit mask of the feature pairs that count as belonging to two triangles, from the vertices and
// edges that belong to each.
static inline unsigned pl_own_features(unsigned of_a, unsigned of_b) {
    const unsigned edges = pl_spread_bits(of_a >> 3, 3) * (of_b >> 3 & 7u);
    return pl_spread_bits(of_a, 2) | pl_spread_bits(of_b, 2) << 1 | edges << PL_FIRST_EDGES;
}

static inline bool pl_have_common_vertex(const int v[4], bool is_edges) {
    const bool of_first = (v[0] == v[2]) | (v[0] == v[3]);
    return of_first | (is_edges ? (v[1] == v[2]) | (v[1] == v[3]) : v[0] == v[1]);
}

// A bit mask of the feature pairs whose boxes overlap. Tests all of them without branches, because
// the outcome is unpredictable.
PL_WIDE unsigned pl_overlapping_features(const pl_triangle_boxes* a, const pl_triangle_boxes* b) {
    pl_wide_box turned[PL_BOXES];
    unsigned bits = 0;
    for (int i = 0; i < PL_BOXES; i++) turned[i] = pl_wide_box_turned(b->of[i]);
    for (int i = 0; i < 3; i++) {
        bits |= pl_wide_box_meets(a->of[i], turned[PL_OF_WHOLE]) << (2 * i);
        bits |= pl_wide_box_meets(a->of[PL_OF_WHOLE], turned[i]) << (2 * i + 1);
        for (int j = 0; j < 3; j++)
            bits |= pl_wide_box_meets(a->of[PL_OF_EDGES + i], turned[PL_OF_EDGES + j])
                    << (PL_FIRST_EDGES + 3 * i + j);
    }
    return bits;
}

#endif
