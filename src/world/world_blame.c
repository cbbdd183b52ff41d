// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "world/world_blame.h"
#include "mesh/quality.h"

#include <math.h>
#include <stdio.h>

// elements below this quality (0: flat, 1: regular) are reported as poor
static const double POOR_QUALITY = 0.1;

// The element of lowest quality among those with this corner, or -1.
static int worst_element(const pl_world_body* body, int vertex, double* quality) {
    int corners = body->is_cloth ? 3 : 4, worst = -1;
    const int* elements = body->is_cloth ? body->mesh->triangles : body->mesh->tets;
    int count = body->is_cloth ? body->mesh->triangle_count : body->mesh->tet_count;
    *quality = HUGE_VAL;
    for (int e = 0; e < count; e++) {
        const int* element = elements + (size_t)e * (size_t)corners;
        bool is_there = false;
        for (int k = 0; k < corners; k++) is_there = is_there || element[k] == vertex;
        if (!is_there) continue;
        pl_vec3 p[4];
        pl_load_corners(body->mesh->positions, element, corners, p);
        double q = body->is_cloth ? pl_triangle_radius_ratio(p) : pl_tet_radius_ratio(p);
        if (!(q < *quality)) continue;
        *quality = q;
        worst = e;
    }
    return worst;
}

void pl_world_name_place(const pl_world* w, int system, int vertex, char* out, size_t size) {
    for (int b = 0; b < w->body_count; b++) {
        const pl_world_body* body = &w->bodies[b];
        int local = vertex - body->first_vertex;
        if (body->system != system || local < 0 || local >= body->mesh->vertex_count) continue;
        double quality;
        int element = worst_element(body, local, &quality);
        const char* kind = body->is_cloth ? "triangle" : "tet";
        if (element < 0)
            snprintf(out, size, "vertex %d of \"%.60s\", which no %s uses", local, body->def->name,
                     kind);
        else
            snprintf(out, size, "vertex %d of \"%.60s\", beside %s %d of %squality %.2g", local,
                     body->def->name, kind, element, quality < POOR_QUALITY ? "poor " : "",
                     quality);
        return;
    }
}
