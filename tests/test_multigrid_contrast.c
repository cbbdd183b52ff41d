// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Stiff parts in a soft body, 1e4 to 1, in several shapes: nodes that follow stiffness keep the
// iterations near to those of a body of one material, here the stiff one, which is the harder of
// the two. (Halves side by side: test_multigrid_solver.) Parts of one or two elements' thickness
// are beyond it: their vertices all look stiff, and nodes reach across what is soft between them.
#include "base/memory.h"
#include "mg_samples.h"
#include "sample_meshes.h"

static const mg_material rubber = {1e7, 0.3, 1000.0, 1.0 / 30.0, NULL};
static const double STIFF = 1e4;

// true where the body is stiff; point: the middle of a tet, in parts of the box
typedef bool (*is_stiff)(const double point[3]);

// the upper half along the body
static bool in_layer(const double point[3]) { return point[1] > 0.5; }
// a row of lumps that do not touch one another
static bool in_lumps(const double point[3]) {
    double x = fmod(3.0 * point[0], 1.0) - 0.5;
    return hypot(hypot(x, point[1] - 0.5), point[2] - 0.5) < 0.3;
}

static void fill_contrast(const pl_mesh* mesh, is_stiff stiff, double* contrast) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * mesh->vertex_count; i++) {
        low[i % 3] = fmin(low[i % 3], mesh->positions[i]);
        high[i % 3] = fmax(high[i % 3], mesh->positions[i]);
    }
    for (int t = 0; t < mesh->tet_count; t++) {
        double point[3] = {0};
        for (int k = 0; k < 12; k++)
            point[k % 3] += 0.25 * mesh->positions[3 * mesh->tets[4 * t + k / 3] + k % 3];
        for (int c = 0; c < 3; c++) point[c] = (point[c] - low[c]) / (high[c] - low[c]);
        contrast[t] = stiff(point) ? STIFF : 1.0;
    }
}

static int iterations_of(const mg_sample* s, bool aware) {
    pl_mg_def def = pl_default_mg_def();
    def.stiffness_aware = aware;
    pl_error error;
    pl_mg_solver* solver;
    pl_mg_blocks A = mg_sample_blocks(s);
    CHECK_OK(pl_mg_create(&def, &A, s->positions, &solver, &error), &error);
    memset(s->x, 0, 3 * (size_t)s->A.row_count * sizeof(double));
    pl_mg_info info;
    pl_mg_solve(solver, s->b, s->x, 1e-6, 500, &info);
    CHECK(info.converged);
    pl_mg_destroy(solver);
    return info.iterations;
}

static void check_shape(is_stiff stiff) {
    pl_mesh* box = sample_box(24, 9, 9);
    double* contrast = PL_ALLOC(double, box->tet_count);
    fill_contrast(box, stiff, contrast);
    mg_material two = rubber;
    two.contrast = contrast;
    mg_material steel = rubber;
    steel.young *= STIFF;
    mg_sample same = mg_sample_create(box, &steel, 1e5), mixed = mg_sample_create(box, &two, 1e5);
    int homogeneous = iterations_of(&same, true), aware = iterations_of(&mixed, true);
    int plain = iterations_of(&mixed, false);
    CHECK(2 * aware <= 3 * homogeneous);
    CHECK(aware <= plain);
    mg_sample_free(&same);
    mg_sample_free(&mixed);
    PL_FREE(contrast, double, box->tet_count);
    pl_mesh_destroy(box);
}

TEST(mg_contrast_stiff_layer)
{ check_shape(in_layer); }
TEST(mg_contrast_stiff_lumps)
{ check_shape(in_lumps); }
