// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// The discretisations that benches compare method grid with, and the known answer of s4-accuracy.
#include "../bench/s4_hexes.h"
#include "../bench/s4_poisson.h"
#include "../bench/s4_sphere.h"
#include "../bench/s4_staggered.h"
#include "../bench/s4_tets.h"
#include "base/memory.h"
#include "grid_samples.h"
#include "test.h"

#include <math.h>

TEST(s4_sphere_gradient_and_force_match_differences)
{
    const double step = 1e-5, lambda = 7.0;
    const pl_vec3 at[2] = {{0.3, 0.6, 0.45}, {0.7, 0.35, 0.5}};
    for (int n = 0; n < 2; n++) {
        double slope[3][3], force[3] = {0};
        s4_gradient(at[n], slope);
        for (int j = 0; j < 3; j++) {
            pl_vec3 d = {j == 0 ? step : 0.0, j == 1 ? step : 0.0, j == 2 ? step : 0.0};
            pl_vec3 high = pl_add(at[n], d), low = pl_sub(at[n], d);
            pl_vec3 du = pl_scale(0.5 / step, pl_sub(s4_displacement(high), s4_displacement(low)));
            CHECK(fabs(du.x - slope[0][j]) < 1e-8 && fabs(du.y - slope[1][j]) < 1e-8 &&
                  fabs(du.z - slope[2][j]) < 1e-8);
            double P[2][3][3];
            s4_stress(high, lambda, P[0]), s4_stress(low, lambda, P[1]);
            for (int i = 0; i < 3; i++) force[i] += 0.5 / step * (P[0][i][j] - P[1][i][j]);
        }
        pl_vec3 f = s4_force(at[n], lambda);
        CHECK(fabs(f.x - force[0]) < 1e-7 && fabs(f.y - force[1]) < 1e-7 &&
              fabs(f.z - force[2]) < 1e-7);
    }
}

TEST(s4_hexes_have_rigid_modes_and_pass_the_patch_test)
{
    double K[24][24];
    s4_hex_stiffness(3.0, K);
    for (int mode = 0; mode < 7; mode++) {
        // shifts, rotations, and stretch along x, whose stress is 2 + lambda across x, else lambda
        double u[24];
        for (int i = 0; i < 24; i++) {
            int c = i / 3, a = i % 3, b = (mode + 1) % 3, d = (mode + 2) % 3;
            if (mode < 3) u[i] = a == mode;
            else if (mode < 6) u[i] = a == b ? (c >> d & 1) : a == d ? -(c >> b & 1) : 0.0;
            else u[i] = a == 0 ? (c & 1) : 0.0;
        }
        for (int i = 0; i < 24; i++) {
            double force = 0.0, stress = i % 3 == 0 ? 5.0 : 3.0;
            for (int j = 0; j < 24; j++) force += K[i][j] * u[j];
            double wanted = mode < 6 ? 0.0 : ((i / 3) >> (i % 3) & 1 ? 0.25 : -0.25) * stress;
            CHECK(fabs(force - wanted) < 1e-12);
            for (int j = 0; j < 24; j++) CHECK(fabs(K[i][j] - K[j][i]) < 1e-14);
        }
    }
}

TEST(s4_staggered_matrix_is_that_of_the_lattice)
{
    const double eps = 0.3;
    pl_grid_cells cells = sample_ball_cells(5);
    pl_grid_level level;
    pl_grid_state state;
    s4_faces faces;
    s4_sparse K;
    pl_error error;
    CHECK_OK(pl_grid_level_create(&cells, &level, &error), &error);
    CHECK_OK(pl_grid_state_create(&level, &state, &error), &error);
    CHECK_OK(s4_faces_create(&cells, &faces, &error), &error);
    CHECK_OK(s4_staggered_matrix(&faces, eps, 0, &K, &error), &error);
    CHECK(faces.count == level.face_count);
    state.compressibility = eps;
    fill_random(&level, &state, 4);
    pl_grid_substitute(&level, &state);
    double *x = PL_ALLOC(double, faces.count), *y = PL_ALLOC(double, faces.count);
    double* out[3] = {state.f[0], state.f[1], state.f[2]};
    pl_grid_apply(&level, &state, false, out);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = cells.low[2]; k < cells.low[2] + cells.size[2]; k++)
            for (int j = cells.low[1]; j < cells.low[1] + cells.size[1]; j++)
                for (int i = cells.low[0]; i < cells.low[0] + cells.size[0]; i++)
                    for (int a = 0; a < 3; a++) {
                        int row = s4_face(&faces, a, i, j, k);
                        if (row < 0) continue;
                        int index = pl_grid_index(&level, i, j, k);
                        if (pass == 0) x[row] = state.u[a][index];
                        else CHECK(fabs(y[row] + out[a][index]) < 1e-12);
                    }
        if (pass == 0) s4_sparse_apply(&K, x, y);
    }
    PL_FREE(x, double, faces.count);
    PL_FREE(y, double, faces.count);
    s4_sparse_free(&K);
    s4_faces_free(&faces);
    pl_grid_state_free(&level, &state);
    pl_grid_level_free(&level);
    pl_grid_cells_free(&cells);
}

TEST(s4_hierarchies_converge)
{
    s4_hierarchy h;
    pl_error error;
    CHECK_OK(s4_poisson_hierarchy(16, &h, &error), &error);
    CHECK(s4_hierarchy_rate(&h, 10) < 0.3);
    s4_hierarchy_free(&h);
    CHECK_OK(s4_tet_hierarchy(8, 0.2, &h, &error), &error);
    CHECK(s4_hierarchy_rate(&h, 10) < 0.7);
    s4_hierarchy_free(&h);
    pl_grid_cells cells = sample_box_cells(16);
    CHECK_OK(s4_staggered_hierarchy(&cells, 1.5, &h, &error), &error);
    CHECK(s4_hierarchy_rate(&h, 10) < 0.7);
    s4_hierarchy_free(&h);
    pl_grid_cells_free(&cells);
}

TEST(s4_kuhn_cells_fill_the_lattice)
{
    pl_grid_cells cells = sample_ball_cells(3);
    const pl_grid_frame frame = {.origin = {1.0, -2.0, 0.5}, .cell = 0.5};
    pl_mesh* mesh;
    int *nodes, used = 0;
    pl_error error;
    CHECK_OK(s4_kuhn_cells(&cells, &frame, &mesh, &nodes, &error), &error);
    for (size_t i = 0; i < pl_grid_cells_count(&cells); i++)
        used += cells.kinds[i] != PL_CELL_EXTERIOR;
    CHECK_INT(mesh->tet_count, 6 * used);
    for (int t = 0; t < mesh->tet_count; t++) {
        pl_vec3 x[4];
        for (int i = 0; i < 4; i++)
            x[i] = pl_vec3_load(mesh->positions + 3 * (size_t)mesh->tets[4 * t + i]);
        double volume =
            pl_dot(pl_sub(x[1], x[0]), pl_cross(pl_sub(x[2], x[0]), pl_sub(x[3], x[0]))) / 6.0;
        CHECK_NEAR(volume, 0.125 / 6.0, 1e-12);
    }
    PL_FREE(nodes, int, s4_node_count(&cells));
    pl_mesh_destroy(mesh);
    pl_grid_cells_free(&cells);
}

TEST(s4_kuhn_matrices_are_nested)
{
    // linear functions of the coarse lattice are among those of the fine one: A_c = P' A P
    s4_hierarchy h;
    pl_error error;
    CHECK_OK(s4_tet_hierarchy(8, 0.3, &h, &error), &error);
    int coarse = h.A[1].row_count, fine = h.A[0].row_count;
    double *x = PL_ALLOC(double, coarse), *y = PL_ALLOC(double, coarse);
    double *up = PL_ALLOC(double, fine), *image = PL_ALLOC(double, fine);
    double* back = PL_ALLOC(double, coarse);
    for (int i = 0; i < coarse; i++) x[i] = sin(1.0 + i);
    s4_sparse_apply(&h.A[1], x, y);
    s4_sparse_apply(&h.P[0], x, up);
    s4_sparse_apply(&h.A[0], up, image);
    s4_sparse_apply(&h.R[0], image, back);
    for (int i = 0; i < coarse; i++) CHECK(fabs(back[i] - y[i]) < 1e-10);
    PL_FREE(x, double, coarse);
    PL_FREE(y, double, coarse);
    PL_FREE(up, double, fine);
    PL_FREE(image, double, fine);
    PL_FREE(back, double, coarse);
    s4_hierarchy_free(&h);
}
