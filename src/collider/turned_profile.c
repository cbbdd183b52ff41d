// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "collider/turned_profile.h"
#include "collider/round_solid.h"

#include <math.h>
#include <string.h>

void pl_turned_axes(pl_vec3 n, pl_vec3* a, pl_vec3* b) {
    *a = pl_any_across(n);
    *b = pl_cross(n, *a);
}

double* pl_turned_ring(double* out, pl_vec3 center, pl_vec3 a, pl_vec3 b, double radius) {
    for (int k = 0; k < PL_TURNED_AROUND; k++, out += 3) {
        double angle = 2.0 * PL_PI * k / PL_TURNED_AROUND;
        pl_vec3_store(out,
                      pl_madd(pl_madd(center, radius * cos(angle), a), radius * sin(angle), b));
    }
    return out;
}

double* pl_turned_cone(double* out, pl_vec3 from, double ra, pl_vec3 to, double rb) {
    double length = pl_distance(from, to);
    pl_vec3 axis = length > 0.0 ? pl_normalize(pl_sub(to, from)) : (pl_vec3){0, 1, 0}, u, v;
    pl_turned_axes(axis, &u, &v);
    bool swallowed = length <= fabs(rb - ra); // one ball contains the other
    if (swallowed && rb > ra) from = to, ra = rb;
    if (swallowed) { // rows evenly from pole to pole
        for (int k = 0; k < PL_ROUND_ROWS; k++) {
            double angle = PL_PI * ((double)k / (PL_ROUND_ROWS - 1) - 0.5);
            out = pl_turned_ring(out, pl_madd(from, ra * sin(angle), axis), u, v, ra * cos(angle));
        }
        return out;
    }
    double tilt = asin((ra - rb) / length);
    for (int k = 0; k < PL_ROUND_ARC; k++) {
        double angle = -0.5 * PL_PI + (tilt + 0.5 * PL_PI) * k / (PL_ROUND_ARC - 1);
        out = pl_turned_ring(out, pl_madd(from, ra * sin(angle), axis), u, v, ra * cos(angle));
    }
    for (int k = 0; k < PL_ROUND_ARC; k++) {
        double angle = tilt + (0.5 * PL_PI - tilt) * k / (PL_ROUND_ARC - 1);
        out = pl_turned_ring(out, pl_madd(to, rb * sin(angle), axis), u, v, rb * cos(angle));
    }
    return out;
}

static int strip_count(int rows, bool is_closed) { return is_closed ? rows : rows - 1; }

int pl_turned_triangles(int rows, bool is_closed, int piece_count) {
    return 2 * PL_TURNED_AROUND * strip_count(rows, is_closed) * piece_count;
}

void pl_turned_join(int rows, bool is_closed, int piece_count, int* out) {
    int strips = strip_count(rows, is_closed);
    for (int piece = 0; piece < piece_count; piece++)
        for (int r = 0; r < strips; r++)
            for (int k = 0; k < PL_TURNED_AROUND; k++) {
                int first = (piece * rows + r) * PL_TURNED_AROUND,
                    next = (k + 1) % PL_TURNED_AROUND;
                int above = (piece * rows + (r + 1) % rows) * PL_TURNED_AROUND;
                int a = first + k, b = first + next, c = above + k, d = above + next;
                const int corners[6] = {a, b, d, a, d, c};
                memcpy(out, corners, sizeof corners);
                out += 6;
            }
}
