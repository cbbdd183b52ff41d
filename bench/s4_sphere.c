// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
#include "s4_sphere.h"
#include "grid/grid_embedding.h"

#include <math.h>
#include <pliant/generate.h>
#include <string.h>

static const double SCALE = 1.1283791670955126; // 2 / sqrt(pi)
static const double WAVE = 1.5707963267948966;  // pi / 2

pl_vec3 s4_displacement(pl_vec3 X) {
    return (pl_vec3){SCALE * X.x * cos(WAVE * X.y) - X.x, SCALE * X.x * sin(WAVE * X.y) - X.y, 0.0};
}

void s4_gradient(pl_vec3 X, double out[3][3]) {
    double c = SCALE * cos(WAVE * X.y), s = SCALE * sin(WAVE * X.y);
    const double g[3][3] = {{c - 1.0, -WAVE * X.x * s, 0.0}, {s, WAVE * X.x * c - 1.0, 0.0}};
    memcpy(out, g, sizeof g);
}

void s4_stress(pl_vec3 X, double lambda, double out[3][3]) {
    double g[3][3];
    s4_gradient(X, g);
    double trace = g[0][0] + g[1][1] + g[2][2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[i][j] = g[i][j] + g[j][i] + (i == j ? lambda * trace : 0.0);
}

pl_vec3 s4_force(pl_vec3 X, double lambda) {
    double c = SCALE * cos(WAVE * X.y), s = SCALE * sin(WAVE * X.y);
    // Laplacians of phi_1 and phi_2, and the gradient of the divergence c + WAVE x c
    double slope_x = WAVE * c, slope_y = -WAVE * s - WAVE * WAVE * X.x * s;
    return (pl_vec3){-WAVE * WAVE * X.x * c + (1.0 + lambda) * slope_x,
                     -WAVE * WAVE * X.x * s + (1.0 + lambda) * slope_y, 0.0};
}

bool s4_is_held(pl_vec3 X) { return fabs(X.y - 0.5) < fabs(X.x - 0.5); }

pl_status s4_sphere_surface(int frequency, pl_mesh** out, pl_error* error) {
    pl_generate_options options;
    pl_status status = pl_generate_defaults("icosphere", &options, error);
    options.radius = S4_RADIUS;
    options.frequency = frequency;
    if (status == PL_OK) status = pl_generate("icosphere", &options, out, error);
    for (int v = 0; status == PL_OK && v < 3 * (*out)->vertex_count; v++)
        (*out)->positions[v] += 0.5;
    return status;
}

static void make_dirichlet(void* user, size_t cell) {
    ((pl_grid_cells*)user)->kinds[cell] = PL_CELL_DIRICHLET;
}

// whether the middle of a triangle is held
static bool is_held_triangle(const pl_mesh* m, int t) {
    pl_vec3 sum = {0};
    for (int i = 0; i < 3; i++)
        sum = pl_add(sum, pl_vec3_load(m->positions + 3 * (size_t)m->triangles[3 * t + i]));
    return s4_is_held(pl_scale(1.0 / 3.0, sum));
}

pl_status s4_sphere_cells(const pl_mesh* surface, int across, int padding, pl_grid_frame* frame,
                          pl_grid_cells* out, pl_error* error) {
    *frame = (pl_grid_frame){.cell = 2.0 * S4_RADIUS / across};
    pl_status status = pl_grid_voxelise(surface, padding, NULL, frame, out, NULL, error);
    for (int t = 0; status == PL_OK && t < surface->triangle_count; t++) {
        const double* corner[3];
        for (int i = 0; i < 3; i++)
            corner[i] = surface->positions + 3 * (size_t)surface->triangles[3 * t + i];
        if (is_held_triangle(surface, t))
            pl_grid_visit_triangle(out, frame, corner, make_dirichlet, out);
    }
    return status;
}

void s4_load_surface(const pl_mesh* m, double lambda, double* force) {
    for (int t = 0; t < m->triangle_count; t++) {
        const int* v = m->triangles + 3 * (size_t)t;
        pl_vec3 x[3];
        for (int i = 0; i < 3; i++) x[i] = pl_vec3_load(m->positions + 3 * (size_t)v[i]);
        pl_vec3 area = pl_scale(0.5, pl_cross(pl_sub(x[1], x[0]), pl_sub(x[2], x[0])));
        const double n[3] = {area.x, area.y, area.z};
        for (int i = 0; i < 3; i++) {
            double P[3][3];
            s4_stress(x[i], lambda, P);
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    force[3 * (size_t)v[i] + (size_t)a] += P[a][b] * n[b] / 3.0;
        }
    }
}

void s4_unload_held(const pl_mesh* m, const pl_grid_cells* cells, const pl_grid_frame* frame,
                    double* force) {
    for (int v = 0; v < m->vertex_count; v++) {
        int at[3];
        pl_grid_cell_of(cells, frame, m->positions + 3 * (size_t)v, at);
        if (pl_grid_cell(cells, at[0], at[1], at[2]) == PL_CELL_DIRICHLET)
            pl_vec3_store(force + 3 * (size_t)v, (pl_vec3){0});
    }
}
