// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Contacts as a step reports them: between a vertex and an obstacle, or between two surfaces.
#ifndef PL_CONTACT_CONTACT_REPORT_H
#define PL_CONTACT_CONTACT_REPORT_H

#include "base/array.h"
#include "math/vec3.h"

typedef struct pl_contact_report {
    // A vertex and a triangle, two edges, or one vertex that touches an obstacle. In the last case
    // a negative v[0] is a point between vertices, of the body whose first vertex is -1 - v[0].
    int v[4];
    int first_count; // number of entries of v that belong to the first side
    int obstacle;    // -1: contact between two surfaces
    pl_vec3 point;   // [m]
    pl_vec3 normal;  // from the second side to the first, unit
    pl_vec3 force;   // on the first side, friction included [N]
    double distance; // between the two sides; for an obstacle, minus the depth of the vertex [m]
    int order;       // sequence number among the reports of one pair, for pl_reports_join
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

// Report of a pair with these weights of the closest points (pl_quad_distance); the force is zero.
pl_contact_report pl_report_of_pair(const int v[4], bool is_edges, const double weights[4],
                                    pl_vec3 normal, const double* x);

// Sorts the reports of pairs from `first` on by vertices, and joins those of the same pair: adds up
// their forces, and keeps the position of the last by `order`.
void pl_reports_join(pl_array* reports, size_t first);

#endif
