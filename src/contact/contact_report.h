// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Contacts as a step tells them to those who ask: with an obstacle, or between two surfaces.
#ifndef PL_CONTACT_CONTACT_REPORT_H
#define PL_CONTACT_CONTACT_REPORT_H

#include "base/array.h"
#include "math/vec3.h"

typedef struct pl_contact_report {
    // Vertices: one and three, two and two, or one of a vertex and an obstacle. Then a negative
    // v[0] is a point between the vertices of the body whose first vertex is -1 - v[0].
    int v[4];
    int first_count; // of v that are of the first side
    int obstacle;    // -1: two surfaces
    pl_vec3 point;   // [m]
    pl_vec3 normal;  // from the second side to the first, unit
    pl_vec3 force;   // on the first side, friction included [N]
    double distance; // of the two; of a vertex and an obstacle minus its depth [m]
    int order;       // of those of one pair, for pl_reports_join
} pl_contact_report;

static inline pl_contact_report pl_report_of_obstacle(int vertex, int obstacle, pl_vec3 point,
                                                      pl_vec3 normal, pl_vec3 force,
                                                      double distance) {
    return (pl_contact_report){.v = {vertex, -1, -1, -1},
                               .first_count = 1,
                               .obstacle = obstacle,
                               .point = point,
                               .normal = normal,
                               .force = force,
                               .distance = distance};
}

// Of two surfaces, by the weights of their closest points (pl_quad_distance), without a force.
pl_contact_report pl_report_of_pair(const int v[4], bool is_edges, const double weights[4],
                                    pl_vec3 normal, const double* x);

// Sorts the reports of pairs from `first` on by their vertices, and adds up the forces of those of
// the same pair. Its place is that of the last one by `order`.
void pl_reports_join(pl_array* reports, size_t first);

#endif
