// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// All that a small valid file is put through; returns how many of its beginnings gave a mesh.
#ifndef PL_TEST_READ_BATTERY_H
#define PL_TEST_READ_BATTERY_H

#include "read_checks.h"

static inline int pl_test_battery(const char* name, const void* data, size_t size) {
    pl_test_random_damage(name, data, size, 3000);
    pl_test_every_allocation(name, data, size);
    pl_test_gzipped(name, data, size);
    return pl_test_every_cut(name, data, size);
}

// The text with every line's end made CR LF must give the same mesh.
static inline void pl_test_crlf(const char* name, const char* text) {
    char dos[8192];
    size_t used = 0;
    for (const char* p = text; *p; p++) {
        CHECK(used + 3 < sizeof dos);
        if (*p == '\n') dos[used++] = '\r';
        dos[used++] = *p;
    }
    pl_mesh* plain = pl_test_read_text(name, text, NULL);
    pl_mesh* mesh = pl_test_read_bytes(name, dos, used, NULL);
    CHECK(pl_test_same_mesh(plain, mesh));
    pl_mesh_destroy(plain);
    pl_mesh_destroy(mesh);
}

// Sum of the areas of the triangles.
static inline double pl_test_area(const pl_mesh* mesh) {
    double area = 0.0;
    for (size_t i = 0; i < (size_t)mesh->triangle_count; i++) {
        const int* t = mesh->triangles + 3 * i;
        const double* p[3];
        for (int k = 0; k < 3; k++) p[k] = mesh->positions + 3 * (size_t)t[k];
        double normal[3];
        for (int k = 0; k < 3; k++) {
            int u = (k + 1) % 3, v = (k + 2) % 3;
            normal[k] = (p[1][u] - p[0][u]) * (p[2][v] - p[0][v]) -
                        (p[1][v] - p[0][v]) * (p[2][u] - p[0][u]);
        }
        area += sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]) / 2.0;
    }
    return area;
}

#endif
