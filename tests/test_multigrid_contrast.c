// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The pliant authors
//
// Stiff parts in a soft body, 1e4 to 1, in several shapes: nodes that follow stiffness keep the
// iterations near to those of a body of one material on the same mesh, held in the same way: of the
// soft one, which takes 9 (the stiff one 11). (Halves side by side: test_multigrid_solver.)
#include "base/memory.h"
#include "mg_samples.h"
#include "sample_meshes.h"

static const mg_material rubber = {1e7, 0.3, 1000.0, 1.0 / 30.0, NULL};
static const double STIFF = 1e4;

// true where the body is stiff; point: the middle of a tet, in elements
typedef bool (*is_stiff)(const double point[3]);
enum { LENGTH = 24, WIDTH = 9 };

// the upper half along the body
static bool in_layer(const double point[3]) { return point[1] > 0.5 * WIDTH; }
// a row of lumps that do not touch one another
static bool in_lumps(const double point[3]) {
    double x = fmod(3.0 * point[0] / LENGTH, 1.0) - 0.5;
    return hypot(hypot(x, point[1] / WIDTH - 0.5), point[2] / WIDTH - 0.5) < 0.3;
}
static bool in_bone(const double point[3]) {
    return hypot(point[1] / WIDTH - 0.5, point[2] / WIDTH - 0.5) < 0.25;
}
static bool in_shell(const double point[3]) {
    double depth = fmin(point[0], LENGTH - point[0]);
    for (int c = 1; c < 3; c++) depth = fmin(depth, fmin(point[c], WIDTH - point[c]));
    return depth < 1.5;
}
// across and along the body; each stiff one is one and a half elements thick
static bool in_sheets(const double point[3]) { return fmod(point[0], 3.0) < 1.5; }
static bool in_long_sheets(const double point[3]) { return fmod(point[1], 3.0) < 1.5; }
// one element thick, and so is the soft between them: every vertex is one of a stiff sheet
static bool in_single_sheets(const double point[3]) { return fmod(point[0], 2.0) < 1.0; }
// a sheet and its folds back and forth: one part, with something soft between its folds
static bool in_comb(const double point[3]) { return point[0] < 1.0 || fmod(point[1], 2.0) < 1.0; }
static bool in_rods(const double point[3]) {
    return fmod(point[1], 3.0) < 1.5 && fmod(point[2], 3.0) < 1.5;
}

static bool in_single_rods(const double point[3]) {
    return fmod(point[1], 2.0) < 1.0 && fmod(point[2], 2.0) < 1.0;
}
// cubes that do not touch one another, of the eight vertices of one element
static bool in_grains(const double point[3]) {
    bool inside = true;
    for (int c = 0; c < 3; c++) inside = inside && (int)point[c] % 3 == 1;
    return inside;
}

static void fill_contrast(const pl_mesh* mesh, is_stiff stiff, double* contrast) {
    for (int t = 0; t < mesh->tet_count; t++) {
        double point[3] = {0};
        for (int k = 0; k < 12; k++)
            point[k % 3] += 0.25 * mesh->positions[3 * mesh->tets[4 * t + k / 3] + k % 3];
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

// at most so many times the iterations of the soft body, and this part of plain sampling's
static void check_shape(is_stiff stiff, double most_ratio, double most_of_plain) {
    pl_mesh* box = sample_box(LENGTH, WIDTH, WIDTH);
    double* contrast = PL_ALLOC(double, box->tet_count);
    fill_contrast(box, stiff, contrast);
    mg_material two = rubber;
    two.contrast = contrast;
    mg_sample same = mg_sample_create(box, &rubber, 1e5), mixed = mg_sample_create(box, &two, 1e5);
    int homogeneous = iterations_of(&same, true), aware = iterations_of(&mixed, true);
    int plain = iterations_of(&mixed, false);
    CHECK(aware <= most_ratio * homogeneous);
    CHECK(aware <= most_of_plain * plain);
    mg_sample_free(&same);
    mg_sample_free(&mixed);
    PL_FREE(contrast, double, box->tet_count);
    pl_mesh_destroy(box);
}

// iterations, plain sampling: 10, 16
TEST(mg_contrast_stiff_layer)
{ check_shape(in_layer, 1.25, 0.75); }
// 11, 57
TEST(mg_contrast_stiff_lumps)
{ check_shape(in_lumps, 1.35, 0.25); }
// 10, 18
TEST(mg_contrast_stiff_bone)
{ check_shape(in_bone, 1.25, 0.7); }
// 12, 21
TEST(mg_contrast_stiff_shell)
{ check_shape(in_shell, 1.5, 0.7); }
// 15, 268
TEST(mg_contrast_thin_sheets)
{ check_shape(in_sheets, 1.8, 0.07); }
// 16, 208
TEST(mg_contrast_thin_sheets_along_the_body)
{ check_shape(in_long_sheets, 1.9, 0.1); }
// 14, 328
TEST(mg_contrast_sheets_of_one_element)
{ check_shape(in_single_sheets, 1.7, 0.06); }
// 20, 250
TEST(mg_contrast_folded_sheet)
{ check_shape(in_comb, 2.4, 0.1); }
// 16, 303
TEST(mg_contrast_thin_rods)
{ check_shape(in_rods, 1.9, 0.07); }
// 34, 389
TEST(mg_contrast_rods_of_one_element)
{ check_shape(in_single_rods, 4.0, 0.12); }
// 13, 178
TEST(mg_contrast_grains_of_one_element)
{ check_shape(in_grains, 1.6, 0.1); }
