// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "mesh/creature_uvs.h"
#include "base/memory.h"
#include "math/vec3.h"

enum { SIDES = 6 };

// A side of the box, seen from outside: the axes that point right and up in its picture, and their
// signs.
typedef struct side {
    int right, up;
    double right_sign, up_sign;
} side;

// by axis of the normal, positive and negative: left and right of a body that looks along +z, top
// and bottom, front and back
static const side sides[SIDES] = {{2, 1, -1.0, 1.0}, {2, 1, 1.0, 1.0}, {0, 2, 1.0, -1.0},
                                  {0, 2, 1.0, 1.0},  {0, 1, 1.0, 1.0}, {0, 1, -1.0, 1.0}};
// column and row of each side's picture
static const double places[SIDES][2] = {{1, 1}, {1, 0}, {2, 1}, {2, 0}, {0, 1}, {0, 0}};

typedef struct box {
    double low[3], high[3], size;
} box;

static box box_of(const pl_mesh* mesh) {
    box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0.0};
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; i++) {
        b.low[i % 3] = fmin(b.low[i % 3], mesh->positions[i]);
        b.high[i % 3] = fmax(b.high[i % 3], mesh->positions[i]);
    }
    for (int k = 0; k < 3; k++) b.size = fmax(b.size, b.high[k] - b.low[k]);
    return b;
}

static int side_of(const pl_mesh* mesh, const int* t) {
    pl_vec3 a = pl_vec3_load(mesh->positions + 3 * (size_t)t[0]);
    pl_vec3 u = pl_sub(pl_vec3_load(mesh->positions + 3 * (size_t)t[1]), a);
    pl_vec3 v = pl_sub(pl_vec3_load(mesh->positions + 3 * (size_t)t[2]), a);
    double normal[3];
    pl_vec3_store(normal, pl_cross(u, v));
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(normal[k]) > fabs(normal[axis])) axis = k;
    return 2 * axis + (normal[axis] < 0.0);
}

// the position of a point in the picture of a side; each is 1/3 wide and has an empty border
static void project(const box* b, int number, const double* p, double uv[2]) {
    const side* s = &sides[number];
    const double part = 0.94 / 3.0;
    double x = p[s->right] - 0.5 * (b->low[s->right] + b->high[s->right]);
    double y = p[s->up] - 0.5 * (b->low[s->up] + b->high[s->up]);
    double scale = b->size > 0.0 ? part / b->size : 0.0;
    uv[0] = (places[number][0] + 0.5) / 3.0 + s->right_sign * x * scale;
    uv[1] = (places[number][1] + 0.5) / 2.0 + s->up_sign * y * scale;
}

static int number_of(const pl_mesh* mesh, const box* b, int vertex, int face, int* numbers,
                     double* uvs, int* count) {
    int* number = &numbers[SIDES * (size_t)vertex + (size_t)face];
    if (*number == 0) {
        *number = ++*count; // 0 means none yet
        project(b, face, mesh->positions + 3 * (size_t)vertex, uvs + 2 * (size_t)(*count - 1));
    }
    return *number - 1;
}

pl_status pl_mesh_project_uvs(pl_mesh* mesh, pl_error* error) {
    size_t corners = 3 * (size_t)mesh->triangle_count,
           places_room = SIDES * (size_t)mesh->vertex_count;
    int* numbers = PL_ALLOC(int, places_room);
    double* uvs = PL_ALLOC(double, 2 * corners); // enough for any seams
    int* triangle_uvs = PL_ALLOC(int, corners);
    bool ready = (numbers && uvs && triangle_uvs) || corners == 0;
    int count = 0;
    box b = box_of(mesh);
    for (size_t t = 0; ready && t < corners; t += 3) {
        int face = side_of(mesh, mesh->triangles + t);
        for (size_t k = t; k < t + 3; k++)
            triangle_uvs[k] = number_of(mesh, &b, mesh->triangles[k], face, numbers, uvs, &count);
    }
    double* kept = ready && count > 0 ? PL_ALLOC(double, 2 * (size_t)count) : NULL;
    if (kept) {
        for (size_t i = 0; i < 2 * (size_t)count; i++) kept[i] = uvs[i];
        mesh->uvs = kept;
        mesh->uv_count = count;
        mesh->triangle_uvs = triangle_uvs;
    } else {
        PL_FREE(triangle_uvs, int, corners);
    }
    PL_FREE(uvs, double, 2 * corners);
    PL_FREE(numbers, int, places_room);
    if (!kept && (!ready || count > 0)) return pl_fail_memory(error, "texture coordinates");
    return PL_OK;
}
